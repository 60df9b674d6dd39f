"""Serves an application, in the foreground or in a thread, and stops without losses.

On SIGTERM, uvicorn closes idle connections at once, and loses requests that clients are
just sending. Here a stop has phases: the listeners close; every response announces
`Connection: close`; idle connections stay open for a moment; requests in progress are
completed; then the other connections are cut off.
"""

import asyncio
import errno
import signal
import socket
import struct
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from types import FrameType
from typing import Any

import uvicorn.config
import uvicorn.server
from starlette.types import ASGIApp

from mock_server.domain.limits import Limits
from mock_server.wire.protocol import protocol_class, skip_refused
from mock_server.wire.transport import UnreadConnections
from mock_server.wire.uvicorn_internals import HttpParser, best_parser

KEEP_ALIVE_SECONDS = 75
IDLE_SECONDS = 1.0
GRACE_SECONDS = 4.0
_STOP_POLL_SECONDS = 0.01
_TICK_SECONDS = 0.1  # on_tick counts tenths of a second
_TURNS_TO_READ = 4
"""Number of turns after which both event loops have read a new connection."""
_CHECKS_PER_LIMIT = 10
_BACKLOG = 2048
_HANDSHAKE_SECONDS = 0.005  # for connections that have begun
_SO_ATTACH_FILTER = 26  # of Linux; `socket` does not name it
# Instructions of a Linux packet filter over a TCP header: code, jumps, operand.
_DROP_NEW_CONNECTIONS = (
    (0x30, 0, 0, 13),  # load the byte of the flags
    (0x45, 0, 1, 0x02),  # without SYN, skip one instruction
    (0x06, 0, 0, 0),  # drop the packet
    (0x06, 0, 0, 0xFFFFFFFF),  # keep the packet
)
_START_POLL_SECONDS = 0.05
# Loopback addresses of sockets that listen on all addresses.
_LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - not bound


class Server(uvicorn.server.Server):
    """Serves one application.

    `http` is by default the best installed parser. The event loop calls `on_ready` when
    the server accepts requests; `on_stop` at a stop, to end endless responses;
    `on_hangup` at SIGHUP, which does not end the server; `on_wait` with the number of
    requests that a stop waits for. An embedded server stops without waiting for idle
    connections. Raises UnsupportedUvicorn.
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
        is_embedded: bool,
        limits: Limits = Limits(),
    ) -> None:
        parser = http or best_parser()
        super().__init__(
            uvicorn.config.Config(
                skip_refused(app, parser),
                http=protocol_class(parser, limits),
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                # StrictBuffer has the limit; h11's own (16 KiB by default) must be
                # larger.
                h11_max_incomplete_event_size=2 * limits.header_bytes,
            )
        )
        self._on_ready = on_ready
        self._on_stop = on_stop
        self._on_hangup = on_hangup
        self._on_wait = on_wait
        self._idle_seconds = 0.0 if is_embedded else IDLE_SECONDS
        self._unread = UnreadConnections(limits.unread_seconds)
        self._check_seconds = limits.unread_seconds / _CHECKS_PER_LIMIT
        self._next_check: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_hung_up = False
        self._stop_requested = asyncio.Event()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a stop, on a new event loop.

        uvicorn's own method, before 0.36, changes the loops of the whole process.
        """
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            runner.run(self.serve(sockets))

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Called by uvicorn: listen, then call `on_ready`."""
        await super().startup(sockets)
        self._check_unread()
        self._on_ready()
        self._loop = asyncio.get_running_loop()
        if self._is_hung_up:
            self._hang_up()

    async def main_loop(self) -> None:
        """Called by uvicorn: wait until a stop."""
        counter = 0
        while not await self.on_tick(counter):
            counter += 1
            with suppress(TimeoutError):  # a signal sets no event
                async with asyncio.timeout(_TICK_SECONDS):
                    await self._stop_requested.wait()

    def stop(self) -> None:
        """Request a stop; any thread may call this."""
        self.should_exit = True
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._stop_requested.set)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Called by uvicorn at a stop: end all connections in phases."""
        # uvicorn adds these headers to all responses that have not begun.
        self.server_state.default_headers.append((b"connection", b"close"))
        # Connections that wait when a listener closes are reset. Let no more come, and
        # accept and close in one turn for systems where they come.
        for listener in sockets or ():
            drop_new_connections(listener)
        await asyncio.sleep(_HANDSHAKE_SECONDS)
        accepted_sockets = [
            one for each in sockets or () for one in _accept_waiting(each)
        ]
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        for accepted in accepted_sockets:
            await self._serve_accepted(accepted)
        for _ in range(_TURNS_TO_READ):
            await asyncio.sleep(0)
        self._on_stop()
        connections, tasks = self.server_state.connections, self.server_state.tasks
        await self._wait_for(lambda: not connections, self._idle_seconds)
        for connection in list(connections):
            connection.shutdown()
        if tasks and not self.force_exit:
            self._on_wait(len(tasks))
        await self._wait_for(lambda: not connections and not tasks, GRACE_SECONDS)
        for connection in list(connections):
            connection.transport.abort()
        # Wait even after a second signal: a request without a client ends by itself,
        # and cancelling it would log an error.
        await self._wait_for(lambda: not tasks, IDLE_SECONDS, is_forced=True)
        for task in list(tasks):
            task.cancel()
        if self._next_check is not None:
            self._next_check.cancel()

    async def _serve_accepted(self, accepted: socket.socket) -> None:
        """Serve a connection that was accepted here, not by the event loop."""
        make_protocol: Any = self.config.http_protocol_class
        state, lifespan = self.server_state, self.lifespan.state
        protocol = make_protocol(
            config=self.config, server_state=state, app_state=lifespan
        )
        loop = asyncio.get_running_loop()
        with suppress(OSError):  # the client has gone
            await loop.connect_accepted_socket(lambda: protocol, accepted)

    def _check_unread(self) -> None:
        """End connections whose clients do not read, now and repeatedly."""
        loop = asyncio.get_running_loop()
        # RequestDeadlineMixin sets a CoalescingTransport as the transport.
        connections: Iterable[Any] = self.server_state.connections
        self._unread.check([each.transport for each in connections], loop.time())
        self._next_check = loop.call_later(self._check_seconds, self._check_unread)

    async def _wait_for(
        self, is_done: Callable[[], bool], seconds: float, *, is_forced: bool = False
    ) -> None:
        """Wait until `is_done` returns True, for at most `seconds`.

        A second signal ends the wait, unless `is_forced`.
        """
        end = asyncio.get_running_loop().time() + seconds
        while not (is_done() or (self.force_exit and not is_forced)):
            if asyncio.get_running_loop().time() >= end:
                return
            await asyncio.sleep(_STOP_POLL_SECONDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called at SIGINT and SIGTERM: stop; a second signal skips all waiting."""
        self.force_exit = self.should_exit
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Called by uvicorn: handle signals while the server runs."""
        with super().capture_signals(), self._captured_hangup():
            yield
            # uvicorn would raise the signals again, which ends the process; but after a
            # requested stop, the process exits with 0.
            self._captured_signals.clear()

    @contextmanager
    def _captured_hangup(self) -> Iterator[None]:
        # Only the main thread can handle signals.
        is_main_thread = threading.current_thread() is threading.main_thread()
        if not is_main_thread or not hasattr(signal, "SIGHUP"):
            yield
            return
        previous_handler = signal.signal(signal.SIGHUP, self._hang_up)
        try:
            yield
        finally:
            signal.signal(signal.SIGHUP, previous_handler)

    def _hang_up(self, *_: object) -> None:
        """Called at SIGHUP, at any point of the main thread's code."""
        if self._loop is None:
            self._is_hung_up = True
        elif not self.should_exit:
            self._loop.call_soon_threadsafe(self._on_hangup)


def drop_new_connections(listener: socket.socket) -> None:
    """Let the kernel drop the first packet of each further connection, on Linux.

    Clients send it again after a second; by then the listener has closed, or another
    server listens. Connections that have begun, or wait to be accepted, remain.
    """
    code = b"".join(struct.pack("HBBI", *each) for each in _DROP_NEW_CONNECTIONS)
    program = array("B", code)
    address, _ = program.buffer_info()
    option = struct.pack("HP", len(_DROP_NEW_CONNECTIONS), address)
    with suppress(OSError):  # another system
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, option)


def _accept_waiting(listener: socket.socket) -> Iterator[socket.socket]:
    """Accept the waiting connections, as long as there are descriptors."""
    with suppress(OSError):  # BlockingIOError after the last one
        for _ in range(_BACKLOG):
            yield listener.accept()[0]


def _new_loop() -> asyncio.AbstractEventLoop:
    """Return a loop of uvloop if it is installed, else of asyncio."""
    module = import_module("uvloop" if find_spec("uvloop") else "asyncio")
    loop: asyncio.AbstractEventLoop = module.new_event_loop()
    return loop


class CannotBind(Exception):
    """The server cannot listen on an address; the message names the reason."""


def bind(host: str, port: int, free_port: str = "port=0") -> socket.socket:
    """Return a listening socket; port 0 selects a free port. Raises CannotBind.

    `free_port` is the option of the caller that selects a free port, for the message.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        if not 0 <= port <= 65535:
            raise OSError("a port is from 0 to 65535")
        if not host:  # an empty host would listen on all addresses
            raise OSError("an address is needed, such as 127.0.0.1 or 0.0.0.0")
        if not host.isascii():
            host.encode("idna")  # else the socket raises TypeError, and stays open
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            reason = f"something listens there already; {free_port} takes a free port"
        else:
            reason = str(getattr(error, "strerror", None) or error)
        raise CannotBind(f"cannot listen on {host}:{port}: {reason}") from None


def url_of(listener: socket.socket) -> str:
    """Return `http://HOST:PORT` of a listening socket."""
    return _url(*listener.getsockname()[:2])


def openable_url_of(listener: socket.socket) -> str:
    """Return the URL of a listening socket for clients on this machine.

    For a socket that listens on all addresses, it has a loopback address.
    """
    host, port = listener.getsockname()[:2]
    return _url(_LOOPBACK.get(host, host), port)


def _url(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@contextmanager
def running(
    app: ASGIApp,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    http: HttpParser | None = None,
    on_stop: Callable[[], object] = lambda: None,
    limits: Limits = Limits(),
) -> Iterator[str]:
    """Serve an application in a thread while the context lasts; yield the URL.

    Raises CannotBind and UnsupportedUvicorn.
    """
    ready = threading.Event()
    calls = ready.set, on_stop
    server = Server(app, http, *calls, is_embedded=True, limits=limits)
    # Bind in the caller's thread, so that the caller gets CannotBind or the URL.
    listener = bind(host, port)
    url = url_of(listener)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        # Poll, because a server that fails at its start never becomes ready.
        while not ready.wait(_START_POLL_SECONDS):
            if not thread.is_alive():
                raise RuntimeError("the server stopped before it was ready")
        yield url
    finally:
        server.stop()
        thread.join()
