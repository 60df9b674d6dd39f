"""The kind `lost_write`: a write that succeeds but is not stored."""

from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response


class LostWrite(Fault, tag="lost_write"):
    """A write, such as a pin, succeeds but is not stored."""

    chinese = "写入得到正常应答，但不会生效，例如置顶。"
    trait = "write"

    async def apply(self, context: FaultContext) -> Response:
        return await context.perform_on_copy()
