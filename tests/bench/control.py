"""Resets, sandboxes and a long journal: what they cost, and whether that stays.

`python -m tests.bench.control` takes about two minutes and prints figures.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import time
from collections.abc import Callable
from urllib.parse import urlsplit
from urllib.request import urlopen

from mock_server.app import create_app
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.sandboxes.registry import Sandboxes
from tests.bench.wire import PIN_REQUEST, rss
from tests.process import serving
from tests.wire.sockets import REQUEST

REQUESTS = 1_000_000
CONNECTIONS = 32
PIPELINED = 25


def sandboxes_over(collections: int) -> Sandboxes:
    """The sandboxes of an application with that many collections."""
    entries = [{"name": "Article {n}", "repeat": collections}]
    keys = [{"key": f"key-{number}"} for number in range(5)]
    document = {"keys": keys, "datasets": [{"id": "d", "collections": entries}]}
    found = create_app(document).sandboxes
    assert isinstance(found, Sandboxes)
    return found


def median_us(call: Callable[[], object], times: int = 500) -> float:
    """The median of the time that a call takes, in microseconds."""
    took = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        took.append(time.perf_counter() - start)
    return statistics.median(took) * 1e6


def memory_of_sandboxes() -> None:
    """What an untouched sandbox takes, in a process that has freed nothing yet."""
    sandboxes = sandboxes_over(100)
    before = rss(os.getpid())
    for _ in range(DEFAULT_LIMITS.sandboxes):
        sandboxes.create()
    kib = (rss(os.getpid()) - before) * 1024 / DEFAULT_LIMITS.sandboxes
    print(f"memory of an untouched sandbox: {kib:.1f} KiB")


def resets_and_sandboxes() -> None:
    """Both at 100 and at 100,000 collections."""
    figures = {}
    for collections in (100, 100_000):
        sandboxes = sandboxes_over(collections)
        reset = median_us(sandboxes.default.reset)
        create = median_us(sandboxes.create)
        figures[collections] = reset, create
        print(
            f"{collections:>7} collections: reset {reset:.1f} µs, new {create:.1f} µs"
        )
    ratios = [large / small for small, large in zip(*figures.values(), strict=True)]
    print(f"100,000 against 100: reset {ratios[0]:.2f}x, new {ratios[1]:.2f}x")


async def fill(url: str, pid: int) -> None:
    """A million requests, half pins and half lists, over some connections."""
    parts = urlsplit(url)
    batch = (PIN_REQUEST + REQUEST) * (PIPELINED // 2) + PIN_REQUEST
    batches = REQUESTS // CONNECTIONS // PIPELINED

    async def client() -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        for _ in range(batches):
            writer.write(batch)
            for _ in range(PIPELINED):
                head = await reader.readuntil(b"\r\n\r\n")
                length = head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]
                await reader.readexactly(int(length))
        writer.close()

    clients = [asyncio.create_task(client()) for _ in range(CONNECTIONS)]
    journal = url + "/__admin/journal?limit=1"
    warm = 0.0
    while not all(each.done() for each in clients):
        await asyncio.sleep(1)
        page = json.load(await asyncio.to_thread(urlopen, journal))
        if page["dropped"] and not warm:
            warm = rss(pid)
    await asyncio.gather(*clients)
    page = json.load(await asyncio.to_thread(urlopen, journal))
    sent = batches * PIPELINED * CONNECTIONS
    print(
        f"{sent} requests: journal total {page['total']}, kept {page['kept']}, "
        f"dropped {page['dropped']}, kept + dropped - sent = "
        f"{page['kept'] + page['dropped'] - sent}, memory {rss(pid):.1f} MiB, "
        f"{rss(pid) - warm:+.1f} MiB since the first was dropped"
    )


def main() -> None:
    """Print all figures."""
    memory_of_sandboxes()
    resets_and_sandboxes()
    with serving("--port=0") as (url, process):
        asyncio.run(fill(url, process.pid))


if __name__ == "__main__":
    main()
