"""A server inside a program: in a thread of its own, for tests and demonstrations."""

import warnings
from asyncio import run_coroutine_threadsafe
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path
from socket import socket
from threading import Thread
from typing import Any, NoReturn, Self, TypeVar, cast

from mock_server.application import create_app
from mock_server.control import Control
from mock_server.control.admin_client import client_at
from mock_server.http.server import Server, listening_socket, url_of
from mock_server.sandbox import Sandboxes

Returned = TypeVar("Returned")
STOP_SECONDS = 10
"""How long the event loop may be held up."""


class NotStarted:
    """Stands for the client of a server that is not started: its members raise ConnectionError."""

    def __getattr__(self, name: str) -> NoReturn:
        raise ConnectionError("Expected a server that is started, got none - at MockServer.start")


class MockServer(Control):
    """A mock server with its control; it runs in a `with` block, or from `start` to `close`.

        with MockServer("fixture.yaml") as server:
            server.fault("error")

    `fixture` is a path, a document, or the name of a shipped fixture; None is the demo.
    `profile` is a name, or a file with a profile and choices.
    Port 0 is any free port. The members of `Control` can be used once it is started.
    """

    def __init__(
        self,
        fixture: Mapping[str, Any] | str | Path | None = None,
        *,
        profile: str | Path = "documented",
        choices: Mapping[str, Any] | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        admin_token: str | None = None,
        demo: bool = False,
    ) -> None:
        super().__init__(cast(Any, NotStarted()))
        self.application = create_app(
            fixture, profile=profile, choices=choices, admin_token=admin_token, demo=demo
        )
        self.sandboxes: Sandboxes = self.application.state.sandboxes
        self._host = host
        self._port = port
        self._token = admin_token
        self._thread: Thread | None = None

    def start(self) -> Self:
        """Serve until `close`; return when the server is ready.

        Raises RuntimeError if it was started before, OSError if it cannot listen, or the error that
        ended it before it was ready.
        """
        if self._thread is not None:
            raise RuntimeError(f"Expected a stopped server, got one that runs - at {self.url}")
        listener = listening_socket(self._host, self._port)
        ready = Future[None]()
        self._server = Server(self.application, on_ready=lambda: ready.set_result(None))
        thread = Thread(target=run_server, args=(self._server, listener, ready), daemon=True)
        thread.start()
        ready.result()
        self.http = client_at(url_of(listener), self._token)
        self._thread = thread
        return self

    def close(self) -> None:
        """Stop: break off requests that wait, let others end within 2 s, refuse new ones.

        Raises the first exception of a function that answered a request, and TimeoutError if the
        server goes on.
        """
        if self._thread is None:
            return
        self._server.stop()
        self.http.close()
        # Requests have 2 s, and their functions 1 s more.
        self._thread.join(STOP_SECONDS)
        if self._thread.is_alive():
            raise TimeoutError(
                f"Expected a server that ends within {STOP_SECONDS} s, got one whose event loop is "
                "held up - at MockServer.close"
            )
        self._thread = None
        self.sandboxes.failures.raise_first()

    def run(self, function: Callable[[], Returned]) -> Returned:
        """Run a function in the server's event loop, if it runs; return the function's result.

        Raises TimeoutError if the event loop is held up.
        """

        async def call_function() -> Returned:
            return function()

        if self._thread is None:
            return function()
        return run_coroutine_threadsafe(call_function(), self._server.loop).result(STOP_SECONDS)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, error: object, *_: object) -> None:
        try:
            # An error of the block says more; a server that has ended says nothing.
            if error is None and self._thread is not None:
                for warning in self.leftovers():
                    warnings.warn(warning, stacklevel=2)
        finally:
            self.close()


def run_server(server: Server, listener: socket, ready: "Future[None]") -> None:
    """Serve in this thread; an error that comes before the server is ready goes to `ready`."""
    with listener:
        try:
            server.run([listener])
        except BaseException as error:
            if ready.done():
                raise
            ready.set_exception(error)
