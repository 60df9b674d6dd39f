"""Streams of the journal while requests come, next to a bare server of events."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from tests.bench import rates
from tests.bench.figures import MOST_GROWTH, Figure, growth
from tests.bench.load import Server
from tests.bench.references import STREAM, Canned
from tests.support import LIST

ROUNDS = 5
STREAMS = 100
REQUESTS = 200
PAUSE_SECONDS = 0.004
_HEAD_END, _EVENT_END = b"\r\n\r\n", b"\n\n"


class Following:
    """Streams that are read by one loop, and requests that they tell of."""

    def __init__(self, server: Server) -> None:
        parts = urlsplit(server.url)
        self._address = str(parts.hostname), int(parts.port or 0)
        self._server = server
        self._told = 0

    async def first_event(self) -> str:
        """An event as the server sends it."""
        reader, writer = await self._follow()
        await self._request(1)
        part = b""
        while b"event: entry" not in part:
            part = await reader.readuntil(_EVENT_END)
        writer.close()
        return part[part.index(b"id: ") :].decode()

    async def measure(self, streams: int) -> tuple[float, float]:
        """CPU in µs of a request with so many streams, and its p99 in ms.

        All events are to arrive.
        """
        readers = [await self._follow() for _ in range(streams)]
        self._told = 0
        tasks = [asyncio.create_task(self._read(reader)) for reader, _ in readers]
        before = self._server.cpu()
        took = await self._request(REQUESTS)
        while self._told < streams * REQUESTS:
            await asyncio.sleep(0.005)
        used = self._server.cpu() - before
        for task, (_, writer) in zip(tasks, readers, strict=True):
            task.cancel()
            writer.close()
        p99 = statistics.quantiles(took, n=100)[98]
        return used / REQUESTS * 1e6, p99 * 1e3

    async def _follow(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A new stream, its head read."""
        reader, writer = await asyncio.open_connection(*self._address)
        writer.write(b"GET %b HTTP/1.1\r\nHost: localhost\r\n\r\n" % STREAM.encode())
        await reader.readuntil(_HEAD_END)
        return reader, writer

    async def _read(self, reader: asyncio.StreamReader) -> None:
        """Count the events; other parts of a stream are signs of life."""
        while True:
            part = await reader.readuntil(_EVENT_END)
            self._told += b"event: entry" in part

    async def _request(self, times: int) -> list[float]:
        """Send requests one by one, with a pause between them; seconds of each."""
        work = rates.PLAIN
        lines = [f"{work.method} {work.path} HTTP/1.1", "Host: localhost"]
        lines += [f"{name}: {value}" for name, value in work.all_headers.items()]
        lines += [f"Content-Length: {len(work.content)}", "", ""]
        request = "\r\n".join(lines).encode() + work.content
        reader, writer = await asyncio.open_connection(*self._address)
        took = []
        for _ in range(times):
            start = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(_HEAD_END)
            length = head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]
            await reader.readexactly(int(length))
            took.append(time.perf_counter() - start)
            await asyncio.sleep(PAUSE_SECONDS)
        writer.close()
        return took


async def measured(own: Server, bare: Server) -> dict[str, list[list[float]]]:
    """CPU and p99 by server, in each round: without streams, and with them."""
    found: dict[str, list[list[float]]] = {"own": [], "bare": []}
    for _ in range(ROUNDS):
        for name, server in (("own", own), ("bare", bare)):
            following = Following(server)
            found[name].append(
                [*await following.measure(0), *await following.measure(STREAMS)]
            )
    return found


def figures() -> Iterator[Figure]:
    """What streams add to a request."""
    with rates.server() as own:
        event = asyncio.run(Following(own).first_event())
        with rates.reference("stream", Canned("POST", LIST, {}, event)) as bare:
            found = asyncio.run(measured(own, bare))
    added = {
        name: [(with_them - without) / STREAMS for without, _, with_them, _ in rounds]
        for name, rounds in found.items()
    }
    own_us, bare_us = (statistics.median(added[name]) for name in added)
    ratio = statistics.median(
        a / b for a, b in zip(added["own"], added["bare"], strict=True)
    )
    title = f"{STREAMS} streams of the journal"
    yield Figure(f"{title}: CPU of an event", own_us, "µs", note=f"bare {bare_us:.1f}")
    yield Figure(
        f"{title}: CPU of an event to the bare server's", ratio, "×", MOST_GROWTH
    )
    p99 = [statistics.median(p99 for *_, p99 in rounds) for rounds in found.values()]
    yield Figure(f"{title}: p99 of requests", p99[0], "ms", note=f"bare {p99[1]:.1f}")
    growths = [
        statistics.median(after / before for _, before, _, after in rounds)
        for rounds in found.values()
    ]
    yield growth(f"{title}: p99", *growths)
