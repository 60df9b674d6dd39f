"""What a request costs, next to servers that answer the same without a thought.

All servers run side by side and are loaded in turn, so that what else the machine does
falls on all of them; what counts are the medians of the ratios within a round. Targets
are for CPU: how many requests that makes a second depends on who shares the cores.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.request import Request, urlopen

from tests.bench.figures import Figure
from tests.bench.load import (
    Rates,
    Server,
    Workload,
    cpu_ratio,
    cpu_us,
    in_turn,
    per_second,
    rate_ratio,
)
from tests.bench.references import KINDS, Canned
from tests.process import COMMAND, serving
from tests.support import LIST, PIN

ROUNDS = 7
OWN = "own"
NAMES = {
    "route": "the route floor",
    "ceiling": "the ceiling",
    "starlette": "plain Starlette",
}
DATASET = "paging"


@dataclass(frozen=True)
class Most:
    """Targets: the CPU of a request in ratio to the route floor and the ceiling."""

    route: float | None = None
    ceiling: float | None = None
    starlette: float | None = None


HOT = Most(route=1.12, ceiling=1.35)


def listing(name: str, **fields: object) -> Workload:
    """A list request."""
    return Workload(name, "POST", LIST, {"offset": 0, "datasetId": DATASET} | fields)


PLAIN = listing("list, 10 items", pageSize=10)
LONG = listing("list, 30 items", pageSize=30)
SEARCH = listing("search", searchText="article 07", pageSize=10)
PINNING = Workload("pin", "PUT", PIN, {"appId": "app", "chatId": "chat", "top": True})
WORKLOADS = ((PLAIN, HOT), (LONG, Most()), (SEARCH, Most()), (PINNING, HOT))
FIXTURE = {
    "apps": [{"id": "app", "chats": [{"chatId": "chat"}]}],
    "datasets": [
        {
            "id": DATASET,
            "collections": [{"name": "Article {n:03}", "repeat": 250, "type": "link"}],
        }
    ],
}


@contextmanager
def reference(kind: str, canned: Canned) -> Iterator[Server]:
    """A server that always gives the same answer."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "canned.json"
        file.write_text(json.dumps(asdict(canned)))
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.references", kind, str(file)],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            yield Server(process.stdout.readline().split()[1], (process.pid,))
        finally:
            process.kill()
            process.communicate()


def first_answer(work: Workload, url: str) -> Canned:
    """What the mock server answers, without what every server adds."""
    headers = work.all_headers
    request = Request(url + work.path, work.content, headers, method=work.method)
    with urlopen(request) as answer:
        given = answer.headers.items()
        kept = {k: v for k, v in given if k.lower() not in ("date", "connection")}
        return Canned(work.method, work.path, kept, answer.read().decode())


def measure(work: Workload, own: Server) -> dict[str, Rates]:
    """The rates of all servers in each round."""
    with ExitStack() as stack:
        canned = first_answer(work, own.url)
        servers = {OWN: own} | {
            kind: stack.enter_context(reference(kind, canned)) for kind in KINDS
        }
        runs = {name: (server, work) for name, server in servers.items()}
        return in_turn(runs, ROUNDS)


def figures_of(name: str, most: Most, rates: dict[str, Rates]) -> Iterator[Figure]:
    """The figures of one workload."""
    own = rates[OWN]
    cpu = [f"{kind} {cpu_us(rates[kind]):.1f}" for kind in KINDS]
    yield Figure(f"{name}: CPU", cpu_us(own), "µs", note=", ".join(cpu))
    for kind, title in NAMES.items():
        ratio, bound = cpu_ratio(own, rates[kind]), getattr(most, kind)
        yield Figure(f"{name}: CPU to {title}", ratio, "×", most=bound)
    others = [f"{kind} {per_second(rates[kind]):,.0f}" for kind in KINDS]
    yield Figure(name, per_second(own), "requests/s", note=", ".join(others))
    for kind, title in NAMES.items():
        yield Figure(f"{name}: rate to {title}", rate_ratio(own, rates[kind]), "×")


@contextmanager
def server(*args: str, command: Sequence[str] = COMMAND) -> Iterator[Server]:
    """The mock server over the data that the workloads ask for."""
    with tempfile.TemporaryDirectory() as folder:
        fixture = Path(folder) / "fixture.json"
        fixture.write_text(json.dumps(FIXTURE))
        started = serving("--port=0", *args, str(fixture), command=command)
        with started as (url, process):
            yield Server(url, (process.pid,))


def figures() -> Iterator[Figure]:
    """The figures of all workloads."""
    with server() as own:
        for work, most in WORKLOADS:
            yield from figures_of(work.name, most, measure(work, own))
