"""The connection below a request, for what ASGI cannot express: resets, half responses.

It is there only where the wire floor serves the application, not in process.
"""

import asyncio
import contextlib
import socket
import struct
from typing import Any, Protocol

from msgspec import Struct
from starlette.types import Scope

from mock_server.api.request import RequestBody
from mock_server.api.response import NoResponse
from mock_server.domain.limits import Limits

TRANSPORT = "mock_server.transport"
"""The key under which the server hands a connection on, in `scope["state"]`."""
# On, for 0 seconds: closing then sends an RST and drops what is unsent.
_LINGER_NOT = struct.pack("ii", 1, 0)
_TICK_SECONDS = 0.001


class NeedsConnection(RuntimeError):
    """Something was asked for that only a real connection can do."""


class Transport(Protocol):
    """The methods of asyncio's transports that are used here."""

    def write(self, data: bytes) -> None: ...
    def write_eof(self) -> None: ...
    def can_write_eof(self) -> bool: ...
    def get_write_buffer_size(self) -> int: ...
    def get_extra_info(self, name: str) -> Any: ...
    def is_closing(self) -> bool: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...


class Connection(Struct, frozen=True):
    """A client's connection, to be ended in ways that no HTTP server would choose."""

    transport: Transport

    async def reset(self, body: RequestBody) -> None:
        """End it by an RST, once earlier responses are sent, or after a while."""
        # An RST would drop what waits to be sent, responses to earlier requests too.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(Limits.discard_seconds):
                while self.transport.get_write_buffer_size():
                    await asyncio.sleep(_TICK_SECONDS)
        if not self.transport.is_closing():
            raw = self.transport.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        self.transport.abort()
        await body.gone()

    def write(self, content: bytes) -> None:
        """Write bytes that are no part of an HTTP response."""
        self.transport.write(content)

    async def finish(self, body: RequestBody) -> None:
        """End it by a FIN; what the client still sends is read for a while."""
        # Closed with bytes unread, it would end by an RST.
        if self.transport.can_write_eof() and not self.transport.is_closing():
            self.transport.write_eof()
        if not await _is_gone(body):
            await self.close(body)

    async def close(self, body: RequestBody) -> None:
        """Close it, once all that was written is on its way, or after a while."""
        self.transport.close()
        if not await _is_gone(body):
            self.transport.abort()
            await body.gone()


async def _is_gone(body: RequestBody) -> bool:
    """Whether the connection is gone within a while (`discard_seconds`)."""
    try:
        async with asyncio.timeout(Limits.discard_seconds):
            await body.gone()
    except TimeoutError:
        return False
    return True


def connection_of(scope: Scope) -> Connection | None:
    """A request's connection; None in process, where there is none."""
    transport = (scope.get("state") or {}).get(TRANSPORT)
    return None if transport is None else Connection(transport)


class CloseConnection(NoResponse, frozen=True, kw_only=True):
    """The connection is closed without a response: a reset has ended the wait for it.

    Raises NeedsConnection in process.
    """

    scope: Scope

    async def end(self, body: RequestBody) -> None:
        connection = connection_of(self.scope)
        if connection is None:
            raise NeedsConnection("a reset has ended what a fault was holding up")
        await connection.close(body)
