"""Whatever a function of a rule raises, returns or sends: the client and the test get to know."""

import asyncio
import concurrent.futures
import sys
from collections.abc import Callable, Iterator
from typing import Any
from unittest import SkipTest

import httpx2
import pytest
from account import ACCOUNT, Client, LocalClient, examples, wait_until
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from mock_server import Control, MockServer
from mock_server.errors import NeedsConnection

ASKED = {"datasetId": "d", "text": "Open?"}


def raiser(error: Any) -> Callable[[Any], Any]:
    def fails(request: Any) -> Any:
        raise error

    return fails


def later(error: Any) -> Callable[[Any], Any]:
    async def fails_later(request: Any) -> Any:
        await asyncio.sleep(0)
        raise error

    return fails_later


class Unshown(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class Unnamed:
    def __repr__(self) -> str:
        raise RuntimeError

    def __call__(self, request: Any) -> Any:
        raise KeyError(self)


def recursive(request: Any) -> Any:
    return [recursive(request)]


NESTED: list[Any] = []
NESTED.append(NESTED)
ERRORS: list[Any] = [
    *(ValueError("v"), KeyError("k"), Unshown(), ValueError("\ud800"), AssertionError()),
    *(StopIteration(), StopAsyncIteration(), asyncio.CancelledError(), GeneratorExit()),
    *(concurrent.futures.CancelledError(), SystemExit(3), MemoryError(), OSError(5, "e")),
    *(pytest.skip.Exception("s"), pytest.xfail.Exception("x"), pytest.exit.Exception("e")),
    *(SkipTest("u"), ExceptionGroup("g", [ValueError("i")]), ValueError("x" * 100_000)),
]
RETURNED: list[Any] = [
    *(({"e": 1}, 404), b"b", bytearray(b"b"), float("nan"), [float("inf")], {1, object()}),
    *(NESTED, "\ud800", {"a": {"b": b"c"}}, [Unshown()], Unnamed(), Response),
    *(iter("ab"), {(1, 2): 3}, httpx2.Response(200)),
]
MISDEEDS: dict[str, tuple[Callable[[Any], Any], str]] = {}
for it in ERRORS:
    shown = f"{type(it).__name__} {str(it.args)[:9]}"
    MISDEEDS[f"raises {shown}"] = (raiser(it), type(it).__name__)
    MISDEEDS[f"raises later {shown}"] = (later(it), type(it).__name__)
for index, it in enumerate(RETURNED):
    MISDEEDS[f"returns {index} {type(it).__name__}"] = (lambda _, it=it: it, "it may return ")
MISDEEDS |= {
    "takes nothing": (lambda: 1, "TypeError"),  # type: ignore[dict-item, misc]
    "exits": (lambda _: sys.exit(), "SystemExit"),
    "is of no module": (eval("lambda _: 1 / 0", {}), "ZeroDivisionError"),
    "is recursive": (recursive, "RecursionError"),
    "has no text": (Unnamed(), "KeyError"),
    "yields": (lambda _: (yield), "it may return "),
}
USES: dict[str, Callable[[Client, Any], httpx2.Response]] = {
    "an operation": lambda it, handler: it.control.respond("listV2", handler) and it.page(),
    "a route": lambda it, handler: it.control.respond("GET /api/x", handler) and it.get("/api/x"),
    "a reply": lambda it, handler: it.control.reply(handler) and it.complete(),
    "a stream": lambda it, handler: it.control.reply(handler) and it.complete(stream=True),
    "hits": lambda it, handler: (
        it.control.hits(handler) and it.core("POST", "/dataset/searchTest", ASKED)
    ),
}


@pytest.fixture(scope="module", params=["socket", "in process"])
def either(request: pytest.FixtureRequest) -> Iterator[Client]:
    """A client of a server, or of an application."""
    if request.param == "in process":
        with LocalClient() as local:
            local.control = Control.of(local.sent.application)
            yield local
    else:
        with MockServer(ACCOUNT) as server, Client(server) as client:
            yield client


def failures_of(client: Client) -> list[BaseException]:
    """What fails the test, from now on forgotten."""
    kept = client.control.application.state.sandboxes.failures
    failures = [*kept]
    kept.clear()
    return failures


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_what_a_function_does_wrong_is_told(either, misdeed):
    handler, facts = MISDEEDS[misdeed]
    index = [*MISDEEDS].index(misdeed) % len(USES)
    uses = [*USES.values()] * 2
    for use in uses[index : index + min(len(USES), examples(1))]:
        either.control.reset()
        response = use(either, handler)
        assert response.status_code == 500 and facts in response.json()["message"]
        (failure,) = failures_of(either)
        assert isinstance(failure, Exception) and not isinstance(failure, SkipTest)
        assert either.control.summary()


def test_a_coroutine_that_would_stop_its_own_loop_is_told(either):
    async def waits(request: Any) -> Any:
        await asyncio.to_thread(either.control.calls, "listV2")
        return either.control.clock.now

    either.control.respond("GET /api/x", waits)
    assert "use asyncio.to_thread" in either.get("/api/x").json()["message"]
    assert failures_of(either)


async def broken_stream() -> Any:
    yield b"a"
    raise KeyError("later")


def broken_parts(error: Any) -> Iterator[bytes]:
    yield b"a"
    raise error


def odd(act: Callable[..., Any]) -> Response:
    """A response of a class that sends in this way."""
    return type("Odd", (Response,), {"__call__": act})()


HEADS: dict[str, Callable[[], Response]] = {
    "a status of 99": lambda: Response(status_code=99),
    "a file that is missing": lambda: FileResponse("/missing.txt"),
    "a short body": lambda: Response(b"a", headers={"content-length": "5"}),
    "a long body": lambda: Response(b"abc", headers={"content-length": "1"}),
    "no length": lambda: Response(b"abc", headers={"content-length": "x"}),
    "no coroutine": lambda: odd(lambda *_: None),
    "an exit": lambda: odd(lambda *_: sys.exit()),
    "a skip": lambda: odd(lambda *_: pytest.skip()),
}
STREAMS: dict[str, Callable[[], Response]] = {
    "a broken stream": lambda: StreamingResponse(broken_stream()),
    "a skipping stream": lambda: StreamingResponse(broken_parts(pytest.skip.Exception("s"))),
    "a stream of nothing": lambda: StreamingResponse(5),  # type: ignore[arg-type]
    "a stream of numbers": lambda: StreamingResponse(iter([b"a", 5])),  # type: ignore[list-item]
}
BACKGROUND = {
    f"a background task that raises {type(it).__name__}": lambda it=it: JSONResponse(
        {}, background=BackgroundTask(raiser(it), 1)
    )
    for it in (KeyError(), SystemExit(), StopIteration(), pytest.exit.Exception("e"))
}


@pytest.mark.parametrize("make", (HEADS | STREAMS | BACKGROUND).items(), ids=lambda it: it[0])
def test_what_an_own_response_does_wrong_is_told(either, make):
    either.control.reset()
    either.control.respond("GET /api/x", lambda _: make[1]())
    status = 0
    try:
        status = either.get("/api/x").status_code
    # In process there is no connection to break: the client gets what says so.
    except (httpx2.TransportError, NeedsConnection):
        assert make[0] in STREAMS
    assert status in (500 if make[0] in HEADS else 0, 200 if make[0] in BACKGROUND else 0)
    found: list[BaseException] = []
    wait_until(lambda: found.extend(failures_of(either)) or found)
    assert len(found) == 1 and isinstance(found[0], Exception | KeyboardInterrupt)
    assert either.get("/api/y").status_code == 404
    assert [it["response"]["status"] for it in either.control.journal]
