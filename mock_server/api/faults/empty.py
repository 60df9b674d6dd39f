"""A connection that is closed."""

from mock_server.api.faults.fault import Connections, Fault, FaultContext
from mock_server.api.response import NoResponse


class Empty(Fault, tag="empty"):
    """No response; the connection is closed (FIN)."""

    chinese = "没有应答；连接被关闭（FIN）。"

    connections: Connections = "first"
    """Break the `first` connection of a request, or `all`, with a browser's retries."""

    @property
    def meets_resends(self) -> bool:
        return self.connections == "all"

    async def apply(self, context: FaultContext) -> NoResponse:
        connection = context.connection()
        await context.perform_if_after()
        return NoResponse(ends=connection.finish)
