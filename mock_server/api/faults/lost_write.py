"""A write that is answered, and forgotten."""

from typing import ClassVar

from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response


class LostWrite(Fault, tag="lost_write"):
    """A write is answered like any other, and forgotten: a pin, for one."""

    trait: ClassVar[str] = "write"

    async def apply(self, context: FaultContext) -> Response:
        return context.rehearse()
