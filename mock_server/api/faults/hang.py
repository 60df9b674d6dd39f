"""No response, for a minute."""

from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.pause import Interrupted
from mock_server.api.request import ClientGone, RequestBody
from mock_server.api.response import Connection, NoResponse
from mock_server.domain.limits import Limits


class Hang(Fault, tag="hang"):
    """No answer; the connection is closed after a minute."""

    async def apply(self, context: FaultContext) -> NoResponse:
        # In process a caller would wait for ever, so it is refused there.
        connection = context.connection()
        context.perform_if_after()
        return Silence(context=context, connection=connection)


class Silence(NoResponse, frozen=True, kw_only=True):
    """Nothing, until the client has had enough or the limit is reached."""

    context: FaultContext
    connection: Connection

    async def end(self, body: RequestBody) -> None:
        try:
            await self.context.pause(Limits.fault_ms)
        except ClientGone:
            return
        except Interrupted:
            pass  # a reset leaves nothing pending
        await self.connection.close(body)
