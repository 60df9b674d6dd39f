"""The kind `truncate`: a response that ends too early."""

from msgspec import field
from starlette.types import Send

from mock_server.api.connection import Connection
from mock_server.api.faults.fault import FaultContext, StreamFault
from mock_server.api.request import RequestBody
from mock_server.api.response import Headers, Response
from mock_server.domain.faults.definition import WholeNumber


class Truncate(StreamFault, tag="truncate"):
    """The response ends after some bytes of its body, by default half of them."""

    chinese = "应答正文在若干字节后中断，默认为一半。"

    sent_bytes: WholeNumber | None = field(default=None, name="bytes")
    """Number of body bytes to send; by default half."""

    async def apply(self, context: FaultContext) -> Response:
        # Raises NeedsConnection in process, before the operation changes any data.
        connection = context.connection()
        if stream := await self.stream(context):
            return self.end_early(stream, connection.finish)
        response = await context.response_to_break()
        if not response.status:  # a reply that is cut before its first byte
            return response
        size = len(response.body)
        # At least one byte must be missing.
        sent = size // 2 if self.sent_bytes is None else min(self.sent_bytes, size - 1)
        return response.as_type(
            TruncatedResponse, connection=connection, sent_bytes=sent
        )


class TruncatedResponse(Response, frozen=True, kw_only=True):
    """A response that sends its head and `sent_bytes` of its body, then a FIN."""

    connection: Connection
    sent_bytes: int

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        part = {"type": "http.response.body", "body": self.body[: self.sent_bytes]}
        await send(self.start(headers))
        await send(part | {"more_body": True})
        await self.connection.finish(body)
