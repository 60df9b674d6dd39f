"""Request lines: what has come and what became of it, a line each."""

import time
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import count

import msgspec
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.api.context import DECLARED, ENTERED
from mock_server.api.headers import Header, values
from mock_server.api.log_format import LogFormat
from mock_server.api.operations.operation import Operations
from mock_server.api.request_id import REQUEST_ID, made_id, only_id
from mock_server.api.sending import whole_of
from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.clock import format_time
from mock_server.domain.faults import Firing
from mock_server.domain.printable import coloured, json_text, one_line

_MIN_KEY_CHARS = MIN_REDACTABLE_LENGTH
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
        self._format = _json if log_format == "json" else as_text
        self._write = write
        names = operations.names_by_path()
        self._operations = {path.encode(): name for path, name in names.items()}
        self._redact = redact
        self._redact_message = redact_message
        self._gives_ids = gives_ids
        # Several requests come in one millisecond, and to write a time takes 2.7 us.
        self._format_time = lru_cache(1)(format_time)
        self._numbers = count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        id_of = partial(self._id_of, scope) if self._gives_ids else None
        noting = _NotingSend(send, id_of)
        try:
            await self._app(scope, receive, noting)
        finally:
            if id_of is not None and noting.id is None:
                noting.id = id_of(())
            duration_ms = (time.perf_counter() - start) * 1000
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
        return Line(
            time=self._format_time(time.time_ns() // 1_000_000),
            sandbox=_sandbox(scope, response.headers),
            operation=name,
            method=method,
            path=path,
            status=response.status,
            duration_ms=round(duration_ms, 3),
            fault=_fault(scope.get("mock_server.firing")),
            reason=self._reason(scope, response.body),
            request_id=response.id,
        )

    def _id_of(self, scope: Scope, own: Sequence[bytes]) -> str:
        """The id of an answer: its `own`, as declared ones may have, else another."""
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

    def _reason(self, scope: Scope, body: bytes | None) -> str | None:
        """Why a request was refused, by the envelope in which that is told."""
        # With choice error_http_status=always_200 the status does not say.
        if not body or not body.startswith(_ENVELOPE) or body.startswith(_SUCCESS):
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

    def __init__(
        self, send: Send, id_of: Callable[[Sequence[bytes]], str] | None
    ) -> None:
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
        own = values(headers, REQUEST_ID)
        if self.id is None:
            self.id = self._id_of(own)
        return headers if own else [*headers, (REQUEST_ID, self.id.encode())]


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


def _fault(firing: Firing | None) -> str | None:
    if firing is None:
        return None
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


def _json(line: Line) -> str:
    text = msgspec.json.encode(line).decode()
    return text if text.isprintable() and "##" not in text else json_text(text)
