"""What a system call costs on this machine, so that figures of two can be compared.

Where it is dear, as in some virtual machines, all servers look alike: most of a request
is the same few calls then.
"""

from __future__ import annotations

import os
import socket
import statistics
import time
from collections.abc import Callable, Iterator

from tests.bench.figures import Figure

ROUNDS, PAIRS = 9, 2_000


def pair_us(give: Callable[[], object], take: Callable[[], object]) -> float:
    """The time of two calls one after the other in µs: the median over rounds."""
    took = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in range(PAIRS):
            give()
            take()
        took.append((time.perf_counter() - start) / PAIRS * 1e6)
    return statistics.median(took)


def figures() -> Iterator[Figure]:
    """A byte through a pipe, and one over loopback; then a turn without any call."""
    reading, writing = os.pipe()
    us = pair_us(lambda: os.write(writing, b"x"), lambda: os.read(reading, 1))
    os.close(reading)
    os.close(writing)
    yield Figure("machine: write and read a byte of a pipe", us, "µs")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        server, _ = listener.accept()
        with client, server:
            us = pair_us(lambda: client.send(b"x"), lambda: server.recv(1))
    yield Figure("machine: send and receive a byte over loopback", us, "µs")
    note = "two empty functions of Python, which the others hold too"
    yield Figure(
        "machine: no call", pair_us(lambda: None, lambda: None), "µs", note=note
    )
