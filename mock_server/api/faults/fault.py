"""What every kind of fault has: an effect, its texts, and how one is read.

A kind is a subclass of `Fault` in a module of its own, with a line in `table`. It
states its fields with their bounds, a text below each; what they must be like together
(`check`), and its effect (`apply`), which gives back a response. Its docstring is the
sentence that documents and the console show. An effect that no HTTP server would have
(a cut, a pause, a reset) is a kind of response, and acts when that is sent.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, cast

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from mock_server.api.connection import Connection, NeedsConnection, connection_of
from mock_server.api.context import RequestContext, pause
from mock_server.api.event_stream import EventStream
from mock_server.api.operations.answered_path import Served, name_schema
from mock_server.api.operations.operation import Distort
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.response import End, Response
from mock_server.api.slices import once_ready
from mock_server.domain.errors import InvalidField, InvalidFields
from mock_server.domain.faults.definition import Definition, Whole
from mock_server.domain.faults.firing import Firing
from mock_server.domain.faults.routes import is_route
from mock_server.domain.limits import Published
from mock_server.domain.messages import (
    all_problems,
    cut,
    describe_value,
    did_you_mean,
    nearest,
)
from mock_server.domain.objects.fixture_data import Generation
from mock_server.domain.sandboxes.state import State
from mock_server.domain.validation.convert import convert
from mock_server.domain.validation.json_match import is_test
from mock_server.domain.validation.walk import Path, dotted, mistakes

_MILLISECONDS = {"expected": f"milliseconds from 0 to {Published.fault_ms}"}
Milliseconds = Annotated[float, Meta(ge=0, le=Published.fault_ms, extra=_MILLISECONDS)]
Connections = Literal["first", "all"]
"""Whether a fault of the connection meets one that brings a request again, too."""


class FaultContext(Struct, frozen=True):
    """A request and the fault that fires at it.

    `respond` carries the operation out, or gives the answer in its place, under the
    state that there is by then, or a copy of it: a fault may have held the request up.
    """

    request: RequestContext
    operation: Served
    firing: Firing
    respond: Callable[[Distort | None, State | None], Response]

    @property
    def is_after(self) -> bool:
        """Whether the operation is carried out before anything is spoiled."""
        return self.firing.fault.definition.phase == "after"

    # Which one an effect takes: `perform` if the answer is right but for its time or
    # its data, `spoilable` if the answer is spoiled afterwards, `perform_if_after` if
    # it is lost or replaced, `rehearse` if nothing may be written.

    async def perform(self, distort: Distort | None = None) -> Response:
        """Carry the operation out; `distort` may change its data before it is shown."""
        response = await once_ready(lambda: self.respond(distort, None))
        await hold_up(self.request)
        return response

    async def perform_if_after(self) -> None:
        """Carry the operation out if the phase says so; its response is lost."""
        if self.is_after:
            await self.perform()

    async def rehearse(self) -> Response:
        """The response that the operation would have; nothing is changed."""
        state = self.request.state
        # On a copy of the store, so that the answer is right and the write is lost.
        copy = replace(state, store=state.store.copy())
        response = await once_ready(lambda: self.respond(None, copy))
        await hold_up(self.request)
        return response

    def appear(self, request: object, number: int) -> Any:
        """An item that is not there, for a page of the operation or of an answer."""
        if self.request.answer is not None:
            return {"_id": f"appeared-{number}", "name": f"Appeared {number}"}
        appear = cast("Callable[[object, int], Any]", self.operation.appear)
        return appear(request, number)

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


async def hold_up(request: RequestContext) -> None:
    """Hold a request up for as long as the answer wants that fires at it.

    Raises ClientGone, Interrupted.
    """
    if request.answer is not None:
        ms = cast("Fault", request.answer.fault.definition).held_up_ms
        if ms:
            await pause(request, ms)


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

    @property
    def held_up_ms(self) -> int:
        """Milliseconds for which it holds up what it answers."""
        return 0

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
        names = cls.operations() if cls.is_answer else ("*", *cls.operations())
        # What a kind has a meaning for by a trait is no declared response.
        operations = {"enum": [*names]} if cls.needs else name_schema(names)
        return [{"properties": {"operation": operations}}, cls.schema]

    @classmethod
    def meant_by(cls, name: str, fields: Mapping[str, object]) -> str:
        """What to write for a field that other mock servers have."""
        own = OPERATIONS.written_for(name, fields)
        if own or nearest(name, cls.__struct_encode_fields__):
            return own
        rest = name.removeprefix(str(cls.__struct_config__.tag)).lower()
        if rest in cls.own_fields():  # such as delayMs for ms
            return f" (did you mean {rest!r}?)"
        kinds = Fault.kinds.items()
        every = {each for _, kind in kinds for each in _names_of(kind)}
        near = nearest(name, every) or name
        homes = ", ".join(each for each, kind in kinds if near in _names_of(kind))
        return f" ({near} is a field of {homes})" if homes else ""

    @classmethod
    def own_fields(cls) -> Mapping[str, object]:
        """Its own fields and their defaults, NODEFAULT for what must be there."""
        common = {each.name for each in msgspec.structs.fields(Fault)}
        return {
            each.encode_name: each.default
            for each in msgspec.structs.fields(cls)
            if each.name not in common
        }

    def warnings(self) -> Iterator[str]:
        """What a user may not have meant: a match that no request can have."""
        match, never = self.match, "This can never fire: Expected"
        if match.path and is_route(self.operation):
            known = re.findall(r"\{([^{}]*)\}", self.operation)
            for name in match.path.keys() - known:
                got = f"got {cut(name)!r}{did_you_mean(name, known)}"
                expected = "a parameter of the path"
                yield f"{never} {expected}, {got} - at $.match.path"
        operation = OPERATIONS.get(self.operation)
        if operation is None:
            return
        fields = operation.contract.names
        wanted = match.body or {}
        is_open = not operation.contract.fields.__struct_config__.forbid_unknown_fields
        for name in wanted:
            if name in fields or is_test(wanted[name]):
                continue
            if is_open:
                if near := did_you_mean(name, fields):
                    yield f"{operation.name} reads no field {cut(name)!r}{near}"
            else:
                got = f"got {cut(name)!r}{did_you_mean(name, fields)}"
                expected = f"a field of {operation.name}"
                yield f"{never} {expected}, {got} - at $.match.body"
        if match.question is not None and "messages" not in fields:
            expected = "an operation with messages, such as completions"
            yield f"{never} {expected}, got {operation.name} - at $.match.question"

    def check(self) -> None:
        """Check what no type can say of the fields. Raises InvalidField."""
        refuse_all(
            (("match", *path), message)
            for path, message in self.match.problems(is_answer=self.is_answer)
        )

    def as_kept(self) -> Self:
        """The fault as it is kept once it has been checked."""
        return self

    async def apply(self, context: FaultContext) -> Response:
        """The response to a request at which the fault fires; nothing is sent yet.

        Raises NeedsConnection if the kind needs a real connection and is used in
        process, and ClientGone or Interrupted if it waits. A response that waits while
        it is sent has to handle these two itself, as `dribble` does.
        """
        raise NotImplementedError


class StreamFault(Fault):
    """A fault that may fire in the middle of a stream."""

    after_chunks: Whole = 0
    """Events of a stream that are sent first."""

    async def stream(self, context: FaultContext) -> EventStream | None:
        """The stream to spoil where events are to be sent before, else None."""
        response = await context.spoilable() if self.after_chunks else None
        return response if isinstance(response, EventStream) else None

    def until(self, stream: EventStream, ends: End) -> EventStream:
        """The events that are sent before, then this end of the connection."""
        return stream.with_chunks(stream.chunks[: self.after_chunks], ends)


def warnings_of(generation: Generation) -> Iterator[str]:
    """What may not be meant of the answers and faults that a fixture declares."""
    for each in (*generation.answers, *generation.faults):
        for warning in cast(Fault, each).warnings():
            yield f"{each.operation}: {warning}"


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


def refuse_all(problems: Iterable[tuple[Path, str]]) -> None:
    """Raises InvalidField if there are any problems."""
    found = [
        f"{message} - at ${''.join(f'.{part}' for part in path)}"
        for path, message in problems
    ]
    if found:
        raise InvalidFields(all_problems(found))


def kind_mistake(fields: Mapping[str, object]) -> tuple[str, str] | None:
    """What is wrong with the kind of fields, and with those that no kind has."""
    name, kinds = fields.get("kind"), Fault.kinds
    if isinstance(name, str) and name in kinds:
        return None
    got = "nothing" if "kind" not in fields else describe_value(name)
    takes = [each for each, kind in kinds.items() if {*fields} <= _names_of(kind)]
    hint = did_you_mean(str(name), takes) or did_you_mean(str(name), kinds)
    if isinstance(name, str) and name in Fault.presets:
        how = f'write {{"preset": "{name}"}}, in Python preset({name!r})'
        hint = f", which is a preset ({how})"
    if name == "timeout" and "ms" not in fields:
        hint = " (hang never answers, delay with ms 3000 answers late)"
    known = {f for k in kinds.values() for f in _names_of(k)}
    strange = [each for each in fields if each not in known][: Published.told_problems]
    more = [f"unknown field {cut(f)!r}{did_you_mean(f, known)}" for f in strange]
    meant = fields.get("type", hint.partition("'")[2].partition("'")[0])
    if isinstance(meant, str) and meant in kinds:  # what else would be wrong then
        own = {name: each for name, each in fields.items() if name in known - {"kind"}}
        found = islice(mistakes(own, kinds[meant]), Published.told_problems)
        more += [f"{each.message} - at {dotted(each.path)}" for each in found]
    expected = f"Expected one of {', '.join(kinds)}, got {got}{hint}"
    return expected, "".join(f"; {each}" for each in more)


def _names_of(kind: type[Fault]) -> set[str]:
    return {"kind", *kind.__struct_encode_fields__}


def read_fault(fields: Mapping[str, Any], responses: Collection[str]) -> Fault:
    """A fault from plain data: `kind` and fields.

    It may be for an operation, or for one of the declared `responses` of these names.
    Raises InvalidField.
    """
    if mistake := kind_mistake(fields):
        raise InvalidFields(" - at $.kind".join(mistake))
    fault = fault_of(fields)
    fault.check()
    if not is_route(fault.operation) or not fault.is_answer:
        _check_operation(fault, responses)
    return fault.as_kept()


def fault_of(fields: Mapping[str, Any]) -> Fault:
    """A fault from fields of a known kind, of which only the types have been checked.

    Raises InvalidField.
    """
    given = dict(fields)
    return convert(given, Fault.kinds[given.pop("kind")])


_TRAITS = {
    "page": "that answers a page",
    "total": "that answers a total",
    "write": "that changes something",
}


def _check_operation(fault: Fault, responses: Collection[str]) -> None:
    """Raises InvalidField for no operation, and one that the kind means nothing for."""
    others = "a method and a path, or " if fault.is_answer else "* or "
    if fault.operation == "*" and not fault.is_answer:
        return
    OPERATIONS.check_name(fault.operation, "$.operation", others, responses)
    known = fault.operations()
    if fault.operation in responses and not fault.needs:
        return
    if fault.operation not in known:
        which = f"an operation {_TRAITS[fault.needs]} ({', '.join(known)})"
        raise wrong(f"* or {which}", describe_value(fault.operation), "operation")
