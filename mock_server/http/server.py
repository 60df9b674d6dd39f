"""The server: uvicorn, extended to report that it listens, and to stop at once."""

import asyncio
import os
import signal
import socket
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from types import FrameType
from typing import Any

import uvicorn
from starlette.applications import Starlette

from mock_server.http.protocol import HttpProtocol
from mock_server.timing.signals import Signal
from mock_server.timing.system_time import RealTime

TICK_SECONDS = 0.1
"""How often uvicorn looks whether the server is to stop, and whether a second is over."""
GRACE_SECONDS = 2
"""How long requests in progress may take once the server stops."""
KEEP_ALIVE_SECONDS = 75
"""How long a connection without requests stays open."""


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; port 0 takes a free port. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=2048)
    # Connections inherit this. asyncio sets it only for sockets made with IPPROTO_TCP.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    # A forked child would keep the port open, and answer nobody. Windows has no fork.
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=partial(close_at_once, listener))
    return listener


def close_at_once(listener: socket.socket) -> None:
    """Close a socket, also if uvloop counts as a user of it, for which `close` would wait."""
    if listener.fileno() >= 0:
        os.close(listener.detach())


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return url_at(host, port)


def url_at(host: str, port: int) -> str:
    """The URL of a server, with 127.0.0.1 or ::1 as the host if it listens on all addresses."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{port}"


class Server(uvicorn.Server):
    """Serves one application on one socket; calls `every_second` once a second until it stops."""

    def __init__(
        self,
        application: Starlette,
        *,
        access_log: bool = False,
        every_second: Callable[[], Awaitable[None]] | None = None,
        on_ready: Callable[[], None] = lambda: None,
    ) -> None:
        config = uvicorn.Config(
            application,
            http=HttpProtocol,
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=access_log,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            callback_notify=every_second,
            timeout_notify=1,
        )
        super().__init__(config)
        self._on_ready = on_ready
        self._sandboxes = application.state.sandboxes
        self._stopping = Signal()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        # A loop of asyncio looks the time up in a module, where a test may have frozen it.
        if isinstance(self.loop, asyncio.BaseEventLoop):
            self.loop.time = RealTime.perf_counter  # type: ignore[method-assign]
        self._sandboxes.is_closing = False
        await super().startup(sockets)
        self._on_ready()

    async def main_loop(self) -> None:
        """Tick until the server is to stop. uvicorn's own loop would sleep to the next tick."""
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            await self._stopping.wait(TICK_SECONDS)

    def stop(self) -> None:
        """Begin to stop. Any thread may call this."""
        self.should_exit = True
        self._stopping.notify()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        # A request ends once its connection is lost. uvicorn would cancel it, with a traceback.
        self.loop.call_later(GRACE_SECONDS, self._abort_connections)
        state = self.server_state
        is_over = False
        while not is_over:
            # A connection may have been accepted that the loop makes only now, and a call that
            # waits may have come over one.
            self._close_connections()
            self._sandboxes.close()
            # uvicorn would wait with `asyncio.sleep`, which a test may have replaced.
            await Signal().wait(TICK_SECONDS / 10)
            is_over = self.force_exit or not (state.connections or state.tasks)

    def _close_connections(self) -> None:
        """Close what is idle now, and the rest after the response."""
        connections: Iterable[Any] = [*self.server_state.connections]
        for connection in connections:
            # A request with an incomplete body would delay the stop.
            if connection.cycle is not None and connection.cycle.more_body:
                connection.transport.close()
            connection.shutdown()

    def _abort_connections(self) -> None:
        connections: Iterable[Any] = [*self.server_state.connections]
        for connection in connections:
            connection.transport.abort()
        # The function of a rule may wait for ever: then the stop ends as at a second signal.
        self.loop.call_later(1, self.handle_exit, signal.SIGTERM, None)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after the requests in progress; at the second signal, at once."""
        # uvicorn would also raise the signal again, and so not exit with 0.
        self.force_exit = self.should_exit
        self.stop()


def serve(application: Starlette, listener: socket.socket, **options: Any) -> None:
    """Serve until SIGINT or SIGTERM. The line `READY URL` on stdout reports that it listens."""
    print_ready = partial(print, f"READY {url_of(listener)}", flush=True)
    Server(application, on_ready=print_ready, **options).run([listener])
