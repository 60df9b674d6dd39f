"""Requests in masses: how many a second, and how much CPU a server spends on each."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

CONNECTIONS = 32
KEY = "any-key"
_REQUESTS = re.compile(r"(\d+) requests in ([\d.]+)s")
_P99 = re.compile(r"99%\s+([\d.]+)(us|ms|s)\s")
_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}
_BY_KEYS = """
local requests, number = {}, 0
init = function()
  for key in ("%s"):gmatch("%%S+") do
    wrk.headers["Authorization"] = "Bearer " .. key
    requests[#requests + 1] = wrk.format()
  end
end
request = function()
  number = number %% #requests + 1
  return requests[number]
end
"""
_CLOCK_OF_PROCESS = 2
"""Of a process whole: what its threads were on a core for, in ns (Linux)."""


@dataclass(frozen=True)
class Workload:
    """A request to repeat. `headers` stand beside those that it needs.

    With `keys` it is sent with each of them in turn, instead of `key`.
    """

    name: str
    method: str
    path: str
    body: Mapping[str, object]
    headers: Mapping[str, str] = field(default_factory=dict)
    key: str = KEY
    keys: Sequence[str] = ()

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        return json.dumps(self.body).encode()

    @property
    def all_headers(self) -> dict[str, str]:
        """What is sent beside the length of the body and the name of the host."""
        return {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            **self.headers,
        }

    def script(self) -> str:
        """The request for wrk. A string of Lua looks just as one of JSON."""
        return "\n".join(
            [
                f"wrk.method = {json.dumps(self.method)}",
                f"wrk.body = {json.dumps(self.content.decode())}",
                *(
                    f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}"
                    for name, value in self.all_headers.items()
                ),
                _BY_KEYS % " ".join(self.keys) if self.keys else "",
            ]
        )


@dataclass(frozen=True)
class Rate:
    """What one run has found: requests a second, CPU of the server for each, and how
    long all but one in a hundred took at most.
    """

    per_second: float
    cpu_us: float
    p99_ms: float


Rates = Sequence[Rate]


@dataclass(frozen=True)
class Server:
    """A server under load: where it listens, and the processes that it is."""

    url: str
    pids: tuple[int, ...]

    def load(self, work: Workload, connections: int = CONNECTIONS) -> Rate:
        """Send the request over and over for a second; all are to be answered well."""
        wrk = "wrk", "-t1", f"-c{connections}", "-d1s", "--latency"
        with TemporaryDirectory() as folder:
            script = Path(folder) / "request.lua"
            script.write_text(work.script())
            before = self.cpu()
            run = subprocess.run(
                [*wrk, "-s", str(script), self.url + work.path],
                capture_output=True,
                text=True,
                check=True,
            )
            used = self.cpu() - before
        found, p99 = _REQUESTS.search(run.stdout), _P99.search(run.stdout)
        assert found, run.stderr
        assert p99, run.stdout
        assert "Non-2xx" not in run.stdout, run.stdout
        count = int(found[1])
        rate, cpu_us = count / float(found[2]), used / count * 1e6
        return Rate(rate, cpu_us, float(p99[1]) * _MS[p99[2]])

    def cpu(self) -> float:
        """CPU seconds of the processes so far."""
        return sum(map(cpu, self.pids))


def cpu(pid: int) -> float:
    """CPU seconds of a process so far (Linux): exact, where /proc tells ticks."""
    return time.clock_gettime(~pid << 3 | _CLOCK_OF_PROCESS)


def control(server: Server, path: str, body: object) -> Any:
    """A POST to the admin API that is to succeed; gives what it answers."""
    headers = {"Content-Type": "application/json"}
    url, content = f"{server.url}/__admin/{path}", json.dumps(body).encode()
    with urlopen(Request(url, content, headers)) as answer:
        return json.load(answer)


def in_turn(
    runs: Mapping[str, tuple[Server, Workload]], rounds: int
) -> dict[str, Rates]:
    """The rates of each run in each round, after one that warms up."""
    found: dict[str, list[Rate]] = {name: [] for name in runs}
    for number in range(-1, rounds):
        for name, (server, work) in runs.items():
            rate = server.load(work)
            if number >= 0:
                found[name].append(rate)
    return dict(found)


def per_second(rates: Rates) -> float:
    """The median of the requests a second."""
    return statistics.median(rate.per_second for rate in rates)


def cpu_us(rates: Rates) -> float:
    """The median of the CPU for a request."""
    return statistics.median(rate.cpu_us for rate in rates)


def cpu_ratio(rates: Rates, others: Rates) -> float:
    """The median of the ratios within a round, of the CPU for a request."""
    return statistics.median(
        own.cpu_us / other.cpu_us for own, other in zip(rates, others, strict=True)
    )


def rate_ratio(rates: Rates, others: Rates) -> float:
    """The median of the ratios within a round, of the requests a second."""
    return statistics.median(
        own.per_second / other.per_second
        for own, other in zip(rates, others, strict=True)
    )
