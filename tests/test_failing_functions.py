"""Whatever a function of a rule raises, returns or sends: the client and the test are told."""

import asyncio
import concurrent.futures
import sys
from collections.abc import Callable, Iterator
from datetime import date
from threading import Event
from typing import Any
from unittest import SkipTest

import httpx2
import pytest
from account import ACCOUNT, Client, LocalClient, examples
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from mock_server import Control, MockServer

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


async def cancels_itself(request: Any) -> Any:
    asyncio.current_task().cancel()  # type: ignore[union-attr]
    await asyncio.sleep(1)


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
    "cancels itself": (cancels_itself, "CancelledError"),
    "is recursive": (recursive, "RecursionError"),
    "has no text": (Unnamed(), "KeyError"),
    "yields": (lambda _: (yield), "it may return "),
}
USES: dict[str, Callable[[Client, Any], httpx2.Response]] = {
    "an operation": lambda it, handler: it.control.respond("listV2", handler) and it.page(),
    "a route": lambda it, handler: it.control.respond("GET /api/x", handler) and it.get("/api/x"),
    "a reply": lambda it, handler: it.control.reply(handler) and it.talk(),
    "a stream": lambda it, handler: it.control.reply(handler) and it.talk(stream=True),
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


def failure_of(client: Client) -> Any:
    """What fails the test."""
    return client.control.application.state.sandboxes.functions.take()


@pytest.mark.parametrize("misdeed", MISDEEDS)
def test_what_a_function_does_wrong_is_told(either, misdeed):
    handler, told = MISDEEDS[misdeed]
    index = [*MISDEEDS].index(misdeed) % len(USES)
    uses = [*USES.values()] * 2
    for use in uses[index : index + min(len(USES), examples(1))]:
        either.control.reset()
        response = use(either, handler)
        assert response.status_code == 500 and told in response.json()["message"]
        assert isinstance(failure_of(either), Exception) and failure_of(either) is None
        assert either.control.summary()
