"""The request log: one line for each request and its response."""

import time
from collections.abc import Callable, Sequence, Set
from functools import lru_cache, partial
from itertools import count

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.bound_address import likely_sandbox
from mock_server.api.context import NOTES, ScopeNotes, notes_of
from mock_server.api.envelope import Failure
from mock_server.api.headers import (
    REQUEST_ID,
    Header,
    HeaderParser,
    generated_id,
    valid_id,
    values,
)
from mock_server.api.login_secrets import below_login, find_login
from mock_server.api.operations.contract import DECODE_ERRORS
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.redaction import (
    ESCAPED_KEY_BYTES,
    HIDDEN,
    Secrets,
    redacted_text,
)
from mock_server.api.response import whole_sender
from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.clock import format_time
from mock_server.domain.messages import CUT_MARK
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.printable import LogFormat, coloured, json_text, one_line
from mock_server.domain.sandboxes.registry import Sandboxes

_MIN_KEY_CHARS = MIN_REDACTABLE_LENGTH
_ENVELOPE_START, _SUCCESS_START = b'{"code":', b'{"code":200,'
# Key in a scope of the keys that the request could show at its start, one list for each
# sandbox. An open stream does not keep the data itself.
_FIRST_SECRETS = "mock_server.first_secrets"


class Line(msgspec.Struct, rename="camel"):
    """The fields of a line of the log.

    `time` is the real time at the end of the request. `sandbox` is the name that the
    response contains, `operation` the name of the operation or route at the path.
    `status` is 0 for a request without a response. `fault` is the id and kind of the
    fault that fired, `reason` the message of a refusal. `request_id` is the id in the
    response, None if the server gives no ids.
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


# Such a message quotes, in brackets, keys that a refused fixture declares. No state has
# these keys, so they cannot be redacted: the log leaves out the brackets.
_BAD_FIXTURE = "badFixture"


class RequestLog:
    """ASGI middleware that calls `write` with one line for each request.

    A line has no line end, and shows no key that `redaction` knows. With `gives_ids`,
    the line and the header `x-request-id` of the response show an id of the request:
    the id that the request has, else a generated one.
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
        as_text = partial(_text_line, style=coloured) if is_coloured else _text_line
        self._format = json_line if log_format == "json" else as_text
        self._write = write
        names = OPERATIONS.names_by_path()
        self._operations = {path.encode(): name for path, name in names.items()}
        self._redaction = redaction
        self._gives_ids = gives_ids
        self._request_numbers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        self._redaction.begin(scope)
        recorder = _RecordingSend(scope, send, self._id_of if self._gives_ids else None)
        try:
            await self._app(scope, receive, recorder)
        finally:
            if self._gives_ids and recorder.id is None:
                recorder.id = self._id_of(scope, ())
            # Much faster than `round(ms, 3)`.
            duration_ms = round((time.perf_counter() - start) * 1_000_000) / 1000
            self._write(self._format(self._line(scope, recorder, duration_ms)))

    def _line(
        self, scope: Scope, response: "_RecordingSend", duration_ms: float
    ) -> Line:
        """Return the line of a request after `response` was sent."""
        operation, notes = self._operations.get(scope["raw_path"]), notes_of(scope)
        # `answered_name` may be that of a path with answers, such as `GET /api/x/{id}`.
        name = operation or notes.answered_name
        # The path of an operation contains no key, and a short method has no room.
        is_known = operation is not None and len(scope["method"]) < _MIN_KEY_CHARS
        method, path = (
            (scope["method"], scope["path"])
            if is_known
            else self._redaction.line(scope)
        )
        firing = notes.firing
        now_ms = time.time_ns() // 1_000_000
        # Arguments by position, because keywords are slower.
        return Line(
            f"{_format_second(now_ms // 1000)}.{now_ms % 1000:03}Z",
            _sandbox_name(scope, response.headers),
            name,
            method,
            path,
            response.status,
            duration_ms,
            f"{firing.fault.id} {firing.fault.definition.kind}" if firing else None,
            self._refusal_message(scope, response.body or b""),
            response.id,
        )

    def _id_of(self, scope: Scope, answer_ids: Sequence[bytes]) -> str:
        """Return the id for a response: the first valid one of three.

        `answer_ids` are ids that a scripted answer sets. The id in the request is next,
        then a generated one.
        """
        notes = notes_of(scope)
        if answer_ids or notes.headers.has_request_id:
            for ids in (answer_ids, values(scope["headers"], REQUEST_ID)):
                own_id = valid_id(ids)
                # An id may be a key by mistake, and no line may show a key.
                if own_id and self._redaction.message(scope, own_id) == own_id:
                    return own_id
        sandbox, generation, number = notes.entry_place or ("", 0, 0)
        if number:
            return generated_id(sandbox, generation, number)
        # The request has no journal entry: a preflight, or a call of the admin API.
        return f"request-{next(self._request_numbers)}"

    def _refusal_message(self, scope: Scope, body: bytes) -> str | None:
        """Return the message of a refusal, from the envelope in the body."""
        # The status says nothing with choice error_http_status=always_200.
        if not body.startswith(_ENVELOPE_START) or body.startswith(_SUCCESS_START):
            return None
        try:
            failure = msgspec.json.decode(body, type=Failure)
        except DECODE_ERRORS:
            return None  # a fault has cut or changed the response
        message = failure.message
        if notes_of(scope).answered_name is not None and find_login(scope["path"]):
            return HIDDEN.decode()  # an answer may repeat the password
        if failure.status_text == _BAD_FIXTURE:
            message = message.partition(" (")[0]
        return self._redaction.message(scope, message)


class LogRedaction:
    """Removes keys from lines of the log: clients put keys into paths by mistake."""

    def __init__(self, sandboxes: Sandboxes, secrets: Secrets) -> None:
        """`secrets` are removed in addition to the keys of the sandboxes."""
        self._sandboxes = sandboxes
        self._secrets = secrets
        self._max_chars = sandboxes.limits.logged_chars
        self._head_parser = HeaderParser(sandboxes.limits)

    def begin(self, scope: Scope) -> None:
        """Note whose keys a request can show now: they may be gone at its end."""
        scope[NOTES] = ScopeNotes(self._head_parser.parse(scope))
        scope[_FIRST_SECRETS] = [each.secrets for each in self._fixtures(scope)]

    def _fixtures(self, scope: Scope) -> Set[FixtureData]:
        """Return the loaded data whose keys a request can show."""
        sandboxes = [self._sandboxes.default, likely_sandbox(self._sandboxes, scope)]
        # A login, or a share link, leads to a sandbox that only the entry names.
        if place := notes_of(scope).entry_place:
            sandboxes += filter(None, [self._sandboxes.find(place[0])])
        return {each.state.store.fixture for each in sandboxes}

    def line(self, scope: Scope) -> tuple[str, str]:
        """Return the redacted method and path of a request."""
        path = scope["raw_path"].decode("latin-1")
        return self.message(scope, scope["method"]), self.message(scope, path)

    def message(self, scope: Scope, text: str) -> str:
        """Return a text, such as the message of a refusal, redacted and cut."""
        # A cut before the redaction may leave half a key, which is not found. But paths
        # can be very long: so cut roughly before, drop the end, and cut again.
        beginning = text[: self._max_chars + ESCAPED_KEY_BYTES]
        credentials = notes_of(scope).headers.credentials
        fixtures = self._fixtures(scope)
        former = [
            declared
            for declared in scope.get(_FIRST_SECRETS, ())
            if not any(declared is each.secrets for each in fixtures)
        ]
        below = below_login(scope["path"])
        secrets = self._secrets.for_request(
            fixtures, *credentials, former=former, texts=below
        )
        redacted = redacted_text(beginning, secrets)
        shown = redacted if beginning == text else redacted[:-ESCAPED_KEY_BYTES]
        is_whole = shown == redacted and len(shown) <= self._max_chars
        return shown if is_whole else shown[: self._max_chars] + CUT_MARK


class _RecordingSend:
    """A `send` that stores status, headers and body of the response that it sends.

    `status` is 0 until a response begins; `body` is the first part of the body. If
    `id_of` is given, the response gets a header with its id.
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

    def send_whole(self, status: int, headers: Sequence[Header], body: bytes) -> bool:
        """Send a whole response at once; return False if the server cannot do that."""
        send = whole_sender(self._send)
        if send is None or not send(status, self._begin(status, headers), body):
            return False
        self.body = body
        return True

    def _begin(self, status: int, headers: Sequence[Header]) -> Sequence[Header]:
        """Store the start of a response; return its headers, with an id if used."""
        self.status, self.headers = status, headers
        if self._id_of is None:
            return headers
        # The response to a journalled request has an own id only if an answer sets it.
        notes = notes_of(self._scope)
        is_generated = notes.entry_place is not None and notes.answered_name is None
        answer_ids = () if is_generated else values(headers, REQUEST_ID)
        if self.id is None:
            self.id = self._id_of(self._scope, answer_ids)
        return headers if answer_ids else [*headers, (REQUEST_ID, self.id.encode())]


# Many requests fall into one second, and formatting a time is slow.
@lru_cache(1)
def _format_second(second: int) -> str:
    """Return a time in the form of `format_time`, without milliseconds."""
    return format_time(second * 1000).partition(".")[0]


def _sandbox_name(scope: Scope, headers: Sequence[Header]) -> str | None:
    """Return the name of the sandbox that a response contains."""
    place = notes_of(scope).entry_place
    if place is not None:
        return place[0]
    names = values(headers, b"x-mock-sandbox")
    return names[0].decode() if names else None


def _text_line(
    line: Line, style: Callable[[str, int | str], str] = lambda text, _: text
) -> str:
    """Return a readable line; `style` colours a part by a colour's name or a status."""
    status = style(str(line.status), line.status)
    duration = style(f"{line.duration_ms:.2f} ms", "dim")
    request_id = style(f" id {line.request_id}", "dim") if line.request_id else ""
    fault = style(f" fault {line.fault}", "magenta") if line.fault else ""
    reason = f" - {line.reason}" if line.reason else ""
    start = f"{line.time[11:]} {line.sandbox or '-'} {line.method} {line.path}"
    return f"{one_line(start)} {status} {duration}{request_id}{fault}{one_line(reason)}"


def json_line(line: Line) -> str:
    """Return a line as a JSON object that contains only printable characters."""
    text = msgspec.json.encode(line).decode()
    return text if text.isprintable() and "##" not in text else json_text(text)
