"""The kind `reset`: a connection that is reset."""

from mock_server.api.faults.fault import Connections, FaultContext, StreamFault
from mock_server.api.response import NoResponse, Response


class Reset(StreamFault, tag="reset"):
    """The connection is reset (RST) without a response."""

    chinese = "没有应答；连接被重置（RST）。"

    connections: Connections = "first"
    """`all`: also break connections on which a client resends the request."""

    @property
    def fires_on_resends(self) -> bool:
        return self.connections == "all"

    async def apply(self, context: FaultContext) -> Response:
        connection = context.connection()
        if stream := await self.stream(context):
            return self.end_early(stream, connection.reset)
        await context.perform_if_after()
        return NoResponse(end=connection.reset)
