"""The kind `dribble`: a response in pieces."""

from typing import Annotated

from msgspec import Meta
from starlette.types import Send

from mock_server.api.context import pause
from mock_server.api.event_stream import Chunk, EventStream
from mock_server.api.faults import fault
from mock_server.api.request import ClientGone, RequestBody, WaitInterrupted
from mock_server.api.response import Headers, Response
from mock_server.domain.limits import Published
from mock_server.domain.messages import describe_value


class Dribble(fault.StreamFault, tag="dribble"):
    """The response comes in pieces, with `ms` between them."""

    chinese = "应答分块送达，块之间间隔 `ms`。"

    chunks: Annotated[int, Meta(ge=2, le=1_000)] = 10
    """The number of pieces."""
    ms: fault.Milliseconds = 100.0
    """Milliseconds between pieces; at most 60,000 in all."""

    def check(self) -> None:
        """Require that all pieces together take at most `Published.fault_ms`."""
        super().check()
        if self.chunks * self.ms > Published.fault_ms:
            expected = f"chunks times ms of at most {Published.fault_ms}"
            raise fault.wrong_field(
                expected, describe_value(self.chunks * self.ms), "ms"
            )

    async def apply(self, context: fault.FaultContext) -> Response:
        response = await context.perform()
        if not response.status:  # a reply that is cut before its first byte
            return response
        self.hint_at_end(context, response)
        if isinstance(response, EventStream):
            before = response.chunks[: self.after_chunks]
            rest = b"".join(each.content for each in response.chunks[len(before) :])
            late_pieces = _split(rest, self.chunks)
            return response.with_chunks(
                [*before, *(Chunk(it, self.ms) for it in late_pieces)]
            )
        pieces = _split(response.body, self.chunks)
        return response.as_type(
            DribbledResponse, context=context, pieces=pieces, ms=self.ms
        )


class DribbledResponse(Response, frozen=True, kw_only=True):
    """The unchanged response in pieces, with a pause before each but the first."""

    context: fault.FaultContext
    pieces: list[bytes]
    ms: float

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        # Send the head at once, so that the client knows the length.
        await send(self.start(headers))
        try:
            for number, piece in enumerate(self.pieces, start=1):
                if number > 1:
                    await pause(self.context.request, self.ms)
                content = {"type": "http.response.body", "body": piece}
                await send(content | {"more_body": number < len(self.pieces)})
        except ClientGone:
            pass
        except WaitInterrupted:
            await self.context.connection().close(body)


def _split(body: bytes, count: int) -> list[bytes]:
    """Split `body` into 1 to `count` pieces of equal size; the last may be shorter."""
    size = -(-len(body) // count)
    return [body[at : at + size] for at in range(0, len(body), size or 1)] or [b""]
