"""Calls a server as Python programs do: `python client.py LIBRARY URL`."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

HEADERS = {"Authorization": "Bearer k"}
PIN = {"appId": "65d8a1f0c3b2a94e7f106a01", "chatId": "invoice-copy", "top": True}
LIST = {"offset": 0, "datasetId": "6593e137231a2be9c5603ba7"}
CALLS = [
    ("PUT", "/api/core/chat/history/updateHistory", PIN),
    ("POST", "/api/core/dataset/collection/listV2", LIST),
]
IDLE_SECONDS = 6
Call = Callable[[str, str, Any], Any]


def everything(call: Call) -> None:
    """100 of both in a row, 16 at a time, and one after a pause."""
    for _ in range(100):
        for each in CALLS:
            check(call(*each))
    with ThreadPoolExecutor(16) as pool:
        for answer in pool.map(lambda each: call(*each), CALLS * 50):
            check(answer)
    time.sleep(IDLE_SECONDS)
    check(call(*CALLS[0]))


def check(answer: Any) -> None:
    """Every answer is a success."""
    assert answer["code"] == 200, answer


def by_requests(url: str) -> None:
    import requests

    with requests.Session() as session:
        everything(
            lambda method, path, body: session.request(
                method, url + path, json=body, headers=HEADERS
            ).json()
        )


def by_httpx2(url: str) -> None:
    import httpx2

    with httpx2.Client(base_url=url, headers=HEADERS, timeout=60) as client:
        everything(
            lambda method, path, body: client.request(method, path, json=body).json()
        )


def by_aiohttp(url: str) -> None:
    import aiohttp

    async def main() -> None:
        async with aiohttp.ClientSession(url, headers=HEADERS) as session:

            async def call(method: str, path: str, body: Any) -> None:
                async with session.request(method, path, json=body) as response:
                    check(await response.json())

            for _ in range(100):
                for each in CALLS:
                    await call(*each)
            limit = asyncio.Semaphore(16)

            async def limited(*each: Any) -> None:
                async with limit:
                    await call(*each)

            await asyncio.gather(*(limited(*each) for each in CALLS * 50))
            await asyncio.sleep(IDLE_SECONDS)
            await call(*CALLS[0])

    asyncio.run(main())


if __name__ == "__main__":
    library, address = sys.argv[1:]
    {"requests": by_requests, "httpx2": by_httpx2, "aiohttp": by_aiohttp}[library](
        address
    )
    print("ok")
