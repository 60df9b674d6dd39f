"""Examples of the OpenAPI documents: requests, and how their responses are made.

Nobody writes a response down. When a document is made, applications over the shipped
fixtures are asked in process.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import Struct, field
from starlette.types import ASGIApp, Message

from mock_server.admin.loading import Loader
from mock_server.api.fixture import load_fixture
from mock_server.app import Application, application
from mock_server.domain.choices import Value, choose
from mock_server.domain.clock import Environment
from mock_server.domain.limits import Limits
from mock_server.domain.sandboxes import Sandboxes
from mock_server.fixture.files import shipped

DEMO, KEY = "demo.yaml", "fastgpt-any-key"
USER, LOGIN = "root", "login"
"""Who logs in, and what that login's token is called among keys."""
EXAMPLE_TIME = 1_775_034_000_000
"""When all examples happen, in ms since 1970: 2026-04-01T09:00:00.000Z."""
_SANDBOXES = "/__admin/sandboxes"
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
    `body` is sent as JSON, bytes as they are. A header that is None is left out. A
    request that is sent several `times` has `{n}` in its path replaced by 1, 2, ...,
    and shows the last response. Outside the admin API it carries a key of `sandbox`, or
    the token of a login.
    """

    method: str
    path: str
    body: Any = None
    name: str = ""
    summary: str = ""
    headers: Mapping[str, str | None] = field(default_factory=dict)
    times: int = 1
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
    memory: int = Limits.memory_bytes
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
    keys = {"default": KEY, LOGIN: app.sandbox.tokens.token(USER)}
    found = []
    for request in session.requests:
        for n in range(1, request.times + 1):
            status, body = await _ask(app, request, keys, n)
        # Issued for this session: requests name the sandbox instead.
        add_key(keys, request, status, body)
        if request.name:
            value = _with_fixed_measures(value_of(body))
            found.append(ExampleResponse(request, status, value))
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
    generation = load_fixture(shipped(session.fixture))
    choices = choose("documented", session.choices)
    sandboxes = Sandboxes(generation, "documented", choices, environment)
    # Without a place to load large documents, one is refused: an example too.
    loader = Loader(sandboxes.memory, sandboxes.limits, free_slots=0)
    return application(sandboxes, token=session.admin_token, loader=loader)


async def _ask(
    app: ASGIApp, request: ExampleRequest, keys: Mapping[str, str], n: int
) -> tuple[int, bytes]:
    """The status and the body that an application answers, without a socket."""
    path, _, query = request.path.format(n=n).partition("?")
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": request.content}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": request.method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (name.encode(), value.encode())
            for name, value in request.all_headers(keys).items()
        ],
    }
    await app(scope, receive, send)
    return sent[0]["status"], b"".join(each.get("body", b"") for each in sent)


def _with_fixed_measures(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_fixed_measures(each) for each in value]
    if not isinstance(value, dict):
        return value
    # A `time` may be a moment, too.
    numbers = {name for name, each in value.items() if isinstance(each, int | float)}
    fixed = {name: _MEASURED[name] for name in numbers & {*_MEASURED} if value[name]}
    return {name: _with_fixed_measures(each) for name, each in value.items()} | fixed
