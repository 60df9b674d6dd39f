"""A response that ends too early."""

from msgspec import field
from starlette.types import Send

from mock_server.api.connection import Connection
from mock_server.api.faults.fault import FaultContext, StreamFault
from mock_server.api.request import RequestBody
from mock_server.api.response import Headers, Response
from mock_server.domain.faults.definition import Whole


class Truncate(StreamFault, tag="truncate"):
    """The response ends after some bytes of its body, by default half of them."""

    chinese = "应答正文在若干字节后中断，默认为一半。"

    kept: Whole | None = field(default=None, name="bytes")
    """Bytes of the body that are sent; by default half."""

    async def apply(self, context: FaultContext) -> Response:
        # First, so that in process nothing changes before NeedsConnection.
        connection = context.connection()
        if stream := await self.stream(context):
            return self.until(stream, connection.finish)
        whole = await context.spoilable()
        if not whole.status:  # a reply that is cut before its first byte
            return whole
        size = len(whole.body)
        # At least one byte is missing, else nothing would be truncated.
        kept = size // 2 if self.kept is None else min(self.kept, size - 1)
        return whole.into(Truncated, connection=connection, kept=kept)


class Truncated(Response, frozen=True, kw_only=True):
    """The head of a response, `kept` bytes of its body, then a FIN."""

    connection: Connection
    kept: int

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        part = {"type": "http.response.body", "body": self.body[: self.kept]}
        await send(self.start(headers))
        await send(part | {"more_body": True})
        await self.connection.finish(body)
