"""What a fixture declares in the place of an operation: a response, always the same."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar

from msgspec import Struct

from mock_server.api.errors import BadJson, MethodNotAllowed
from mock_server.api.headers import Header
from mock_server.api.operations.operation import (
    Access,
    Distort,
    Operation,
    Operations,
)
from mock_server.api.request import RequestBody, read_json
from mock_server.api.response import Response
from mock_server.domain.access import Caller
from mock_server.domain.choices import Choices
from mock_server.domain.errors import describe_value
from mock_server.domain.memory import Memory
from mock_server.domain.responses import (
    WITHOUT_BODY,
    DeclaredResponse,
    DeclaredResponses,
)
from mock_server.domain.state import State

_TYPES = {
    "json": "application/json",
    "base64": "application/octet-stream",
}
_TEXT = "text/plain; charset=utf-8"
_CONTENT_TYPE = "content-type"


class Declared(Struct, frozen=True):
    """A declared response, with what the story of a request asks an operation for.

    No contract is about it: there are no violations, and no choices to make. Anyone
    may call it; a key says who, and in which sandbox.
    """

    access: ClassVar[Access] = "guest"
    traits: ClassVar[frozenset[str]] = frozenset()
    neighbour: ClassVar[None] = None
    body_limit: ClassVar[str] = "body_bytes"
    appear: ClassVar[None] = None

    response: DeclaredResponse

    @property
    def name(self) -> str:
        """What faults, journal and logs call it."""
        return self.response.name

    @property
    def method(self) -> str:
        """The method by which it is called."""
        return self.response.method

    @property
    def delay_ms(self) -> int:
        """Milliseconds for which it is held up."""
        return self.response.delay_ms

    def check_method(self, method: str, choices: Choices) -> None:
        """Nothing: it was found by its method."""

    def check_content_type(
        self, method: str, headers: Sequence[Header], choices: Choices
    ) -> None:
        """Nothing: bodies of requests may be of any type."""

    @staticmethod
    async def receive(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
        """The whole body. Raises as `RequestBody.read`."""
        return await body.read(max_bytes, memory)

    @staticmethod
    def fields(content: bytes) -> Mapping[str, object]:
        """The fields of a body, for faults that match some; none if it has none."""
        try:
            return read_json(content)
        except BadJson:
            return {}

    def respond(
        self,
        state: State,
        caller: Caller,
        content: bytes,
        distort: Distort | None = None,
    ) -> Response:
        """The response, whatever was sent."""
        del state, caller, content, distort
        each = self.response
        content_type = content_type_of(each).encode()
        headers = tuple(
            (name.encode(), value.encode())
            for name, value in each.headers
            if name != _CONTENT_TYPE
        )
        return Response(each.status, each.body, headers, content_type)


def content_type_of(response: DeclaredResponse) -> str:
    """The content type of a response; "" of one that can have no body."""
    if response.status in WITHOUT_BODY:
        return ""
    own = dict(response.headers).get(_CONTENT_TYPE)
    return own or _TYPES.get(response.form or "", _TEXT)


Served = Operation | Declared
"""What may be at a path."""


def declared_at(
    method: str, path: str, responses: DeclaredResponses, operations: Operations
) -> Declared | None:
    """What is declared for a request; None where nothing is at its path.

    The path of an operation is never anything else, also while that is not served.
    Raises MethodNotAllowed where other methods are declared.
    """
    if not responses or operations.meant_by(path) is not None:
        return None
    found = responses.find(method, path)
    if found is not None:
        return Declared(found)
    if methods := responses.methods_at(path):
        raise MethodNotAllowed(", ".join(methods), describe_value(method))
    return None


NAME_PATTERN = r"^(DELETE|GET|OPTIONS|PATCH|POST|PUT) /"
"""What the names of declared responses are like, for JSON Schema."""


def name_schema(operations: Sequence[str]) -> Mapping[str, object]:
    """JSON Schema of the names of these operations, and of declared responses."""
    return {"anyOf": [{"enum": list(operations)}, {"pattern": NAME_PATTERN}]}


class AnyResponse(Collection[str]):
    """All names that declared responses may have, where it is not known which do."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and re.match(NAME_PATTERN, name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


ANY_RESPONSE = AnyResponse()
