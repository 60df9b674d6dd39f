"""The base class of all kinds of faults; functions that read a fault from plain data.

A kind is a subclass of `Fault` in its own module, with a row in `table`. It declares
its fields with bounds and a text below each; `check` has the rules between fields;
`apply` has the effect, and returns a response. The docstring is the sentence in the
documentation and the console. For an effect while sending (a cut, a pause, a reset),
`apply` returns a response with its own `send`.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, cast

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from mock_server.api.connection import Connection, NeedsConnection, connection_of
from mock_server.api.context import RequestContext, pause
from mock_server.api.event_stream import EventStream
from mock_server.api.operations.answered_path import Served, name_schema
from mock_server.api.operations.operation import Distortion
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.response import End, Response
from mock_server.domain.errors import InvalidField, InvalidFields
from mock_server.domain.faults.definition import Definition, WholeNumber
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
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.sandboxes.state import State
from mock_server.domain.validation.convert import convert
from mock_server.domain.validation.json_match import is_test
from mock_server.domain.validation.walk import Path, dotted, mistakes

_PATTERN = re.compile(r"\.[*+]|\\[bdsw]|^\^|\(\?|^/.+/[gimsuy]*$|^\*|\*$")
"""Matches what regular expressions have, and few questions."""
_MILLISECONDS = {"expected": f"milliseconds from 0 to {Published.fault_ms}"}
Milliseconds = Annotated[float, Meta(ge=0, le=Published.fault_ms, extra=_MILLISECONDS)]
Connections = Literal["first", "all"]
"""Whether a connection fault also fires when a client resends the same request."""


class FaultContext(Struct, frozen=True):
    """A request, and the fault that fires on it.

    `respond` returns the response of the operation, or of an answer in its place, after
    the answer's delay. It takes a function that changes the data, and a state to use
    instead of the current.
    """

    request: RequestContext
    operation: Served
    firing: Firing
    respond: Callable[[Distortion | None, State | None], Awaitable[Response]]

    @property
    def is_after(self) -> bool:
        """Return whether the operation runs before the fault takes effect."""
        return self.firing.fault.definition.phase == "after"

    # Faults call `perform` if they change the time or the data of a response,
    # `response_to_break` if they break the bytes of a response, `perform_if_after` if
    # they replace the response, `perform_on_copy` if the operation must write nothing.

    async def perform(self, distortion: Distortion | None = None) -> Response:
        """Run the operation; `distortion` may change its data before it is encoded."""
        return await self.respond(distortion, None)

    async def perform_if_after(self) -> None:
        """Run the operation if the phase is `after`; drop its response."""
        if self.is_after:
            await self.perform()

    async def perform_on_copy(self) -> Response:
        """Return the response of the operation without changing any data."""
        state = self.request.state
        # The response is right, but the write goes to a copy, and is lost.
        return await self.respond(None, replace(state, store=state.store.copy()))

    def invent_item(self, request: object, number: int) -> Any:
        """Return an invented item for a page of the operation or of an answer."""
        if self.request.answer is not None:
            return {"_id": f"appeared-{number}", "name": f"Appeared {number}"}
        invent = cast("Callable[[object, int], Any]", self.operation.invent_item)
        return invent(request, number)

    async def response_to_break(self) -> Response:
        """Return a response to break; only in phase "after", data may change."""
        return await (self.perform() if self.is_after else self.perform_on_copy())

    def connection(self) -> Connection:
        """Return the connection. Raises NeedsConnection in process."""
        connection = connection_of(self.request.scope)
        if connection is None:
            kind = self.firing.fault.definition.kind
            raise NeedsConnection(
                f"the fault {kind!r} needs a connection: serve the application on a "
                "socket (MockServer), in process there is none"
            )
        return connection


async def apply_answer_delay(request: RequestContext) -> None:
    """Delay a request as its scripted answer requires, if one fires.

    Raises ClientGone, WaitInterrupted.
    """
    if request.answer is not None:
        ms = cast("Fault", request.answer.fault.definition).answer_delay_ms
        if ms:
            await pause(request, ms)


class Fault(Definition):
    """A fault of any kind: when it fires, and its effect.

    With `phase` "after", the operation takes effect before its response is broken.
    """

    kinds: ClassVar[Mapping[str, type[Fault]]]
    """All kinds by name; set by the table of kinds."""
    presets: ClassVar[Collection[str]] = ()
    """The names of all presets; set by the table of kinds."""
    required_fields: ClassVar[Mapping[str, Any]] = {}
    """The required fields of a valid fault, beside its kind."""
    chinese: ClassVar[str] = ""
    """The effect as a Chinese sentence; the docstring is the English sentence."""
    schema: ClassVar[Mapping[str, Any]] = {}
    """The rules of `check` between fields that JSON Schema can express."""

    if TYPE_CHECKING:  # as in `control.fault_class`

        def __init__(self, kind: str, **fields: Any) -> None: ...
        @staticmethod
        def of(kind: str, **fields: Any) -> Fault: ...

    @property
    def answer_delay_ms(self) -> int:
        """Return the delay of an answer's response in milliseconds; 0 for faults."""
        return 0

    @classmethod
    def sentence(cls) -> str:
        """Return the effect as an English sentence."""
        return " ".join((cls.__doc__ or "").split())

    @classmethod
    def operations(cls) -> tuple[str, ...]:
        """Return the names of the operations that the kind applies to."""
        rows = OPERATIONS.values()
        return tuple(
            row.name for row in rows if not cls.trait or cls.trait in row.traits
        )

    @classmethod
    def rules(cls) -> list[Mapping[str, Any]]:
        """Return the rules for fields that types cannot express, as JSON Schemas."""
        names = cls.operations() if cls.is_answer else ("*", *cls.operations())
        # A kind that needs a trait cannot apply to static responses, which have none.
        operations = {"enum": [*names]} if cls.trait else name_schema(names)
        return [{"properties": {"operation": operations}}, cls.schema]

    @classmethod
    def unknown_field_hint(cls, name: str, fields: Mapping[str, object]) -> str:
        """Return a hint for an unknown field, such as one of other servers, or ""."""
        hint = OPERATIONS.rewrite_hint(name, fields, takes_route=cls.is_answer)
        if hint or nearest(name, cls.__struct_encode_fields__):
            return hint
        rest = name.removeprefix(str(cls.__struct_config__.tag)).lower()
        if rest in cls.own_fields():  # as `delayMs` for the field `ms` of `delay`
            return f" (did you mean {rest!r}?)"
        kinds = Fault.kinds.items()
        names = {each for _, kind in kinds for each in _field_names(kind)}
        likely_name = nearest(name, names) or name
        owners = ", ".join(
            each for each, kind in kinds if likely_name in _field_names(kind)
        )
        if name == "after":
            return " (write skip: so many matches pass first)"
        if name == "headers" and "retry-after" in str(fields.get(name)).lower():
            return " (write retryAfter)"
        if owners == "answer":
            owners += f": in Python write respond(..., {likely_name}=...)"
        return f" ({likely_name} is a field of {owners})" if owners else ""

    @classmethod
    def own_fields(cls) -> Mapping[str, object]:
        """Return the defaults of the kind's own fields; NODEFAULT if required."""
        common = {each.name for each in msgspec.structs.fields(Fault)}
        return {
            each.encode_name: each.default
            for each in msgspec.structs.fields(cls)
            if each.name not in common
        }

    def warnings(self) -> Iterator[str]:
        """Yield warnings of likely mistakes, such as a match that can never fire."""
        match, never = self.match, "This can never fire: Expected"
        if match.path and is_route(self.operation):
            names = re.findall(r"\{([^{}]*)\}", self.operation)
            for name in match.path.keys() - names:
                got = f"got {cut(name)!r}{did_you_mean(name, names)}"
                expected = "a parameter of the path"
                yield f"{never} {expected}, {got} - at $.match.path"
        body = match.body or {}
        if is_test(body):
            got = "got one of the whole body: name the field that has it"
            yield f"{never} a test of a field, {got} - at $.match.body"
            body = {}
        operation = OPERATIONS.get(self.operation)
        if operation is None:
            return
        fields = operation.contract.names
        is_open = not operation.contract.fields.__struct_config__.forbid_unknown_fields
        for name in body:
            if name in fields or is_test(body[name]):
                continue
            if is_open:
                advice = ' (write {"question": "..."} beside body)'
                is_asked = name == "question"
                if hint := advice if is_asked else did_you_mean(name, fields):
                    yield f"{operation.name} reads no field {cut(name)!r}{hint}"
            else:
                got = f"got {cut(name)!r}{did_you_mean(name, fields)}"
                expected = f"a field of {operation.name}"
                yield f"{never} {expected}, {got} - at $.match.body"
        if match.query and not operation.reads_query:
            got = f"got {operation.name}: did you mean body?"
            yield f"{never} an operation that reads its query, {got} - at $.match.query"
        if match.path and not all(map(is_test, match.path.values())):
            got = f"got {operation.name}: did you mean body?"
            yield f"{never} a path with parameters, {got} - at $.match.path"
        if pattern := _PATTERN.search(match.question or ""):
            place = "there are no patterns - at $.match.question"
            reason = f"question is a part of the text, {place}"
            yield f"{pattern[0]!r} is taken literally: {reason}"
        if match.question is not None and "messages" not in fields:
            expected = "an operation with messages, such as completions"
            yield f"{never} {expected}, got {operation.name} - at $.match.question"

    def check(self) -> None:
        """Check the rules that types cannot express. Raises InvalidField."""
        raise_problems(
            (("match", *path), message)
            for path, message in self.match.problems(is_answer=self.is_answer)
        )

    def to_stored(self) -> Self:
        """Return the checked fault in the form in which it is stored."""
        return self

    async def apply(self, context: FaultContext) -> Response:
        """Return the response to a request on which the fault fires; send nothing.

        Raises NeedsConnection in process if the kind needs a connection; ClientGone or
        WaitInterrupted if it waits. A response that waits in `send` handles these two
        itself, as that of `dribble` does.
        """
        raise NotImplementedError


class StreamFault(Fault):
    """A fault that can take effect in the middle of a stream."""

    after_chunks: WholeNumber = 0
    """Number of stream events before the effect."""

    async def stream(self, context: FaultContext) -> EventStream | None:
        """Return the stream to break, None if `after_chunks` is 0 or without one."""
        response = await context.response_to_break() if self.after_chunks else None
        if response is not None:
            self.hint_at_end(context, response)
        return response if isinstance(response, EventStream) else None

    def hint_at_end(self, context: FaultContext, response: Response) -> None:
        """Hint in the journal at a response with fewer than `after_chunks` events."""
        is_stream = isinstance(response, EventStream)
        count = len(response.chunks) if isinstance(response, EventStream) else 0
        if count < self.after_chunks:
            got = f"has {count} events" if is_stream else "is no stream"
            where = "at its end" if is_stream else "on all of it"
            context.request.notes.hint = (
                f"afterChunks of the fault {self.kind!r} is {self.after_chunks}, but "
                f"the response {got}: the fault acts {where}"
            )

    def end_early(self, stream: EventStream, end: End) -> EventStream:
        """Return the first `after_chunks` events of a stream, then `end`."""
        return stream.with_chunks(stream.chunks[: self.after_chunks], end)


def warnings_of(fixture: FixtureData) -> Iterator[str]:
    """Yield warnings of likely mistakes in the answers and faults of a fixture."""
    for each in (*fixture.answers, *fixture.faults):
        for warning in cast(Fault, each).warnings():
            yield f"{each.operation}: {warning}"


def one_of(*forms: tuple[str, ...]) -> dict[str, Any]:
    """Return a JSON Schema that requires the fields of exactly one of the forms."""
    names = sorted({name for form in forms for name in form})
    return {
        "oneOf": [
            {
                "required": list(form),
                "properties": {
                    name: {"type": "number" if name in form else "null"}
                    for name in names
                },
            }
            for form in forms
        ]
    }


def wrong_field(expected: str, got: str, name: str) -> InvalidField:
    """Return the refusal of the field `name`."""
    return InvalidField(expected, got, f"$.{name}")


def raise_problems(problems: Iterable[tuple[Path, str]]) -> None:
    """Raise one InvalidField for all problems (path and message), if there are any."""
    texts = [
        f"{message} - at ${''.join(f'.{part}' for part in path)}"
        for path, message in problems
    ]
    if texts:
        raise InvalidFields(all_problems(texts))


def kind_mistake(fields: Mapping[str, object]) -> tuple[str, str] | None:
    """Return messages on an unknown `kind` and other fields; None if it is known."""
    name, kinds = fields.get("kind"), Fault.kinds
    if isinstance(name, str) and name in kinds:
        return None
    got = "nothing" if "kind" not in fields else describe_value(name)
    kinds_with_fields = [
        each for each, kind in kinds.items() if {*fields} <= _field_names(kind)
    ]
    hint = did_you_mean(str(name), kinds_with_fields) or did_you_mean(str(name), kinds)
    if isinstance(name, str) and name in Fault.presets:
        advice = f'write {{"preset": "{name}"}}, in Python preset({name!r})'
        hint = f", which is a preset ({advice})"
    if name == "timeout" and "ms" not in fields:
        hint = " (hang never responds, delay with ms 3000 responds late)"
    names = {name for kind in kinds.values() for name in _field_names(kind)}
    if "kind" not in fields and "request" in fields:  # as WireMock has it
        hint, names = " (did you mean 'answer'?)", {*fields}
    unknown = [each for each in fields if each not in names][: Published.told_problems]
    problems = [f"unknown field {cut(it)!r}{did_you_mean(it, names)}" for it in unknown]
    likely_kind = fields.get("type", hint.partition("'")[2].partition("'")[0])
    if isinstance(likely_kind, str) and likely_kind in kinds:  # check its fields too
        own = {name: each for name, each in fields.items() if name in names - {"kind"}}
        errors = islice(mistakes(own, kinds[likely_kind]), Published.told_problems)
        problems += [f"{each.message} - at {dotted(each.path)}" for each in errors]
    expected = f"Expected one of {', '.join(kinds)}, got {got}{hint}"
    # The likely field comes before the long list of kinds.
    for problem in problems:
        if "kind" not in fields and problem.endswith("(did you mean 'kind'?)"):
            problems[problems.index(problem)], expected = expected, problem
    return expected, "".join(f"; {each}" for each in problems)


def _field_names(kind: type[Fault]) -> set[str]:
    return {"kind", *kind.__struct_encode_fields__}


def read_fault(fields: Mapping[str, Any], responses: Collection[str]) -> Fault:
    """Return the fault that plain data (`kind` and fields) describe, checked.

    Its operation may be one of the static `responses`. Raises InvalidField.
    """
    if mistake := kind_mistake(fields):
        raise InvalidFields(" - at $.kind".join(mistake))
    fault = fault_of(fields)
    fault.check()
    if not is_route(fault.operation) or not fault.is_answer:
        _check_operation(fault, responses)
    return fault.to_stored()


def fault_of(fields: Mapping[str, Any]) -> Fault:
    """Return a fault of a known kind; check only the types of its fields.

    Raises InvalidField.
    """
    rest = dict(fields)
    return convert(rest, Fault.kinds[rest.pop("kind")])


_TRAITS = {
    "page": "that returns a page",
    "total": "that returns a total",
    "write": "that changes data",
}


def _check_operation(fault: Fault, responses: Collection[str]) -> None:
    """Raise InvalidField if the operation is unknown, or lacks the kind's trait."""
    allowed = "a method and a path, or " if fault.is_answer else "* or "
    if fault.operation == "*" and not fault.is_answer:
        return
    OPERATIONS.check_name(fault.operation, "$.operation", allowed, responses)
    names = fault.operations()
    if fault.operation in responses and not fault.trait:
        return
    if fault.operation not in names:
        trait = f"an operation {_TRAITS[fault.trait]} ({', '.join(names)})"
        raise wrong_field(f"* or {trait}", describe_value(fault.operation), "operation")
