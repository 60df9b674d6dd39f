"""What faults of all kinds have in common: which requests they fire at, how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct, field

from mock_server.api.faults.context import FaultContext
from mock_server.api.operations.operation import Operations
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.response import Response
from mock_server.domain.errors import InvalidField, describe_value, did_you_mean
from mock_server.domain.limits import Limits
from mock_server.domain.memory import size_of
from mock_server.validation.convert import convert

Milliseconds = Annotated[float, Meta(ge=0, le=Limits.fault_ms)]
Whole = Annotated[int, Meta(ge=0, le=Limits.integer)]


class Match(Struct, rename="camel", forbid_unknown_fields=True):
    """Which requests: of this API key, with at least these fields in the body."""

    key: str | None = None
    body: dict[str, Any] | None = None


class Fault(
    Struct, rename="camel", forbid_unknown_fields=True, kw_only=True, tag_field="kind"
):
    """When a fault fires; what it does is its kind's. `ttl` is in seconds.

    With `phase` after, the operation is carried out and only its answer is spoiled.
    """

    trait: ClassVar[str] = ""
    """The trait that an operation needs for the kind to have a meaning for it."""
    schema: ClassVar[Mapping[str, Any]] = {}
    """What JSON Schema can say of the kind's fields together, as `check` does."""

    operation: str = "*"
    match: Match = field(default_factory=Match)
    skip: Whole = 0
    times: Annotated[int, Meta(ge=1, le=Limits.fault_times)] = 1
    probability: Annotated[float, Meta(ge=0, le=1)] = 1.0
    seed: Annotated[int, Meta(ge=-Limits.integer, le=Limits.integer)] = 0
    phase: Literal["before", "after"] = "before"
    ttl: Annotated[float, Meta(ge=0.001, le=Limits.fault_ttl)] = 60.0

    @staticmethod
    def of(kind: str, **fields: Any) -> Fault:
        """A fault as the admin API takes it: `Fault.of("error", status=502, times=2)`.

        Raises InvalidField for what cannot be.
        """
        return read_fault({"kind": kind, **fields})

    @classmethod
    def operations(cls, table: Operations = OPERATIONS) -> tuple[str, ...]:
        """The names of the operations that the kind has a meaning for."""
        rows = table.values()
        return tuple(
            row.name for row in rows if not cls.trait or cls.trait in row.traits
        )

    @property
    def kind(self) -> str:
        """The name of the kind."""
        return kind_of(type(self))

    @property
    def needs(self) -> str:
        """The trait that a request's operation needs for the fault to fire."""
        return self.trait

    @property
    def key(self) -> str | None:
        """The API key that is matched."""
        return self.match.key

    @property
    def body(self) -> dict[str, Any] | None:
        """The fields of the body that are matched."""
        return self.match.body

    @property
    def limit(self) -> tuple[int, int] | None:
        """Requests and seconds of a rate limit."""
        return None

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return size_of(msgspec.to_builtins(self))

    def check(self) -> None:
        """Check what the fields must be like together. Raises InvalidField."""
        if len(msgspec.json.encode(self.body)) > Limits.matched_bytes:
            raise wrong(f"at most {Limits.matched_bytes} bytes", "more", "match.body")

    async def apply(self, context: FaultContext) -> Response:
        """The response to a request at which it fires.

        Raises NeedsConnection in process, where a kind needs a real connection, and
        ClientGone or Interrupted while it waits.
        """
        raise NotImplementedError


def kind_of(fault: type[Fault]) -> str:
    """The name of a kind, by the class of its faults."""
    return str(fault.__struct_config__.tag)


def one_of(*forms: tuple[str, ...]) -> dict[str, Any]:
    """JSON Schema for: the fields of one of the forms are there, others are not."""
    every = sorted({name for form in forms for name in form})
    return {
        "oneOf": [
            {
                "required": list(form),
                "properties": {
                    name: {"type": "number" if name in form else "null"}
                    for name in every
                },
            }
            for form in forms
        ]
    }


def wrong(expected: str, got: str, name: str) -> InvalidField:
    """The refusal of a field."""
    return InvalidField(f"Expected {expected}, got {got} - at $.{name}")


def read_fault(fields: Mapping[str, Any], operations: Operations = OPERATIONS) -> Fault:
    """A fault from plain data: `kind` and fields. Raises InvalidField."""
    kinds: Sequence[type[Fault]] = Fault.__subclasses__()
    by_name = {kind_of(each): each for each in kinds}
    given = dict(fields)
    name = given.pop("kind", None)
    if not isinstance(name, str) or name not in by_name:
        got = "nothing" if "kind" not in fields else describe_value(name)
        hint = did_you_mean(str(name), by_name)
        expected = f"one of {', '.join(by_name)}"
        raise InvalidField(f"Expected {expected}, got {got}{hint} - at $.kind")
    fault = convert(given, by_name[name])
    known = ("*", *fault.operations(operations))
    if fault.operation not in known:
        raise wrong(" or ".join(known), describe_value(fault.operation), "operation")
    fault.check()
    return fault
