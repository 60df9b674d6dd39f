"""Streamed responses: server-sent events with pauses, complete or cut off."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Self

from msgspec import Struct
from msgspec.structs import replace
from starlette.types import Send

from mock_server.api.connection import Connection, NeedsConnection
from mock_server.api.headers import Header
from mock_server.api.request import ClientGone, RequestBody, WaitInterrupted
from mock_server.api.response import End, Headers, Response
from mock_server.domain.limits import Published


class Chunk(Struct, frozen=True):
    """A part of a streamed response, and the pause before it in milliseconds.

    The part may be empty: a pause before the end.
    """

    content: bytes
    pause_ms: float = 0


_CHUNK_BYTES = 200
"""Approximate bytes of memory that a chunk takes in addition to its content."""


class EventStream(Response, frozen=True, kw_only=True):
    """Server-sent events, each sent as one chunk; `body` holds all of them.

    The response announces no length. The pauses are in real time, and together take
    at most `Published.fault_ms`. If `is_cut`, the stream ends by a reset of the
    connection. `end`, if given, closes the connection instead; `pause` waits for a
    number of milliseconds.
    """

    is_framed = False

    content_type: bytes = b"text/event-stream;charset=utf-8"
    headers: tuple[Header, ...] = (
        (b"cache-control", b"no-cache, no-transform"),
        (b"x-accel-buffering", b"no"),
    )
    chunks: tuple[Chunk, ...] = ()
    is_cut: bool = False
    end: End | None = None
    pause: Callable[[float], Awaitable[None]] | None = None
    connection: Connection | None = None

    @classmethod
    def from_chunks(cls, chunks: Iterable[Chunk], *, is_cut: bool = False) -> Self:
        """Return a stream of these chunks; its status is 0 if they are empty."""
        all_chunks = tuple(chunks)
        body = b"".join(each.content for each in all_chunks)
        return cls(
            status=200 if body else 0, body=body, chunks=all_chunks, is_cut=is_cut
        )

    @property
    def size(self) -> int:
        """Return the approximate bytes of memory that the stream takes."""
        return 2 * len(self.body) + _CHUNK_BYTES * len(self.chunks)

    def with_chunks(self, chunks: Iterable[Chunk], end: End | None = None) -> Self:
        """Return the stream with other chunks, and with `end` if given."""
        all_chunks = tuple(chunks)
        body = b"".join(each.content for each in all_chunks)
        return replace(self, body=body, chunks=all_chunks, end=end or self.end)

    def with_connection(
        self, connection: Connection | None, pause: Callable[[float], Awaitable[None]]
    ) -> Self:
        """Return the stream with a connection (None in process) and a way to pause.

        Raises NeedsConnection if the stream is cut and has no connection.
        """
        if self.is_cut and connection is None:
            message = "a reply is cut, which needs a connection: serve it on a socket"
            raise NeedsConnection(f"{message} (MockServer), in process there is none")
        end = connection.reset if self.is_cut and connection else self.end
        return replace(self, connection=connection, pause=pause, end=end)

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        """Send the chunks; stop if the client disconnects or a reset comes."""
        if self.status:  # 0 if nothing is sent
            await send(self.start(headers))
        left_ms: float = Published.fault_ms
        try:
            for chunk in self.chunks:
                ms = min(chunk.pause_ms, left_ms)
                if ms and self.pause is not None:
                    await self.pause(ms)
                left_ms -= ms
                if chunk.content:
                    content = {"type": "http.response.body", "body": chunk.content}
                    await send(content | {"more_body": True})
        except ClientGone:
            return
        except WaitInterrupted:
            if self.connection is not None:
                await self.connection.close(body)
            return
        if self.end is not None:
            await self.end(body)
            return
        await send({"type": "http.response.body", "body": b""})
