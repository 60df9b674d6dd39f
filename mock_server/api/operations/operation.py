"""What an operation is: where it is served, and how a body becomes a response."""

from collections.abc import (
    Awaitable,
    Callable,
    Collection,
    Hashable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar, Literal

from msgspec import Struct
from msgspec.structs import replace

from mock_server.api.errors import MethodNotAllowed, RouteNotFound
from mock_server.api.headers import (
    Header,
    announces_body,
    check_content_type,
    check_media_type,
    media_type,
)
from mock_server.api.operations.contract import Contract, RequestFields
from mock_server.api.operations.near_paths import nearest_admin_path, nearest_path
from mock_server.api.request import RequestBody, read_json
from mock_server.api.response import Response, error_response
from mock_server.domain import errors
from mock_server.domain.access import Caller
from mock_server.domain.choices import Choices
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Memory
from mock_server.domain.state import State
from mock_server.domain.tolerance import remedies, served_with, tolerates

Distort = Callable[[Any, Any], Any]
"""Takes an operation's data and its request, and gives other data."""

Receive = Callable[[RequestBody, int, Memory], Awaitable[bytes]]
"""Receives a request of at most so many bytes, and gives its fields as JSON."""

Access = Literal["caller", "login", "anyone", "guest"]
"""Who may call: the holder of a key or a login, of a login only, or anyone; as a guest
also anyone, but a key that is sent says who."""


class Neighbour(Struct, frozen=True):
    """What documents say of an operation that the spec does not show.

    `since` is the version of the service that has it. `modelled` and `differs` are
    sentences: what it does here, and where a client can tell it from the service.
    """

    since: str
    modelled: str
    differs: str = ""


class Operation(Struct, frozen=True):
    """One operation, a row of the table.

    `name` is what faults, journal, logs and documents call it: the last segment of its
    path, with what it is about where that is not unique. `contract` says what its body
    is to be, `read` makes the domain's request of the bytes of one, `perform` carries
    that out, `encode` writes the data as the whole body of a response, or as a response
    that is not just JSON. `data` is the type of that data in the OpenAPI document,
    `refusals` are those that `perform` may raise. `traits` tell which faults have a
    meaning for it: "write" if it changes something, "page" if its data is a `Page`, of
    which `appear` makes items for a request that are not there, "total" if it shows how
    many there are in all. One with "secret" logs somebody in: journals hide its fields.
    `follows_from` gives what the body of a response follows from, where it need not be
    made again as long as that is the same.

    What follows is for operations outside the spec: `neighbour` says what is known of
    it. It may be called by `further_methods`, and by others than the holder of a key
    (`access`). `receive` finds its fields where they stand; together they have at most
    as many bytes as the limit of the name `body_limit`. `media_type` is what a body has
    to be, unless it may be left out. `answers` are the media types of its answers; they
    are JSON in an envelope unless `has_envelope` is false.
    """

    delay_ms: ClassVar[int] = 0

    name: str
    method: str
    path: str
    summary: str
    contract: Contract[Any]
    data: Any
    refusals: tuple[type[errors.Refusal], ...]
    read: Callable[[bytes, Choices], Any]
    perform: Callable[[State, Caller, Any], Any]
    encode: Callable[[Any, State], bytes | Response]
    traits: frozenset[str] = frozenset()
    appear: Callable[[Any, int], Any] | None = None
    follows_from: Callable[[State, Caller, Any], Hashable | None] | None = None
    legacy_path: str | None = None
    neighbour: Neighbour | None = None
    further_methods: tuple[str, ...] = ()
    access: Access = "caller"
    receive: Receive = RequestBody.read
    body_limit: str = "body_bytes"
    media_type: str = "application/json"
    answers: tuple[str, ...] = ("application/json",)
    has_envelope: bool = True

    @property
    def section(self) -> str:
        """The section of the spec that shows it, or `neighbour`."""
        return self.contract.section

    @property
    def methods(self) -> tuple[str, ...]:
        """All methods by which it may be called."""
        return self.method, *self.further_methods

    @property
    def body(self) -> type[RequestFields]:
        """The type of its body as the spec has it."""
        fields: type[RequestFields] = self.contract.fields
        return fields

    def check_method(self, method: str, choices: Choices) -> None:
        """Raises MethodNotAllowed for a method by which it may not be called."""
        if method not in self.methods and not tolerates(choices, "method_mismatch"):
            hint = served_with(*remedies(choices, "method_mismatch"))
            got = errors.describe_value(method)
            raise MethodNotAllowed(", ".join(self.methods), got, hint)

    def check_content_type(
        self, method: str, headers: Sequence[Header], choices: Choices
    ) -> None:
        """Raises UnsupportedMediaType for a body of another type than it takes."""
        if self.neighbour is None:
            check_content_type(headers, choices)
        else:
            check_neighbour_content_type(method, headers, self.media_type, choices)

    @staticmethod
    def fields(content: bytes) -> Mapping[str, object]:
        """The fields of a body, for faults that match some. Raises BadJson."""
        return read_json(content)

    def respond(
        self,
        state: State,
        caller: Caller,
        content: bytes,
        distort: Distort | None = None,
    ) -> Response:
        """Carry it out for a body that has come; `distort` may change its data.

        Nothing here awaits: what is read and what is written is one moment.
        """
        # A refusal becomes a response here already: faults may spoil that too.
        try:
            request = self.read(content, state.choices)
            if state.store.due is not None:
                state.settle()
            about = None
            if self.follows_from is not None and distort is None:
                about = self.follows_from(state, caller, request)
                kept = state.texts.get(about)
                if kept is not None:
                    return Response(200, kept)  # saves 2 µs of the 7 in process
            data = self.perform(state, caller, request)
        except errors.Refusal as refusal:
            state.notes.clear()
            return error_response(refusal, state.choices)
        note = state.take_note() if state.notes else None
        if distort is not None:
            data = distort(data, request)
        body = self.encode(data, state)
        response = Response(200, body) if isinstance(body, bytes) else body
        if note is not None:
            return replace(response, note=note)
        if about is not None:
            state.texts.put(about, response.body)
        return response


_NEIGHBOUR = "a route of the service that the interface description does not show"


def check_neighbour_content_type(
    method: str, headers: Sequence[Header], expected: str, choices: Choices
) -> None:
    """Raises UnsupportedMediaType for a body of another type than a neighbour takes.

    Requests without a body need none, but for what choice query_delete says. Another
    one than JSON counts as none: axios and aiohttp give one to a POST without data.
    """
    if expected != "application/json":
        check_media_type(headers, expected)
        return
    if method == "DELETE" and choices.query_delete == "needs_json_type":
        check_content_type(headers, choices, "query_delete")
        return
    if not announces_body(headers) and media_type(headers) != expected:
        headers = [each for each in headers if each[0] != b"content-type"]
    names = {name for name, _ in headers}
    if method not in ("GET", "DELETE") or b"content-type" in names:
        check_content_type(headers, choices)


_FEW_NAMES = 8
"""More names of operations than these are not all listed in a message."""
DESCRIPTION = "/openapi.json"
"""The path of the document that describes all operations."""
RESPONSES = "/__admin/responses"
"""The path of the list of declared responses."""


def is_served(operation: Operation, choices: Choices) -> bool:
    """Whether an operation is served; a neighbour is by choice."""
    return operation.neighbour is None or choices.neighbours == "on"


class Later(Struct, frozen=True):
    """An operation outside the spec, whose module is imported when it is first used.

    `place` is that module in `neighbours`, and the name of the operation there. All of
    them take 21 of the 283 ms in which the modules of a server are imported.
    """

    name: str
    path: str
    place: str
    legacy_path: str | None = None

    def load(self) -> Operation:
        """The operation itself."""
        module, _, name = self.place.partition(".")
        package = __name__.rpartition(".")[0]
        operation: Operation = getattr(
            import_module(f"{package}.neighbours.{module}"), name
        )
        return operation


class Operations(Mapping[str, Operation]):
    """Operations by name, and by the paths at which they are served.

    Everything that has to do with operations is driven by such a table: serving,
    faults, journal, verification, documents. An application can be given another one.
    """

    def __init__(self, rows: Sequence[Operation | Later]) -> None:
        self._by_name = {row.name: row for row in rows}
        self.by_path = {
            row.path: row
            for row in rows
            if isinstance(row, Operation) and row.neighbour is None
        }
        """The operation of each path of the spec."""
        self._names = {row.path: row.name for row in rows}
        self._legacy_names = {
            row.legacy_path: row.name for row in rows if row.legacy_path is not None
        }
        # Comparing takes a millisecond, and clients with a wrong path repeat it.
        self._nearest_path = lru_cache(Limits.cached_heads)(self._find_nearest_path)

    def __getitem__(self, name: str) -> Operation:
        row = self._by_name[name]
        if isinstance(row, Later):
            row = self._by_name[name] = row.load()
        return row

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def at(self, path: str, choices: Choices) -> Operation:
        """The operation that a path leads to; paths are exact (spec 4).

        Older paths of the service are served with choice legacy_paths=on, neighbours
        with neighbours=on. Raises RouteNotFound, with the nearest path that is served.
        """
        name = self._names.get(path)
        if name is None and choices.legacy_paths == "on":
            name = self._legacy_names.get(path)
        operation = None if name is None else self[name]
        if operation is None or not is_served(operation, choices):
            raise self.unknown_route(path, choices)
        return operation

    def meant_by(self, path: str) -> Operation | None:
        """The operation of a path, whether or not it is served there."""
        name = self._names.get(path) or self._legacy_names.get(path)
        return None if name is None else self[name]

    def names_by_path(self) -> dict[str, str]:
        """The name of the operation of each path, legacy ones included."""
        return self._names | self._legacy_names

    def unknown_route(self, path: str, choices: Choices) -> RouteNotFound:
        """The refusal of a path, with what may have been meant."""
        rows = self.by_path.values()
        routes = " or ".join(f"{row.method} {row.path}" for row in rows)
        return RouteNotFound(
            routes, errors.describe_value(path), "path", self._hint(path, choices)
        )

    def check_name(
        self,
        name: str,
        at: str,
        others: str = "",
        responses: Collection[str] = (),
    ) -> None:
        """Raises InvalidField for a name that neither operation nor response has.

        `others` begins what is expected with what else may stand there; `responses` are
        the names of those that are declared.
        """
        if name not in self and name not in responses:
            expected = others + self._names_text()
            if responses:
                expected += f", or one of the {len(responses)} of GET {RESPONSES}"
            known = [*self, *responses]
            got = errors.describe_value(name) + errors.did_you_mean(name, known)
            raise errors.InvalidField(f"Expected {expected}, got {got} - at {at}")

    def _names_text(self) -> str:
        """The names in words; of many only those of the spec's operations."""
        if len(self) <= _FEW_NAMES:
            return f"one of {', '.join(self)}"
        names = ", ".join(row.name for row in self.by_path.values())
        count = len(self) - len(self.by_path)
        return f"one of {names} or the {count} neighbours of GET {DESCRIPTION}"

    def _find_nearest_path(self, path: str) -> str | None:
        return nearest_path(path, self.names_by_path())

    def _hint(self, path: str, choices: Choices) -> str:
        meant = self.meant_by(path)
        if meant is not None:
            about = f"{_NEIGHBOUR}, " if meant.neighbour else ""
            names = ["neighbours"] if meant.neighbour else []
            names += ["legacy_paths"] if path == meant.legacy_path else []
            # Here all of them are needed, not one.
            return about + served_with(" and ".join(remedies(choices, *names)))
        is_long = len(path) > Limits.cached_head_bytes  # and near to none
        near = None if is_long else self._nearest_path(path)
        row = self.meant_by(near) if near else None
        if row is None:
            admin = nearest_admin_path(path)
            return f"did you mean {admin}? Paths are exact" if admin else ""
        if near == row.legacy_path and choices.legacy_paths != "on":
            near = row.path
        hint = f"did you mean {near}? Paths are exact"
        if is_served(row, choices):
            return hint
        needed = " and ".join(remedies(choices, "neighbours"))
        return f"{hint}, and this one, {_NEIGHBOUR}, needs the choice {needed}"
