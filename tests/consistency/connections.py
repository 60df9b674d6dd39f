"""Clients of a server, each with one connection."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import httpx2

from tests.support import PLAIN, SECONDS


@asynccontextmanager
async def connections(url: str, count: int) -> AsyncIterator[list[httpx2.AsyncClient]]:
    """Clients of a server, each with one connection of its own."""
    async with AsyncExitStack() as stack:
        clients = [
            httpx2.AsyncClient(
                base_url=url,
                headers={"Authorization": "Bearer any-key"},
                limits=httpx2.Limits(max_connections=1),
                timeout=SECONDS,
                verify=PLAIN,
            )
            for _ in range(count)
        ]
        for client in clients:
            await stack.enter_async_context(client)
        yield clients
