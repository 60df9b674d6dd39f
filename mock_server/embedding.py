"""A server inside a program: for tests of any framework, and for scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, Self

from mock_server.app import MissingLibrary, create_app
from mock_server.client import AdminClient, NotRunning
from mock_server.control.arguments import SETTINGS, check
from mock_server.control.handle import MockServerFixture
from mock_server.control.raised_here import RaisedHere
from mock_server.domain.choices import Value
from mock_server.domain.generation import Generation
from mock_server.domain.limits import Limits
from mock_server.fixture.files import FixtureLike
from mock_server.fixture.problems import FixtureError
from mock_server.http_call import RawResponse, call
from mock_server.server import CannotBind, running
from mock_server.wire.parts import UnfitUvicorn

__tracebackhide__ = True


class MockServer:
    """A server of its own in a thread, for tests: `with MockServer() as server: ...`.

    `control` steers it, `sandbox` is its default sandbox, `app` the ASGI application
    that it serves. `memory` is how many bytes all its data may take;
    by default what `limits` say. With `demo` it serves the demo front end at `/demo/`,
    which needs a profile that has neighbours; with `metrics` it tells metrics at
    `/__admin/metrics`, which needs the extra of that name, or raises MissingLibrary.
    Raises FixtureError, TypeError or ValueError for an impossible setting, and on
    entering CannotBind or UnfitUvicorn.
    """

    def __init__(
        self,
        fixture: Generation | FixtureLike | Sequence[FixtureLike] | None = None,
        *,
        profile: str = "documented",
        choices: Mapping[str, Value] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        admin_token: str | None = None,
        memory: int | None = None,
        limits: Limits = Limits(),
        demo: bool = False,
        metrics: bool = False,
    ) -> None:
        chosen: Any = {"fixture": fixture, "profile": profile, "choices": choices}
        served: Any = {"admin_token": admin_token, "memory": memory, "limits": limits}
        served |= {"demo": demo, "metrics": metrics}
        check({**chosen, "host": host, "port": port, **served}, SETTINGS, "MockServer")
        with RaisedHere(FixtureError, MissingLibrary, ValueError):
            app = create_app(**chosen, **served)
        self.app = app
        self.sandbox = app.sandbox
        self._url: str | None = None
        self._control: MockServerFixture | None = None
        self._was_started = False
        self._token = admin_token
        self._stack = ExitStack()
        # Each call gives a new context, so that a server can be started again.
        self._run = partial(
            running, app, host=host, port=port, on_stop=app.close, limits=limits
        )

    @property
    def url(self) -> str:
        """Its base address. Raises NotRunning."""
        if self._url is None:
            if self._was_started:
                how = "call it within its `with` block, or `start()` it again"
                raise NotRunning(f"the server has been stopped: {how}")
            how = "use `with MockServer() as server:`, or call `start()`"
            raise NotRunning(f"the server has not been started yet: {how}")
        return self._url

    @property
    def key(self) -> str:
        """An API key of level owner. Raises NotRunning, and LookupError without one."""
        return self.control.key

    @property
    def control(self) -> MockServerFixture:
        """What the pytest fixture `mock_server` is, for this server.

        Raises NotRunning.
        """
        if self._control is None:
            self._control = MockServerFixture(self.client)
        return self._control

    @property
    def client(self) -> AdminClient:
        """A client of its admin API. Raises NotRunning."""
        return AdminClient(self.url, token=self._token, send=self._send)

    def start(self) -> Self:
        """Start to serve; `close` ends it. Raises CannotBind and UnfitUvicorn."""
        if self._url is not None:
            raise RuntimeError("the server has been started already")
        with RaisedHere(CannotBind, UnfitUvicorn):
            self._url = self._stack.enter_context(self._run())
        self._was_started = True
        return self

    def close(self) -> None:
        """Stop the server, if it is running."""
        self._url = self._control = None
        # Responses that a fault holds up would delay the stop by seconds.
        for sandbox in self.app.sandboxes.all():
            sandbox.state.end_waits()
        self._stack.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _send(self, *request: Any) -> RawResponse:
        """Send a request unless the server is known to be stopped."""
        _ = self.url  # raises NotRunning
        return call(*request)
