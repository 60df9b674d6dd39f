"""The OpenAPI documents, which are served as they are committed in the package.

`python -m tests.openapi` makes them; they say nothing of what a server holds.
Only the responses that a fixture declares are put into that of the operations.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec
from starlette.types import Receive, Scope, Send

from mock_server.api.bound import likely_sandbox
from mock_server.api.errors import MethodNotAllowed
from mock_server.api.operations.static_response import content_type_of
from mock_server.api.request import RequestBody
from mock_server.api.response import Response, error_response, send_response
from mock_server.domain.choices.table import Choices
from mock_server.domain.messages import describe_value
from mock_server.domain.objects.static_responses import (
    DeclaredResponse,
    DeclaredResponses,
    pattern_of,
)
from mock_server.domain.sandboxes.registry import Sandboxes

# Not by importlib.resources, which takes 5 ms of a start.
_FOLDER = Path(__file__).parents[1] / "openapi"
DocumentName = Literal["public", "admin"]
"""Of the operations, or of the admin API."""


@cache
def document(name: DocumentName) -> bytes:
    """A committed document as JSON text."""
    return (_FOLDER / f"{name}.json").read_bytes()


class Description:
    """The ASGI application at `/openapi.json`: a document, whatever is served.

    What the sandbox of a request declares is described too.
    """

    def __init__(self, sandboxes: Sandboxes) -> None:
        self._sandboxes = sandboxes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in ("GET", "HEAD"):
            content = document("public")
            sandbox = likely_sandbox(self._sandboxes, scope)
            if responses := sandbox.state.store.generation.responses:
                content = _with_responses(content, responses)
            response = Response(200, content)
        else:
            refusal = MethodNotAllowed("GET", describe_value(scope["method"]))
            response = error_response(refusal, Choices())
        await send_response(response, RequestBody.of(scope, receive), send)


def _with_responses(content: bytes, responses: DeclaredResponses) -> bytes:
    described: dict[str, Any] = msgspec.json.decode(content)
    paths = described.setdefault("paths", {})
    # Of paths that differ in the names of parameters only, OpenAPI knows one.
    by_pattern: dict[str, str] = {}
    for each in responses.values():
        path = by_pattern.setdefault(pattern_of(each.path), each.path)
        methods = paths.setdefault(path, {})
        methods[each.method.lower()] = _described(each, path)
    return msgspec.json.encode(described)


def _described(response: DeclaredResponse, path: str) -> Mapping[str, Any]:
    content_type = content_type_of(response)
    answer: dict[str, Any] = {"description": "As the fixture declares it."}
    if content_type:
        answer["content"] = {content_type: {}}
    names = re.findall(r"\{([^{}]*)\}", path)
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in names
    ]
    return {
        "operationId": response.name,
        "summary": "A response that the fixture declares",
        "tags": ["responses"],
        "security": [],
        "parameters": parameters,
        "responses": {str(response.status): answer},
    }
