"""Base of all kinds of faults, and reading of faults from plain data.

A kind is a subclass of `Fault` in its own module, with a row in `table`. It declares
its fields with bounds, and a text below each; rules for fields together (`check`), and
its effect (`apply`), which returns a response. Its docstring is the sentence in
documents and the console. An effect that no HTTP server would have (a cut, a pause, a
reset) is a subclass of Response, and acts when the response is sent.
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
"""Whether a connection fault also fires when a client resends the same request."""


class FaultContext(Struct, frozen=True):
    """A request and the fault that fires on it.

    `respond` runs the operation, or returns the answer in its place, on the current
    state or on a copy: a fault may have delayed the request.
    """

    request: RequestContext
    operation: Served
    firing: Firing
    respond: Callable[[Distort | None, State | None], Response]

    @property
    def is_after(self) -> bool:
        """Return whether the operation runs before the fault takes effect."""
        return self.firing.fault.definition.phase == "after"

    # Effects call `perform` if they change only time or data of the response,
    # `spoilable` if they spoil the finished response, `perform_if_after` if they drop
    # or replace it, `rehearse` if nothing may be written.

    async def perform(self, distort: Distort | None = None) -> Response:
        """Run the operation; `distort` may change its data before it is encoded."""
        response = await once_ready(lambda: self.respond(distort, None))
        await hold_up(self.request)
        return response

    async def perform_if_after(self) -> None:
        """Run the operation if the phase is `after`; its response is dropped."""
        if self.is_after:
            await self.perform()

    async def rehearse(self) -> Response:
        """Return the response of the operation without changing any data."""
        state = self.request.state
        # On a copy of the store: the response is right, and the write is lost.
        copy = replace(state, store=state.store.copy())
        response = await once_ready(lambda: self.respond(None, copy))
        await hold_up(self.request)
        return response

    def appear(self, request: object, number: int) -> Any:
        """Return an invented item for a page of the operation or of an answer."""
        if self.request.answer is not None:
            return {"_id": f"appeared-{number}", "name": f"Appeared {number}"}
        appear = cast("Callable[[object, int], Any]", self.operation.appear)
        return appear(request, number)

    async def spoilable(self) -> Response:
        """Return the response to spoil; the operation runs if the phase says so."""
        return await (self.perform() if self.is_after else self.rehearse())

    def connection(self) -> Connection:
        """Return the connection. Raises NeedsConnection in process."""
        connection = connection_of(self.request.scope)
        if connection is None:
            kind = self.firing.fault.definition.kind
            raise NeedsConnection(
                f"the fault {kind!r} needs a connection: serve the application on a "
                "socket (MockServer), it cannot be had in process"
            )
        return connection


async def hold_up(request: RequestContext) -> None:
    """Delay a request for the time that its answer sets.

    Raises ClientGone, Interrupted.
    """
    if request.answer is not None:
        ms = cast("Fault", request.answer.fault.definition).held_up_ms
        if ms:
            await pause(request, ms)


class Fault(Definition):
    """A fault of any kind: when it fires, and its effect.

    With `phase` after, the operation runs and only its response is spoiled.
    """

    kinds: ClassVar[Mapping[str, type[Fault]]]
    """All kinds by name; set by the table of kinds."""
    presets: ClassVar[Collection[str]] = ()
    """The names of all presets; set by the table of kinds."""
    least: ClassVar[Mapping[str, Any]] = {}
    """The required fields of a valid fault, beside its kind."""
    chinese: ClassVar[str] = ""
    """The effect in Chinese; the docstring says it in English."""
    schema: ClassVar[Mapping[str, Any]] = {}
    """The rules of `check` for several fields, as far as JSON Schema can state them."""

    if TYPE_CHECKING:  # as in `control.fault_class`

        def __init__(self, kind: str, **fields: Any) -> None: ...
        @staticmethod
        def of(kind: str, **fields: Any) -> Fault: ...

    @property
    def held_up_ms(self) -> int:
        """Return the milliseconds by which an answer delays its response."""
        return 0

    @classmethod
    def sentence(cls) -> str:
        """Return the effect in English."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def operations(cls) -> tuple[str, ...]:
        """Return the names of the operations that the kind applies to."""
        rows = OPERATIONS.values()
        return tuple(
            row.name for row in rows if not cls.needs or cls.needs in row.traits
        )

    @classmethod
    def rules(cls) -> list[Mapping[str, Any]]:
        """Return rules for the fields beyond their types, as JSON Schemas."""
        names = cls.operations() if cls.is_answer else ("*", *cls.operations())
        # A kind that needs a trait cannot apply to a static response.
        operations = {"enum": [*names]} if cls.needs else name_schema(names)
        return [{"properties": {"operation": operations}}, cls.schema]

    @classmethod
    def meant_by(cls, name: str, fields: Mapping[str, object]) -> str:
        """Return what to write for a field of other mock servers."""
        own = OPERATIONS.rewrite_hint(name, fields)
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
        """Return the kind's own fields and their defaults, NODEFAULT if required."""
        common = {each.name for each in msgspec.structs.fields(Fault)}
        return {
            each.encode_name: each.default
            for each in msgspec.structs.fields(cls)
            if each.name not in common
        }

    def warnings(self) -> Iterator[str]:
        """Yield likely mistakes: matches that no request can have."""
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
        """Check what types cannot check of the fields. Raises InvalidField."""
        refuse_all(
            (("match", *path), message)
            for path, message in self.match.problems(is_answer=self.is_answer)
        )

    def as_kept(self) -> Self:
        """Return the fault as it is stored after the check."""
        return self

    async def apply(self, context: FaultContext) -> Response:
        """Return the response to a request on which the fault fires; send nothing.

        Raises NeedsConnection if the kind needs a real connection and is used in
        process, and ClientGone or Interrupted if it waits. A response that waits while
        it is sent handles these two itself, as `dribble` does.
        """
        raise NotImplementedError


class StreamFault(Fault):
    """A fault that can fire in the middle of a stream."""

    after_chunks: Whole = 0
    """Events of a stream that are sent first."""

    async def stream(self, context: FaultContext) -> EventStream | None:
        """Return the stream to spoil if events are sent before, else None."""
        response = await context.spoilable() if self.after_chunks else None
        return response if isinstance(response, EventStream) else None

    def until(self, stream: EventStream, ends: End) -> EventStream:
        """Return the events that are sent before, with this end of the connection."""
        return stream.with_chunks(stream.chunks[: self.after_chunks], ends)


def warnings_of(generation: Generation) -> Iterator[str]:
    """Yield likely mistakes in the answers and faults of a fixture."""
    for each in (*generation.answers, *generation.faults):
        for warning in cast(Fault, each).warnings():
            yield f"{each.operation}: {warning}"


def one_of(*forms: tuple[str, ...]) -> dict[str, Any]:
    """Return a JSON Schema: exactly the fields of one of the forms are present."""
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
    """Return the refusal of a field."""
    return InvalidField(expected, got, f"$.{name}")


def refuse_all(problems: Iterable[tuple[Path, str]]) -> None:
    """Raise InvalidField if there are any problems."""
    found = [
        f"{message} - at ${''.join(f'.{part}' for part in path)}"
        for path, message in problems
    ]
    if found:
        raise InvalidFields(all_problems(found))


def kind_mistake(fields: Mapping[str, object]) -> tuple[str, str] | None:
    """Return mistakes in `kind` and in unknown fields; None if kind is known."""
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
    if isinstance(meant, str) and meant in kinds:  # other mistakes after that fix
        own = {name: each for name, each in fields.items() if name in known - {"kind"}}
        found = islice(mistakes(own, kinds[meant]), Published.told_problems)
        more += [f"{each.message} - at {dotted(each.path)}" for each in found]
    expected = f"Expected one of {', '.join(kinds)}, got {got}{hint}"
    return expected, "".join(f"; {each}" for each in more)


def _names_of(kind: type[Fault]) -> set[str]:
    return {"kind", *kind.__struct_encode_fields__}


def read_fault(fields: Mapping[str, Any], responses: Collection[str]) -> Fault:
    """Return a fault from plain data: `kind` and fields.

    Its operation may be one of the static `responses`. Raises InvalidField.
    """
    if mistake := kind_mistake(fields):
        raise InvalidFields(" - at $.kind".join(mistake))
    fault = fault_of(fields)
    fault.check()
    if not is_route(fault.operation) or not fault.is_answer:
        _check_operation(fault, responses)
    return fault.as_kept()


def fault_of(fields: Mapping[str, Any]) -> Fault:
    """Return a fault of a known kind, of whose fields only the types are checked.

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
    """Raise InvalidField if the operation is unknown or the kind cannot apply."""
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
