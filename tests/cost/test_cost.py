"""What any input costs: in proportion to its size, and never a long stall.

Work is measured in CPU time of the event loop's own thread, so that neighbours do not
count. A piece of work is what runs between two turns of the loop.
"""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from collections import deque
from collections.abc import Sequence
from http import HTTPStatus
from math import inf
from time import thread_time

import pytest
from starlette.types import ASGIApp, Message

from mock_server.api.request_log import LogRedaction, RequestLog
from mock_server.app import create_app
from tests.cost.inputs import (
    ADMIN,
    FOLDERS,
    KEY,
    OPERATIONS,
    RECORDED,
    SCRIPTED,
    STATES,
    Sent,
    admin,
    with_fields,
)
from tests.support import LIBRARY, settled

INPUTS = OPERATIONS | ADMIN | STATES | FOLDERS | SCRIPTED | RECORDED
FEWEST, ROUNDS = 3, 12
"""How often to measure the small size in a round, and how many rounds at most.

A round compares what is measured at the same time, because neighbours make both
slower. One good round is enough.
"""
NOISE = 0.003
"""Seconds of CPU that a call may take whatever its size."""
SHARE, MOST = 8, 14
"""How much smaller the small size is, and how much more the whole may cost.

A cost that grows with the square is 64 times as high. Between 8 and 14 is what a
machine does to work that no longer fits its caches, beside others that use them.
"""
TWICE = 2.6
"""How much more memory twice the size may take: twice, and what measuring adds."""


def reference() -> float:
    """Seconds of CPU of a fixed piece of work: about 50 ms where this was written.

    It makes small objects, as reading a large body does: neighbours that take the
    cache, or a system that is slow to give memory, make both slower.
    """
    start = thread_time()
    for _ in range(5):
        [str(number) for number in range(130_000)]
    return thread_time() - start


def served(sent: Sent) -> ASGIApp:
    """A server as a request needs it."""
    app = create_app(LIBRARY, profile=sent.profile)
    if not sent.is_logged:
        return app
    lines = deque[str](maxlen=1)
    return RequestLog(
        app, "text", lines.append, LogRedaction(app.sandboxes, app.secrets)
    )


async def call(app: ASGIApp, sent: Sent) -> int:
    """The status of the answer to a request, in process."""
    headers = {
        "host": "localhost",
        "content-type": "application/json",
        "authorization": f"Bearer {KEY}",
        "content-length": str(len(sent.body)),
    } | sent.headers
    statuses: list[int] = []
    waiting: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
    messages: list[Message] = [{"type": "http.request", "body": sent.body}]

    async def receive() -> Message:
        return messages.pop() if messages else await waiting

    async def send(message: Message) -> None:
        if "status" in message:
            statuses.append(message["status"])

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": sent.method,
        "path": sent.path,
        "raw_path": sent.path.encode(),
        "query_string": sent.query.encode(),
        "root_path": "",
        "headers": [(k.encode(), v.encode()) for k, v in headers.items()],
    }
    await app(scope, receive, send)
    return statuses[0]


async def longest_turn(done: asyncio.Event) -> float:
    """The longest piece of work until then, in seconds of CPU."""
    longest = 0.0
    while not done.is_set():
        start = thread_time()
        await asyncio.sleep(0)
        longest = max(longest, thread_time() - start)
    return longest


async def measured(requests: Sequence[Sent]) -> tuple[float, float]:
    """Seconds of CPU of the last request in all, and of its longest piece."""
    app = served(requests[-1])
    for sent in requests[:-1]:
        assert await call(app, sent) < HTTPStatus.BAD_REQUEST
    with settled():  # as a server is once it has loaded
        done = asyncio.Event()
        watch = asyncio.create_task(longest_turn(done))
        await asyncio.sleep(0)
        start = thread_time()
        sent = requests[-1]
        await asyncio.gather(*(call(app, sent) for _ in range(sent.at_once)))
        spent = thread_time() - start
        done.set()
        return spent, await watch


def test_measuring_thaws_nothing() -> None:
    """Each pass of the collector would look at all tests of the run."""
    with settled():
        pass
    assert gc.get_freeze_count() > 0


@pytest.mark.ci
@pytest.mark.parametrize("name", INPUTS)
def test_the_cost_grows_with_the_size_and_stalls_nobody(name: str) -> None:
    each = INPUTS[name]
    smaller, whole = map(each.requests, (each.largest // SHARE, each.largest))
    growth = piece = stall = inf
    for _ in range(ROUNDS):
        small = min(asyncio.run(measured(smaller))[0] for _ in range(FEWEST))
        spent, longest = asyncio.run(measured(whole))
        growth = min(growth, (spent - NOISE) / small)
        piece, stall = min(piece, longest), min(stall, longest / reference())
        if growth <= MOST and stall <= 1:
            return
    assert growth <= MOST
    assert stall <= 1, f"the longest piece takes {piece * 1000:.0f} ms"


async def peak(requests: Sequence[Sent]) -> int:
    """Bytes that the last request needs at its worst moment."""
    app = served(requests[-1])
    for sent in requests[:-1]:
        await call(app, sent)
    tracemalloc.start()
    try:
        await call(app, requests[-1])
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_verification_keeps_few_near_misses() -> None:
    calls = [with_fields(number=number) for number in range(100)]
    verified = admin("POST", "/journal/verify", {"body": {"n" * 900_000: 1}})
    most = asyncio.run(peak([*calls, verified]))
    assert most < 20_000_000


@pytest.mark.ci
def test_bodies_of_many_values_are_not_kept_as_they_were_parsed() -> None:
    async def kept() -> int:
        app = create_app(LIBRARY)
        await call(app, admin("POST", "/faults", {"kind": "error", "skip": 1_000}))
        bodies = [with_fields(**{f"x{at}": [[0]] * 300}) for at in range(100)]
        tracemalloc.start()
        try:
            for sent in bodies:
                await call(app, sent)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    assert asyncio.run(kept()) < 100 * 8_000


@pytest.mark.ci
@pytest.mark.parametrize("name", INPUTS)
def test_twice_the_size_takes_twice_the_memory_at_most(name: str) -> None:
    each = INPUTS[name]

    def traced(part: int) -> int:
        return asyncio.run(peak(each.requests(each.largest // part)))

    # Where memory is traced, a whole may take minutes. What grows faster than the size
    # does so from an eighth to a quarter, too.
    if traced(4) > TWICE * traced(8) + 100_000:  # or between them is a limit
        assert traced(1) <= TWICE * traced(2) + 100_000
