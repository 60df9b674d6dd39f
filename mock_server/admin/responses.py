"""How the admin API answers: plain errors, and headers that browsers heed."""

from __future__ import annotations

from starlette.types import Send

from mock_server.api.request import RequestBody
from mock_server.api.response import (
    Response,
    error_response,
    response_headers,
)
from mock_server.domain.choices import Choices
from mock_server.domain.errors import Refusal

BROWSER_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def plain(refusal: Refusal) -> Response:
    """A refusal in the form that admin errors have under every choice."""
    return error_response(refusal, Choices())


async def respond(answered: Response, body: RequestBody, send: Send) -> None:
    """Send an answer of the admin API."""
    headers = response_headers(answered, *BROWSER_HEADERS)
    await answered.send(headers, body, send)
