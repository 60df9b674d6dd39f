"""How long one client waits for pages, and for a bare loop on the same machine.

Run as a program it asks both in turn until its input ends, then prints what it took.
"""

from __future__ import annotations

import json
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tests.process import environment
from tests.soak.client import request
from tests.soak.world import DATASET, KEY
from tests.support import LIST
from tests.wire.sockets import answer, connect

PAUSE_SECONDS = 0.005
PAGE = request("POST", LIST, {"offset": 0, "pageSize": 5, "datasetId": DATASET}, KEY)
BARE = """
import asyncio, sys

class Bare(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
    def data_received(self, data):
        self.transport.write(b"HTTP/1.1 200 OK\\r\\ncontent-length: 0\\r\\n\\r\\n")

async def serve():
    server = await asyncio.get_running_loop().create_server(Bare, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(serve())
"""
"""A loop that does nothing but answer: what it waits for is the machine."""


class Stalls:
    """Milliseconds that each answer took, of the server and of the bare loop."""

    def __init__(self) -> None:
        self.server: Sequence[float] = ()
        self.bare: Sequence[float] = ()


def p999(ms: Sequence[float]) -> float:
    """What all but one in a thousand stay below."""
    return statistics.quantiles(ms, n=1000, method="inclusive")[998]


@contextmanager
def probing(url: str) -> Iterator[Stalls]:
    """Look for stalls meanwhile, in a process of its own; there at the end."""
    stalls = Stalls()
    command = [sys.executable, "-m", "tests.soak.stalls", url]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment(), **pipes) as process:  # type: ignore[call-overload]
        yield stalls
        out, _ = process.communicate(timeout=60)
    found = json.loads(out)
    stalls.server, stalls.bare = found["server"], found["bare"]


def probe(url: str) -> dict[str, list[float]]:
    """Ask both in turn until the input of this process ends."""
    with subprocess.Popen([sys.executable, "-c", BARE], stdout=subprocess.PIPE) as bare:
        assert bare.stdout is not None
        urls = {
            "server": url,
            "bare": f"http://127.0.0.1:{int(bare.stdout.readline())}",
        }
        clients = {name: connect(each) for name, each in urls.items()}
        found: dict[str, list[float]] = {name: [] for name in urls}
        while not select.select([sys.stdin], [], [], PAUSE_SECONDS)[0]:
            for name, client in clients.items():
                start = time.perf_counter()
                client.sendall(PAGE)
                assert answer(client).startswith(b"HTTP/1.1 200 ")
                found[name].append((time.perf_counter() - start) * 1e3)
        bare.kill()
    return found


if __name__ == "__main__":
    print(json.dumps(probe(sys.argv[1])))
