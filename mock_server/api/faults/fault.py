"""What every kind of fault has: an effect, its texts, and how one is read.

A kind is a subclass of `Fault` in a module of its own, with a line in `table`. It
states its fields with their bounds, a text below each; what they must be like together
(`check`), and its effect (`apply`), which gives back a response. Its docstring is the
sentence that documents and the console show. An effect that no HTTP server would have
(a cut, a pause, a reset) is a kind of response, and acts when that is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from mock_server.api.connection import Connection, NeedsConnection, connection_of
from mock_server.api.context import RequestContext
from mock_server.api.operations.operation import Distort
from mock_server.api.operations.static_response import Served, name_schema
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.response import Response
from mock_server.api.slices import once_ready
from mock_server.domain.call import Call
from mock_server.domain.errors import InvalidField, InvalidFields
from mock_server.domain.faults.definition import Definition
from mock_server.domain.faults.firing import Firing
from mock_server.domain.limits import Published
from mock_server.domain.messages import cut, describe_value, did_you_mean
from mock_server.domain.validation.convert import convert
from mock_server.domain.validation.walk import dotted, mistakes

Milliseconds = Annotated[float, Meta(ge=0, le=Published.fault_ms)]
Connections = Literal["first", "all"]
"""Whether a fault of the connection meets one that brings a request again, too."""


class FaultContext(Struct, frozen=True):
    """A request and the fault that fires at it.

    `respond` carries the operation out under the state that there is by then: a fault
    may have held the request up.
    """

    request: RequestContext
    operation: Served
    firing: Firing
    respond: Callable[[Distort | None], Response]

    @property
    def is_after(self) -> bool:
        """Whether the operation is carried out before anything is spoiled."""
        return self.firing.fault.definition.phase == "after"

    # Which one an effect takes: `perform` if the answer is right but for its time or
    # its data, `spoilable` if the answer is spoiled afterwards, `perform_if_after` if
    # it is lost or replaced, `rehearse` if nothing may be written.

    async def perform(self, distort: Distort | None = None) -> Response:
        """Carry the operation out; `distort` may change its data before it is shown."""
        return await once_ready(lambda: self.respond(distort))

    async def perform_if_after(self) -> None:
        """Carry the operation out if the phase says so; its response is lost."""
        if self.is_after:
            await self.perform()

    async def rehearse(self) -> Response:
        """The response that the operation would have; nothing is changed."""
        state, content = self.request.state, self.request.content or b""
        # On a copy of the store, so that the answer is right and the write is lost.
        copy = replace(state, store=state.store.copy())
        call = Call.of(copy, self.request.caller)
        return await once_ready(lambda: self.operation.respond(call, content))

    async def spoilable(self) -> Response:
        """The response to spoil, of an operation carried out if the phase says so."""
        return await (self.perform() if self.is_after else self.rehearse())

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


class Fault(Definition):
    """A fault of any kind: when it fires, and what it does then.

    With `phase` after, the operation is carried out and only its answer is spoiled.
    """

    kinds: ClassVar[Mapping[str, type[Fault]]]
    """All kinds by name, which the table of kinds hands over."""
    presets: ClassVar[Collection[str]] = ()
    """The names of all presets, which it hands over too."""
    least: ClassVar[Mapping[str, Any]] = {}
    """The least fields of a valid fault, beside its kind."""
    chinese: ClassVar[str] = ""
    """What it does, in Chinese; the docstring says it in English."""
    schema: ClassVar[Mapping[str, Any]] = {}
    """What JSON Schema can say of the kind's fields together, as `check` does."""

    if TYPE_CHECKING:  # what `control.fault_class` has

        def __init__(self, kind: str, **fields: Any) -> None: ...
        @staticmethod
        def of(kind: str, **fields: Any) -> Fault: ...

    @classmethod
    def sentence(cls) -> str:
        """What it does, in English."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def operations(cls) -> tuple[str, ...]:
        """The names of the operations that the kind has a meaning for."""
        rows = OPERATIONS.values()
        return tuple(
            row.name for row in rows if not cls.needs or cls.needs in row.traits
        )

    @classmethod
    def rules(cls) -> list[Mapping[str, Any]]:
        """What the type does not say of the fields, as JSON Schemas."""
        names = ("*", *cls.operations())
        # What a kind has a meaning for by a trait is no declared response.
        operations = {"enum": [*names]} if cls.needs else name_schema(names)
        return [{"properties": {"operation": operations}}, cls.schema]

    @classmethod
    def own_fields(cls) -> Mapping[str, object]:
        """Its own fields and their defaults, NODEFAULT for what must be there."""
        common = {each.name for each in msgspec.structs.fields(Fault)}
        return {
            each.encode_name: each.default
            for each in msgspec.structs.fields(cls)
            if each.name not in common
        }

    def check(self) -> None:
        """Check what no type can say of the fields. Raises InvalidField."""
        # Each request is compared with the wanted body, so that has to be small.
        if len(msgspec.json.encode(self.match.body)) > Published.matched_bytes:
            raise wrong(
                f"at most {Published.matched_bytes} bytes", "more", "match.body"
            )

    async def apply(self, context: FaultContext) -> Response:
        """The response to a request at which the fault fires; nothing is sent yet.

        Raises NeedsConnection if the kind needs a real connection and is used in
        process, and ClientGone or Interrupted if it waits. A response that waits while
        it is sent has to handle these two itself, as `dribble` does.
        """
        raise NotImplementedError


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
    return InvalidField(expected, got, f"$.{name}")


def kind_mistake(fields: Mapping[str, object]) -> tuple[str, str] | None:
    """What is wrong with the kind of fields, and with those that no kind has."""
    name, kinds = fields.get("kind"), Fault.kinds
    if isinstance(name, str) and name in kinds:
        return None
    got = "nothing" if "kind" not in fields else describe_value(name)
    hint = did_you_mean(str(name), kinds)
    if isinstance(name, str) and name in Fault.presets:
        hint = ", which is a preset (send it as preset)"
    known = {f for k in kinds.values() for f in k.__struct_encode_fields__} | {"kind"}
    strange = [each for each in fields if each not in known][: Published.told_problems]
    more = [f"unknown field {cut(f)!r}{did_you_mean(f, known)}" for f in strange]
    meant = fields.get("type", hint.partition("'")[2].partition("'")[0])
    if isinstance(meant, str) and meant in kinds:  # what else would be wrong then
        own = {name: each for name, each in fields.items() if name in known - {"kind"}}
        found = islice(mistakes(own, kinds[meant]), Published.told_problems)
        more += [f"{each.message} - at {dotted(each.path)}" for each in found]
    expected = f"Expected one of {', '.join(kinds)}, got {got}{hint}"
    return expected, "".join(f"; {each}" for each in more)


def read_fault(fields: Mapping[str, Any], responses: Collection[str]) -> Fault:
    """A fault from plain data: `kind` and fields.

    It may be for an operation, or for one of the declared `responses` of these names.
    Raises InvalidField.
    """
    if mistake := kind_mistake(fields):
        raise InvalidFields(" - at $.kind".join(mistake))
    given = dict(fields)
    fault = convert(given, Fault.kinds[given.pop("kind")])
    if fault.operation != "*":
        _check_operation(fault, responses)
    fault.check()
    return fault


_TRAITS = {
    "page": "that answers a page",
    "total": "that answers a total",
    "write": "that changes something",
}


def _check_operation(fault: Fault, responses: Collection[str]) -> None:
    """Raises InvalidField for no operation, and one that the kind means nothing for."""
    OPERATIONS.check_name(fault.operation, "$.operation", "* or ", responses)
    known = fault.operations()
    if fault.operation in responses and not fault.needs:
        return
    if fault.operation not in known:
        which = f"an operation {_TRAITS[fault.needs]} ({', '.join(known)})"
        raise wrong(f"* or {which}", describe_value(fault.operation), "operation")
