"""Faults: what an empty list costs, and what thousands of held-up answers do.

`python -m tests.bench.faults [zttp|h11]` takes half a minute and prints figures.
"""

from __future__ import annotations

import asyncio
import json
import signal
import statistics
import sys
import time
import timeit
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from mock_server.app import create_app
from tests.bench.wire import PIN_REQUEST, Others, rss
from tests.process import serving

PENDING = 2_000
HELD = PIN_REQUEST.replace(b"Bearer k\r", b"Bearer held\r")


def admin(url: str, path: str, **body: object) -> None:
    """A POST to the admin API."""
    headers = {"Content-Type": "application/json"}
    content = json.dumps(body).encode()
    urlopen(Request(url + "/__admin" + path, content, headers, method="POST")).close()


def fired(url: str) -> int:
    """How often the first fault has fired."""
    with urlopen(url + "/__admin/faults/f1") as answer:
        return int(json.load(answer)["fired"])


def empty_check() -> None:
    """The check that every request pays for while there is no fault."""
    state = create_app({}).sandbox.state
    number = 1_000_000
    took = timeit.timeit("state.faults.active", globals={"state": state}, number=number)
    print(f"check of an empty list: {took / number * 1e6:.3f} µs a request")


Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def hold(url: str) -> list[Stream]:
    """Connections on each of which an answer is held up."""
    admin(
        url,
        "/faults",
        kind="delay",
        ms=60_000,
        times=10_000,
        match={"key": "held"},
    )
    parts = urlsplit(url)
    streams = []
    for _ in range(PENDING):
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        writer.write(HELD)
        await writer.drain()
        streams.append((reader, writer))
    while await asyncio.to_thread(fired, url) < PENDING:
        pass
    return streams


async def pending(url: str, pid: int) -> None:
    """Held-up answers, others meanwhile, and the reset that ends them."""
    before = rss(pid)
    streams = await hold(url)
    others = Others(url)
    task = asyncio.create_task(others.run())
    await asyncio.sleep(5)
    said, grown = others.stop(), rss(pid) - before
    await task
    start = time.perf_counter()
    await asyncio.to_thread(admin, url, "/reset")
    answers = await asyncio.gather(*(reader.read() for reader, _ in streams))
    took = (time.perf_counter() - start) * 1000
    assert set(answers) == {b""}
    print(
        f"{PENDING} held up: {said}, +{grown:.1f} MiB; reset ended all in {took:.0f} ms"
    )


def main(http: str) -> None:
    """Print all figures."""
    empty_check()
    with serving("--port=0", f"--http={http}") as (url, process):
        asyncio.run(pending(url, process.pid))
    took = []
    for _ in range(3):
        with serving("--port=0", f"--http={http}") as (url, process):

            async def stop() -> None:
                streams = await hold(url)
                process.send_signal(signal.SIGTERM)
                start = time.perf_counter()
                assert await asyncio.to_thread(process.wait, 30) == 0
                took.append(time.perf_counter() - start)
                assert len(streams) == PENDING

            asyncio.run(stop())
    print(f"{PENDING} held up: SIGTERM ended all in {statistics.median(took):.2f} s")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "zttp")
