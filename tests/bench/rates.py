"""How many requests a second, next to servers that answer the same without a thought.

All servers run side by side and are loaded in turn, so that what else the machine does
falls on all of them; what counts are the medians of the ratios within a round.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.request import Request, urlopen

from tests.bench.figures import Figure
from tests.bench.references import KINDS, Canned
from tests.process import serving
from tests.support import LIST, PIN

ROUNDS = 7
WRK = ("wrk", "-t1", "-c32", "-d1s")
KEY = "any-key"
OWN = "own"
NAMES = {
    "route": "the route floor",
    "ceiling": "the ceiling",
    "starlette": "plain Starlette",
}
_DATASET = "paging"
_TICKS = os.sysconf("SC_CLK_TCK")
_REQUESTS = re.compile(r"(\d+) requests in ([\d.]+)s")


@dataclass(frozen=True)
class Workload:
    """A request to repeat, and the targets: ratios to the route and to the ceiling."""

    name: str
    method: str
    path: str
    body: dict[str, object]
    to_route: float | None = None
    to_ceiling: float | None = None


def listing(**fields: object) -> dict[str, object]:
    """The body of a list request."""
    return {"offset": 0, "datasetId": _DATASET} | fields


WORKLOADS = (
    Workload("list, 10 items", "POST", LIST, listing(pageSize=10), 0.88, 0.75),
    Workload("list, 30 items", "POST", LIST, listing(pageSize=30)),
    Workload("search", "POST", LIST, listing(searchText="article 07", pageSize=10)),
    Workload(
        *("pin", "PUT", PIN, {"appId": "app", "chatId": "chat", "top": True}),
        *(0.88, 0.72),
    ),
)
FIXTURE = {
    "apps": [{"id": "app", "chats": [{"chatId": "chat"}]}],
    "datasets": [
        {
            "id": _DATASET,
            "collections": [{"name": "Article {n:03}", "repeat": 250, "type": "link"}],
        }
    ],
}


@dataclass(frozen=True)
class Rate:
    """What one run has found: requests a second, and CPU of the server for each."""

    per_second: float
    cpu_us: float


Rates = Sequence[Rate]


class Server:
    """A server process under load."""

    def __init__(self, url: str, pid: int) -> None:
        self.url = url
        self._pid = pid

    def load(self, work: Workload, script: Path) -> Rate:
        """Send the request over and over for a second."""
        before = self._cpu()
        run = subprocess.run(
            [*WRK, "-s", str(script), self.url + work.path],
            capture_output=True,
            text=True,
            check=True,
        )
        found = _REQUESTS.search(run.stdout)
        assert found, run.stderr
        assert "Non-2xx" not in run.stdout, run.stdout
        count, took = int(found[1]), float(found[2])
        return Rate(count / took, (self._cpu() - before) / count * 1e6)

    def _cpu(self) -> float:
        """CPU seconds of the process so far (Linux)."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


@contextmanager
def reference(kind: str, canned: Canned, folder: Path) -> Iterator[Server]:
    """A server that always gives the same answer."""
    file = folder / "canned.json"
    file.write_text(json.dumps(asdict(canned)))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.references", kind, str(file)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield Server(process.stdout.readline().split()[1], process.pid)
    finally:
        process.kill()
        process.communicate()


def first_answer(work: Workload, url: str) -> Canned:
    """What the mock server answers, without what every server adds."""
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    body = json.dumps(work.body).encode()
    request = Request(url + work.path, body, headers, method=work.method)
    with urlopen(request) as answer:
        given = answer.headers.items()
        kept = {k: v for k, v in given if k.lower() not in ("date", "connection")}
        return Canned(work.method, work.path, kept, answer.read().decode())


def script_of(work: Workload) -> str:
    """The request for wrk."""
    body = json.dumps(json.dumps(work.body))  # a string of Lua looks just the same
    return (
        f'wrk.method = "{work.method}"\nwrk.body = {body}\n'
        f'wrk.headers["Authorization"] = "Bearer {KEY}"\n'
        'wrk.headers["Content-Type"] = "application/json"\n'
    )


def measure(work: Workload, url: str, pid: int) -> dict[str, Rates]:
    """The rates of all servers in each round."""
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        script = folder / "request.lua"
        script.write_text(script_of(work))
        canned = first_answer(work, url)
        servers = {OWN: Server(url, pid)}
        for kind in KINDS:
            servers[kind] = stack.enter_context(reference(kind, canned, folder))
        for server in servers.values():
            server.load(work, script)
        rounds = [
            [server.load(work, script) for server in servers.values()]
            for _ in range(ROUNDS)
        ]
        return dict(zip(servers, zip(*rounds, strict=True), strict=True))


def figures_of(work: Workload, rates: dict[str, Rates]) -> Iterator[Figure]:
    """The figures of one workload."""
    own = rates[OWN]
    others = [f"{kind} {per_second(rates[kind]):,.0f}" for kind in KINDS]
    yield Figure(work.name, per_second(own), "requests/s", note=", ".join(others))
    targets = {"route": work.to_route, "ceiling": work.to_ceiling, "starlette": None}
    for kind, least in targets.items():
        ratios = [
            a.per_second / b.per_second for a, b in zip(own, rates[kind], strict=True)
        ]
        ratio = statistics.median(ratios)
        yield Figure(f"{work.name}: rate to {NAMES[kind]}", ratio, "×", least=least)
    cpu = [f"{kind} {cpu_us(rates[kind]):.0f}" for kind in KINDS]
    yield Figure(f"{work.name}: server CPU", cpu_us(own), "µs", note=", ".join(cpu))


def per_second(rates: Rates) -> float:
    """The median of the requests a second."""
    return statistics.median(rate.per_second for rate in rates)


def cpu_us(rates: Rates) -> float:
    """The median of the CPU for a request."""
    return statistics.median(rate.cpu_us for rate in rates)


def figures() -> Iterator[Figure]:
    """The figures of all workloads."""
    with tempfile.TemporaryDirectory() as name:
        fixture = Path(name) / "fixture.json"
        fixture.write_text(json.dumps(FIXTURE))
        with serving("--port=0", str(fixture)) as (url, process):
            for work in WORKLOADS:
                yield from figures_of(work, measure(work, url, process.pid))
