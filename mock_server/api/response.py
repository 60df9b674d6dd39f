"""Responses: status, headers and body, and methods that send them.

Creating a response sends nothing; its method `send` does. The responses of faults (cut,
slow, or without any bytes) are subclasses with another `send`. They need a connection,
which exists only if the wire layer serves the application, not in process.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, ClassVar, Self, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from starlette.types import Message, Scope, Send

from mock_server.api.connection import NeedsConnection, connection_of, discard
from mock_server.api.envelope import Failure, error_envelope, validation_envelope
from mock_server.api.errors import MethodNotAllowed, ServerBusy
from mock_server.api.headers import Header
from mock_server.api.request import RequestBody
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.faults.firing import RateLimitStatus
from mock_server.domain.journal import Note
from mock_server.domain.limits import Published
from mock_server.domain.printable import ascii_text, one_line
from mock_server.domain.versions import facts_of

R = TypeVar("R", bound="Response")
Headers = Sequence[Header]
_FREE_BYTES = Published.free_body_bytes
_HINT = b"x-mock-hint"
_HINT_BYTES, _CUT = 2_048, "..."
"""Maximum length of the header: nginx takes at most 4 KiB for all headers."""


class Response(Struct, frozen=True):
    """A response: a status, a body (JSON by default) and headers.

    The journal entry of the request stores `note`.
    """

    is_framed: ClassVar[bool] = True
    """Whether a header announces the length of the body."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = ()
    content_type: bytes = b"application/json"
    note: Note | None = None

    @property
    def size(self) -> int:
        """Return the approximate bytes of memory that the response takes."""
        return len(self.body)

    def as_type(self, response_type: type[R], **extra: Any) -> R:
        """Return a response of another type with the same fields and `extra` ones."""
        fields = self.status, self.body, self.headers, self.content_type, self.note
        return response_type(*fields, **extra)

    def with_headers(self, *headers: Header) -> Self:
        """Return the response with more headers."""
        return replace(self, headers=(*self.headers, *headers))

    def with_hints(self, *hints: str) -> Self:
        """Return the response with more hints in its header `x-mock-hint`.

        A hint names a likely mistake in the request. Clients that keep one value for
        each name would lose all but one of several headers.
        """
        former = (value.decode() for name, value in self.headers if name == _HINT)
        # A hint may quote any text, but a header must be visible ASCII.
        text = one_line(ascii_text("; ".join((*former, *hints))))
        if len(text) > _HINT_BYTES:
            text = f"{text[: _HINT_BYTES - len(_CUT)]}{_CUT}"
        others = (each for each in self.headers if each[0] != _HINT)
        return replace(self, headers=(*others, (_HINT, text.encode())))

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        """Send the response with `headers`; `body` is the body of the request.

        If that body is unread, announce the close, and read and drop the body for up to
        `discard_seconds`: an immediate close would look like a reset to most clients.
        """
        is_read = body.has_arrived and not body.is_unread
        is_large = len(self.body) > _FREE_BYTES
        send_whole: SendWhole | None = getattr(send, "send_whole", None)
        if (
            send_whole is not None
            and is_read
            and not is_large
            and self.content_type
            and send_whole(self.status, headers, self.body)
        ):
            return
        content = {"type": "http.response.body", "body": self.body}
        if is_read:
            await send(self.start(headers))
            if is_large:  # so the last message waits until the client has read the body
                await send(content | {"more_body": True})
                content = {"type": "http.response.body", "body": b""}
            await send(content)
            return
        await send(self.start([*headers, (b"connection", b"close")]))
        await send(content | {"more_body": True})
        await discard(body)
        await send({"type": "http.response.body", "body": b""})

    def start(self, headers: Headers) -> dict[str, object]:
        """Return the `http.response.start` message."""
        return {
            "type": "http.response.start",
            "status": self.status,
            "headers": headers,
        }


End = Callable[[RequestBody], Awaitable[None]]
"""Ends a connection; the argument is the request's body, which may be incomplete."""


class NoResponse(Response, frozen=True):
    """No response at all, such as for a client that has disconnected.

    The journal shows status 0. `end`, if given, closes the connection.
    """

    status: int = 0
    body: bytes = b""
    end: End | None = None

    async def send(self, headers: Headers, body: RequestBody, send: Send) -> None:
        """Send nothing; end the connection if `end` is given."""
        del headers, send
        if self.end is not None:
            await self.end(body)


def error_response(refusal: Refusal, choices: Choices) -> Response:
    """Return the response to a refused request, in the form that the choices set."""
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
    return Response(status, body).with_hints(refusal.message)


def _error_headers(refusal: Refusal, status: int) -> tuple[Header, ...]:
    """Return the headers that RFC 9110 requires for an error's status."""
    if isinstance(refusal, MethodNotAllowed):
        return ((b"allow", refusal.allowed_methods.encode()),)
    if isinstance(refusal, ServerBusy):
        return ((b"retry-after", b"1"),)
    if status == 401:
        return ((b"www-authenticate", b"Bearer"),)
    return ()


def with_hint(response: Response, hint: str, choices: Choices) -> Response:
    """Return an error response with a hint: in a message of ours, else in a header."""
    if choices.error_form != "plain":
        return response.with_hints(hint)
    failure = msgspec.json.decode(response.body, type=Failure)
    failure.message += f" ({hint})"
    return replace(response, body=msgspec.json.encode(failure))


def rate_limit_headers(limit: RateLimitStatus) -> tuple[Header, ...]:
    """Return headers with the state of a rate limit; the reset is in seconds."""
    return (
        (b"x-ratelimit-limit", b"%d" % limit.limit),
        (b"x-ratelimit-remaining", b"%d" % limit.remaining),
        (b"x-ratelimit-reset", b"%d" % limit.reset_seconds),
    )


def response_headers(response: Response, *headers: Header) -> tuple[Header, ...]:
    """Return all headers of a response but `date` and `server`, which servers add."""
    own_headers = (*headers, *response.headers)
    length = len(response.body) if response.is_framed else None
    return headers_for(length, response.content_type, own_headers)


def headers_for(
    length: int | None, content_type: bytes, headers: Iterable[Header]
) -> tuple[Header, ...]:
    """Return the headers of a response, followed by these `headers`.

    `length` is that of the body in bytes, None for a stream. A response that can have
    no body has `content_type` b"".
    """
    own_headers = tuple(headers)
    standard_headers: tuple[Header, ...] = ()
    if content_type:
        standard_headers = ((b"content-type", content_type),)
        if length is not None:
            standard_headers = (*standard_headers, (b"content-length", b"%d" % length))
    if all(name != b"cache-control" for name, _ in own_headers):
        standard_headers = (*standard_headers, (b"cache-control", b"no-store"))
    return (*standard_headers, *own_headers)


def headers_with_sandbox(
    length: int | None,
    content_type: bytes,
    sandbox: str,
    generation: int,
    headers: Headers,
) -> Headers:
    """Return `headers_for`, with headers for the sandbox and its generation."""
    sandbox_headers = (
        (b"x-mock-sandbox", sandbox.encode()),
        (b"x-mock-generation", b"%d" % generation),
    )
    return headers_for(length, content_type, (*sandbox_headers, *headers))


async def send_response(response: Response, body: RequestBody, send: Send) -> None:
    """Send a response with the headers of `response_headers`."""
    await response.send(response_headers(response), body, send)


def interrupted_response(scope: Scope) -> NoResponse:
    """Return a response that closes the connection, after a reset ended a wait.

    Sending it in process, without a connection, raises NeedsConnection.
    """

    async def end(body: RequestBody) -> None:
        connection = connection_of(scope)
        if connection is None:
            raise NeedsConnection("a reset has ended the wait of a fault")
        await connection.close(body)

    return NoResponse(end=end)


SendWhole = Callable[[int, Sequence[Header], bytes], bool]
"""Sends a whole response at once; its headers include the length of the body.

Returns False if it did not send the response: then send ASGI messages.
"""


def whole_sender(send: Send) -> SendWhole | None:
    """Return the method of `send` that sends a whole response, None without one."""
    sender: SendWhole | None = getattr(send, "send_whole", None)
    return sender


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

    def send_whole(self, status: int, headers: Sequence[Header], body: bytes) -> bool:
        """Send a whole response with the headers added; return False if impossible."""
        send_to_server = whole_sender(self._send)
        return send_to_server is not None and send_to_server(
            status, [*headers, *self._headers], body
        )
