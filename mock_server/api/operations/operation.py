"""What an operation is: where it is served, and how a body becomes a response."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from msgspec import Struct

from mock_server.api.errors import RouteNotFound
from mock_server.api.operations.contract import Contract, RequestFields
from mock_server.api.response import Response, error_response
from mock_server.domain import errors
from mock_server.domain.access import Caller
from mock_server.domain.choices import Choices
from mock_server.domain.limits import Limits
from mock_server.domain.state import State

Distort = Callable[[Any, Any], Any]
"""Takes an operation's data and its request, and gives other data."""


class Operation(Struct, frozen=True):
    """One operation, a row of the table.

    `name` is what faults, journal, logs and documents call it: the last segment of its
    path. `contract` says what its body is to be, `read` makes the domain's request of
    the bytes of one, `perform` carries that out, `encode` writes the data as the whole
    body of a response. `data` is the type of that data in the OpenAPI document,
    `refusals` are those that `perform` may raise. `traits` tell which faults have a
    meaning for it: "write" if it changes something, "page" if its data is a `Page`.
    """

    name: str
    method: str
    path: str
    summary: str
    contract: Contract[Any]
    data: Any
    refusals: tuple[type[errors.Refusal], ...]
    read: Callable[[bytes, Choices], Any]
    perform: Callable[[State, Caller, Any], Any]
    encode: Callable[[Any, State], bytes]
    traits: frozenset[str] = frozenset()
    legacy_path: str | None = None

    @property
    def section(self) -> str:
        """The section of the spec that shows it."""
        return self.contract.section

    @property
    def body(self) -> type[RequestFields]:
        """The type of its body as the spec has it."""
        fields: type[RequestFields] = self.contract.fields
        return fields

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
            data = self.perform(state, caller, request)
        except errors.Refusal as refusal:
            return error_response(refusal, state.choices)
        if distort is not None:
            data = distort(data, request)
        return Response(200, self.encode(data, state))


class Operations(Mapping[str, Operation]):
    """Operations by name, and by the paths at which they are served.

    Everything that has to do with operations is driven by such a table: serving,
    faults, journal, verification, documents. An application can be given another one.
    """

    def __init__(self, rows: Sequence[Operation]) -> None:
        self._by_name = {row.name: row for row in rows}
        self.by_path = {row.path: row for row in rows}
        """The operation of each path of the spec."""
        self._by_legacy_path = {
            row.legacy_path: row for row in rows if row.legacy_path is not None
        }

    def __getitem__(self, name: str) -> Operation:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def at(self, path: str, choices: Choices) -> Operation:
        """The operation that a path leads to; paths are exact (spec 4).

        Older paths of the service are served with choice legacy_paths=on. Raises
        RouteNotFound, with the nearest path that is served.
        """
        operation = self.by_path.get(path)
        if operation is None and choices.legacy_paths == "on":
            operation = self._by_legacy_path.get(path)
        if operation is None:
            raise self.unknown_route(path)
        return operation

    def meant_by(self, path: str) -> Operation | None:
        """The operation of a path, whether or not it is served there."""
        return self.by_path.get(path) or self._by_legacy_path.get(path)

    def names_by_path(self) -> dict[str, str]:
        """The name of the operation of each path, legacy ones included."""
        rows = {**self.by_path, **self._by_legacy_path}
        return {path: row.name for path, row in rows.items()}

    def unknown_route(self, path: str) -> RouteNotFound:
        """The refusal of a path, with what may have been meant."""
        routes = " or ".join(f"{row.method} {row.path}" for row in self.values())
        return RouteNotFound(
            routes, errors.describe_value(path), "path", self._hint(path)
        )

    def check_name(self, name: str, at: str) -> None:
        """Raises InvalidField for a name that no operation has."""
        if name not in self:
            expected = f"one of {', '.join(self)}"
            got = errors.describe_value(name) + errors.did_you_mean(name, self._by_name)
            raise errors.InvalidField(f"Expected {expected}, got {got} - at {at}")

    def _hint(self, path: str) -> str:
        if path in self._by_legacy_path:
            return "older paths are served with the choice legacy_paths=on"
        # Comparing takes time that grows with the square of the length.
        if len(path) > Limits.hinted_chars:
            return ""
        paths = {known.lower(): known for known in self.by_path}
        near = get_close_matches(path.lower(), paths, 1, cutoff=0.8)
        return f"did you mean {paths[near[0]]}? Paths are exact" if near else ""
