"""What answers have in common: they stand in the place of an operation's own.

An answer is a kind of fault that spoils nothing. Faults that fire at the same request
work on what it gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated

from msgspec import Meta, Struct

from mock_server.api.faults.fault import Fault, refuse_all
from mock_server.api.operations.answered_path import Served
from mock_server.api.operations.operation import Distort
from mock_server.api.response import Response
from mock_server.domain.call import Call
from mock_server.domain.clock import format_time
from mock_server.domain.faults.definition import Seconds
from mock_server.domain.faults.firing import Firing, Request
from mock_server.domain.limits import Published
from mock_server.domain.validation.walk import Path


class Sent(Struct, frozen=True):
    """A request that is answered in the place of its operation."""

    operation: Served
    call: Call
    content: bytes
    request: Request
    firing: Firing

    def perform(self, distort: Distort | None = None) -> Response:
        """Carry the operation out. Raises NotReady."""
        return self.operation.respond(self.call, self.content, distort)

    def values(self) -> Mapping[str, object]:
        """What placeholders may stand for."""
        head = self.request.head
        name = self.firing.fault.definition.operation
        return {
            "body": self.request.body,
            "query": head.query,
            "path": self.request.parameters(name),
            "count": self.firing.count,
            "now": format_time(self.call.now),
        }


class Answering(Fault):
    """An answer: it takes the place of the operation's own, faults or no faults."""

    is_answer = True
    # Which one has to be said.
    operation: str
    # Until a reset, unless it says otherwise.
    times: Annotated[int, Meta(ge=1, le=Published.fault_times)] | None = None  # type: ignore[assignment]
    ttl: Seconds | None = None  # type: ignore[assignment]

    def respond(self, sent: Sent, distort: Distort | None) -> Response:
        """The response to a request at which it fires. Raises Refusal, NotReady."""
        raise NotImplementedError

    def problems(self) -> Iterator[tuple[Path, str]]:
        """What no type can say of its fields: places and messages."""
        yield from ()

    def check(self) -> None:
        """All of its problems. Raises InvalidField."""
        super().check()
        refuse_all(self.problems())
