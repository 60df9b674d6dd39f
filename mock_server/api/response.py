"""Responses: status, headers, body, and how they are sent.

A response is a value: whoever makes one sends nothing. It knows how to send itself, so
that those which faults give (cut, slow, or no bytes at all) are kinds of response too.
Such kinds need the connection, which ASGI does not show: it is there only where the
wire floor serves the application, not in process.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, ClassVar, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace
from starlette.types import Message, Scope, Send

from mock_server.api.connection import NeedsConnection, connection_of, discard
from mock_server.api.envelope import error_envelope, validation_envelope
from mock_server.api.errors import MethodNotAllowed, ServerBusy
from mock_server.api.headers import Header
from mock_server.api.request import RequestBody
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.faults.firing import RateLimitStatus
from mock_server.domain.journal import Note
from mock_server.domain.printable import one_line
from mock_server.domain.versions import facts_of

R = TypeVar("R", bound="Response")
Headers = Sequence[Header]


class Response(Struct, frozen=True):
    """A status, a body (JSON unless it says otherwise) and headers of its own.

    `note` is for the journal.
    """

    is_framed: ClassVar[bool] = True
    """Whether its length is announced."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = ()
    content_type: bytes = b"application/json"
    note: Note | None = None

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return len(self.body)

    def into(self, kind: type[R], **further: Any) -> R:
        """A response of another kind with all that this one has, and further fields."""
        same = self.status, self.body, self.headers, self.content_type, self.note
        return kind(*same, **further)

    def with_headers(self, *further: Header) -> Self:
        """The response with further headers of its own."""
        return replace(self, headers=(*self.headers, *further))

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        """Send it with all its headers; `body` is that of the request.

        One that is given before the request's body has been read announces the close,
        then reads and discards for a while: if the connection were closed at once,
        most clients would see a reset instead of the response.
        """
        is_read = body.arrived and not body.is_unread
        whole: Whole | None = getattr(send, "whole", None)
        if (
            whole is not None
            and is_read
            and self.content_type
            and whole(self.status, headers, self.body)
        ):
            return
        content = {"type": "http.response.body", "body": self.body}
        if is_read:
            await send(self.start(headers))
            await send(content)
            return
        await send(self.start([*headers, (b"connection", b"close")]))
        await send(content | {"more_body": True})
        await discard(body)
        await send({"type": "http.response.body", "body": b""})

    def start(self, headers: Headers) -> dict[str, object]:
        """The ASGI message that begins it."""
        return {
            "type": "http.response.start",
            "status": self.status,
            "headers": headers,
        }


End = Callable[[RequestBody], Awaitable[None]]
"""Ends a connection; the body is that of the request, which may not have arrived."""


class NoResponse(Response, frozen=True):
    """No status and no headers: the journal shows status 0.

    By itself it is for a client that has gone. What `ends` the connection is given the
    body of the request, which may not have arrived.
    """

    status: int = 0
    body: bytes = b""
    ends: End | None = None

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        """Send nothing of HTTP."""
        del headers, send
        if self.ends is not None:
            await self.ends(body)


def error_response(refusal: Refusal, choices: Choices) -> Response:
    """The response to a request that is refused, in the form that is chosen."""
    row = refusal.row
    form = row.service if choices.error_form == "service" else row.plain
    status = {"always_500": 500, "always_200": 200}.get(
        choices.error_http_status, form.http
    )
    if choices.error_form == "plain" or not isinstance(refusal, InvalidField):
        body = error_envelope(form.code, form.status_text, refusal.message)
        return Response(status, body, _error_headers(refusal, status))
    facts = facts_of(choices.version)
    if choices.error_http_status == "mapped" and not facts.bad_fields_are_http_400:
        status = 500
    body = validation_envelope(form.code, form.status_text, refusal.message)
    return Response(status, body, (hint_header(refusal.message),))


def _error_headers(refusal: Refusal, status: int) -> tuple[Header, ...]:
    """The headers that RFC 9110 wants beside an error's status."""
    if isinstance(refusal, MethodNotAllowed):
        return ((b"allow", refusal.allow.encode()),)
    if isinstance(refusal, ServerBusy):
        return ((b"retry-after", b"1"),)
    if status == 401:
        return ((b"www-authenticate", b"Bearer"),)
    return ()


def hint_header(hint: str) -> Header:
    """What the sender of a request that succeeds may have got wrong."""
    # Names of fields can be anything, headers are visible ASCII.
    return b"x-mock-hint", one_line(hint).encode("ascii", "backslashreplace")


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
    length = len(response.body) if response.is_framed else None
    return headers_for(length, response.content_type, own)


def headers_for(
    length: int | None, content_type: bytes, further: Iterable[Header]
) -> tuple[Header, ...]:
    """The headers of a response with a body of so many bytes, if that is known.

    One that can have no body, as its status says, has no content type.
    """
    own = tuple(further)
    first: tuple[Header, ...] = ()
    if content_type:
        first = ((b"content-type", content_type),)
        if length is not None:
            first = (*first, (b"content-length", b"%d" % length))
    if all(name != b"cache-control" for name, _ in own):
        first = (*first, (b"cache-control", b"no-store"))
    return (*first, *own)


def headers_with_marks(
    length: int | None,
    content_type: bytes,
    sandbox: str,
    generation: int,
    further: Headers,
) -> Headers:
    """As `headers_for`, with the marks that name the sandbox of a response."""
    marks = (
        (b"x-mock-sandbox", sandbox.encode()),
        (b"x-mock-generation", b"%d" % generation),
    )
    return headers_for(length, content_type, (*marks, *further))


async def send_response(response: Response, body: RequestBody, send: Send) -> None:
    """Send a response with its own headers."""
    await response.send(response_headers(response), body, send)


def interrupted(scope: Scope) -> NoResponse:
    """The connection is closed without a response: a reset has ended the wait for it.

    In process it raises NeedsConnection when it is sent.
    """

    async def end(body: RequestBody) -> None:
        connection = connection_of(scope)
        if connection is None:
            raise NeedsConnection("a reset has ended what a fault was holding up")
        await connection.close(body)

    return NoResponse(ends=end)


Whole = Callable[[int, Sequence[Header], bytes], bool]
"""Sends a response that is whole, of which the headers have the length of the body.

False if it was not sent: then it has to be sent by messages.
"""


def whole_of(send: Send) -> Whole | None:
    """The way of a `send` for what is whole, if it has one."""
    whole: Whole | None = getattr(send, "whole", None)
    return whole


class AddingSend:
    """A `send` that adds headers to the response."""

    __slots__ = ("_headers", "_send")

    def __init__(self, send: Send, headers: Sequence[Header]) -> None:
        self._send = send
        self._headers = headers

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *self._headers]
        await self._send(message)

    def whole(self, status: int, headers: Sequence[Header], body: bytes) -> bool:
        """Send a response with the headers added, if the server has a way."""
        whole = whole_of(self._send)
        return whole is not None and whole(status, [*headers, *self._headers], body)
