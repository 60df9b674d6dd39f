"""This checkout beside another one: lists, pins and starts, in alternating pairs.

`python -m tests.bench --beside FOLDER [--pairs 20]` runs the two in turn with
the same Python, and gives the median of each pair's ratio or difference with its 95 %
interval. A target is missed if the whole interval lies above it.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from math import comb
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.figures import Figure
from tests.process import environment

HERE = Path(__file__).parents[2]
PAIRS = 20
REQUESTS = 1_000
DATASET, APP, CHAT = (
    "6593e137231a2be9c5603ba7",
    "65d8a1f0c3b2a94e7f106a01",
    "delivery-late",
)
LIST = {"offset": 0, "pageSize": 10, "datasetId": DATASET, "parentId": None}
PIN = {"appId": APP, "chatId": CHAT, "top": True}
CALLS = {
    "list": ("POST", "/api/core/dataset/collection/listV2", LIST),
    "pin": ("PUT", "/api/core/chat/history/updateHistory", PIN),
}
HEADERS = {"Authorization": "Bearer any-key", "Content-Type": "application/json"}
IN_PROCESS = """
import asyncio, json, statistics, sys, time
from mock_server import create_app
method, path, body = json.loads(sys.argv[1])
raw = json.dumps(body).encode()
scope = {"type": "http", "http_version": "1.1", "method": method, "path": path,
         "raw_path": path.encode(), "query_string": b"", "headers": [
    (b"authorization", b"Bearer any-key"), (b"content-type", b"application/json"),
    (b"content-length", b"%d" % len(raw))]}
async def receive():
    return {"type": "http.request", "body": raw, "more_body": False}
async def send(message):
    assert message.get("status", 200) == 200, message
async def run():
    app, took = create_app(), []
    for _ in range(25):
        start = time.process_time()
        for _ in range(200):
            await app(dict(scope), receive, send)
        took.append((time.process_time() - start) / 200)
    print(statistics.median(took[5:]))
asyncio.run(run())
"""


class Checkout:
    """A folder with the package in it, whose processes import it from there."""

    def __init__(self, folder: Path, compiled: str) -> None:
        # An installed package is compiled, too.
        paths = {"PYTHONPATH": str(folder), "PYTHONPYCACHEPREFIX": compiled}
        self._variables = environment(**paths)
        self._variables.pop("PYTHONDONTWRITEBYTECODE", None)
        self._folder = folder

    def in_process(self, name: str) -> float:
        """Return the CPU seconds of a call without HTTP."""
        call = json.dumps(CALLS[name])
        command = [sys.executable, "-c", IN_PROCESS, call]
        done = subprocess.run(
            command,
            env=self._variables,
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return float(done.stdout)

    def over_a_socket(self, name: str) -> float:
        """Return the server's CPU seconds of a call on a connection that stays."""
        method, path, body = CALLS[name]
        content = json.dumps(body)
        process, url = self._serve()
        connection = http.client.HTTPConnection(urlsplit(url).netloc)

        def call_often(times: int) -> None:
            for _ in range(times):
                connection.request(method, path, content, HEADERS)
                response = connection.getresponse()
                response.read()
                assert response.status == 200

        call_often(REQUESTS // 4)
        start = _cpu_seconds(process.pid)
        call_often(REQUESTS)
        took = (_cpu_seconds(process.pid) - start) / REQUESTS
        connection.close()
        _end(process)
        return took

    def start(self) -> float:
        """Return the CPU seconds of a process until it is ready."""
        process, _ = self._serve()
        return _end(process)

    def _serve(self) -> tuple[subprocess.Popen[str], str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "mock_server", "serve", "--port=0"],
            env=self._variables,
            cwd=self._folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout is not None
        return process, process.stdout.readline().split()[1]


def _cpu_seconds(process_id: int) -> float:
    """Return the CPU seconds of a process's first thread (Linux)."""
    return int(Path(f"/proc/{process_id}/schedstat").read_text().split()[0]) / 1e9


def _end(process: subprocess.Popen[str]) -> float:
    """End a process; return its CPU seconds."""
    process.kill()
    assert process.stdout is not None
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % interval of the median, by the order of the values.

    With fewer than six values there is none: it is from the least to the largest.
    """
    ordered, count = sorted(values), len(values)
    outside, below = 0.0, 0
    while outside + comb(count, below) * 2**-count <= 0.025:
        outside += comb(count, below) * 2**-count
        below += 1
    first = max(0, below - 1)
    return ordered[first], ordered[count - 1 - first]


def figures(beside: Path, pairs: int = PAIRS) -> Iterator[Figure]:
    """Lists and pins in ratio to the other checkout's, starts by their difference."""
    with tempfile.TemporaryDirectory() as own, tempfile.TemporaryDirectory() as others:
        both = Checkout(HERE, own), Checkout(beside.resolve(), others)
        for name in CALLS:
            for where in (Checkout.in_process, Checkout.over_a_socket):

                def measure(each: Checkout) -> float:
                    return where(each, name)  # noqa: B023 - called before the next

                rounds = _in_turn(both, measure, pairs)
                ratios = [one / two for one, two in rounds]
                title = f"{name} {where.__name__.replace('_', ' ')}, to the other"
                yield _figure(title, ratios, "×", 1.02)
        rounds = _in_turn(both, Checkout.start, pairs)
        later = [(one - two) * 1e3 for one, two in rounds]
        yield _figure("CPU of a start, later than the other", later, "ms", 30)


def _in_turn(
    both: tuple[Checkout, Checkout], measure: Callable[[Checkout], float], pairs: int
) -> list[tuple[float, float]]:
    """Measure both, in an order that alternates, after one time that compiles."""
    for each in both:
        measure(each)
    rounds = []
    for number in range(pairs):
        if number % 2:
            other, own = measure(both[1]), measure(both[0])
        else:
            own, other = measure(both[0]), measure(both[1])
        rounds.append((own, other))
    return rounds


def _figure(measure: str, values: Sequence[float], unit: str, most: float) -> Figure:
    """Return the median; the target is met unless the whole interval is above it."""
    low, high = interval(values)
    note = f"95 %: {low:.4g} to {high:.4g} of {len(values)} pairs, target {most:g}"
    met = "met" if low <= most else "**missed**"
    return Figure(measure, statistics.median(values), unit, note=f"{note}: {met}")
