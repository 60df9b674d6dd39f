"""One connection to one of the protocols, cut into segments, up to its very end.

Client and server share an event loop, so that it is known, not guessed, when a segment
has been taken and when nothing more will come.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from starlette.types import Receive, Scope, Send

from mock_server.app import Application
from mock_server.wire.server import Server
from mock_server.wire.uvicorn_internals import HttpParser
from tests.support import is_pinned
from tests.wire.payloads import CLOSED, OPEN, STUCK

CANARY_PATH = "b'/canary'"
CANARY = b"GET /canary HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_TURNS = 8


class Outcome(NamedTuple):
    """What became of a payload: with which statuses its requests are in the journal,
    and which heads the application saw.
    """

    statuses: tuple[int, ...]
    end: str
    pins: bool
    journal: tuple[int, ...]
    requests: tuple[tuple[object, ...], ...]


class Counted:
    """A mixin: how many bytes a connection has been given."""

    taken = 0
    flow: Any

    def data_received(self, data: bytes) -> None:
        self.taken += len(data)
        super().data_received(data)  # type: ignore[misc]

    def has_taken(self, count: int) -> bool:
        """Whether it has so many, or wants no more for now."""
        return self.taken >= count or self.flow.read_paused


@dataclass
class Peer:
    """A server of one parser, with the application and what it has been asked."""

    app: Application
    server: Server
    port: int
    seen: list[tuple[object, ...]]
    start: int = 0

    def begin(self) -> None:
        """Forget the payload before."""
        self.seen.clear()
        self.start = self.app.sandbox.journal.next_seq
        there = self.app.sandbox.store.app("app-1")
        assert there is not None
        self.app.sandbox.store.put_chat(there, there.chats["chat-1"])


@asynccontextmanager
async def peer(app: Application, http: HttpParser) -> AsyncIterator[Peer]:
    """A server in this event loop."""
    seen: list[tuple[object, ...]] = []

    async def noting(scope: Scope, receive: Receive, send: Send) -> None:
        names = ("method", "raw_path", "query_string", "http_version", "headers")
        seen.append(tuple(str(scope[name]) for name in names))
        await app(scope, receive, send)

    server = Server(noting, http, lambda: None, is_embedded=True)
    server.config.load()
    kind = server.config.http_protocol_class
    counted = type("CountedProtocol", (Counted, kind), {})
    state = server.server_state
    loop = asyncio.get_running_loop()
    listener = await loop.create_server(
        lambda: counted(server.config, state, {}), "127.0.0.1", 0
    )
    try:
        yield Peer(app, server, listener.sockets[0].getsockname()[1], seen)
    finally:
        for connection in list(state.connections):
            connection.transport.abort()
        listener.close()


async def outcome(peer: Peer, pieces: Sequence[bytes]) -> Outcome:
    """Send a payload in these segments, then a last request if still possible."""
    peer.begin()
    state = peer.server.server_state
    loop = asyncio.get_running_loop()
    with socket.socket() as client:
        client.setblocking(False)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await loop.sock_connect(client, ("127.0.0.1", peer.port))
        while not state.connections:
            await asyncio.sleep(0)
        (connection,) = state.connections
        sent = 0
        for piece in [*pieces, CANARY]:
            if connection not in state.connections:
                break
            try:
                await loop.sock_sendall(client, piece)
            except ConnectionError:
                break
            sent += len(piece)
            await _settled(state, connection, sent, is_last=piece is CANARY)
        is_stuck = connection in state.connections
        heard = _heard(client) if is_stuck else await _all(client)
        connection.transport.abort()
    while state.connections:
        await asyncio.sleep(0)
    return _outcome(peer, heard, is_stuck)


def _outcome(peer: Peer, heard: bytes, is_stuck: bool) -> Outcome:
    statuses = [int(each) for each in _STATUS.findall(heard)]
    end, requests = STUCK if is_stuck else CLOSED, peer.seen.copy()
    if not is_stuck and requests and requests[-1][1] == CANARY_PATH:
        end = OPEN
        statuses.pop()
        requests.pop()
    sandbox = peer.app.sandbox
    pins = is_pinned(peer.app)
    journal = [entry.status for entry in sandbox.journal.since(peer.start)]
    if end == OPEN:
        journal.pop()
    return Outcome(tuple(statuses), end, pins, tuple(journal), tuple(requests))


async def _settled(state: Any, connection: Any, sent: int, *, is_last: bool) -> None:
    """Until the server has all that was sent, and waits for more or for nothing."""
    quiet = 0
    while quiet < _TURNS:
        await asyncio.sleep(0)
        is_gone = connection not in state.connections
        cycle = connection.cycle
        waits = cycle is not None and cycle.more_body
        if is_last and waits:
            waits = not cycle.response_started  # else it is about to close
        is_behind = not (is_gone or connection.has_taken(sent))
        quiet = 0 if is_behind or (state.tasks and not waits) else quiet + 1


async def _all(client: socket.socket) -> bytes:
    heard = b""
    loop = asyncio.get_running_loop()
    try:
        while part := await loop.sock_recv(client, 65_536):
            heard += part
    except ConnectionError:
        pass
    return heard


def _heard(client: socket.socket) -> bytes:
    heard = b""
    try:
        while part := client.recv(65_536):
            heard += part
    except (BlockingIOError, ConnectionError):
        pass
    return heard
