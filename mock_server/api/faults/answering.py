"""The base class of answers: scripted responses that replace those of operations.

An answer is a kind of fault that breaks nothing. A fault that fires on the same request
changes the response of the answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, Meta, Raw, Struct
from msgspec.structs import replace

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
_LARGE_BYTES = 64 * 1024
_MANY_VALUES = 32
_SEPARATORS = b",", b"[", b"{"


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


def stays_encoded(encoded: bytes) -> bool:
    """Return whether an answer keeps a JSON value encoded.

    Decoded, a large value takes more memory, and one of many values is slow to free.
    """
    values = sum(map(encoded.count, _SEPARATORS))
    return len(encoded) > _LARGE_BYTES or values > _MANY_VALUES


class AnsweredRequest(Struct, frozen=True):
    """A request to which an answer responds instead of the operation."""

    operation: Served
    call: Call
    content: bytes
    request: Request
    firing: Firing

    def perform(self) -> Response:
        """Run the operation. Raises NotReady."""
        return self.operation.respond(self.call, self.content, None)

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
    json_fields: ClassVar[Collection[str]] = ()
    """The names of the fields for JSON of any size, which is stored as `Raw`."""
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

    def to_stored(self) -> Self:
        """Return the answer with large JSON values encoded."""
        fields = {name: getattr(self, name) for name in self.json_fields}
        values = {name: each for name, each in fields.items() if each is not UNSET}
        encoded = {name: msgspec.json.encode(each) for name, each in values.items()}
        large = {n: Raw(each) for n, each in encoded.items() if stays_encoded(each)}
        return replace(self, **large) if large else self

    def plain_fields(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in self.json_fields}
        large = {name: each for name, each in fields.items() if isinstance(each, Raw)}
        if not large:
            return super().plain_fields()
        defaults = self.own_fields()
        rest = replace(self, **{name: defaults[name] for name in large})
        return rest.plain_fields() | large
