"""How the admin API answers: plain errors, and headers that browsers heed."""

from __future__ import annotations

from starlette.types import Send

from mock_server.api.answers import Answer, headers_of
from mock_server.api.body import RequestBody
from mock_server.api.errors import refused
from mock_server.api.writing import write
from mock_server.domain.choices import Choices
from mock_server.domain.errors import Refusal

BROWSER_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def plain(refusal: Refusal) -> Answer:
    """A refusal in the form that admin errors have under every choice."""
    return refused(refusal, Choices())


async def answer(answered: Answer, body: RequestBody, send: Send) -> None:
    """Send an answer of the admin API."""
    await write(answered, body, send, headers_of(answered, *BROWSER_HEADERS))
