"""Large answers that are made while they are sent, and end with client or server."""

from __future__ import annotations

import asyncio
from asyncio import sleep
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from time import perf_counter
from typing import TypeVar

from msgspec import Struct, field
from starlette.types import Receive, Scope, Send

from mock_server.admin.responses import BROWSER_HEADERS
from mock_server.api.connection import connection_of
from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import LIMITS

T = TypeVar("T")
_SLICE_SECONDS = 0.005


async def in_slices(items: Iterable[T]) -> AsyncIterator[T]:
    """The items, with a pause for others whenever a slice of time is used up."""
    end = perf_counter() + _SLICE_SECONDS
    for item in items:
        yield item
        if perf_counter() >= end:
            await sleep(0)
            end = perf_counter() + _SLICE_SECONDS


class Sendings(Struct):
    """The large answers that are on their way; closing them lets a server stop."""

    _running: set[asyncio.Task[None]] = field(default_factory=set)

    def check_room(self) -> None:
        """Raises LimitReached when there are as many as there may be."""
        if len(self._running) >= LIMITS.sendings:
            expected = f"at most {LIMITS.sendings} large answers at the same time"
            raise LimitReached(expected, "one more", "path")

    def begun(self, sending: asyncio.Task[None]) -> None:
        """One has begun, and goes on until its task is done."""
        self._running.add(sending)
        sending.add_done_callback(self._running.discard)

    def close(self) -> None:
        """End all of them."""
        for sending in tuple(self._running):
            sending.cancel()


class LongResponse(Struct):
    """An answer of which the parts are made one after the other.

    Others are served between two parts. One that cannot be sent to its end is cut off
    so that the client can tell. `parts` makes the same ones at each call.
    """

    parts: Callable[[], Iterator[bytes]]
    content_type: bytes
    sendings: Sendings

    async def send(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send all parts, unless the client goes, or the server."""
        sending = asyncio.create_task(self._send(scope, send))
        gone = asyncio.create_task(_disconnected(receive))
        gone.add_done_callback(lambda _: sending.cancel())
        self.sendings.begun(sending)
        try:
            await sending
        except asyncio.CancelledError:
            connection = connection_of(scope)
            if connection is not None:
                connection.transport.abort()
                await gone
        finally:
            gone.cancel()

    async def _send(self, scope: Scope, send: Send) -> None:
        headers = [
            (b"content-type", self.content_type),
            (b"cache-control", b"no-store"),
            *BROWSER_HEADERS,
        ]
        if scope["http_version"] == "1.0":
            # It knows no chunks: how long all is must be said before.
            length = sum([len(part) async for part in in_slices(self.parts())])
            headers.append((b"content-length", b"%d" % length))
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if scope["method"] == "GET":
            for part in self.parts():
                message = {"type": "http.response.body", "body": part}
                await send(message | {"more_body": True})
                await asyncio.sleep(0)
        await send({"type": "http.response.body", "body": b""})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
