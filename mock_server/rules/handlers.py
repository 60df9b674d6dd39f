"""Handlers: functions of a test, in the server's process, that make answers, replies and hits."""

import asyncio
import traceback
from asyncio import AbstractEventLoop
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from inspect import isawaitable
from threading import Thread
from types import TracebackType
from typing import Any

from msgspec import Struct

__tracebackhide__ = True  # see admin_client.py
PACKAGE = "mock_server."
"""The beginning of the names of the server's modules."""
MAX_FAILURES = 20
MAX_TEXT = 1_000
FLOW_EXCEPTIONS = {"StopIteration", "StopAsyncIteration", "CancelledError", "SkipTest", "Exit"}
"""Exceptions that would end or skip what they pass, by name: the last one is pytest's."""
SERVER_LOOP: ContextVar[AbstractEventLoop | None] = ContextVar("SERVER_LOOP", default=None)
"""The event loop of the server, in the coroutine of a function that runs in it."""
HANDLER = "mock_server.handler"
"""The item of a scope with the handler of a rule to add. Requests over a socket have none."""


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


class Failures(list[BaseException]):
    """What has failed while requests were answered: the first ones, as all may be many."""

    def note(self, error: BaseException) -> None:
        """Keep a failure, if there are few."""
        for link in filter(None, (error, error.__cause__)):
            link.__traceback__ = user_frames(link.__traceback__)
            # The values in them, such as bodies, would need memory.
            traceback.clear_frames(link.__traceback__)
        if len(self) < MAX_FAILURES:
            self.append(error)

    def raise_first(self) -> None:
        """Raise the first failure, if there is one, and forget all."""
        if len(self) > 1:
            self[0].add_note(f"(the first of at least {len(self)} failures)")
        failures = [*self]
        self.clear()
        if failures:
            raise failures[0]


async def call_handler(handler: Handler, request: HandlerRequest) -> Any:
    """What a handler, or its coroutine, returns. What it raises is a `harmless_error` here."""
    name = handler_name(handler)
    returned = Future[Any]()
    returned.set_running_or_notify_cancel()

    def run() -> None:
        try:
            returned.set_result(handler(request))
        except BaseException as error:
            returned.set_exception(harmless_error(error, name))

    # The threads of a pool may be too few for functions that wait for one another, and would
    # keep Python from ending while a function waits for ever.
    Thread(target=run, daemon=True).start()
    result = await asyncio.wrap_future(returned)
    if not isawaitable(result):
        return result
    SERVER_LOOP.set(asyncio.get_running_loop())
    try:
        return await result
    except BaseException as error:
        raise_if_cancelled()
        raise harmless_error(error, name) from error.__cause__
    finally:
        SERVER_LOOP.set(None)


def handler_name(handler: object) -> str:
    """The name of a handler, or of the class of another object that can be called."""
    return str(getattr(handler, "__qualname__", type(handler).__qualname__))


def error_in_words(error: BaseException) -> str:
    """The name and the text of an exception, whatever its text is."""
    text = "".join(traceback.format_exception_only(error)).strip()[:MAX_TEXT]
    return text.encode(errors="backslashreplace").decode()


def harmless_error(error: BaseException, name: str) -> BaseException:
    """What a handler has raised, as an exception that ends and skips nothing but itself.

    A KeyboardInterrupt stays: it ends the session.
    """
    replacement = RuntimeError(
        f"{name} raised {error_in_words(error)} (a function can end and skip nothing)"
    )
    names = {it.__name__ for it in type(error).__mro__}
    try:
        "".join(traceback.format_exception(error)).encode()
    # No report and no log can have half a character.
    except UnicodeEncodeError:
        return replacement
    if isinstance(error, Exception | KeyboardInterrupt) and not names & FLOW_EXCEPTIONS:
        return error
    replacement.__cause__ = error
    return replacement


def raise_if_cancelled() -> None:
    """Raises CancelledError if the client of a request in process has cancelled it."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def user_frames(trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of the server at its beginning."""
    while trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith(PACKAGE):
        trace = trace.tb_next
    return trace


def check_not_in_server_loop() -> None:
    """Raises RuntimeError in a coroutine of a function: to wait there would stop the server."""
    loop = SERVER_LOOP.get()
    if loop is not None and asyncio._get_running_loop() is loop:
        raise RuntimeError("called in the server's event loop: use asyncio.to_thread")
