"""A path that no operation has, at which answers are given."""

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
    """A path with answers, with what the story of a request asks an operation for.

    No contract is about it: there are no violations, and no choices to make. Anyone
    may call it; a key says who, and in which sandbox. `names` are those of the routes
    that lead to it: literals before parameters.
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
        """What faults, journal and logs call it."""
        return self.names[0]

    def check_method(
        self, method: str, choices: Choices, headers: Sequence[Header]
    ) -> None:
        """Nothing: it was found by its method."""

    def check_content_type(
        self, method: str, headers: Sequence[Header], choices: Choices
    ) -> None:
        """Nothing: bodies of requests may be of any type."""

    @staticmethod
    def fields(content: bytes) -> Mapping[str, object]:
        """The fields of a body, for what matches some; none if it has none."""
        try:
            return read_json(content)
        except BadJson:
            return {}

    def respond(
        self, call: Call, content: bytes, distort: Distort | None = None
    ) -> NoReturn:
        """Nothing: an answer does."""
        raise NotImplementedError


Served = Operation | AnsweredPath
"""What may be at a path."""


def answered_at(method: str, path: str, routes: Routes) -> AnsweredPath | None:
    """The answers for a request; None where none is at its path.

    Raises MethodNotAllowed where there are some for other methods.
    """
    if path.startswith(OWN):
        return None  # whatever a parameter stands for
    names = routes.find(method, path)
    if names:
        return AnsweredPath(names, method)
    if methods := routes.methods_at(path):
        raise MethodNotAllowed(", ".join(methods), describe_value(method))
    return None


NAME_PATTERN = rf"^({'|'.join(METHODS)}) {PATH_PATTERN.removeprefix('^')}"
"""What the names of such routes are like, for JSON Schema."""


def name_schema(operations: Sequence[str]) -> Mapping[str, object]:
    """JSON Schema of the names of these operations, and of routes."""
    return {"anyOf": [{"enum": list(operations)}, {"pattern": NAME_PATTERN}]}


class AnyRoute(tuple[str, ...]):
    """Holds all names that routes may have, where none is known."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and re.match(NAME_PATTERN, name) is not None


ANY_ROUTE = AnyRoute()
