"""Slow, oversized and many requests: what they cost a server, and the others.

`python -m tests.bench.wire [zttp|h11]` takes less than two minutes and prints figures.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from tests.process import serving
from tests.support import PIN
from tests.wire.sockets import REQUEST, connect, exchange

SLOW = 1_000
SATURATION_SECONDS = 60
MIB = 1024 * 1024
PIN_BODY = (
    b'{"appId": "65d8a1f0c3b2a94e7f106a01", "chatId": "invoice-copy", "top": true}'
)
PIN_REQUEST = (
    b"PUT %b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
) % (PIN.encode(), len(PIN_BODY), PIN_BODY)


def rss(pid: int) -> float:
    """Resident memory of a process in MiB (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


def descriptors(pid: int) -> int:
    """Open file descriptors of a process (Linux)."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


class Others:
    """A normal client that calls all the time and notes how long each call takes."""

    def __init__(self, url: str) -> None:
        self._client = connect(url)
        self._going = True
        self.ms: list[float] = []

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._going:
            self.ms.append(await loop.run_in_executor(None, self._call))
            await asyncio.sleep(0.005)

    def _call(self) -> float:
        start = time.perf_counter()
        assert exchange(self._client).startswith(b"HTTP/1.1 200 ")
        return (time.perf_counter() - start) * 1000

    def stop(self) -> str:
        self._going = False
        p99 = statistics.quantiles(self.ms, n=100)[98]
        return f"others p99 {p99:.1f} ms, longest {max(self.ms):.1f} ms"


async def slow(url: str, pid: int) -> None:
    """Half of the connections send half a header, half of them half a body."""
    before, others = rss(pid), Others(url)
    task = asyncio.create_task(others.run())
    start = time.monotonic()

    async def wait(part: bytes) -> float:
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(part)
        answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 408 "), answer[:60]
        writer.close()
        return time.monotonic() - start

    waits = [wait(REQUEST[: 60 if n % 2 else -5]) for n in range(SLOW)]
    last = max(await asyncio.gather(*waits))
    said, grown = others.stop(), rss(pid) - before
    await task
    print(f"{SLOW} slow: all 408 after {last:.1f} s, +{grown:.1f} MiB, {said}")


async def oversized(url: str, pid: int) -> None:
    """Bodies and headers over the limits, up to 300 MB."""
    before, others = rss(pid), Others(url)
    task = asyncio.create_task(others.run())
    most = 0.0
    for size in (MIB + 1, 10 * MIB, 300 * MIB):
        head = REQUEST.split(b"Content-Length")[0]
        as_body = head + b"Content-Length: %d\r\n\r\n" % size
        as_header = head + b"X: "
        as_chunk = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % size
        for start in (as_body, as_chunk, as_header):
            await flood(url, start, size)
            most = max(most, rss(pid) - before)
    print(f"oversized up to 300 MB: +{most:.1f} MiB at most, {others.stop()}")
    await task


async def flood(url: str, start: bytes, size: int) -> None:
    """Send until the server has enough."""
    parts = urlsplit(url)
    _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    piece = b"x" * 65_536
    try:
        writer.write(start)
        for _ in range(size // len(piece)):
            writer.write(piece)
            await writer.drain()
    except ConnectionError:
        pass
    writer.close()


async def saturated(url: str, pid: int) -> None:
    """64 connections that never pause, half of them pinning, half of them listing."""
    counts = [0, 0]
    parts = urlsplit(url)
    end = time.monotonic() + SATURATION_SECONDS

    async def call(request: bytes) -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        while time.monotonic() < end:
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            counts[not head.startswith(b"HTTP/1.1 200 ")] += 1
        writer.close()

    files = descriptors(pid)
    calls = [
        asyncio.create_task(call(PIN_REQUEST if n % 2 else REQUEST)) for n in range(64)
    ]
    await asyncio.sleep(SATURATION_SECONDS / 4)
    warm = rss(pid)
    await asyncio.gather(*calls)
    grown = rss(pid) - warm
    await asyncio.sleep(0.5)
    good, bad = counts
    print(
        f"{SATURATION_SECONDS} s saturated: {good} answers, {bad} errors, "
        f"{grown:+.1f} MiB after warm-up, {descriptors(pid) - files:+d} descriptors"
    )


async def main(http: str) -> None:
    with serving("--port=0", f"--http={http}") as (url, process):
        for measure in (slow, oversized, saturated):
            await measure(url, process.pid)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "zttp"))
