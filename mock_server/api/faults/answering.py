"""The base class of answers: scripted responses that replace those of operations.

An answer is a kind of fault that breaks nothing. A fault that fires on the same request
changes the response of the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from mock_server.api.errors import BadJson
from mock_server.api.faults.fault import Fault, raise_problems
from mock_server.api.operations.answered_path import Served
from mock_server.api.operations.operation import Distortion
from mock_server.api.request import check_counts
from mock_server.api.response import Response
from mock_server.domain.call import Call
from mock_server.domain.clock import format_time
from mock_server.domain.errors import LimitReached
from mock_server.domain.faults.definition import Seconds
from mock_server.domain.faults.firing import Firing, Request
from mock_server.domain.limits import Published
from mock_server.domain.validation.walk import Path

_ANY = msgspec.json.Decoder()


def value_of(body: bytes, decoder: msgspec.json.Decoder[Any] = _ANY) -> Any:
    """Return the JSON value of an answer, None if it is not JSON of the decoder's type.

    Faults change this value. Raises LimitReached if it is too large to decode quickly.
    """
    try:
        check_counts(body)
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    except BadJson as refusal:
        limit_text = f"{Published.json_values} items and fields"
        hint = "a fault cannot change a larger one"
        raise LimitReached(
            f"an answer of at most {limit_text}", "a larger one", "the answer", hint
        ) from refusal


class AnsweredRequest(Struct, frozen=True):
    """A request to which an answer responds instead of the operation."""

    operation: Served
    call: Call
    content: bytes
    request: Request
    firing: Firing

    def perform(self, distortion: Distortion | None = None) -> Response:
        """Run the operation. Raises NotReady."""
        return self.operation.respond(self.call, self.content, distortion)

    def values(self) -> Mapping[str, object]:
        """Return the values of the placeholders that an answer may contain."""
        head = self.request.head
        name = self.firing.fault.definition.operation
        return {
            "body": self.request.body,
            "query": head.query,
            "path": self.request.parameters(name),
            "count": self.firing.count,
            "now": format_time(self.call.now),
        }


class BaseAnswer(Fault):
    """An answer: it replaces the response of an operation; faults still apply."""

    is_answer = True
    # Unlike a fault, an answer needs an operation.
    operation: str
    # By default an answer lasts until a reset.
    times: Annotated[int, Meta(ge=1, le=Published.fault_times)] | None = None  # type: ignore[assignment]
    ttl: Seconds | None = None  # type: ignore[assignment]

    def respond(
        self, request: AnsweredRequest, distortion: Distortion | None
    ) -> Response:
        """Return the response when the answer fires. Raises Refusal, NotReady."""
        raise NotImplementedError

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Yield path and message of each mistake that types cannot show."""
        yield from ()

    def check(self) -> None:
        """Check all fields. Raises InvalidField with all problems."""
        super().check()
        raise_problems(self.problems())
