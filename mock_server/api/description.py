"""Serves the OpenAPI documents that are files of the package.

`python -m tests.openapi` writes them. The static responses of the fixture are added to
the public document; no other data of a server is.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec
from starlette.types import Receive, Scope, Send

from mock_server.api.bound_address import likely_sandbox
from mock_server.api.errors import MethodNotAllowed
from mock_server.api.request import RequestBody
from mock_server.api.response import Response, error_response, send_response
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import LimitReached
from mock_server.domain.faults.definition import Definition
from mock_server.domain.faults.routes import pattern_of
from mock_server.domain.messages import describe_value
from mock_server.domain.sandboxes.registry import Sandboxes

if TYPE_CHECKING:
    from mock_server.api.faults.answer import Answer

# Not by importlib.resources, which is slow to import.
_FOLDER = Path(__file__).parents[1] / "openapi"
DocumentName = Literal["public", "admin"]
"""The document of the operations and related routes, or of the admin API."""


@cache
def document(name: DocumentName) -> bytes:
    """Return an OpenAPI document of the package as JSON text."""
    return (_FOLDER / f"{name}.json").read_bytes()


class Description:
    """The ASGI application at `/openapi.json`: the public OpenAPI document.

    It includes the static responses of the request's sandbox.
    """

    def __init__(self, sandboxes: Sandboxes) -> None:
        self._sandboxes = sandboxes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        charge = None
        if scope["method"] in ("GET", "HEAD"):
            content = document("public")
            sandbox = likely_sandbox(self._sandboxes, scope)
            if answers := sandbox.state.store.fixture.answers:
                content = _with_static_responses(content, answers)
            response = Response(200, content)
            try:
                charge = self._sandboxes.memory.charge_response(response.size)
            except LimitReached as refusal:
                response = error_response(refusal, Choices())
        else:
            wrong_method = MethodNotAllowed("GET", describe_value(scope["method"]))
            response = error_response(wrong_method, Choices())
        await send_response(response, RequestBody.of(scope, receive), send)
        if charge is not None:
            charge.release()


def _with_static_responses(content: bytes, answers: Sequence[Definition]) -> bytes:
    """Return an OpenAPI document, as JSON, with the paths of static responses added."""
    document: dict[str, Any] = msgspec.json.decode(content)
    paths = document.setdefault("paths", {})
    # Of paths that differ only in the names of parameters, OpenAPI allows one.
    by_pattern: dict[str, str] = {}
    for each in answers:
        method, _, name = each.operation.partition(" ")
        path = by_pattern.setdefault(pattern_of(name), name)
        methods = paths.setdefault(path, {})
        # If several responses have the same path and method, describe the first.
        methods.setdefault(method.lower(), _description_of(cast("Answer", each), path))
    return msgspec.json.encode(document)


def _description_of(answer: "Answer", path: str) -> Mapping[str, Any]:
    """Return the OpenAPI operation of a static response at `path`."""
    response: dict[str, Any] = {"description": "As the fixture declares it."}
    if answer.content_type:
        response["content"] = {answer.content_type.decode(): {}}
    names = re.findall(r"\{([^{}]*)\}", path)
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in names
    ]
    return {
        "operationId": answer.operation,
        "summary": "A response that the fixture declares",
        "tags": ["responses"],
        "security": [],
        "parameters": parameters,
        "responses": {str(answer.status): response},
    }
