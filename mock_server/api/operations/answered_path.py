"""Paths that have scripted answers, but no operation."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, NoReturn

from msgspec import Struct

from mock_server.api.errors import BadJson, MethodNotAllowed
from mock_server.api.headers import Header
from mock_server.api.operations.operation import Access, Distortion, Operation
from mock_server.api.operations.routing import PREFIX
from mock_server.api.request import read_json
from mock_server.domain.call import Call
from mock_server.domain.choices.table import Choices
from mock_server.domain.faults.routes import METHODS, Routes
from mock_server.domain.messages import describe_value
from mock_server.fixture.document import PATH_PATTERN


class AnsweredPath(Struct, frozen=True):
    """A path with answers, which has the same attributes as an operation.

    It has no contract, so a request has no violations. Anyone may call it; an API key
    selects caller and sandbox. `names` are the names of the routes that match, such as
    `GET /api/x/{id}`; routes with parameters come last.
    """

    access: ClassVar[Access] = "guest"
    traits: ClassVar[frozenset[str]] = frozenset()
    related: ClassVar[None] = None
    read_fields: ClassVar[None] = None
    max_body_bytes: ClassVar[None] = None
    invent_item: ClassVar[None] = None
    is_scripted: ClassVar[bool] = True

    names: tuple[str, ...]
    method: str

    @property
    def name(self) -> str:
        """Return the name that faults, journal and log show."""
        return self.names[0]

    def check_method(
        self, method: str, choices: Choices, headers: Sequence[Header]
    ) -> None:
        """Accept any method: the path was found by path and method."""

    def check_content_type(
        self, method: str, headers: Sequence[Header], choices: Choices
    ) -> None:
        """Accept bodies of any type."""

    @staticmethod
    def fields(content: bytes) -> Mapping[str, object]:
        """Return the fields of a body for matching; none if the body is no object."""
        try:
            return read_json(content)
        except BadJson:
            return {}

    def respond(
        self, call: Call, content: bytes, distortion: Distortion | None = None
    ) -> NoReturn:
        """Never called, because an answer responds."""
        raise NotImplementedError


Served = Operation | AnsweredPath
"""An operation, or a path that has answers only."""


def find_answered(method: str, path: str, routes: Routes) -> AnsweredPath | None:
    """Return the path of a request if it has answers, else None.

    Raises MethodNotAllowed if the path only has answers for other methods.
    """
    if path.startswith(PREFIX):
        return None  # even if a route with parameters matches
    names = routes.find(method, path)
    if names:
        return AnsweredPath(names, method)
    if methods := routes.methods_at(path):
        raise MethodNotAllowed(", ".join(methods), describe_value(method))
    return None


NAME_PATTERN = rf"^({'|'.join(METHODS)}) {PATH_PATTERN.removeprefix('^')}"
"""Pattern of the names of routes that have answers, for JSON Schema."""


def name_schema(operations: Sequence[str]) -> Mapping[str, object]:
    """Return a JSON Schema that accepts these names of operations, and any route."""
    return {"anyOf": [{"enum": list(operations)}, {"pattern": NAME_PATTERN}]}


class AnyRoute(tuple[str, ...]):
    """A container of all possible names of routes, for use before any is known."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and re.match(NAME_PATTERN, name) is not None


ANY_ROUTE = AnyRoute()
