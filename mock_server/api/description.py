"""The OpenAPI documents, which are served as they are committed in the package.

`python -m mock_server.openapi` makes them; they say nothing of what a server holds.
"""

from functools import cache
from importlib.resources import files
from typing import Literal

from starlette.types import Receive, Scope, Send

from mock_server.api.errors import MethodNotAllowed
from mock_server.api.request import RequestBody
from mock_server.api.response import Response, error_response, send_response
from mock_server.domain.choices import Choices
from mock_server.domain.errors import describe_value

DocumentName = Literal["public", "admin"]
"""Of the operations, or of the admin API."""


@cache
def document(name: DocumentName) -> bytes:
    """A committed document as JSON text."""
    return files("mock_server").joinpath("openapi", f"{name}.json").read_bytes()


class Description:
    """The ASGI application at `/openapi.json`: a document, whatever is served."""

    def __init__(self, content: bytes | None = None) -> None:
        """`content` is JSON, by default the document of the shipped operations."""
        self._content = content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] in ("GET", "HEAD"):
            response = Response(200, self._content or document("public"))
        else:
            refusal = MethodNotAllowed("GET", describe_value(scope["method"]))
            response = error_response(refusal, Choices())
        await send_response(response, RequestBody(scope, receive), send)
