"""Ten attackers against one server, and how another client fares meanwhile.

`python -m tests.bench.attack [SECONDS]` sends all that grows at its largest, states
that swell, requests that never end and answers that nobody reads, all at once, and
prints how long the others waited and how much memory was used. Needs Linux.
"""

from __future__ import annotations

import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from threading import Event, Thread

from tests.bench.wire import rss
from tests.cost.inputs import ADMIN, KEY, OPERATIONS, STATE, STATES, YAML, Sent, admin
from tests.process import COMMAND, environment
from tests.support import LIST, PIN

MIB = 1024 * 1024
MEMORY_MIB = 256
ATTACKERS = 10
SECONDS = 60.0
WAIT_SECONDS = 30.0
BODY = b'{"offset":0,"pageSize":30,"datasetId":"6593e137231a2be9c5603ba7"}'
PINNED = b'{"appId":"65d8a1f0c3b2a94e7f106a01","chatId":"delivery-late","top":true}'


def send(address: str, sent: Sent) -> int:
    """The status of the answer to a request on a connection of its own."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    headers |= {name.title(): value for name, value in sent.headers.items()}
    path = f"{sent.path}?{sent.query}" if sent.query else sent.path
    with closing(HTTPConnection(address, timeout=WAIT_SECONDS)) as connection:
        connection.request(sent.method, path, sent.body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status


def largest(address: str) -> int:
    """Any input at its largest."""
    each = random.choice([*(OPERATIONS | ADMIN | STATES).values()])
    statuses = [send(address, sent) for sent in each.requests(each.largest)]
    return statuses[-1]


def duplicates(address: str) -> int:
    """A megabyte of keys that stand there already."""
    return send(address, Sent(STATE, b"apps: []\n" * 100_000, "PUT", YAML))


def repeated(address: str) -> int:
    """A few bytes of YAML that stand for gigabytes."""
    entry = f"{{name: '{'x' * 900} {{n}}', repeat: 2000000}}"
    text = f"datasets: [{{id: d, collections: [{entry}]}}]"
    return send(address, Sent(STATE, text.encode(), "PUT", YAML))


def swelling(address: str) -> int:
    """A sandbox with a state of its own."""
    collections = [{"name": f"{n} {'x' * 150}"} for n in range(4_000)]
    document = {"datasets": [{"id": "d", "collections": collections}]}
    return send(address, admin("POST", "/sandboxes", {"state": document}))


def filling(address: str) -> int:
    """Snapshots and faults with new names."""
    name = f"s{random.random()}"
    send(address, admin("PUT", f"/snapshots/{name}", {}))
    fault = {"kind": "alter", "set": {"x": "y" * 60_000}, "operation": "updateHistory"}
    return send(address, admin("POST", "/faults", fault | {"probability": 0}))


def everything(address: str) -> int:
    """The whole state, and the whole journal."""
    send(address, Sent("/__admin/state", method="GET", headers=dict(YAML)))
    return send(address, Sent("/__admin/journal", method="GET"))


def garbage(address: str) -> int:
    """Bytes that are no request."""
    with closing(_connected(address)) as connection:
        connection.sendall(b"GARBAGE \x00\r\n\r\n" * 50)
        return len(connection.recv(100))


def unfinished(address: str) -> int:
    """A request that does not end, and one of which nobody reads the answers."""
    first, second = _connected(address), _connected(address)
    with closing(first), closing(second):
        first.sendall(b"POST " + LIST.encode() + b" HTTP/1.1\r\nHost: localhost\r\nX: ")
        request = f"POST {LIST} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n"
        request += f"Content-Type: application/json\r\nContent-Length: {len(BODY)}\r\n"
        with suppress(TimeoutError):
            second.settimeout(2)
            for _ in range(300):
                second.sendall(request.encode() + b"\r\n" + BODY)
        time.sleep(0.5)
    return 0


def large_and_gone(address: str) -> int:
    """A large state of which the sender goes while it is loaded."""
    body = b'{"datasets":[{"id":"d","collections":[%b]}]}' % b",".join(
        [b'{"name":"a collection"}'] * 200_000
    )
    head = f"PUT {STATE} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    with closing(_connected(address)) as connection:
        connection.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())
        connection.sendall(body)
        time.sleep(random.random())
    return 0


def _connected(address: str) -> socket.socket:
    host, _, port = address.partition(":")
    return socket.create_connection((host, int(port)), timeout=WAIT_SECONDS)


ATTACKS: tuple[Callable[[str], int], ...] = (
    largest,
    largest,
    duplicates,
    repeated,
    swelling,
    filling,
    everything,
    garbage,
    unfinished,
    large_and_gone,
)


def attack(address: str, over: Event, seen: Counter[str]) -> None:
    """All attacks at once, until it is over."""

    def repeat(each: Callable[[str], int]) -> None:
        while not over.is_set():
            try:
                seen[f"{each.__name__} {each(address)}"] += 1
            except (OSError, HTTPException) as error:
                seen[f"{each.__name__} {type(error).__name__}"] += 1

    threads = [Thread(target=repeat, args=(each,)) for each in ATTACKS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def waits(address: str, seconds: float, watch: Callable[[], object]) -> list[float]:
    """How long each call of a well-behaved client took, in milliseconds."""
    calls = (("POST", LIST, BODY), ("PUT", PIN, PINNED), ("GET", "/__admin/clock", b""))
    headers = {"Content-Type": "application/json", "Authorization": "Bearer good"}
    end, found = time.monotonic() + seconds, []
    with closing(HTTPConnection(address, timeout=WAIT_SECONDS)) as connection:
        while time.monotonic() < end:
            for method, path, body in calls:
                start = time.perf_counter()
                connection.request(method, path, body, headers)
                connection.getresponse().read()
                found.append((time.perf_counter() - start) * 1000)
            watch()
            time.sleep(0.002)
    return found


def attackers(address: str, seconds: float) -> None:
    """The attacking process; it leaves the processor to others where it can."""
    os.nice(10)
    over, seen = Event(), Counter[str]()
    thread = Thread(target=attack, args=(address, over, seen))
    thread.start()
    thread.join(seconds)
    over.set()
    thread.join()
    print(", ".join(f"{what}: {count}" for what, count in sorted(seen.items())))


def main(seconds: float) -> None:
    """Attack, watch, print."""
    command = [*COMMAND, "--port", "0", f"--memory={MEMORY_MIB}MiB"]
    command += ["--log-format", "text"]  # which nobody reads
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    server = subprocess.Popen(command, env=environment(), **pipes)  # type: ignore[call-overload]
    address = server.stdout.readline().strip().partition("http://")[2]
    most = 0.0

    def watch() -> None:
        nonlocal most
        most = max(most, rss(server.pid))

    quiet = waits(address, 3, watch)
    this = [sys.executable, "-m", "tests.bench.attack", address, str(seconds)]
    with subprocess.Popen(this):
        took = waits(address, seconds, watch)
    for name, each in (("alone", quiet), ("under attack", took)):
        *_, p99 = statistics.quantiles(each, n=100)
        median, longest = statistics.median(each), max(each)
        print(
            f"{name}: {len(each)} calls, median {median:.1f} ms, p99 {p99:.1f} ms, "
            f"longest {longest:.1f} ms"
        )
    print(f"memory at most {most:.0f} MiB, with a budget of {MEMORY_MIB} MiB")
    start = time.monotonic()
    server.terminate()
    print(f"exit {server.wait(60)} after {time.monotonic() - start:.2f} s")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        attackers(sys.argv[1], float(sys.argv[2]))
    else:
        main(float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS)
