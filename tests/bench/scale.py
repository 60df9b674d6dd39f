"""What a second replica brings, and what the proxy before them takes.

`python -m tests.bench.scale` takes half a minute and prints figures; it needs wrk and
nginx. Load generator, proxy and servers share the machine's cores: the rates tell how
they share, the CPU for each request what further machines would bring.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.figures import HEAD, Figure
from tests.e2e.scale.front import front
from tests.process import serving
from tests.support import LIST

SECONDS = 5
KEYS = 64
PER_MINUTE = 1_000_000
_TICKS = os.sysconf("SC_CLK_TCK")
_REQUESTS = re.compile(r"(\d+) requests in ([\d.]+)s")
SCRIPT = """
local body = '{"offset": 0, "datasetId": "6593e137231a2be9c5603ba7", "parentId": null}'
local number = 0
request = function()
  number = (number + 1) %% %d
  local headers = {["Content-Type"] = "application/json"}
  headers["Authorization"] = "Bearer client-" .. number
  return wrk.format("POST", "%s", headers, body)
end
""" % (KEYS, LIST)


def cpu(pid: int) -> float:
    """CPU seconds of a process so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def load(url: str, pids: Sequence[int], script: Path) -> tuple[float, float]:
    """Requests a second, and microseconds of CPU that servers spend on each."""
    before = sum(map(cpu, pids))
    command = ["wrk", "-t1", "-c64", f"-d{SECONDS}s", "-s", str(script), url]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = _REQUESTS.search(said)
    assert found is not None, said
    assert "Non-2xx" not in said, said
    count = int(found[1])
    return count / float(found[2]), (sum(map(cpu, pids)) - before) / count * 1e6


def main() -> None:
    """Print the table, row by row."""
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        script = Path(folder) / "keys.lua"
        script.write_text(SCRIPT)
        servers = [stack.enter_context(serving("--port=0")) for _ in range(2)]
        urls = [url for url, _ in servers]
        pids = [process.pid for _, process in servers]
        layouts = {
            "1 replica": urls[0],
            "1 replica behind nginx": stack.enter_context(front(urls[:1])),
            "2 replicas behind nginx": stack.enter_context(front(urls)),
        }
        print(HEAD)
        for name, url in layouts.items():
            rate, us = load(url, pids, script)
            print(Figure(name, rate, "requests/s").row())
            print(Figure(f"{name}: server CPU", us, "µs").row())
            cores = us / 1e6 * PER_MINUTE / 60
            print(Figure(f"{name}: cores for {PER_MINUTE:,}/min", cores, "").row())


if __name__ == "__main__":
    main()
