"""Runs a server inside a program, or calls its application without a socket."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any, Self
from urllib.parse import unquote

from starlette.types import ASGIApp, Message

from mock_server.app import Application, create_app
from mock_server.control.arguments import SETTINGS, HiddenFrames, check
from mock_server.control.client import AdminClient, NotRunning, Sender
from mock_server.control.control_object import HasControl, MockServerFixture
from mock_server.control.http_call import Address, Budget, RawResponse, Request, call
from mock_server.domain.choices.table import Value
from mock_server.domain.limits import Limits
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.wrong_calls import Synchronous, explained
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.source.files import FixtureLike
from mock_server.wire.server import CannotBind, running
from mock_server.wire.uvicorn_internals import HttpParser, UnsupportedUvicorn

__tracebackhide__ = True

_HEADERS = b"content-type", b"location", b"retry-after"


@explained
class MockServer(HasControl, Synchronous):
    """A server in its own thread, for tests: `with MockServer() as server: ...`.

    `control` is its control object, `sandbox` its default sandbox, `app` the ASGI
    application that it serves. `memory` is the budget for all data in bytes; the
    default is in `limits`. With `demo` it serves the demo front end at `/demo/`, which
    needs a profile with related routes. The other arguments are options of `serve`.
    Raises FixtureError, TypeError or ValueError for an invalid argument; the start
    raises CannotBind or UnsupportedUvicorn.
    """

    def __init__(
        self,
        fixture: FixtureData | FixtureLike | Sequence[FixtureLike] | None = None,
        *,
        profile: str = "documented",
        choices: Mapping[str, Value] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        admin_token: str | None = None,
        memory: int | None = None,
        limits: Limits = Limits(),
        demo: bool = False,
        cors_origins: Collection[str] = ("*",),
        allowed_hosts: Collection[str] = (),
        http: HttpParser | None = None,
    ) -> None:
        content: Any = {"fixture": fixture, "profile": profile, "choices": choices}
        options: Any = {"admin_token": admin_token, "memory": memory, "limits": limits}
        options |= {"demo": demo, "cors_origins": cors_origins}
        options["allowed_hosts"] = allowed_hosts
        address: Any = {"host": host, "port": port, "http": http}
        check({**content, **address, **options}, SETTINGS, "MockServer")
        with HiddenFrames(FixtureError, ValueError):
            app = create_app(**content, **options)
        self._app = app
        self._url: str | None = None
        self._control: MockServerFixture | None = None
        self._was_started = False
        self._token = admin_token
        self._exit_stack = ExitStack()
        # Each call returns a new context, so that a server can be started again.
        self._run_server = partial(
            running, app, **address, on_stop=app.close, limits=limits
        )

    @property
    def app(self) -> Application:
        """The ASGI application of the server."""
        return self._app

    @property
    def sandbox(self) -> Sandbox:
        """The default sandbox of the server."""
        return self._app.sandbox

    @property
    def url(self) -> str:
        """The base address of the server. Raises NotRunning."""
        if self._url is None:
            if self._was_started:
                fix = "call it within its `with` block, or `start()` it again"
                raise NotRunning(f"the server has been stopped: {fix}")
            fix = "use `with MockServer() as server:`, or call `start()`"
            raise NotRunning(f"the server has not been started yet: {fix}")
        return self._url

    @property
    def key(self) -> str:
        """An owner's API key. Raises NotRunning, and LookupError if there is none."""
        return self.control.key

    @property
    def control(self) -> MockServerFixture:
        """The control object of the default sandbox. Raises NotRunning."""
        if self._control is None:
            self._control = MockServerFixture(self.client)
        return self._control

    @property
    def client(self) -> AdminClient:
        """A client of the admin API. Raises NotRunning."""
        return AdminClient(self.url, token=self._token, send=self._send)

    def start(self) -> Self:
        """Start the server; `close` stops it. Raises CannotBind, UnsupportedUvicorn."""
        if self._url is not None:
            raise RuntimeError("the server has been started already")
        with HiddenFrames(CannotBind, UnsupportedUvicorn):
            self._url = self._exit_stack.enter_context(self._run_server())
        self._was_started = True
        return self

    def close(self) -> None:
        """Stop the server if it is running."""
        self._url = self._control = None
        # End the delays of faults, which would delay the stop by seconds.
        for sandbox in self._app.sandboxes.all():
            sandbox.state.end_waits()
        self._exit_stack.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _send(self, *arguments: Any) -> RawResponse:
        """Send a request. Raises NotRunning if the server has stopped."""
        _ = self.url  # raises NotRunning
        return call(*arguments)


def in_process(app: ASGIApp) -> Sender:
    """Return a function that sends an AdminClient's requests to `app`."""

    def send(address: Address, request: Request, budget: Budget) -> RawResponse:
        fields = {"Host": address.host, **request.headers}
        if request.content is not None:
            fields["Content-Length"] = str(len(request.content))
        coroutine = exchange(app, request._replace(headers=fields), budget)
        # Run in another thread, because the caller may be running an event loop.
        with ThreadPoolExecutor(1) as executor:
            return executor.submit(asyncio.run, coroutine).result()

    return send


async def exchange(
    app: ASGIApp, request: Request, budget: Budget | None = None
) -> RawResponse:
    """Return an application's response. Raises the errors of the application."""
    path, _, query = request.path.partition("?")
    headers = request.headers.items()
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers],
        "client": ("127.0.0.1", 0),
        "server": None,
    }
    requests: list[Message] = [{"type": "http.request", "body": request.content or b""}]
    responses: list[Message] = []

    async def receive() -> Message:
        if not requests:
            await asyncio.Event().wait()  # the client never disconnects
        return requests.pop()

    async def send(message: Message) -> None:
        if budget is not None:
            budget.spend_bytes(len(message.get("body", b"")))
        responses.append(message)

    await app(scope, receive, send)
    body = b"".join(each.get("body", b"") for each in responses)
    head = responses[0]
    fields = dict(head["headers"])
    values = (fields.get(name, b"").decode("latin-1") for name in _HEADERS)
    return RawResponse(head["status"], body, *values)
