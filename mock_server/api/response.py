"""Responses: status, headers, body, and how they are sent.

A response is a value: whoever makes one sends nothing. It knows how to send itself, so
that those which faults give (cut, slow, or no bytes at all) are kinds of response too.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Self

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
from mock_server.domain.limits import Limits
from mock_server.views import Failure

Headers = Sequence[Header]


class Response(Struct, frozen=True):
    """A status, a body (JSON unless it says otherwise) and headers of its own."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = ()
    content_type: bytes = b"application/json"

    def with_headers(self, *further: Header) -> Self:
        """The response with further headers of its own."""
        return replace(self, headers=(*self.headers, *further))

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        """Send it with all its headers; `body` is that of the request.

        One that is given before the request's body has arrived announces the close,
        then reads and discards for a while: if the connection were closed at once,
        most clients would see a reset instead of the response.
        """
        content = {"type": "http.response.body", "body": self.body}
        if body.arrived:
            await send(self.start(headers))
            await send(content)
            return
        await send(self.start([*headers, (b"connection", b"close")]))
        await send(content | {"more_body": True})
        await _discard(body)
        await send({"type": "http.response.body", "body": b""})

    def start(self, headers: Headers) -> dict[str, object]:
        """The ASGI message that begins it."""
        return {
            "type": "http.response.start",
            "status": self.status,
            "headers": headers,
        }


class NoResponse(Response, frozen=True):
    """No status and no headers: the journal shows status 0.

    By itself it is for a client that has gone; kinds of it end the connection in ways
    of their own.
    """

    status: int = 0
    body: bytes = b""

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        """Send nothing of HTTP."""
        del headers, send
        await self.end(body)

    async def end(self, body: RequestBody) -> None:
        """End the request, of which `body` may not have arrived."""


def success_envelope(data: bytes) -> bytes:
    """The envelope of a success around `data`, which is JSON already."""
    return b'{"code":200,"statusText":"","message":"","data":%b}' % data


def error_envelope(code: int, status_text: str, message: str) -> bytes:
    """The envelope of an error."""
    return msgspec.json.encode(Failure(code, status_text, message))


def error_response(refusal: Refusal, choices: Choices) -> Response:
    """The response to a request that is refused, in the form that is chosen."""
    row = ERRORS[type(refusal)]
    form = row.service if choices.error_form == "service" else row.plain
    status = {"always_500": 500, "always_200": 200}.get(
        choices.error_http_status, form.http
    )
    body = error_envelope(form.code, form.status_text, refusal.message)
    return Response(status, body, _error_headers(refusal, status))


def _error_headers(refusal: Refusal, status: int) -> tuple[Header, ...]:
    """The headers that RFC 9110 wants beside an error's status."""
    if isinstance(refusal, MethodNotAllowed):
        return ((b"allow", refusal.allow.encode()),)
    if isinstance(refusal, ServerBusy):
        return ((b"retry-after", b"1"),)
    if status == 401:
        return ((b"www-authenticate", b"Bearer"),)
    return ()


def rate_limit_headers(limit: RateLimitStatus) -> tuple[Header, ...]:
    """Where a rate limit stands; the reset is in seconds from now."""
    return (
        (b"x-ratelimit-limit", b"%d" % limit.limit),
        (b"x-ratelimit-remaining", b"%d" % limit.remaining),
        (b"x-ratelimit-reset", b"%d" % limit.reset_seconds),
    )


def response_headers(response: Response, *further: Header) -> tuple[Header, ...]:
    """All headers of a response but those that the server adds (`date`, `server`)."""
    own = (*further, *response.headers)
    return headers_for(len(response.body), response.content_type, own)


def headers_for(
    length: int, content_type: bytes, further: Iterable[Header]
) -> tuple[Header, ...]:
    """The headers of a response with a body of so many bytes."""
    return (
        (b"content-type", content_type),
        (b"content-length", b"%d" % length),
        (b"cache-control", b"no-store"),
        *further,
    )


async def send_response(response: Response, body: RequestBody, send: Send) -> None:
    """Send a response with its own headers."""
    await response.send(response_headers(response), body, send)


async def _discard(body: RequestBody) -> None:
    try:
        async with asyncio.timeout(Limits.discard_seconds):
            await body.discard()
    except (TimeoutError, ClientGone):
        pass
