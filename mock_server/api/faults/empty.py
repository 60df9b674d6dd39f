"""A connection that is closed."""

from mock_server.api.faults.fault import Connections, Fault, FaultContext
from mock_server.api.request import RequestBody
from mock_server.api.response import Connection, NoResponse


class Empty(Fault, tag="empty"):
    """No answer; the connection is closed (FIN)."""

    connections: Connections = "first"

    @property
    def meets_resends(self) -> bool:
        return self.connections == "all"

    async def apply(self, context: FaultContext) -> NoResponse:
        connection = context.connection()
        context.perform_if_after()
        return ClosedConnection(connection=connection)


class ClosedConnection(NoResponse, frozen=True, kw_only=True):
    """A FIN instead of a response."""

    connection: Connection

    async def end(self, body: RequestBody) -> None:
        await self.connection.finish(body)
