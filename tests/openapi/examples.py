"""Examples of the OpenAPI documents: requests, and how their responses are made.

Nobody writes a response down. When a document is made, applications over the shipped
fixtures are asked in process.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from mock_server.api.fixture_loading import load_fixture
from mock_server.api.operations.operation import Example, Operation
from mock_server.api.operations.related.route import read_body
from mock_server.app import Application
from mock_server.control.embedding import exchange
from mock_server.control.http_call import Request
from mock_server.domain.choices.choosing import choose
from mock_server.domain.choices.table import Value
from mock_server.domain.clock import Environment, format_time
from mock_server.domain.limits import DEFAULT_LIMITS, Limits
from mock_server.domain.sandboxes.registry import Sandboxes
from mock_server.fixture.source.files import shipped_path
from tests.openapi import JSON, JsonObject

DEMO, KEY = "demo.yaml", "fastgpt-any-key"
USER, LOGIN = "root", "login"
"""Who logs in, and what that login's token is called among keys."""
EXAMPLE_TIME = 1_775_034_000_000
"""When all examples happen, in ms since 1970: 2026-04-01T09:00:00.000Z."""
_SANDBOXES = "/__admin/sandboxes"
_SECONDS = 60.0
# Durations differ from run to run, sizes between versions of Python.
_MEASURED = {
    "durationMs": 0.25,
    "time": 0.25,
    "wait": 0.25,
    "used": 60_000,
    "states": 58_000,
    "changes": 500,
    "journals": 1_500,
}


class ExampleRequest(Struct, frozen=True):
    """A request to a server.

    Documents show its response under `name`, at the operation `operation_id`, or among
    the shared errors if that is empty; a request without a name only prepares others.
    `body` is sent as JSON, bytes as they are. A header that is None is left out.
    Outside the admin API it carries a key of `sandbox`, or the token of a login.
    """

    method: str
    path: str
    body: Any = None
    name: str = ""
    summary: str = ""
    headers: Mapping[str, str | None] = field(default_factory=dict)
    operation_id: str = ""
    sandbox: str = "default"
    is_logged_in: bool = False

    @property
    def query(self) -> dict[str, str]:
        """The fields of the query."""
        return dict(parse_qsl(self.path.partition("?")[2], keep_blank_values=True))

    @property
    def content(self) -> bytes:
        """The body as it is sent."""
        if self.body is None or isinstance(self.body, bytes):
            return self.body or b""
        return msgspec.json.encode(self.body)

    def all_headers(self, keys: Mapping[str, str]) -> dict[str, str]:
        """The headers that are sent, with a key out of `keys`, which are by sandbox."""
        sent: dict[str, str | None] = {"host": "localhost:8000"}
        if self.is_logged_in:
            sent["token"] = keys[LOGIN]
        elif not self.path.startswith("/__admin"):
            sent["authorization"] = f"Bearer {keys[self.sandbox]}"
        if self.body is not None:
            sent["content-type"] = "application/json"
        sent["content-length"] = str(len(self.content))
        sent |= self.headers
        return {name: value for name, value in sent.items() if value is not None}


class ExampleSession(Struct, frozen=True):
    """Requests to a server of their own, one after the other.

    `fixture` is the name of a shipped one, `memory` in bytes, `choices` those that
    differ from profile `documented`.
    """

    requests: Sequence[ExampleRequest]
    fixture: str = DEMO
    admin_token: str | None = None
    memory: int = DEFAULT_LIMITS.memory_bytes
    choices: Mapping[str, Value] = field(default_factory=dict)


class ExampleResponse(Struct, frozen=True):
    """The response to a request; `value` is its body, decoded, or its text."""

    request: ExampleRequest
    status: int
    value: Any

    @property
    def part(self) -> dict[str, Any]:
        """The response as an example object of OpenAPI."""
        summary = {"summary": self.request.summary} if self.request.summary else {}
        return summary | {"value": self.value}


def add_key(
    keys: dict[str, str], request: ExampleRequest, status: int, body: bytes
) -> None:
    """Enter the key of a sandbox that the request has created."""
    if status == 201 and request.path == _SANDBOXES:
        made = msgspec.json.decode(body)
        keys[made["name"]] = made["key"]


def run_examples(sessions: Iterable[ExampleSession]) -> list[ExampleResponse]:
    """The responses to all requests that have a name.

    Runs each session on an application of its own, with a frozen clock and secrets
    that are counted: the same requests have the same responses.
    """
    return [each for session in sessions for each in asyncio.run(_run(session))]


async def _run(session: ExampleSession) -> list[ExampleResponse]:
    app = _application(session)
    with ExitStack() as slots:
        # Without a place to load large documents, one is refused: an example too.
        for _ in range(app.sandboxes.limits.loads):
            slots.enter_context(app.loader.slot())
        return await _responses(app, session)


async def _responses(
    app: Application, session: ExampleSession
) -> list[ExampleResponse]:
    keys = {"default": KEY, LOGIN: app.sandbox.tokens.login_token(USER)}
    found = []
    for request in session.requests:
        headers, content = request.all_headers(keys), request.content
        sent = Request(request.method, request.path, headers, content)
        answer = await exchange(app, sent)
        # Issued for this session: requests name the sandbox instead.
        add_key(keys, request, answer.status, answer.body)
        if request.name:
            value = _with_fixed_measures(value_of(answer.body))
            found.append(ExampleResponse(request, answer.status, value))
    return found


def value_of(body: bytes) -> Any:
    """A body as an example shows it: JSON decoded, else the text."""
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        return body.decode()


def _application(session: ExampleSession) -> Application:
    number = count()
    # Nothing that is real: neither the time nor chance.
    environment = Environment(
        lambda: EXAMPLE_TIME * 1_000_000,
        lambda: 0.0,
        lambda: f"{next(number):032x}",
        Limits(memory_bytes=session.memory),
    )
    generation = load_fixture(shipped_path(session.fixture))
    choices = choose("documented", session.choices)
    sandboxes = Sandboxes(generation, "documented", choices, environment)
    return Application(sandboxes, token=session.admin_token)


def _with_fixed_measures(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_fixed_measures(each) for each in value]
    if not isinstance(value, dict):
        return value
    # A `time` may be a moment, too.
    numbers = {name for name, each in value.items() if isinstance(each, int | float)}
    fixed = {name: _MEASURED[name] for name in numbers & {*_MEASURED} if value[name]}
    return {name: _with_fixed_measures(each) for name, each in value.items()} | fixed


_FAULTS = "/__admin/faults"
_LITTLE_MEMORY = 1024 * 1024
_FORM_TYPE = "multipart/form-data; boundary=cut"
_IN_QUERY = ("GET", "DELETE")
_RESET = ExampleRequest("POST", "/__admin/reset", {})
# Codes and ids that go by the time are then the same on every server.
_STOP = {"now": format_time(EXAMPLE_TIME), "frozen": True}
_FREEZE = ExampleRequest("PUT", "/__admin/clock", _STOP)


def valid_request(operation: Operation, sandbox: str = "default") -> ExampleRequest:
    """The first example of an operation, to prepare others with.

    Raises IndexError if it has none.
    """
    return replace(examples_of(operation)[0], name="", sandbox=sandbox)


def sessions(operations: Collection[Operation]) -> list[ExampleSession]:
    """All requests whose responses the document shows."""
    shown = [each for each in operations if each.examples]
    related = [each for each in shown if each.related is not None]
    documented = [each for each in shown if each.related is None]
    requests: dict[str, list[ExampleRequest]] = {}
    for operation in documented:
        for example in operation.examples:
            own = requests.setdefault(example.fixture, [])
            own.append(_example(operation, example))
    errors = [each for operation in documented for each in _common_errors(operation)]
    # Within the limit of a body, but more than the demo leaves of the memory.
    body = b" " * (_LITTLE_MEMORY * 3 // 4)
    summary = "A body for which there is no memory"
    too_much = [_request(each, "limitReached", summary, body) for each in documented]
    # Each begins with what the fixture has, so that none depends on those before.
    lists: dict[str, list[ExampleRequest]] = {}
    for each in sorted(related, key=lambda it: it.versions[-1], reverse=True):
        own = lists.setdefault(each.versions[-1], [])
        own += [_FREEZE, *examples_of(each), _RESET]
    return [
        *(ExampleSession(each, fixture) for fixture, each in requests.items()),
        ExampleSession(errors),
        ExampleSession(too_much, memory=_LITTLE_MEMORY),
        *(ExampleSession(own, choices={"version": it}) for it, own in lists.items()),
    ]


def _form(fields: JsonObject) -> bytes:
    """A small text file with these fields as a form (RFC 7578)."""
    part = '--cut\r\nContent-Disposition: form-data; name="{}"{}\r\n\r\n{}\r\n'
    parts = [part.format(name, "", value) for name, value in fields.items()]
    parts.append(part.format("file", '; filename="hours.txt"', "Open from 9 to 17."))
    return ("".join(parts) + "--cut--\r\n").encode()


def examples_of(operation: Operation) -> list[ExampleRequest]:
    """The examples of an operation. Without any, the document has just its types."""
    return [_example(operation, each) for each in operation.examples]


def _example(operation: Operation, example: Example) -> ExampleRequest:
    fields, headers = {**example.fields}, {}
    in_query = operation.method in _IN_QUERY and operation.read_fields is not read_body
    body: JsonObject | bytes | None = None if in_query else fields
    if operation.media_type != JSON:
        body, headers = _form(fields), {"content-type": _FORM_TYPE}
    if example.key is not None:
        headers["authorization"] = f"Bearer {example.key}"
    query = f"?{urlencode(fields)}" if in_query and fields else ""
    return _request(
        operation,
        example.name,
        example.summary,
        body,
        path=operation.path + query,
        headers=headers,
        is_logged_in=operation.access == "login",
    )


def _request(
    operation: Operation, name: str, summary: str, body: Any, **fields: Any
) -> ExampleRequest:
    return ExampleRequest(
        **{"method": operation.method, "path": operation.path, **fields},
        body=body,
        name=name,
        summary=summary,
        operation_id=operation.name,
    )


def _common_errors(operation: Operation) -> Iterator[ExampleRequest]:
    """Requests that every operation refuses alike."""
    yield _request(operation, "badJson", "A body cut short", b'{"offset": 0')
    yield _request(operation, "methodNotAllowed", "Another method", None, method="GET")
    too_large = b" " * (DEFAULT_LIMITS.body_bytes + 1)
    yield _request(operation, "bodyTooLarge", "Over 1 MiB", too_large)
    for name, header, value in (
        ("unauthorized", "authorization", None),
        ("unsupportedMediaType", "content-type", "text/plain"),
    ):
        summary = f"No {header} header" if value is None else f"{header}: {value}"
        # Refused before any field is looked at (spec 5).
        yield _request(operation, name, summary, b"{}", headers={header: value})
    limit = {"kind": "rate_limit", "limit": 1, "window": 60}
    yield ExampleRequest("POST", _FAULTS, limit)
    first = valid_request(operation)
    yield first
    # The same again: one more than the limit.
    summary = "While a fault limits the rate"
    yield _request(operation, "rateLimited", summary, first.body)
    # The next operation is asked in the same session.
    yield ExampleRequest("DELETE", _FAULTS)
