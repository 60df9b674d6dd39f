"""Mutated and split requests: no crash, no hang, no effect without a 200."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from urllib.parse import urlsplit

import pytest

from mock_server.app import Application, create_app
from mock_server.domain.objects.models import App, Chat
from mock_server.wire.uvicorn_internals import HttpParser, best_parser
from tests.support import LIBRARY, LIST, Switch, is_pinned
from tests.wire.battery import (
    ACCEPTED,
    BAD_BODIES,
    LIST_BODY,
    REFUSED,
    raw,
    said,
    status,
)

Live = Callable[[HttpParser], tuple[Switch, str]]

SEEDS = [
    request
    for request in [
        *ACCEPTED.values(),
        *(each for _, each in (REFUSED | BAD_BODIES).values()),
    ]
    if len(request) < 2_000
]
PIECES = [b"\r\n", b"\r", b"\n", b"\x00", b" ", b":", b"\xff", b"0", b"%", b"chunked"]
PATIENCE_SECONDS = 0.05
TOGETHER = 100


def mutated(random: Random) -> list[bytes]:
    """A request with a few bytes changed, in up to three pieces."""
    request = bytearray(random.choice(SEEDS))
    for _ in range(random.randint(0, 3)):
        at = random.randrange(len(request) + 1)
        kind = random.randrange(4)
        if kind == 0:
            request[at:at] = random.choice(PIECES)
        elif kind == 1:
            del request[at : at + random.choice([1, 2, 10])]
        elif kind == 2:
            request[at : at + 1] = bytes([random.randrange(256)])
        else:
            request[at:at] = request[: random.randrange(60)]
    cuts = sorted(
        random.randrange(len(request) + 1) for _ in range(random.randrange(3))
    )
    ends = zip([0, *cuts], [*cuts, len(request)], strict=True)
    return [bytes(request[start:end]) for start, end in ends]


async def answer(url: str, pieces: list[bytes], patience: float) -> bytes:
    """All that the server says within so many seconds; nothing if it says nothing."""
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    said = b""
    try:
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(0)
        async with asyncio.timeout(patience):
            while part := await reader.read(65_536):
                said += part
    except (TimeoutError, ConnectionError):
        pass
    writer.close()
    return said


async def answers(url: str, batch: list[list[bytes]], patience: float) -> list[bytes]:
    """The answers to a batch of requests, sent at once."""
    return await asyncio.gather(*(answer(url, each, patience) for each in batch))


def served(answers: list[bytes]) -> bool:
    """Whether one of them is a success, after a 100 Continue or another answer too."""
    return any(b"HTTP/1.1 200 OK" in each for each in answers)


async def fuzz(app: Application, url: str, seed: int, count: int) -> None:
    random = Random(seed)
    for _ in range(count // TOGETHER):
        batch = [mutated(random) for _ in range(TOGETHER)]
        # An answer may come late, or a request of the batch before: then once more.
        is_sound = await has_effect_only_with_a_200(app, url, batch, PATIENCE_SECONDS)
        assert is_sound or await has_effect_only_with_a_200(app, url, batch, 10.0)


async def has_effect_only_with_a_200(
    app: Application, url: str, batch: list[list[bytes]], patience: float
) -> bool:
    """Whether a batch that pins is told so; all that is said is HTTP, and no 500."""
    app.sandbox.store.put_chat(*fresh(app))
    said = await answers(url, batch, patience)
    for each in said:
        assert each[:9] in (b"", b"HTTP/1.1 "), each
        assert not each.startswith(b"HTTP/1.1 500"), each
    return served(said) or not is_pinned(app)


def fresh(app: Application) -> tuple[App, Chat]:
    """The app and its chat as the fixture has it."""
    there = app.sandbox.store.app("app-1")
    assert there is not None
    return there, there.chats["chat-1"]


def run(live: Live, http: HttpParser, seed: int, count: int) -> None:
    switch, url = live(http)
    app = create_app(LIBRARY)
    switch.app = app
    asyncio.run(fuzz(app, url, seed, count))
    assert status(said(url, raw(f"POST {LIST} HTTP/1.1", body=LIST_BODY))) == 200


@pytest.mark.parametrize("http", ["zttp", pytest.param("h11", marks=pytest.mark.ci)])
def test_mutated_requests_end_cleanly(live: Live, http: HttpParser) -> None:
    run(live, http, seed=1, count=250)


@pytest.mark.ci
@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_1_000_mutated_requests_end_cleanly(live: Live, http: HttpParser) -> None:
    run(live, http, seed=1, count=1_000)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(10))
def test_10_000_mutated_requests_end_cleanly(live: Live, seed: int) -> None:
    run(live, best_parser(), seed + 100, count=10_000)
