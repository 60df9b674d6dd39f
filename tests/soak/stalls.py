"""How long one client waits for pages, and for a bare loop on the same machine.

Run as a program it asks both in turn until its input ends, then prints what it took.
Where others use the cores too, a server has to wait for one as well: the system says
how long it did, and so did this process, and that is no stall of the loop.
"""

from __future__ import annotations

import json
import os
import select
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

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
    """Milliseconds that each answer took, of the server and of the bare loop; and what
    is left of those of the server without waits for a core.
    """

    def __init__(self) -> None:
        self.server: Sequence[float] = ()
        self.bare: Sequence[float] = ()
        self.on_core: Sequence[float] = ()


def p999(ms: Sequence[float]) -> float:
    """What all but one in a thousand stay below."""
    return statistics.quantiles(ms, n=1000, method="inclusive")[998]


@contextmanager
def probing(url: str, pid: int) -> Iterator[Stalls]:
    """Look for stalls meanwhile, in a process of its own; there at the end."""
    stalls = Stalls()
    command = [sys.executable, "-m", "tests.soak.stalls", url, f"{pid}"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment(), **pipes) as process:  # type: ignore[call-overload]
        yield stalls
        out, _ = process.communicate(timeout=60)
    found = json.loads(out)
    stalls.server, stalls.bare = found["server"], found["bare"]
    stalls.on_core = found["on_core"]


def waited_ms(*pids: int) -> float:
    """Milliseconds that main threads were ready to run and had no core (Linux)."""
    texts = (Path(f"/proc/{pid}/schedstat").read_text() for pid in pids)
    return sum(int(text.split()[1]) for text in texts) / 1e6


def took_ms(client: socket.socket) -> float:
    """Milliseconds until a page is there."""
    start = time.perf_counter()
    client.sendall(PAGE)
    assert answer(client).startswith(b"HTTP/1.1 200 ")
    return (time.perf_counter() - start) * 1e3


def probe(url: str, pid: int) -> dict[str, list[float]]:
    """Ask both in turn until the input of this process ends."""
    server, bare, on_core, own = (
        list[float](),
        list[float](),
        list[float](),
        os.getpid(),
    )
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", BARE], stdout=pipe) as process:
        assert process.stdout is not None
        other = connect(f"http://127.0.0.1:{int(process.stdout.readline())}")
        with connect(url) as client, other:
            while not select.select([sys.stdin], [], [], PAUSE_SECONDS)[0]:
                before = waited_ms(pid, own)
                server.append(took_ms(client))
                waited = waited_ms(pid, own) - before
                on_core.append(max(0.0, server[-1] - waited))
                bare.append(took_ms(other))
        process.kill()
    return {"server": server, "bare": bare, "on_core": on_core}


if __name__ == "__main__":
    print(json.dumps(probe(sys.argv[1], int(sys.argv[2]))))
