"""Bytes that are no HTTP."""

from mock_server.api.connection import Connection
from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.request import RequestBody
from mock_server.api.response import NoResponse

# Begins like a TLS record, so that clients cannot take it for a status line.
GARBAGE = b"\x16\x03\x01\x00\xff mock \x00\x01\x02\xfe\xff\r\n\r\n"


class Garbage(Fault, tag="garbage"):
    """Bytes that are no HTTP, then the connection is closed."""

    async def apply(self, context: FaultContext) -> NoResponse:
        connection = context.connection()
        context.perform_if_after()
        return GarbageBytes(connection=connection)


class GarbageBytes(NoResponse, frozen=True, kw_only=True):
    """Bytes that no HTTP client understands."""

    connection: Connection

    async def end(self, body: RequestBody) -> None:
        self.connection.write(GARBAGE)
        await self.connection.finish(body)
