"""Serves an application: in the foreground, or in a thread for tests."""

import errno
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.types import ASGIApp

from mock_server.domain.limits import Limits
from mock_server.wire.drain import Server
from mock_server.wire.parts import HttpParser

_BACKLOG = 2048
_POLL_SECONDS = 0.05
# Clients on this machine reach what listens on all addresses by these.
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - not bound


class CannotBind(Exception):
    """An address that the server cannot listen on; the text says which and why."""


def bind(host: str, port: int, free_port: str = "port=0") -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises CannotBind.

    `free_port` is how the caller would ask for that one.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        if not 0 <= port <= 65535:
            raise OSError("a port is from 0 to 65535")
        if not host:  # which would listen on all addresses
            raise OSError("an address is needed, such as 127.0.0.1 or 0.0.0.0")
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            reason = f"something listens there already; {free_port} takes a free port"
        else:
            reason = str(getattr(error, "strerror", None) or error)
        raise CannotBind(f"cannot listen on {host}:{port}: {reason}") from None


def url_of(listener: socket.socket) -> str:
    """`http://HOST:PORT` of a listening socket."""
    return _url(*listener.getsockname()[:2])


def openable_url_of(listener: socket.socket) -> str:
    """An address of a listening socket that clients on this machine can open.

    A socket that listens on all addresses has none of these itself.
    """
    host, port = listener.getsockname()[:2]
    return _url(_LOOPBACK.get(host, host), port)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: ASGIApp,
    listener: socket.socket,
    *,
    http: HttpParser | None = None,
    on_ready: Callable[[], object] = lambda: None,
    on_stop: Callable[[], object] = lambda: None,
    on_hangup: Callable[[], object] = lambda: None,
    on_wait: Callable[[int], object] = lambda _: None,
    is_dated: bool = True,
    limits: Limits = Limits(),
) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` is called once requests are accepted.

    `on_stop` is called to end the responses that have no end of their own, `on_hangup`
    at SIGHUP, `on_wait` with the number of requests that a stop waits for. All are
    called on the event loop. Unless it `is_dated`, answers get no further Date.
    `http` is by default the best parser there is. Raises UnfitUvicorn.
    """
    calls = on_ready, on_stop, on_hangup, on_wait
    server = Server(app, http, *calls, embedded=False, is_dated=is_dated, limits=limits)
    server.run([listener])


@contextmanager
def running(
    app: ASGIApp,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    http: HttpParser | None = None,
    on_stop: Callable[[], object] = lambda: None,
    is_dated: bool = True,
    limits: Limits = Limits(),
) -> Iterator[str]:
    """Serve in a thread while the context lasts; gives the URL.

    Raises CannotBind and UnfitUvicorn.
    """
    ready = threading.Event()
    calls = ready.set, on_stop
    server = Server(app, http, *calls, embedded=True, is_dated=is_dated, limits=limits)
    # In the thread of the caller, who is to get CannotBind, and the URL at once.
    listener = bind(host, port)
    url = url_of(listener)
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
