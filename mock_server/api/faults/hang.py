"""The kind `hang`: no response, or only a part of a stream, for a minute."""

from mock_server.api.context import pause
from mock_server.api.faults.fault import FaultContext, StreamFault
from mock_server.api.request import ClientGone, RequestBody, WaitInterrupted
from mock_server.api.response import NoResponse, Response
from mock_server.domain.limits import Published


class Hang(StreamFault, tag="hang"):
    """No response, or only `afterChunks` events; the connection ends after a minute."""

    chinese = "没有应答，或只有前 `afterChunks` 段；一分钟后关闭连接。"

    async def apply(self, context: FaultContext) -> Response:
        # In process this raises NeedsConnection: a caller there would wait for ever.
        connection = context.connection()

        async def end(body: RequestBody) -> None:
            try:
                await pause(context.request, Published.fault_ms)
            except ClientGone:
                return
            except WaitInterrupted:
                pass  # a reset leaves nothing pending
            await connection.close(body)

        if stream := await self.stream(context):
            return self.end_early(stream, end)
        await context.perform_if_after()
        return NoResponse(end=end)
