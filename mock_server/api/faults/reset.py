"""A connection that is reset."""

from mock_server.api.faults.fault import Connections, FaultContext, StreamFault
from mock_server.api.response import NoResponse, Response


class Reset(StreamFault, tag="reset"):
    """No response; the connection is reset (RST)."""

    chinese = "没有应答；连接被重置（RST）。"

    connections: Connections = "first"
    """Break the `first` connection of a request, or `all`, with a browser's retries."""

    @property
    def meets_resends(self) -> bool:
        return self.connections == "all"

    async def apply(self, context: FaultContext) -> Response:
        connection = context.connection()
        if stream := await self.stream(context):
            return self.until(stream, connection.reset)
        await context.perform_if_after()
        return NoResponse(ends=connection.reset)
