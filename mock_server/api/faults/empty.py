"""A connection that is closed."""

from mock_server.api.connection import Connection
from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.request import RequestBody
from mock_server.api.response import NoResponse


class Empty(Fault, tag="empty"):
    """No answer; the connection is closed (FIN)."""

    async def apply(self, context: FaultContext) -> NoResponse:
        connection = context.connection()
        context.perform_if_after()
        return ClosedConnection(connection=connection)


class ClosedConnection(NoResponse, frozen=True, kw_only=True):
    """A FIN instead of a response."""

    connection: Connection

    async def end(self, body: RequestBody) -> None:
        await self.connection.finish(body)
