"""Responses: the envelope (spec 2.3), headers, and how they are sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Generic, Literal, Self, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.types import Send

from mock_server.api.errors import ERRORS, MethodNotAllowed, ServerBusy
from mock_server.api.headers import Header
from mock_server.api.request import ClientGone, RequestBody
from mock_server.domain.choices import Choices
from mock_server.domain.errors import Refusal
from mock_server.domain.faults import RateLimitStatus
from mock_server.domain.limits import LIMITS

T = TypeVar("T")


class Success(Struct, Generic[T], rename="camel"):
    """The envelope of a success."""

    data: T
    code: Literal[200] = 200
    status_text: Literal[""] = ""
    message: Literal[""] = ""


class Failure(Struct, rename="camel"):
    """The envelope of an error; its data is null."""

    code: int
    status_text: str
    message: str
    data: None = None


def success_envelope(data: bytes) -> bytes:
    """The envelope of a success around `data`, which is JSON already."""
    return b'{"code":200,"statusText":"","message":"","data":%b}' % data


def error_envelope(code: int, status_text: str, message: str) -> bytes:
    """The envelope of an error."""
    return msgspec.json.encode(Failure(code, status_text, message))


class Response(Struct, frozen=True):
    """A status, a text (JSON unless it says otherwise) and headers of its own."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = ()
    content_type: bytes = b"application/json"

    def with_headers(self, *further: Header) -> Self:
        """The answer with further headers of its own."""
        return replace(self, headers=(*self.headers, *further))


def response_headers(answer: Response, *further: Header) -> tuple[Header, ...]:
    """All headers of an answer but those that the server adds."""
    return headers_for(
        len(answer.body), answer.content_type, (*further, *answer.headers)
    )


def headers_for(
    length: int, content_type: bytes, further: Iterable[Header]
) -> tuple[Header, ...]:
    """The headers of an answer of that many bytes."""
    return (
        (b"content-type", content_type),
        (b"content-length", b"%d" % length),
        (b"cache-control", b"no-store"),
        *further,
    )


def rate_limit_headers(limit: RateLimitStatus) -> tuple[Header, ...]:
    """Where a rate limit stands; the reset is in seconds from now."""
    return (
        (b"x-ratelimit-limit", b"%d" % limit.limit),
        (b"x-ratelimit-remaining", b"%d" % limit.remaining),
        (b"x-ratelimit-reset", b"%d" % limit.reset_seconds),
    )


def error_response(refusal: Refusal, choices: Choices) -> Response:
    """The answer to a request that is refused, in the chosen form."""
    row = ERRORS[type(refusal)]
    form = row.service if choices.error_form == "service" else row.plain
    status = {"always_500": 500, "always_200": 200}.get(
        choices.error_http_status, form.http
    )
    body = error_envelope(form.code, form.status_text, refusal.message)
    return Response(status, body, _headers(refusal, status))


def _headers(refusal: Refusal, status: int) -> tuple[Header, ...]:
    if isinstance(refusal, MethodNotAllowed):
        return ((b"allow", refusal.allow.encode()),)
    if isinstance(refusal, ServerBusy):
        return ((b"retry-after", b"1"),)
    if status == 401:
        return ((b"www-authenticate", b"Bearer"),)
    return ()


async def send_response(
    answer: Response,
    body: RequestBody,
    send: Send,
    headers: Sequence[Header] | None = None,
) -> None:
    """Send an answer, with its `headers_of` where there is nothing to add.

    One that is given before the request's body has arrived announces the close, then
    reads and discards for a while: closing at once would lose it for most clients.
    """
    headers = response_headers(answer) if headers is None else headers
    early = not body.arrived
    if early:
        headers = [*headers, (b"connection", b"close")]
    await send(
        {"type": "http.response.start", "status": answer.status, "headers": headers}
    )
    content = {"type": "http.response.body", "body": answer.body}
    if early:
        await send(content | {"more_body": True})
        await _discard(body)
        content = {"type": "http.response.body", "body": b""}
    await send(content)


async def _discard(body: RequestBody) -> None:
    try:
        async with asyncio.timeout(LIMITS.discard_seconds):
            await body.discard()
    except (TimeoutError, ClientGone):
        pass
