"""What every kind of fault is written with: its common fields, and the request.

A kind is a subclass of `Fault` in a module of its own, listed in `table`: its fields,
what they must be like together (`check`), and its effect (`apply`), which gives back a
response. An effect that no HTTP server would have (a cut, a pause, a reset) is a kind
of response, and acts when that is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from mock_server.api.context import RequestContext
from mock_server.api.operations.declared import ANY_RESPONSE, Served
from mock_server.api.operations.operation import Distort, Operations
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.pause import pause
from mock_server.api.response import (
    Connection,
    NeedsConnection,
    Response,
    connection_of,
)
from mock_server.domain.errors import InvalidField, describe_value, did_you_mean
from mock_server.domain.faults import Firing
from mock_server.domain.limits import Limits
from mock_server.domain.memory import size_of
from mock_server.validation.convert import convert

Milliseconds = Annotated[float, Meta(ge=0, le=Limits.fault_ms)]
Whole = Annotated[int, Meta(ge=0, le=Limits.integer)]


class Match(Struct, rename="camel", forbid_unknown_fields=True):
    """Which requests: of this API key, with at least these fields in the body."""

    key: str | None = None
    body: dict[str, Any] | None = None


Connections = Literal["first", "all"]
"""Whether a fault of the connection meets one that brings a request again, too."""


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
        return read_fault({"kind": kind, **fields}, responses=ANY_RESPONSE)

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
    def meets_resends(self) -> bool:
        """Whether it fires again at a request that is sent again at once."""
        return False

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return size_of(msgspec.to_builtins(self))

    def check(self) -> None:
        """Check what no type can say of the fields. Raises InvalidField."""
        # Each request is compared with the wanted body, so that has to be small.
        if len(msgspec.json.encode(self.body)) > Limits.matched_bytes:
            raise wrong(f"at most {Limits.matched_bytes} bytes", "more", "match.body")

    async def apply(self, context: FaultContext) -> Response:
        """The response to a request at which the fault fires; nothing is sent yet.

        Raises NeedsConnection if the kind needs a real connection and is used in
        process, and ClientGone or Interrupted if it waits. A response that waits while
        it is sent has to handle these two itself, as `dribble` does.
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


def read_fault(
    fields: Mapping[str, Any],
    operations: Operations = OPERATIONS,
    responses: Collection[str] = (),
) -> Fault:
    """A fault from plain data: `kind` and fields. Raises InvalidField.

    It may be for one of the operations, or of the declared `responses` of these names.
    """
    # Every subclass is a kind; a test sees to it that the table lists all of them.
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
    if fault.operation != "*":
        _check_operation(fault, operations, responses)
    fault.check()
    return fault


_TRAITS = {
    "page": "that answers a page",
    "total": "that answers a total",
    "write": "that changes something",
}


def _check_operation(
    fault: Fault, operations: Operations, responses: Collection[str]
) -> None:
    """Raises InvalidField for no operation, and one that the kind means nothing for."""
    operations.check_name(fault.operation, "$.operation", "* or ", responses)
    known = fault.operations(operations)
    if fault.operation in responses and not fault.trait:
        return
    if fault.operation not in known:
        which = f"an operation {_TRAITS[fault.trait]} ({', '.join(known)})"
        got = describe_value(fault.operation)
        raise wrong(f"* or {which}", got, "operation")


class FaultContext(Struct, frozen=True):
    """A request and the fault that fires at it.

    `readmit` admits the request again if its state was replaced meanwhile.
    """

    request: RequestContext
    operation: Served
    firing: Firing
    is_after: bool
    """Whether the operation is carried out before anything is spoiled."""
    readmit: Callable[[], Served]

    # Which one an effect takes: `perform` if the answer is right but for its time or
    # its data, `spoilable` if the answer is spoiled afterwards, `perform_if_after` if
    # it is lost or replaced, `rehearse` if nothing may be written.

    def perform(self, distort: Distort | None = None) -> Response:
        """Carry the operation out; `distort` may change its data before it is shown."""
        request = self.request
        content = request.content or b""
        return self.operation.respond(request.state, request.caller, content, distort)

    def perform_if_after(self) -> None:
        """Carry the operation out if the phase says so; its response is lost."""
        if self.is_after:
            self.perform()

    def rehearse(self) -> Response:
        """The response that the operation would have; nothing is changed."""
        state = self.request.state
        # On a copy of the store, so that the answer is right and the write is lost.
        aside = replace(state, store=state.store.copy())
        content = self.request.content or b""
        return self.operation.respond(aside, self.request.caller, content)

    def spoilable(self) -> Response:
        """The response to spoil, of an operation carried out if the phase says so."""
        return self.perform() if self.is_after else self.rehearse()

    def draw(self, purpose: str) -> float:
        """A number from 0 up to 1, always the same for the same match."""
        return self.firing.draw_for(purpose)

    def connection(self) -> Connection:
        """The connection itself. Raises NeedsConnection in process."""
        connection = connection_of(self.request.scope)
        if connection is None:
            kind = self.firing.fault.definition.kind
            raise NeedsConnection(
                f"the fault {kind!r} needs a connection: serve the application on a "
                "socket (MockServer), it cannot be had in process"
            )
        return connection

    async def pause(self, ms: float) -> None:
        """Wait in real time, whatever the sandbox's clock says.

        Raises ClientGone if the client goes first, Interrupted after a reset.
        """
        await pause(self.request, ms)
