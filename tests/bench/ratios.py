"""What requests cost that carry or meet more, next to the plain list of the same run.

Then the same without sockets: calls of the application in process, next to a Starlette
route that gives the same answer.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

from mock_server.app import create_app
from tests.bench import rates, references
from tests.bench.figures import Figure
from tests.bench.in_process import call_seconds, canned_answer
from tests.bench.load import (
    Server,
    Workload,
    control,
    cpu_ratio,
    cpu_us,
    in_turn,
    per_second,
)
from tests.process import COMMAND

ROUNDS = 7
MOST = 1.25
MOST_IN_PROCESS = 1.6
CALLS = 3_000
ORIGIN = {"Origin": "http://shop.example"}
BROWSER = ORIGIN | {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 "
    "Firefox/140.0",
    "Accept": "application/json, text/plain, */*",
    "Accept-Language": "en-US,en;q=0.5",
    "Accept-Encoding": "gzip, deflate, br, zstd",
    "Referer": "http://shop.example/knowledge/6593e137231a2be9c5603ba7",
    "Connection": "keep-alive",
    "Sec-Fetch-Dest": "empty",
    "Sec-Fetch-Mode": "cors",
    "Sec-Fetch-Site": "cross-site",
}
"""With host, length, type and key they are the 14 that Firefox sends."""
FAULTS = (
    {"kind": "error", "match": {"body": {"datasetId": "another"}}, "ttl": 600},
    {"kind": "error", "operation": "listV2", "probability": 0, "ttl": 600},
)
PLAIN = rates.PLAIN
UNREAD = ("sh", "-c", 'exec "$@" 2>/dev/null', "sh", *COMMAND)
"""The server with nobody who reads its log, which would fill a pipe."""


def runs_of(stack: ExitStack) -> dict[str, tuple[Server, Workload]]:
    """What is measured, by its name, the plain list first."""
    plain, faulty, deployed, logging = (
        stack.enter_context(server)
        for server in (
            rates.server(),
            rates.server(),
            rates.server("--profile=deployed"),
            rates.server("--log-format=json", command=UNREAD),
        )
    )
    for fault in FAULTS:
        control(faulty, "faults", fault)
    sandbox = control(plain, "sandboxes", {})
    return {
        PLAIN.name: (plain, PLAIN),
        "30 items": (plain, rates.LONG),
        "search": (plain, rates.SEARCH),
        "two faults that do not fire": (faulty, PLAIN),
        "a browser's 14 headers": (plain, replace(PLAIN, headers=BROWSER)),
        "CORS": (plain, replace(PLAIN, headers=ORIGIN)),
        "in a sandbox, by its key": (plain, replace(PLAIN, key=sandbox["key"])),
        "profile deployed": (deployed, PLAIN),
        "logs in JSON": (logging, PLAIN),
    }


def over_sockets() -> Iterator[Figure]:
    """The CPU of each kind of request."""
    with ExitStack() as stack:
        found = in_turn(runs_of(stack), ROUNDS)
    plain = found.pop(PLAIN.name)
    for name, own in found.items():
        note = f"{cpu_us(own):.1f} µs, plain {cpu_us(plain):.1f} µs; "
        note += f"{per_second(own):,.0f} requests/s, plain {per_second(plain):,.0f}"
        ratio = cpu_ratio(own, plain)
        yield Figure(f"{name}: CPU to the plain list", ratio, "×", MOST, note=note)


def in_process() -> Iterator[Figure]:
    """The time of a call without sockets."""
    app = create_app(rates.FIXTURE)
    for work in (PLAIN, rates.PINNING):
        call = work.method, work.path, work.content
        canned = canned_answer(app, *call)
        floor = references.route(canned)
        found = [
            tuple(call_seconds(each, *call, CALLS) for each in (app, floor))
            for _ in range(ROUNDS)
        ]
        own, other = (
            statistics.median(took) * 1e6 for took in zip(*found, strict=True)
        )
        ratio = statistics.median(own / other for own, other in found)
        name = f"{work.name}, in process"
        yield Figure(name, own, "µs", note=f"route {other:.2f}")
        yield Figure(f"{name}: to the route floor", ratio, "×", most=MOST_IN_PROCESS)


def figures() -> Iterator[Figure]:
    """The figures of all of them."""
    yield from over_sockets()
    yield from in_process()
