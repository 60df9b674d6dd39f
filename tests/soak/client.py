"""A lean client that looks at each answer: it must not cost more than the server."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

WAIT_SECONDS = 60.0
"""An answer that takes longer counts as none."""
JSON = "application/json"
LOADS = 2
"""Large documents that a server loads at the same time; of one more it refuses."""
_HEAD_BYTES = 65_536


class Unexpected(Exception):
    """An answer that must not be; the text says what was expected and what came."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it came, header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body, which has to be JSON."""
        return json.loads(self.body)

    @property
    def data(self) -> Any:
        """What the envelope of a success holds."""
        return self.json["data"]


def expect(is_so: bool, expected: object, got: object) -> None:
    """Raises Unexpected unless it is so."""
    if not is_so:
        raise Unexpected(f"Expected {expected}, got {str(got)[:600]}")


def request(
    method: str, path: str, body: object, key: str | None, kind: str = JSON
) -> bytes:
    """A request as bytes; a body that is no bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    bearer = "" if key is None else f"Authorization: Bearer {key}\r\n"
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{bearer}"
        f"Content-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


class Connection:
    """One connection, on which requests are sent and answers read in turn."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.is_last = False
        """Whether the last answer has announced the end of the connection."""

    def send(self, content: bytes) -> None:
        """Send bytes."""
        self.writer.write(content)

    async def answer(self) -> Answer:
        """The next whole answer. Raises OSError, EOFError and ValueError."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        status, *lines = head[:-4].decode("latin-1").split("\r\n")
        pairs = (line.partition(": ") for line in lines)
        headers = {name.lower(): value for name, _, value in pairs}
        if headers.get("connection") == "close":
            self.is_last = True
        if "content-length" in headers:
            body = await self.reader.readexactly(int(headers["content-length"]))
        else:
            body = b"".join([chunk async for chunk in self._chunks()])
        return Answer(int(status.split(" ", 2)[1]), headers, body)

    async def _chunks(self) -> AsyncIterator[bytes]:
        size = 1
        while size:
            size = int(await self.reader.readuntil(b"\r\n"), 16)
            yield (await self.reader.readexactly(size + 2))[:-2]

    def drop(self) -> None:
        """End it at once, with a reset if anything is unread."""
        self.writer.transport.abort()


class Client(AbstractContextManager["Client"]):
    """Connections to one server, kept for the next request, ended by its context.

    `asked` counts the answers that were waited for, `loading` is held while a large
    document is sent.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._where = str(parts.hostname), int(parts.port or 0)
        self._idle: deque[Connection] = deque()
        self.asked = 0
        self.loading = asyncio.Semaphore(LOADS)

    async def connect(self) -> Connection:
        """A new connection."""
        made = await asyncio.open_connection(*self._where, limit=_HEAD_BYTES)
        return Connection(*made)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection for a while; kept afterwards, unless that raised something."""
        there = self._idle.popleft() if self._idle else await self.connect()
        try:
            yield there
        except BaseException:
            there.drop()
            raise
        if there.is_last:
            there.drop()
        else:
            self._idle.append(there)

    async def ask(
        self,
        method: str,
        path: str,
        body: object = b"",
        *,
        key: str | None = None,
        kind: str = JSON,
    ) -> Answer:
        """The answer to one request."""
        async with asyncio.timeout(WAIT_SECONDS), self.connection() as connection:
            connection.send(request(method, path, body, key, kind))
            self.asked += 1
            return await connection.answer()

    async def admin(
        self, method: str, path: str, body: object = b"", status: int = 200
    ) -> Any:
        """What the admin API answers, which is to have this status."""
        if not body and method in ("POST", "PUT"):
            body = {}
        answer = await self.ask(method, f"/__admin{path}", body)
        expect(answer.status == status, f"{status} to {method} {path}", answer)
        return answer.json

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connections that are kept."""
        while self._idle:
            self._idle.pop().drop()
