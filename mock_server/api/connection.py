"""The connection of a request, which ASGI does not show.

Only requests that the wire layer serves have a connection; those in process have none.
"""

import asyncio
import contextlib
import socket
import struct
from typing import Any, Protocol

from msgspec import Struct
from starlette.types import Scope

from mock_server.api.request import ClientGone, RequestBody
from mock_server.domain.limits import Published

_CONNECTION = "mock_server.connection"
# SO_LINGER on, for 0 seconds: close then sends an RST and drops unsent bytes.
_NO_LINGER = struct.pack("ii", 1, 0)
_POLL_SECONDS = 0.001


class NeedsConnection(RuntimeError):
    """An effect needs a real connection, and the request was made in process."""


class Transport(Protocol):
    """The methods of transports that are used here; `is_new` is the wire layer's."""

    def write(self, data: bytes) -> None: ...
    def write_eof(self) -> None: ...
    def can_write_eof(self) -> bool: ...
    def get_write_buffer_size(self) -> int: ...
    def get_extra_info(self, name: str) -> Any: ...
    def is_closing(self) -> bool: ...
    def is_new(self) -> bool: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...


class Connection(Struct, frozen=True):
    """A client's connection, and ways to end it that faults need.

    `parser` is the name of the HTTP parser that reads it.
    """

    transport: Transport
    parser: str

    def state(self) -> dict[str, Any]:
        """Return the value of `scope["state"]` for requests on this connection."""
        return {_CONNECTION: self}

    async def reset(self, body: RequestBody) -> None:
        """Send an RST once earlier responses are sent, `discard_seconds` at the latest.

        An RST drops unsent bytes, even those of responses to earlier requests.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(Published.discard_seconds):
                while self.transport.get_write_buffer_size():
                    await asyncio.sleep(_POLL_SECONDS)
        if not self.transport.is_closing():
            raw_socket = self.transport.get_extra_info("socket")
            raw_socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self.transport.abort()
        await body.wait_for_disconnect()

    async def finish(self, body: RequestBody) -> None:
        """Send a FIN, then read and drop further bytes for up to `discard_seconds`."""
        # Closing a connection with unread bytes would send an RST.
        if self.transport.can_write_eof() and not self.transport.is_closing():
            self.transport.write_eof()
        if not await _is_gone(body):
            await self.close(body)

    async def close(self, body: RequestBody) -> None:
        """Close the connection once all bytes are sent, or after `discard_seconds`."""
        self.transport.close()
        if not await _is_gone(body):
            self.transport.abort()
            await body.wait_for_disconnect()


async def _is_gone(body: RequestBody) -> bool:
    """Return whether the connection ends within `discard_seconds`."""
    try:
        async with asyncio.timeout(Published.discard_seconds):
            await body.wait_for_disconnect()
    except TimeoutError:
        return False
    return True


def connection_of(scope: Scope) -> Connection | None:
    """Return the connection of a request; None in process."""
    connection: Connection | None = (scope.get("state") or {}).get(_CONNECTION)
    return connection


def check_connected(scope: Scope) -> None:
    """Raise ClientGone if the client of a request has disconnected."""
    connection = connection_of(scope)
    if connection is not None and connection.transport.is_closing():
        raise ClientGone


def is_on_new_connection(scope: Scope) -> bool:
    """Return whether a request is the first of its connection; True in process."""
    connection = connection_of(scope)
    return connection is None or connection.transport.is_new()


async def discard(body: RequestBody) -> None:
    """Read and drop the rest of a request's body, for up to `discard_seconds`."""
    try:
        async with asyncio.timeout(Published.discard_seconds):
            await body.discard()
    except (TimeoutError, ClientGone):
        pass
