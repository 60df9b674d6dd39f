"""Serves an application: in the foreground, or in a thread for tests."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Self

from starlette.types import ASGIApp

from mock_server.app import create_app
from mock_server.domain.choices import Value
from mock_server.domain.generation import Generation
from mock_server.domain.limits import Limits
from mock_server.fixture.files import FixtureLike
from mock_server.wire.drain import Server
from mock_server.wire.protocol import HttpParser

_BACKLOG = 2048
_POLL_SECONDS = 0.05


class CannotBind(Exception):
    """An address that the server cannot listen on; the text says which and why."""


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises CannotBind."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        if not 0 <= port <= 65535:
            raise OSError("a port is from 0 to 65535")
        if not host:  # which would listen on all addresses
            raise OSError("an address is needed, such as 127.0.0.1 or 0.0.0.0")
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CannotBind(f"cannot listen on {host}:{port}: {reason}") from None


def url_of(listener: socket.socket) -> str:
    """`http://HOST:PORT` of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: ASGIApp,
    listener: socket.socket,
    *,
    http: HttpParser = "zttp",
    on_ready: Callable[[], object] = lambda: None,
    on_stop: Callable[[], object] = lambda: None,
    limits: Limits = Limits(),
) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` is called once requests are accepted.

    `on_stop` is called to end the responses that have no end of their own.
    """
    server = Server(app, http, on_ready, on_stop, embedded=False, limits=limits)
    server.run([listener])


@contextmanager
def running(
    app: ASGIApp,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    http: HttpParser = "zttp",
    on_stop: Callable[[], object] = lambda: None,
    limits: Limits = Limits(),
) -> Iterator[str]:
    """Serve in a thread while the context lasts; gives the URL. Raises CannotBind."""
    # In the thread of the caller, who is to get CannotBind, and the URL at once.
    listener = bind(host, port)
    url, ready = url_of(listener), threading.Event()
    server = Server(app, http, ready.set, on_stop, embedded=True, limits=limits)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        # Not one long wait: a server that fails at its start would never be ready.
        while not ready.wait(_POLL_SECONDS):
            if not thread.is_alive():
                raise RuntimeError("the server stopped before it was ready")
        yield url
    finally:
        # uvicorn looks at it several times a second, so any thread may set it.
        server.should_exit = True
        thread.join()


class MockServer:
    """A server of its own in a thread, for tests: `with MockServer() as server: ...`.

    `url` is its base address while it runs, `sandbox` its default sandbox, `app` the
    ASGI application that it serves. `memory` is how many bytes all its data may take;
    by default what `limits` say. Raises FixtureError, ValueError for an impossible
    setting (UnknownChoice among them), and on entering CannotBind.
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
    ) -> None:
        app = create_app(
            fixture,
            profile=profile,
            choices=choices,
            admin_token=admin_token,
            memory=memory,
            limits=limits,
        )
        self.url = ""
        self.app = app
        self.sandbox = app.sandbox
        self._stack = ExitStack()
        # Each call gives a new context, so that a server can be started again.
        self._run = partial(
            running, app, host=host, port=port, on_stop=app.close, limits=limits
        )

    @property
    def key(self) -> str:
        """An API key of level owner. Raises LookupError if there is none."""
        if self.sandbox.key is None:
            raise LookupError("the fixture declares no key of level owner")
        return self.sandbox.key

    def __enter__(self) -> Self:
        self.url = self._stack.enter_context(self._run())
        return self

    def __exit__(self, *exc_info: object) -> None:
        # Responses that a fault holds up would delay the stop by seconds.
        for sandbox in self.app.sandboxes.all():
            sandbox.state.end_waits()
        self._stack.close()
