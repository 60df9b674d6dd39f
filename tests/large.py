"""Large documents, and what is known of those that a server is loading."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import httpx2

from mock_server import MockServer
from tests.support import fetch, wait

JSON = {"Content-Type": "application/json"}


def document(collections: int) -> bytes:
    """A state of one dataset with so many collections."""
    found = [{"_id": f"{n:024}", "name": f"Name {n}"} for n in range(collections)]
    return json.dumps({"datasets": [{"id": "d", "collections": found}]}).encode()


@cache
def large() -> bytes:
    """What takes about a second to load."""
    return document(50_000)


def put(url: str, content: bytes, sandbox: str = "") -> httpx2.Response:
    """Put a state."""
    path = f"{url}/__admin{sandbox}/state"
    return fetch("PUT", path, content=content, headers=JSON)


def is_alive(pid: int) -> bool:
    """Whether there is such a process, and it has not ended."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().rpartition(")")[2][1] != "Z"
    except OSError:
        return False


def pids(server: MockServer) -> list[int]:
    """The processes that load documents for a server of this process."""
    children = tuple(server.app.loader.processes)
    return [each.process.pid for each in children if each.process is not None]


@contextmanager
def loading(
    server: MockServer, count: int = 1, sandbox: str = ""
) -> Iterator[list[Future[httpx2.Response]]]:
    """Puts of large states that are under way."""
    with ThreadPoolExecutor(count) as pool:
        asked = [pool.submit(put, server.url, large(), sandbox) for _ in range(count)]
        wait(lambda: len(pids(server)) == count)
        yield asked
