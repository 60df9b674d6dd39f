"""A uvicorn server that says when it is ready and loses no request when it stops.

While it serves, it ends what clients do not read.

uvicorn closes idle connections at once, and with them the requests that clients were
just sending. Here every answer first announces the close; idle connections stay open
for a moment, then what is in flight is waited for, then all ends.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import cast

import uvicorn
from starlette.types import ASGIApp

from mock_server.domain.limits import LIMITS
from mock_server.wire.protocol import PROTOCOLS, HttpParser
from mock_server.wire.unread import LOOKS, Connection, Unread

KEEP_ALIVE_SECONDS = 75
IDLE_SECONDS = 1.0
GRACE_SECONDS = 4.0
_TICK_SECONDS = 0.01


class Server(uvicorn.Server):
    """Serves one application.

    `on_ready` is called once requests are taken, `on_stop` when it is to end what has
    no end of its own. An `embedded` server stops without waiting for idle connections.
    A client that takes nothing of an answer for `unread_seconds` is cut off.
    """

    def __init__(
        self,
        app: ASGIApp,
        http: HttpParser,
        on_ready: Callable[[], object],
        on_stop: Callable[[], object] = lambda: None,
        *,
        embedded: bool,
        unread_seconds: float = LIMITS.unread_seconds,
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=PROTOCOLS[http],
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                # Its default is a fourth of what a head may have.
                h11_max_incomplete_event_size=2 * LIMITS.header_bytes,
            )
        )
        self._on_ready = on_ready
        self._on_stop = on_stop
        self._idle_seconds = 0.0 if embedded else IDLE_SECONDS
        self.unread_seconds = unread_seconds
        self._unread = Unread(unread_seconds)
        self._next_look: asyncio.TimerHandle | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Called by uvicorn; listens, then reports."""
        await super().startup(sockets)
        self._look()
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Called by uvicorn once a stop is asked for; ends all connections."""
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        # The list that every answer's headers begin with, those in flight included.
        self.server_state.default_headers.append((b"connection", b"close"))
        self._on_stop()
        connections, tasks = self.server_state.connections, self.server_state.tasks
        await self._until(lambda: not connections, self._idle_seconds)
        for connection in list(connections):
            connection.shutdown()
        await self._until(lambda: not connections and not tasks, GRACE_SECONDS)
        for connection in list(connections):
            connection.transport.abort()
        await self._until(lambda: not tasks, IDLE_SECONDS)
        for task in list(tasks):
            task.cancel()
        if self._next_look is not None:
            self._next_look.cancel()

    def _look(self) -> None:
        """End the connections that are not read, now and from time to time."""
        loop = asyncio.get_running_loop()
        # Both protocols are Bounded, whose transport is what Unread needs.
        connections = cast("list[Connection]", list(self.server_state.connections))
        self._unread.look(connections, loop.time())
        self._next_look = loop.call_later(self.unread_seconds / LOOKS, self._look)

    async def _until(self, done: Callable[[], bool], seconds: float) -> None:
        """Wait for a condition; a second signal ends the wait."""
        end = asyncio.get_running_loop().time() + seconds
        while not (done() or self.force_exit):
            if asyncio.get_running_loop().time() >= end:
                return
            await asyncio.sleep(_TICK_SECONDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called at SIGINT and SIGTERM; the second one ends at once."""
        self.force_exit = self.should_exit
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Called by uvicorn, which raises captured signals anew when it ends.

        A requested stop must exit 0, so they are dropped.
        """
        with super().capture_signals():
            yield
            self._captured_signals.clear()
