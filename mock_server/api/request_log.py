"""Request lines: a line on each request and its response."""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import count

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.bound import likely_sandbox
from mock_server.api.context import notes_of
from mock_server.api.envelope import Failure
from mock_server.api.headers import REQUEST_ID, Header, made_id, only_id, values
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.redaction import ESCAPED_KEY_BYTES, Secrets, redacted_text
from mock_server.api.response import whole_of
from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.clock import format_time
from mock_server.domain.messages import CUT_MARK
from mock_server.domain.printable import LogFormat, coloured, json_text, one_line
from mock_server.domain.sandboxes.registry import Sandboxes

_MIN_KEY_CHARS = MIN_REDACTABLE_LENGTH
_ENVELOPE, _SUCCESS = b'{"code":', b'{"code":200,'


class Line(msgspec.Struct, rename="camel"):
    """The fields of a line; `time` is the real time when the request ended.

    `status` is 0 for a request without a response. `sandbox` is the one that the
    response names, `operation` that of the path, `fault` the id and kind of the fault
    that fired. `reason` is the message of a refusal. `request_id` is the id in the
    response, None if responses have none.
    """

    time: str
    sandbox: str | None
    operation: str | None
    method: str
    path: str
    status: int
    duration_ms: float
    fault: str | None
    reason: str | None
    request_id: str | None


# The message quotes problems in brackets, with keys that the fixture would declare: no
# state has them yet, so they cannot be redacted. Only the response shows them.
_BAD_FIXTURE = "badFixture"


class RequestLog:
    """ASGI middleware that passes a line for each request to `write`.

    Lines have no line end. They name operations, and show no key that `redaction`
    knows.

    With `gives_ids` each request has an id, in its line and in header `x-request-id` of
    its response: the id in the request, else a generated one.
    """

    def __init__(
        self,
        app: ASGIApp,
        log_format: LogFormat,
        write: Callable[[str], object],
        redaction: "LogRedaction",
        *,
        is_coloured: bool = False,
        gives_ids: bool = False,
    ) -> None:
        self._app = app
        as_text = partial(_text, style=coloured) if is_coloured else _text
        self._format = json_line if log_format == "json" else as_text
        self._write = write
        names = OPERATIONS.names_by_path()
        self._operations = {path.encode(): name for path, name in names.items()}
        self._redaction = redaction
        self._gives_ids = gives_ids
        self._numbers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        noting = _NotingSend(scope, send, self._id_of if self._gives_ids else None)
        try:
            await self._app(scope, receive, noting)
        finally:
            if self._gives_ids and noting.id is None:
                noting.id = self._id_of(scope, ())
            # Much faster than `round(ms, 3)`.
            duration_ms = round((time.perf_counter() - start) * 1_000_000) / 1000
            self._write(self._format(self._line(scope, noting, duration_ms)))

    def _line(self, scope: Scope, response: "_NotingSend", duration_ms: float) -> Line:
        operation, notes = self._operations.get(scope["raw_path"]), notes_of(scope)
        # A path with answers may have parameters, so its name is no operation.
        name = operation or notes.answered
        # The path of an operation contains no key, and a short method cannot.
        is_known = operation is not None and len(scope["method"]) < _MIN_KEY_CHARS
        method, path = (
            (scope["method"], scope["path"])
            if is_known
            else self._redaction.line(scope)
        )
        firing = notes.firing
        ms = time.time_ns() // 1_000_000
        # By position, which is quicker than keywords.
        return Line(
            f"{_format_second(ms // 1000)}.{ms % 1000:03}Z",
            _sandbox(scope, response.headers),
            name,
            method,
            path,
            response.status,
            duration_ms,
            f"{firing.fault.id} {firing.fault.definition.kind}" if firing else None,
            self._reason(scope, response.body or b""),
            response.id,
        )

    def _id_of(self, scope: Scope, own: Sequence[bytes]) -> str:
        """Return the id of a response: `own` if an answer sets it, else another."""
        notes = notes_of(scope)
        if own or notes.headers.has_id:
            for given in (own, values(scope["headers"], REQUEST_ID)):
                sent = only_id(given)
                # Clients put keys anywhere by mistake, and no line may show one.
                if sent and self._redaction.message(scope, sent) == sent:
                    return sent
        sandbox, generation, number = notes.place or ("", 0, 0)
        if number:
            return made_id(sandbox, generation, number)
        # Not journalled: a preflight, or a request of the admin API.
        return f"request-{next(self._numbers)}"

    def _reason(self, scope: Scope, body: bytes) -> str | None:
        """Return the message of a refusal, from the envelope in the body."""
        # With choice error_http_status=always_200 the status does not show it.
        if not body.startswith(_ENVELOPE) or body.startswith(_SUCCESS):
            return None
        try:
            refused = msgspec.json.decode(body, type=Failure)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None  # a partial or spoiled response
        message = refused.message
        if refused.status_text == _BAD_FIXTURE:
            message = message.partition(" (")[0]
        return self._redaction.message(scope, message)


class LogRedaction:
    """Removes keys from request lines: clients put them into paths by mistake."""

    def __init__(self, sandboxes: Sandboxes, secrets: Secrets) -> None:
        """`secrets` are removed besides the keys of the sandboxes."""
        self._sandboxes = sandboxes
        self._secrets = secrets
        self._longest = sandboxes.limits.logged_chars

    def line(self, scope: Scope) -> tuple[str, str]:
        """Return the redacted method and path of a request."""
        path = scope["raw_path"].decode("latin-1")
        return self.message(scope, scope["method"]), self.message(scope, path)

    def message(self, scope: Scope, text: str) -> str:
        """Return the redacted message of a refusal, or another text."""
        state = likely_sandbox(self._sandboxes, scope).state
        secrets = self._secrets.of(state, notes_of(scope).headers.key)
        # Cut after the redaction, which does not find half a key; but cut roughly
        # before, as paths can be much longer than the line. The end may then be half a
        # key, which moves forward as the text shrinks.
        roughly = text[: self._longest + ESCAPED_KEY_BYTES]
        redacted = redacted_text(roughly, secrets)
        shown = redacted if roughly == text else redacted[:-ESCAPED_KEY_BYTES]
        is_whole = shown == redacted and len(shown) <= self._longest
        return shown if is_whole else shown[: self._longest] + CUT_MARK


class _NotingSend:
    """A `send` that notes the response, and adds an id if responses have ids.

    `status` is 0 until a response begins; `body` is the first part.
    """

    def __init__(
        self,
        scope: Scope,
        send: Send,
        id_of: Callable[[Scope, Sequence[bytes]], str] | None,
    ) -> None:
        self._scope = scope
        self._send = send
        self._id_of = id_of
        self.status = 0
        self.headers: Sequence[Header] = ()
        self.body: bytes | None = None
        self.id: str | None = None

    async def __call__(self, message: Message) -> None:
        if "status" in message:
            headers = self._begin(message["status"], message["headers"])
            message = {**message, "headers": headers}
        elif self.body is None:
            self.body = message.get("body", b"")
        await self._send(message)

    def whole(self, status: int, headers: Sequence[Header], body: bytes) -> bool:
        """Send a whole response, if the server can do that."""
        whole = whole_of(self._send)
        if whole is None or not whole(status, self._begin(status, headers), body):
            return False
        self.body = body
        return True

    def _begin(self, status: int, headers: Sequence[Header]) -> Sequence[Header]:
        """Note the start of a response; return its headers with an id."""
        self.status, self.headers = status, headers
        if self._id_of is None:
            return headers
        # Of journalled responses, only answers can set their own id.
        notes = notes_of(self._scope)
        is_made = notes.place is not None and notes.answered is None
        own = () if is_made else values(headers, REQUEST_ID)
        if self.id is None:
            self.id = self._id_of(self._scope, own)
        return headers if own else [*headers, (REQUEST_ID, self.id.encode())]


# Many requests fall into one second, and formatting a time is slow.
@lru_cache(1)
def _format_second(second: int) -> str:
    """Return a time in the form of `format_time`, without milliseconds."""
    return format_time(second * 1000).partition(".")[0]


def _sandbox(scope: Scope, headers: Sequence[Header]) -> str | None:
    """Return the sandbox that a response names."""
    place = notes_of(scope).place
    if place is not None:
        return place[0]
    named = values(headers, b"x-mock-sandbox")
    return named[0].decode() if named else None


def _text(
    line: Line, style: Callable[[str, int | str], str] = lambda text, _: text
) -> str:
    """Return a readable line; `style` colours a part, by name or by status."""
    status = style(str(line.status), line.status)
    duration = style(f"{line.duration_ms:.2f} ms", "dim")
    request_id = style(f" id {line.request_id}", "dim") if line.request_id else ""
    fault = style(f" fault {line.fault}", "magenta") if line.fault else ""
    reason = f" - {line.reason}" if line.reason else ""
    begin = f"{line.time[11:]} {line.sandbox or '-'} {line.method} {line.path}"
    return f"{one_line(begin)} {status} {duration}{request_id}{fault}{one_line(reason)}"


def json_line(line: Line) -> str:
    """Return a line as a JSON object of printable text."""
    text = msgspec.json.encode(line).decode()
    return text if text.isprintable() and "##" not in text else json_text(text)
