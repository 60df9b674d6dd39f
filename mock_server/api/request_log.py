"""Request lines: what has come and what became of it, a line each."""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.context import DECLARED, ENTERED
from mock_server.api.headers import HEAD, REQUEST_ID, Header, ParsedHeaders, values
from mock_server.api.log_format import LogFormat
from mock_server.api.operations.operation import Operations
from mock_server.api.request_id import made_id, only_id
from mock_server.api.sending import whole_of
from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.clock import format_time
from mock_server.domain.faults import Firing
from mock_server.domain.printable import coloured, json_text, one_line

_MIN_KEY_CHARS = MIN_REDACTABLE_LENGTH
_KEPT = 256
"""Beginnings of lines that are kept ready."""
_ENVELOPE, _SUCCESS = b'{"code":', b'{"code":200,'


class Line(msgspec.Struct, rename="camel"):
    """The fields of a line; `time` is the real time when the request ended.

    `status` is 0 for a request without a response. `sandbox` is what the response
    names, `operation` the one of the path, `fault` the id and kind of what fired.
    `reason` is the message of a refusal. `request_id` is the id that the answer has
    too, None if answers have none.
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


class _About(msgspec.Struct, rename="camel"):
    """What many lines have in common: the fields of `Line` behind the time."""

    sandbox: str | None
    operation: str | None
    method: str
    path: str
    status: int


class _Refused(msgspec.Struct, rename="camel"):
    """What is read of an answer that refuses a request."""

    status_text: str
    message: str


# Its problems, in brackets, name keys that it is about to declare: no state has them
# yet, so that nothing could redact them. The answer tells them.
_BAD_FIXTURE = "badFixture"


class RequestLog:
    """ASGI middleware that passes a line for each request to `write`.

    Lines have no line end. They name the operations of the table `operations`. `redact`
    gives the method and the path of a request as they may be logged: clients put API
    keys into paths by mistake. `redact_message` does so for the message of a refusal.

    With `gives_ids` each request has an id, in its line and in header `x-request-id` of
    its answer: the one that it was sent with, else one that is made.
    """

    def __init__(
        self,
        app: ASGIApp,
        log_format: LogFormat,
        write: Callable[[str], object],
        operations: Operations,
        redact: Callable[[Scope], tuple[str, str]],
        redact_message: Callable[[Scope, str], str],
        *,
        is_coloured: bool = False,
        gives_ids: bool = False,
    ) -> None:
        self._app = app
        as_text = _coloured_text if is_coloured else _text
        self._format = json_lines() if log_format == "json" else as_text
        self._write = write
        names = operations.names_by_path()
        self._operations = {path.encode(): name for path, name in names.items()}
        self._redact = redact
        self._redact_message = redact_message
        self._gives_ids = gives_ids
        # Several requests come in one millisecond, and to write a time takes 2.7 us.
        self._format_time = lru_cache(1)(self._time)
        self._format_second = lru_cache(1)(_format_second)
        self._numbers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        noting = _NotingSend(scope, send, self._id_of if self._gives_ids else None)
        try:
            await self._app(scope, receive, noting)
        finally:
            if self._gives_ids and noting.id is None:
                noting.id = self._id_of(scope, ())
            # A fifth of what `round(ms, 3)` takes.
            duration_ms = round((time.perf_counter() - start) * 1_000_000) / 1000
            self._write(self._format(self._line(scope, noting, duration_ms)))

    def _line(self, scope: Scope, response: "_NotingSend", duration_ms: float) -> Line:
        operation = self._operations.get(scope["raw_path"])
        # A declared path may have parameters, and so does not count as known.
        name = operation or scope.get(DECLARED)
        # The path of an operation holds no key, and a short method cannot.
        is_known = operation is not None and len(scope["method"]) < _MIN_KEY_CHARS
        method, path = (
            (scope["method"], scope["path"]) if is_known else self._redact(scope)
        )
        body, firing = response.body, scope.get("mock_server.firing")
        is_success = body is not None and body.startswith(_SUCCESS)
        # By position, which is quicker than keywords.
        return Line(
            self._format_time(time.time_ns() // 1_000_000),
            _sandbox(scope, response.headers),
            name,
            method,
            path,
            response.status,
            duration_ms,
            None if firing is None else _fault(firing),
            self._reason(scope, body) if body and not is_success else None,
            response.id,
        )

    def _time(self, ms: int) -> str:
        """A time as `format_time` writes it."""
        return f"{self._format_second(ms // 1000)}.{ms % 1000:03}Z"

    def _id_of(self, scope: Scope, own: Sequence[bytes]) -> str:
        """The id of an answer: its `own`, as declared ones may have, else another."""
        head: ParsedHeaders | None = scope.get(HEAD)
        if own or head is None or head.has_id:
            for given in (own, values(scope["headers"], REQUEST_ID)):
                sent = only_id(given)
                # Clients put keys anywhere by mistake, and no line may show one.
                if sent and self._redact_message(scope, sent) == sent:
                    return sent
        sandbox, generation, seq = scope.get(ENTERED, ("", 0, 0))
        if seq:
            return made_id(sandbox, generation, seq)
        # It is in no journal: a preflight, a request of the admin API.
        return f"request-{next(self._numbers)}"

    def _reason(self, scope: Scope, body: bytes) -> str | None:
        """Why a request was refused, by the envelope in which that is told."""
        # With choice error_http_status=always_200 the status does not say.
        if not body.startswith(_ENVELOPE):
            return None
        try:
            refused = msgspec.json.decode(body, type=_Refused)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None  # a part of an answer, or one that a fault has spoiled
        message = refused.message
        if refused.status_text == _BAD_FIXTURE:
            message = message.partition(" (")[0]
        return self._redact_message(scope, message)


class _NotingSend:
    """A `send` that notes what the response is, and adds its id if it is to have one.

    `status` is 0 as long as none has begun; `body` is the first part.
    """

    __slots__ = (
        "_has_body",
        "_id_of",
        "_scope",
        "_send",
        "body",
        "headers",
        "id",
        "status",
    )

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
        self._has_body = False

    async def __call__(self, message: Message) -> None:
        if "status" in message:
            headers = self._begin(message["status"], message["headers"])
            message = {**message, "headers": headers}
        elif not self._has_body:
            self.body, self._has_body = message.get("body"), True
        await self._send(message)

    def whole(self, status: int, headers: Sequence[Header], body: bytes) -> bool:
        """Send a response, if the server has a way."""
        whole = whole_of(self._send)
        if whole is None or not whole(status, self._begin(status, headers), body):
            return False
        self.body = body
        return True

    def _begin(self, status: int, headers: Sequence[Header]) -> Sequence[Header]:
        """Note the begin of a response; its headers with the id, unless it has one."""
        self.status, self.headers = status, headers
        if self._id_of is None:
            return headers
        # Of what enters a journal, declared responses alone may have one of their own.
        is_made = ENTERED in self._scope and DECLARED not in self._scope
        own = () if is_made else values(headers, REQUEST_ID)
        if self.id is None:
            self.id = self._id_of(self._scope, own)
        return headers if own else [*headers, (REQUEST_ID, self.id.encode())]


def _format_second(second: int) -> str:
    """A time without its milliseconds, as `format_time` writes it."""
    return format_time(second * 1000).partition(".")[0]


def _sandbox(scope: Scope, headers: Sequence[Header]) -> str | None:
    """The sandbox that a response names."""
    if ENTERED in scope:
        sandbox: str = scope[ENTERED][0]
        return sandbox
    for name, value in headers:
        if name == b"x-mock-sandbox":
            text: str = value.decode()
            return text
    return None


def _fault(firing: Firing) -> str:
    return f"{firing.fault.id} {firing.fault.definition.kind}"


def _text(line: Line) -> str:
    status = f"{line.status} {line.duration_ms:.2f} ms"
    rest = f"{_id_text(line)}{_fault_text(line)}{_reason_text(line)}"
    return one_line(f"{_begin(line)} {status}{rest}")


def _coloured_text(line: Line) -> str:
    status = coloured(str(line.status), line.status)
    duration = coloured(f"{line.duration_ms:.2f} ms", "dim")
    fault, reason = _fault_text(line), one_line(_reason_text(line))
    if fault:
        fault = coloured(fault, "magenta")
    request_id = coloured(_id_text(line), "dim") if line.request_id else ""
    return f"{one_line(_begin(line))} {status} {duration}{request_id}{fault}{reason}"


def _begin(line: Line) -> str:
    return f"{line.time[11:]} {line.sandbox or '-'} {line.method} {line.path}"


def _id_text(line: Line) -> str:
    return f" id {line.request_id}" if line.request_id else ""


def _fault_text(line: Line) -> str:
    return f" fault {line.fault}" if line.fault else ""


def _reason_text(line: Line) -> str:
    return f" - {line.reason}" if line.reason else ""


def json_lines() -> Callable[[Line], str]:
    """What writes lines in JSON; what they have in common is encoded once."""
    about_of = lru_cache(_KEPT)(lambda *fields: _json(_About(*fields))[1:-1])

    def write(line: Line) -> str:
        if line.fault is not None or line.reason is not None:
            return _json(line)
        # Three quarters of what it takes to encode all. An id needs no escapes.
        about = about_of(
            line.sandbox, line.operation, line.method, line.path, line.status
        )
        request_id = "null" if line.request_id is None else f'"{line.request_id}"'
        return (
            f'{{"time":"{line.time}",{about},"durationMs":{line.duration_ms},'
            f'"fault":null,"reason":null,"requestId":{request_id}}}'
        )

    return write


def _json(fields: Line | _About) -> str:
    text = msgspec.json.encode(fields).decode()
    return text if text.isprintable() and "##" not in text else json_text(text)
