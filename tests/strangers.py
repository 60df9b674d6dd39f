"""Servers that are no mock server, each wrong in a way of its own."""

from __future__ import annotations

import asyncio
import gzip
import json
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from ssl import SSLContext
from threading import Event, Thread

from tests.support import SECONDS

Behaviour = Callable[[StreamReader, StreamWriter], Awaitable[None]]

PAGE = b"<!doctype html>\n<title>Welcome</title><script src=app.js></script>"
_PACE = 0.02
_DROPS = 3_000
_FLOOD = 40_000

# Right by name, wrong by type, whatever it answers.
_MISTYPED = {
    "status": "ready",
    "fixture": 5,
    "sandbox": 1,
    "generation": "one",
    "faults": [{"id": 1}],
    "entries": [7],
    "total": 0,
    "kept": 0,
    "dropped": 0,
    "next": "1",
    "ok": "yes",
    "count": "0",
    "keys": {},
    "apps": {},
    "datasets": 0,
    "id": "f1",
    "kind": None,
    "name": 3,
}


def answer(
    status: str = "200 OK",
    body: bytes = b"",
    *headers: str,
    kind: str = "application/json",
    length: str | None = None,
) -> bytes:
    """An HTTP answer; `length` is what it says of the length of its body."""
    said = str(len(body)) if length is None else length
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", *headers]
    lines += [f"Content-Length: {said}", "Connection: close"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def says(content: bytes, then: bytes = b"", times: int = 0) -> Behaviour:
    """Answers with these bytes, then with others again and again; then closes."""

    async def behave(reader: StreamReader, writer: StreamWriter) -> None:
        del reader
        writer.write(content)
        for _ in range(times):
            writer.write(then)
            await writer.drain()

    return behave


def drips(start: bytes, drop: bytes) -> Behaviour:
    """Answers slowly, and never to the end."""

    async def behave(reader: StreamReader, writer: StreamWriter) -> None:
        del reader
        writer.write(start)
        for _ in range(_DROPS):
            writer.write(drop)
            await writer.drain()
            await asyncio.sleep(_PACE)

    return behave


_OPEN = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
_CHUNKED = _OPEN + b"Transfer-Encoding: chunked\r\n\r\n"
STRANGERS: dict[str, Behaviour] = {
    "garbage": says(bytes(range(256)) * 4),
    "silence": drips(b"", b""),
    "page": says(answer(body=PAGE, kind="text/html")),
    "dripping_head": drips(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a"),
    "dripping_body": drips(_OPEN + b"\r\n", b" "),
    "dripping_chunks": drips(_CHUNKED, b"1\r\n \r\n"),
    "endless_body": says(_OPEN + b"\r\n[0", b",0" * 32_768, _FLOOD),
    "endless_head": says(_OPEN, b"X-More: again\r\n" * 4_096, _FLOOD),
    "endless_line": says(b"HTTP/1.1 200 ", b"O" * 65_536, _FLOOD),
    "endless_trailer": says(_CHUNKED + b"0\r\n", b"X-More: x\r\n" * 4_096, _FLOOD),
    "storm_of_100": says(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_024, _FLOOD),
    "huge_length": says(answer(body=b"{}", length=str(10**15))),
    "huge_chunk": says(_CHUNKED + b"fffffffffffff\r\n{}"),
    "array": says(answer(body=b"[]")),
    "object": says(answer(body=b"{}")),
    "null": says(answer(body=b"null")),
    "number": says(answer(body=b"1e999")),
    "mistyped": says(answer(body=json.dumps(_MISTYPED).encode())),
    "nested": says(answer(body=b"[" * 200_000)),
    "closed_at_once": says(b""),
    "closed_in_head": says(b"HTTP/1.1 200 OK\r\nContent-Ty"),
    "closed_in_body": says(answer(body=b'{"status"', length="100")),
    "not_utf8": says(answer(body=b'{"status":"\xff\xfe","fixture":"\x80"}')),
    "no_content": says(b"HTTP/1.1 204 No Content\r\n\r\n"),
    "not_modified": says(b"HTTP/1.1 304 Not Modified\r\n\r\n"),
    "early_hints": says(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "page_404": says(answer("404 Not Found", PAGE, kind="text/html")),
    "page_500": says(answer("500 Oops", PAGE, kind="text/html")),
    "page_503": says(answer("503 Busy", PAGE, kind="text/html")),
    "gzip": says(answer("200 OK", gzip.compress(b"{}" * 99), "Content-Encoding: gzip")),
    "short_length": says(answer(body=b'{"sandbox":"default"}', length="9")),
    "long_length": says(answer(body=b"{}", length="99")),
    "no_length": says(answer(body=b"{}", length="many")),
    "http_0_9": says(PAGE),
    "http_2": says(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x80"),
    "terminal": says(answer("418 \x1b[31m\x9b2J", b"\x1b[2J::error::x \xe2\x80\xae")),
}


# Those that never end by themselves, or not soon.
ENDLESS = {
    "silence",
    "dripping_head",
    "dripping_body",
    "dripping_chunks",
    "endless_body",
    "endless_trailer",
}
REDIRECTS = {f"redirect_{status}": status for status in (301, 302, 303, 307, 308)}


@dataclass
class Strange:
    """The running servers: their ports by name, and what the last one has been sent.

    `elsewhere` is where the redirects point to.
    """

    ports: dict[str, int] = field(default_factory=dict)
    elsewhere: list[bytes] = field(default_factory=list)

    def url(self, name: str) -> str:
        """The address of one."""
        return f"http://127.0.0.1:{self.ports[name]}"


@contextmanager
def strangers(
    more: Mapping[str, Behaviour] | None = None, tls: SSLContext | None = None
) -> Iterator[Strange]:
    """All servers of STRANGERS, of REDIRECTS, and these, in a thread."""
    strange, ready = Strange(), Event()
    loop = asyncio.new_event_loop()
    ended = asyncio.Event()

    async def serve() -> None:
        async with AsyncExitStack() as stack:
            for server in await _started(strange, STRANGERS | dict(more or {}), tls):
                await stack.enter_async_context(server)
            ready.set()
            await ended.wait()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    thread = Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert ready.wait(SECONDS)
        yield strange
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(SECONDS)
        loop.close()


async def _started(
    strange: Strange, behaviours: dict[str, Behaviour], tls: SSLContext | None
) -> list[asyncio.Server]:
    async def record(reader: StreamReader, writer: StreamWriter) -> None:
        strange.elsewhere.append(await _request(reader))
        writer.write(answer(body=PAGE))
        writer.close()

    servers = [server := await asyncio.start_server(record, "127.0.0.1", 0)]
    target = f"http://localhost:{server.sockets[0].getsockname()[1]}/else"
    redirects = {
        f"redirect_{status}": says(
            answer(f"{status} There", b"", f"Location: {target}")
        )
        for status in (301, 302, 303, 307, 308)
    }
    for name, behave in (behaviours | redirects).items():
        server = await asyncio.start_server(_polite(behave), "127.0.0.1", 0, ssl=tls)
        servers.append(server)
        strange.ports[name] = server.sockets[0].getsockname()[1]
    return servers


def _polite(behave: Behaviour) -> Behaviour:
    """Reads the request first, so that no answer is lost to a reset."""

    async def serve(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await _request(reader)
            await behave(reader, writer)
            await writer.drain()
        writer.close()
        with suppress(OSError, asyncio.CancelledError):
            await writer.wait_closed()

    return serve


async def _request(reader: StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return head + await reader.readexactly(int(line.split(b":")[1]))
    return head
