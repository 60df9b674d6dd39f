"""Functions of a test, in the server's process, that say what answers, replies and hits say."""

import asyncio
import traceback
from asyncio import AbstractEventLoop
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from inspect import isawaitable
from threading import Thread
from types import TracebackType
from typing import Any

from msgspec import Struct

from mock_server.text.wording import count_in_words
from mock_server.timing.signals import Signal

OWN = "mock_server."
"""How the names of the server's modules begin."""
MAX_FAILURES = 20
MAX_CAUSES = 10
MAX_TEXT = 1_000
ENDING = {"StopIteration", "StopAsyncIteration", "SkipTest", "Exit"}
"""Exceptions that would end or skip what they pass, by name: the last one is pytest's."""
SERVER_LOOP: ContextVar[AbstractEventLoop | None] = ContextVar("SERVER_LOOP", default=None)
"""The event loop of the server, where a coroutine or a response of a function runs in it."""
HANDLER = "mock_server.handler"
"""The item of a scope with the function of a rule to add. Requests over a socket have none."""


class HandlerRequest(Struct, frozen=True, kw_only=True):
    """A request, as it is given to the function that answers it."""

    method: str
    path: str
    path_parameters: dict[str, str]
    """The values of `{id}` and the like in a route such as `GET /api/x/{id}`."""
    query: dict[str, str]
    """The parameters of the query; a repeated one has its last value."""
    headers: dict[str, str]
    """The headers by their names, which are in lower case."""
    body: Any
    """The JSON value, or the fields of a form; else the text; None without a body."""
    key: str | None
    """The API key as the fixture declares it, else as it was sent."""
    question: str
    """The text of the question, or of a search in a dataset; empty in other requests."""
    count: int
    """How often the rule has fired, with this request."""


Handler = Callable[[HandlerRequest], Any]
"""A function, or a coroutine function, that answers a request."""


class Functions:
    """Calls the functions of rules, and keeps what they raise until the end of the test."""

    def __init__(self) -> None:
        self.running: list[str] = []
        """The names of the functions that run now."""
        self._failures: list[BaseException] = []
        """The first failures."""
        self._more = 0
        """How many failures came after them."""

    async def call(self, function: Handler, request: HandlerRequest) -> Any:
        """What a function, or its coroutine, returns. Whatever it raises becomes an Exception."""
        name = name_of(function)
        finished = Signal()
        heard = finished.listen()
        returned = []
        raised: list[BaseException] = []

        def run() -> None:
            with self._runs(name):
                try:
                    returned.append(function(request))
                except BaseException as error:
                    raised.append(error)
            finished.notify()

        # The threads of a pool may be too few for functions that wait for one another, and would
        # keep Python from ending while a function waits for ever.
        Thread(target=run, daemon=True).start()
        await asyncio.wait([heard])
        if raised:
            raise harmless(raised[0], name)
        result = returned[0]
        if isawaitable(result):
            result = await self.finish(result, name)
        return result

    async def finish(self, work: Awaitable[Any], name: str) -> Any:
        """The result of work in the server's loop. Whatever it raises becomes an Exception."""
        raised: list[BaseException] = []

        async def run() -> Any:
            SERVER_LOOP.set(asyncio.get_running_loop())
            with self._runs(name):
                try:
                    return await work
                # What leaves a task may end the loop.
                except BaseException as error:
                    raised.append(error)

        # In a task of its own, an end of the work is no end of the request.
        task = asyncio.ensure_future(run())
        try:
            await asyncio.wait([task])
        finally:
            task.cancel()
        if raised:
            raise harmless(raised[0], name)
        return task.result()

    @contextmanager
    def _runs(self, name: str) -> Iterator[None]:
        self.running.append(name)
        try:
            yield
        finally:
            self.running.remove(name)

    def note(self, error: BaseException) -> None:
        """Keep a failure, or count it if there are many."""
        if len(self._failures) >= MAX_FAILURES:
            self._more += 1
            return
        if isinstance(error.__cause__, KeyboardInterrupt):
            error = error.__cause__
        drop_values(error)
        self._failures.append(error)

    def take(self) -> BaseException | None:
        """The first failure, which says how many more there are; all are forgotten."""
        if not self._failures:
            return None
        more = len(self._failures) + self._more - 1
        first = self._failures[0]
        if more:
            first.add_note(
                f"(and {count_in_words(more, 'more failure')} while requests were answered)"
            )
        self._failures = []
        self._more = 0
        return first

    def raise_first(self) -> None:
        """Raise the first failure, if there is one; all are forgotten."""
        failure = self.take()
        if failure is not None:
            raise failure


def name_of(function: object) -> str:
    """The name of a function, or of the class of another object that can be called."""
    return str(getattr(function, "__qualname__", type(function).__qualname__))


def words_of(error: BaseException) -> str:
    """The name and the text of an exception, whatever its text is."""
    try:
        text = str(error)[:MAX_TEXT]
    except BaseException:
        text = "(its text cannot be shown)"
    return f"{type(error).__name__}: {text}".encode(errors="backslashreplace").decode()


def harmless(error: BaseException, name: str) -> Exception:
    """What a function has raised, as an exception that passes loops, tasks and tests."""
    names = {it.__name__ for it in type(error).__mro__}
    if isinstance(error, Exception) and not names & ENDING:
        return error
    told = RuntimeError(f"{name} raised {words_of(error)} (a function can end and skip nothing)")
    told.__cause__ = error
    return told


async def harmless_parts(parts: AsyncIterable[Any], name: str) -> AsyncIterator[Any]:
    """The parts of a stream that a function has returned: in its task, nothing ends the loop."""
    try:
        async for part in parts:
            yield part
    except (SystemExit, KeyboardInterrupt) as error:
        raise harmless(error, name) from error


def drop_values(error: BaseException) -> None:
    """Leave of tracebacks the places in the user's code, without the values there."""
    link: BaseException | None = error
    for _ in range(MAX_CAUSES):
        if link is None:
            return
        places = user_frames(link.__traceback__)
        traceback.clear_frames(places)
        link.__traceback__ = places
        link = link.__cause__ or link.__context__


def user_frames(places: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of the server at its beginning."""
    while places is not None and str(places.tb_frame.f_globals["__name__"]).startswith(OWN):
        places = places.tb_next
    return places


def check_not_in_server_loop() -> None:
    """Raises RuntimeError in a coroutine of a function: to wait there would stop the server."""
    loop = None
    with suppress(RuntimeError):
        loop = asyncio.get_running_loop()
    if loop is not None and loop is SERVER_LOOP.get():
        raise RuntimeError("called in the server's event loop: use asyncio.to_thread")
