"""A path without an operation, where answers are returned."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, NoReturn

from msgspec import Struct

from mock_server.api.errors import BadJson, MethodNotAllowed
from mock_server.api.headers import Header
from mock_server.api.operations.operation import Access, Distort, Operation
from mock_server.api.operations.routing import OWN
from mock_server.api.request import read_json
from mock_server.domain.call import Call
from mock_server.domain.choices.table import Choices
from mock_server.domain.faults.routes import METHODS, Routes
from mock_server.domain.messages import describe_value
from mock_server.fixture.document import PATH_PATTERN


class AnsweredPath(Struct, frozen=True):
    """A path with answers, with the attributes of an operation.

    It has no contract, so no violations and no choices. Anyone may call it; a key
    selects caller and sandbox. `names` are those of the routes that match, literals
    before parameters.
    """

    access: ClassVar[Access] = "guest"
    traits: ClassVar[frozenset[str]] = frozenset()
    related: ClassVar[None] = None
    gather: ClassVar[None] = None
    most_bytes: ClassVar[None] = None
    appear: ClassVar[None] = None
    is_scripted: ClassVar[bool] = True

    names: tuple[str, ...]
    method: str

    @property
    def name(self) -> str:
        """Return the name in faults, journal and logs."""
        return self.names[0]

    def check_method(
        self, method: str, choices: Choices, headers: Sequence[Header]
    ) -> None:
        """Accept the method by which the path was found."""

    def check_content_type(
        self, method: str, headers: Sequence[Header], choices: Choices
    ) -> None:
        """Accept bodies of any type."""

    @staticmethod
    def fields(content: bytes) -> Mapping[str, object]:
        """Return the fields of a body for matching; none if it is not an object."""
        try:
            return read_json(content)
        except BadJson:
            return {}

    def respond(
        self, call: Call, content: bytes, distort: Distort | None = None
    ) -> NoReturn:
        """Not called: an answer responds."""
        raise NotImplementedError


Served = Operation | AnsweredPath
"""What a path can lead to."""


def answered_at(method: str, path: str, routes: Routes) -> AnsweredPath | None:
    """Return the answers for a request, or None without any at its path.

    Raises MethodNotAllowed if there are only answers for other methods.
    """
    if path.startswith(OWN):
        return None  # also if a parameter matches
    names = routes.find(method, path)
    if names:
        return AnsweredPath(names, method)
    if methods := routes.methods_at(path):
        raise MethodNotAllowed(", ".join(methods), describe_value(method))
    return None


NAME_PATTERN = rf"^({'|'.join(METHODS)}) {PATH_PATTERN.removeprefix('^')}"
"""Pattern of the names of such routes, for JSON Schema."""


def name_schema(operations: Sequence[str]) -> Mapping[str, object]:
    """Return a JSON Schema of these operations' names and of routes."""
    return {"anyOf": [{"enum": list(operations)}, {"pattern": NAME_PATTERN}]}


class AnyRoute(tuple[str, ...]):
    """Contains all possible names of routes, for use before any is known."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and re.match(NAME_PATTERN, name) is not None


ANY_ROUTE = AnyRoute()
