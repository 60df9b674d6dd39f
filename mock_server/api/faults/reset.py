"""A connection that is reset."""

from mock_server.api.faults.fault import Connections, Fault, FaultContext
from mock_server.api.request import RequestBody
from mock_server.api.response import Connection, NoResponse


class Reset(Fault, tag="reset"):
    """No answer; the connection is reset (RST)."""

    connections: Connections = "first"

    @property
    def meets_resends(self) -> bool:
        return self.connections == "all"

    async def apply(self, context: FaultContext) -> NoResponse:
        connection = context.connection()
        context.perform_if_after()
        return ResetConnection(connection=connection)


class ResetConnection(NoResponse, frozen=True, kw_only=True):
    """An RST instead of a response."""

    connection: Connection

    async def end(self, body: RequestBody) -> None:
        await self.connection.reset(body)
