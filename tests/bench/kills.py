"""SIGTERM at random moments of a server's life: does it end, soon and in order?

`python -m tests.bench.kills [ROUNDS]` prints how servers ended and how long that took.
"""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

from tests.bench.attack import BODY, send
from tests.cost.inputs import STATE, YAML, Sent, admin
from tests.process import COMMAND, environment
from tests.support import LIST

ROUNDS = 1_000
AT_ONCE = 4
PROMISED_SECONDS = 6.0
PAUSE_SECONDS = 0.4
LARGE = b'{"datasets":[{"id":"d","collections":[%b]}]}' % b",".join(
    [b'{"name":"a collection","tags":["a","b"]}'] * 60_000
)


def nothing(address: str) -> None:
    """A server that has just begun."""


def loading(address: str) -> None:
    """A large state, in YAML, which takes longer."""
    send(address, Sent(STATE, LARGE, "PUT", YAML))


def dumping(address: str) -> None:
    """A large state, loaded and read."""
    send(address, Sent(STATE, LARGE, "PUT"))
    while True:
        send(address, Sent(STATE, method="GET"))


def calling(address: str) -> None:
    """Calls without end."""
    while True:
        send(address, Sent(LIST, BODY))


def streaming(address: str) -> None:
    """The stream of the journal."""
    send(address, Sent("/__admin/journal/stream", method="GET"))


def hanging(address: str) -> None:
    """A call that a fault holds up."""
    send(address, admin("POST", "/faults", {"kind": "hang", "times": 100}))
    send(address, Sent(LIST, BODY))


def storming(address: str) -> None:
    """Bytes that are no request, each of which is logged."""
    host, _, port = address.partition(":")
    while True:
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(b"GARBAGE\r\n\r\n" * 20)
            connection.recv(100)


MOMENTS: tuple[Callable[[str], None], ...] = (
    nothing,
    loading,
    dumping,
    calling,
    streaming,
    hanging,
    storming,
)


@dataclass(frozen=True)
class End:
    """How a server ended: what it was doing, exit status, seconds, what it printed."""

    moment: str
    status: int | None
    seconds: float
    stderr: str

    @property
    def verdict(self) -> str:
        """In a word."""
        if self.seconds > PROMISED_SECONDS:
            return "late"
        if "Traceback" in self.stderr:
            return "traceback"
        return "in order" if self.status == 0 else f"exit {self.status}"


def killed(number: int) -> End:
    """Start a server, keep it busy, end it after a random while."""
    chance = random.Random(number)
    moment = MOMENTS[number % len(MOMENTS)]
    with tempfile.TemporaryDirectory() as folder:
        errors = Path(folder) / "stderr"
        is_unread = moment is storming and chance.random() < 0.5
        with errors.open("wb") as stream:
            server = subprocess.Popen(
                [*COMMAND, "--port", "0", "--log-format", "text"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if is_unread else stream,
                env=environment(),
            )
            assert server.stdout is not None
            if moment is not nothing:
                address = server.stdout.readline().decode().strip()
                _keep_busy(moment, address.partition("http://")[2])
            time.sleep(chance.random() * PAUSE_SECONDS)
            start = time.monotonic()
            server.send_signal(signal.SIGTERM)
            status = _status(server)
        seconds = time.monotonic() - start
        return End(moment.__name__, status, seconds, errors.read_text())


def _keep_busy(moment: Callable[[str], None], address: str) -> None:
    begun = Event()

    def run() -> None:
        begun.set()
        with suppress(Exception):
            moment(address)

    Thread(target=run, daemon=True).start()
    begun.wait()


def _status(server: subprocess.Popen[bytes]) -> int | None:
    try:
        return server.wait(5 * PROMISED_SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
        return None


def main(rounds: int) -> None:
    """Kill, count, print."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(killed, range(rounds)))
    seen = Counter((each.moment, each.verdict) for each in ends)
    for (moment, verdict), count in sorted(seen.items()):
        took = [each.seconds for each in ends if each.moment == moment]
        print(f"{moment}: {count} {verdict}, at most {max(took):.2f} s")
    for each in [each for each in ends if each.verdict != "in order"][:5]:
        print(each.moment, each.verdict, each.stderr[-1_000:])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
