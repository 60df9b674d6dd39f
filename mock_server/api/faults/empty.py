"""The kind `empty`: a connection that is closed without a response."""

from mock_server.api.faults.fault import Connections, Fault, FaultContext
from mock_server.api.response import NoResponse


class Empty(Fault, tag="empty"):
    """The connection is closed (FIN) without a response."""

    chinese = "没有应答；连接被关闭（FIN）。"

    connections: Connections = "first"
    """`all`: also break connections on which a client resends the request."""

    @property
    def fires_on_resends(self) -> bool:
        return self.connections == "all"

    async def apply(self, context: FaultContext) -> NoResponse:
        connection = context.connection()
        await context.perform_if_after()
        return NoResponse(end=connection.finish)
