"""What a list costs other mock servers that give the same answer.

`python -m tests.bench peers [--cache FOLDER]` installs them from npm and PyPI. All run
side by side and are loaded in turn; CPU is that of all processes of a server. What
cannot be installed or started is skipped by its name.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from urllib.request import Request, urlopen

from tests.bench import rates
from tests.bench.figures import Figure
from tests.bench.load import (
    Rates,
    Server,
    Workload,
    cpu_ratio,
    cpu_us,
    in_turn,
    per_second,
)
from tests.bench.peer_servers import HOST, PEERS, Peer, Place
from tests.bench.references import Canned

ROUNDS = 5
WARM_REQUESTS, MOST_WARMING = 20_000, 15
"""A Java machine compiles while it serves: it is warm after so many requests, or after
so many seconds of them.
"""
START_SECONDS = 60
OWN, CEILING = "this server", "a bare ASGI application"


class CannotServe(Exception):
    """A peer that cannot be had, or does not give the answer; the text says why."""


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server((HOST, 0)) as listener:
        return int(listener.getsockname()[1])


def tree(pid: int) -> tuple[int, ...]:
    """A process and all that it has started (Linux)."""
    parents = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        parents[int(file.parent.name)] = int(fields[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return tuple(found)


def work_of(peer: Peer) -> Workload:
    """The request that the peer answers."""
    if peer.path is None:
        return rates.PLAIN
    return replace(rates.PLAIN, method="GET", path=peer.path, body={})


@contextmanager
def started(peer: Peer, canned: Canned, cache: Path) -> Iterator[tuple[str, Server]]:
    """The peer's version, and itself once it gives the answer. Raises CannotServe."""
    with tempfile.TemporaryDirectory() as own:
        try:
            home = peer.install(cache)
            place = Place(free_port(), free_port(), canned, home, Path(own))
            process = subprocess.Popen(
                peer.command(place),
                cwd=own,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise CannotServe(str(error)) from None
        try:
            url = f"http://{HOST}:{place.port}"
            wait_for_answer(url, work_of(peer), canned)
            yield peer.version(home), Server(url, tree(process.pid))
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def wait_for_answer(url: str, work: Workload, canned: Canned) -> None:
    """Wait until it is what it has to be. Raises CannotServe."""
    wanted, found = json.loads(canned.body), "nothing"
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        content = None if work.method == "GET" else work.content
        asked = Request(url + work.path, content, work.all_headers, method=work.method)
        try:
            with urlopen(asked, timeout=START_SECONDS) as answer:
                found = answer.read().decode()
            if json.loads(found) == wanted:
                return
        except (OSError, ValueError) as error:
            found = str(error)
        time.sleep(0.2)
    raise CannotServe(f"expected the answer, got {found[:200]}")


def servers(
    stack: ExitStack, cache: Path, own: Server
) -> Iterator[tuple[str, tuple[Server, Workload]]]:
    """Every server by its name and version, and what it is asked."""
    canned = rates.first_answer(rates.PLAIN, own.url)
    ceiling = stack.enter_context(rates.reference("ceiling", canned))
    yield OWN, (own, rates.PLAIN)
    yield CEILING, (ceiling, rates.PLAIN)
    for peer in PEERS:
        try:
            version, server = stack.enter_context(started(peer, canned, cache))
        except CannotServe as error:
            print(f"SKIPPED: {peer.name}, {error}", file=sys.stderr)
        else:
            yield f"{peer.name} {version}", (server, work_of(peer))


def warm(server: Server, work: Workload) -> None:
    """Load a server until it is at its best."""
    sent = 0.0
    for _ in range(MOST_WARMING):
        sent += server.load(work).per_second
        if sent >= WARM_REQUESTS:
            break


def figures(cache: Path | None = None) -> Iterator[Figure]:
    """The CPU of a request and the requests a second of each."""
    kept = nullcontext(str(cache)) if cache else tempfile.TemporaryDirectory()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(kept)).absolute()
        own = stack.enter_context(rates.server())
        runs = dict(servers(stack, folder, own))
        for server, work in runs.values():
            warm(server, work)
        found = in_turn(runs, ROUNDS)
    for name, each in found.items():
        yield figure_of(name, each, found[OWN])


def figure_of(name: str, found: Rates, own: Rates) -> Figure:
    """One server next to ours."""
    ratio = cpu_ratio(found, own)
    note = f"{ratio:.1f}× ours; {per_second(found):,.0f} requests/s"
    return Figure(f"{name}: CPU of a request", cpu_us(found), "µs", note=note)
