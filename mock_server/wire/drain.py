"""A uvicorn server that reports when it is ready and loses no request when it stops.

On SIGTERM uvicorn closes idle connections at once, and with them the requests that
clients are just sending. Here a stop has phases: listeners close, every response
announces `Connection: close`, idle connections stay open for a moment, requests in
progress are waited for, then all that is left is cut off.
"""

import asyncio
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import FrameType
from typing import cast

import uvicorn.config
import uvicorn.server
from starlette.types import ASGIApp

from mock_server.domain.limits import Limits
from mock_server.wire.parts import HttpParser, best_parser
from mock_server.wire.protocol import protocol_class, unless_refused
from mock_server.wire.transport import Connection, UnreadConnections

KEEP_ALIVE_SECONDS = 75
IDLE_SECONDS = 1.0
GRACE_SECONDS = 4.0
_POLL_SECONDS = 0.01
_CHECKS_PER_LIMIT = 10


class Server(uvicorn.server.Server):
    """Serves one application.

    `on_ready` is called once requests are accepted, `on_stop` when it should end the
    responses that have no end of their own, `on_hangup` at SIGHUP, which ends no
    server, `on_wait` when a stop waits for so many requests. An `embedded` server stops
    without waiting for idle connections. Raises UnfitUvicorn.
    """

    def __init__(
        self,
        app: ASGIApp,
        http: HttpParser | None,
        on_ready: Callable[[], object],
        on_stop: Callable[[], object] = lambda: None,
        on_hangup: Callable[[], object] = lambda: None,
        on_wait: Callable[[int], object] = lambda _: None,
        *,
        embedded: bool,
        is_dated: bool = True,
        limits: Limits = Limits(),
    ) -> None:
        parser = http or best_parser()
        super().__init__(
            uvicorn.config.Config(
                unless_refused(app, parser),
                http=protocol_class(parser, limits),
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=is_dated,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                # The buffer of StrictH11Protocol has the last word; h11's own limit,
                # 16 KiB by default, only must not come before it.
                h11_max_incomplete_event_size=2 * limits.header_bytes,
            )
        )
        self._on_ready = on_ready
        self._on_stop = on_stop
        self._on_hangup = on_hangup
        self._on_wait = on_wait
        self._idle_seconds = 0.0 if embedded else IDLE_SECONDS
        self._unread = UnreadConnections(limits.unread_seconds)
        self._check_seconds = limits.unread_seconds / _CHECKS_PER_LIMIT
        self._next_check: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_hung_up = False

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until it should stop, on a loop of its own.

        Until 0.36 uvicorn would change the loops of the whole process.
        """
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            runner.run(self.serve(sockets))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Called by uvicorn; listens, then reports."""
        await super().startup(sockets)
        self._check_unread()
        self._on_ready()
        self._loop = asyncio.get_running_loop()
        if self._is_hung_up:
            self._hang_up()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Called by uvicorn once a stop is asked for; ends all connections."""
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        # uvicorn puts this list first in every response, those in progress included.
        self.server_state.default_headers.append((b"connection", b"close"))
        self._on_stop()
        connections, tasks = self.server_state.connections, self.server_state.tasks
        await self._until(lambda: not connections, self._idle_seconds)
        for connection in list(connections):
            connection.shutdown()
        if tasks and not self.force_exit:
            self._on_wait(len(tasks))
        await self._until(lambda: not connections and not tasks, GRACE_SECONDS)
        for connection in list(connections):
            connection.transport.abort()
        # However often it was asked for: a request whose client has gone ends by
        # itself, and one that is cancelled is logged as an error.
        await self._until(lambda: not tasks, IDLE_SECONDS, is_forced=True)
        for task in list(tasks):
            task.cancel()
        if self._next_check is not None:
            self._next_check.cancel()

    def _check_unread(self) -> None:
        """End connections that are not read, now and again and again."""
        loop = asyncio.get_running_loop()
        # Every protocol has RequestDeadlineMixin, which sets this kind of transport.
        connections = cast("list[Connection]", list(self.server_state.connections))
        self._unread.check(connections, loop.time())
        self._next_check = loop.call_later(self._check_seconds, self._check_unread)

    async def _until(
        self, done: Callable[[], bool], seconds: float, *, is_forced: bool = False
    ) -> None:
        """Wait for a condition, for that long at most.

        A second signal ends the wait, unless that is forced.
        """
        end = asyncio.get_running_loop().time() + seconds
        while not (done() or (self.force_exit and not is_forced)):
            if asyncio.get_running_loop().time() >= end:
                return
            await asyncio.sleep(_POLL_SECONDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called at SIGINT and SIGTERM; the second one skips all waiting."""
        self.force_exit = self.should_exit
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Called by uvicorn around serving."""
        with super().capture_signals(), self._captured_hangup():
            yield
            # uvicorn would raise them again, and the process end by the signal; a stop
            # that was asked for exits with 0.
            self._captured_signals.clear()

    @contextmanager
    def _captured_hangup(self) -> Iterator[None]:
        # As with the other signals of uvicorn: only the main thread can do this.
        in_main = threading.current_thread() is threading.main_thread()
        if not in_main or not hasattr(signal, "SIGHUP"):
            yield
            return
        before = signal.signal(signal.SIGHUP, self._hang_up)
        try:
            yield
        finally:
            signal.signal(signal.SIGHUP, before)

    def _hang_up(self, *_: object) -> None:
        """Called at SIGHUP, amid whatever code is running."""
        if self._loop is None:
            self._is_hung_up = True
        elif not self.should_exit:
            self._loop.call_soon_threadsafe(self._on_hangup)


def _new_loop() -> asyncio.AbstractEventLoop:
    """A loop of uvloop where that is installed, else the usual one."""
    module = import_module("uvloop" if find_spec("uvloop") else "asyncio")
    loop: asyncio.AbstractEventLoop = module.new_event_loop()
    return loop
