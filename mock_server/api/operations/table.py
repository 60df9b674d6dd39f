"""The table of operations: the two that the spec documents (4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches

from mock_server.api.errors import RouteNotFound
from mock_server.api.operations.list_v2 import LIST_V2
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.update_history import UPDATE_HISTORY
from mock_server.domain.choices import Choices
from mock_server.domain.errors import InvalidField, describe_value, did_you_mean
from mock_server.domain.limits import Limits


class Operations(Mapping[str, Operation]):
    """Operations by name, and by the paths at which they are served.

    Everything that has to do with operations is driven by such a table: serving,
    faults, journal, verification, documents. An application can be given another one.
    """

    def __init__(self, rows: Sequence[Operation]) -> None:
        self._by_name = {row.name: row for row in rows}
        self._by_path = {row.path: row for row in rows}
        self._by_legacy_path = {
            row.legacy_path: row for row in rows if row.legacy_path is not None
        }

    def __getitem__(self, name: str) -> Operation:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def at(self, path: str, choices: Choices) -> Operation | None:
        """The operation that a path leads to; paths are exact (spec 4).

        Older paths of the service are served with choice legacy_paths=on.
        """
        operation = self._by_path.get(path)
        if operation is None and choices.legacy_paths == "on":
            return self._by_legacy_path.get(path)
        return operation

    def meant_by(self, path: str) -> Operation | None:
        """The operation of a path, whether or not it is served there."""
        return self._by_path.get(path) or self._by_legacy_path.get(path)

    def unknown_route(self, path: str) -> RouteNotFound:
        """The refusal of a path, with the nearest one that is served."""
        routes = " or ".join(f"{row.method} {row.path}" for row in self.values())
        return RouteNotFound(routes, describe_value(path), "path", self._hint(path))

    def check_name(self, name: str, at: str) -> None:
        """Raises InvalidField for a name that no operation has."""
        if name not in self:
            expected = f"one of {', '.join(self)}"
            got = describe_value(name) + did_you_mean(name, self._by_name)
            raise InvalidField(f"Expected {expected}, got {got} - at {at}")

    def _hint(self, path: str) -> str:
        if path in self._by_legacy_path:
            return "older paths are served with the choice legacy_paths=on"
        if len(path) > Limits.hinted_chars:
            return ""
        paths = {known.lower(): known for known in self._by_path}
        near = get_close_matches(path.lower(), paths, 1, cutoff=0.8)
        return f"did you mean {paths[near[0]]}? Paths are exact" if near else ""


OPERATIONS = Operations((UPDATE_HISTORY, LIST_V2))
