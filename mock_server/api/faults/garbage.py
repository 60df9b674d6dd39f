"""The kind `garbage`: bytes that are not HTTP."""

from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.request import RequestBody
from mock_server.api.response import NoResponse

# Begins like a TLS record, so that no client takes it for a status line.
GARBAGE = b"\x16\x03\x01\x00\xff mock \x00\x01\x02\xfe\xff\r\n\r\n"


class Garbage(Fault, tag="garbage"):
    """The server sends non-HTTP bytes and closes the connection."""

    chinese = "先发送不是 HTTP 的字节，再关闭连接。"

    async def apply(self, context: FaultContext) -> NoResponse:
        connection = context.connection()
        await context.perform_if_after()

        async def end(body: RequestBody) -> None:
            connection.transport.write(GARBAGE)
            await connection.finish(body)

        return NoResponse(end=end)
