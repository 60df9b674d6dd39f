"""What a fixture declares in the place of an operation: a response, always the same."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from mock_server.api.errors import BadJson, MethodNotAllowed
from mock_server.api.headers import Header
from mock_server.api.operations.operation import Access, Distort, Operation
from mock_server.api.request import read_json
from mock_server.api.response import Response
from mock_server.domain.call import Call
from mock_server.domain.choices.table import Choices
from mock_server.domain.messages import describe_value
from mock_server.domain.objects import static_responses

_TYPES = {"json": "application/json", "base64": "application/octet-stream"}
_TEXT = "text/plain; charset=utf-8"
_CONTENT_TYPE = "content-type"


class Declared(Struct, frozen=True):
    """A declared response, with what the story of a request asks an operation for.

    No contract is about it: there are no violations, and no choices to make. Anyone
    may call it; a key says who, and in which sandbox. It is held up for `delay_ms`.
    """

    access: ClassVar[Access] = "guest"
    traits: ClassVar[frozenset[str]] = frozenset()
    related: ClassVar[None] = None
    gather: ClassVar[None] = None
    most_bytes: ClassVar[None] = None
    appear: ClassVar[None] = None

    name: str
    method: str
    delay_ms: int
    response: static_responses.DeclaredResponse

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
        """The fields of a body, for faults that match some; none if it has none."""
        try:
            return read_json(content)
        except BadJson:
            return {}

    def respond(
        self, call: Call, content: bytes, distort: Distort | None = None
    ) -> Response:
        """The response, whatever was sent."""
        del call, content, distort
        each = self.response
        content_type = content_type_of(each).encode()
        headers = tuple(
            (name.encode(), value.encode())
            for name, value in each.headers
            if name != _CONTENT_TYPE
        )
        return Response(each.status, each.body, headers, content_type)


def content_type_of(response: static_responses.DeclaredResponse) -> str:
    """The content type of a response; "" of one that can have no body."""
    if response.status in static_responses.WITHOUT_BODY:
        return ""
    own = dict(response.headers).get(_CONTENT_TYPE)
    return own or _TYPES.get(response.form or "", _TEXT)


Served = Operation | Declared
"""What may be at a path."""


def declared_at(
    method: str, path: str, responses: static_responses.DeclaredResponses
) -> Declared | None:
    """What is declared for a request; None where nothing is at its path.

    Raises MethodNotAllowed where other methods are declared.
    """
    if not responses:
        return None
    found = responses.find(method, path)
    if found is not None:
        return Declared(found.name, found.method, found.delay_ms, found)
    if methods := responses.methods_at(path):
        raise MethodNotAllowed(", ".join(methods), describe_value(method))
    return None


NAME_PATTERN = r"^(DELETE|GET|OPTIONS|PATCH|POST|PUT) /"
"""What the names of declared responses are like, for JSON Schema."""


def name_schema(operations: Sequence[str]) -> Mapping[str, object]:
    """JSON Schema of the names of these operations, and of declared responses."""
    return {"anyOf": [{"enum": list(operations)}, {"pattern": NAME_PATTERN}]}


class AnyResponse(tuple[str, ...]):
    """Holds all names that declared responses may have, where none is known."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and re.match(NAME_PATTERN, name) is not None


ANY_RESPONSE = AnyResponse()
