"""Many at once: connections, sandboxes, and streams of the journal.

What counts is how costs grow with them, in ratio to how those of a bare server grow
that is asked for the same in the same run.
"""

from __future__ import annotations

import resource
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from operator import attrgetter

from tests.bench import rates, streams
from tests.bench.figures import MOST_GROWTH, Figure, growth
from tests.bench.load import Rate, Server, Workload, control, cpu_us, in_turn
from tests.process import MIB, rss
from tests.wire.sockets import connect, exchange

ROUNDS = 5
IDLE, ACTIVE, FEW = 5_000, 500, 32
ABSORBED = 1_000
"""Connections that may find room in memory which a server has left from before."""
SANDBOXES = 1_000
BARE = "ceiling"
_SPARE_FILES = 500


@contextmanager
def held(url: str, count: int) -> Iterator[None]:
    """So many connections, each of which has asked once and is kept."""
    with ExitStack() as stack:
        for _ in range(count):
            assert exchange(stack.enter_context(connect(url)))
        yield


def allow_files(count: int) -> None:
    """Let this process and those that it starts have so many files open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


def kib(server: Server) -> float:
    """Resident memory."""
    return sum(map(rss, server.pids)) * MIB / 1024


p99_ms, cpu_of = attrgetter("p99_ms"), attrgetter("cpu_us")


class Crowd:
    """A server with few connections, then with many: what that adds."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self.idle_kib = self.active_kib = 0.0
        self.few: list[Rate] = []
        self.many: list[Rate] = []

    def fill(self) -> None:
        """Take the memory that requests take, whatever the connections."""
        for _ in range(3):
            self._server.load(rates.PLAIN)

    def measure(self) -> None:
        """One round. Memory is taken only once, for it is not given back."""
        self.few.append(self._server.load(rates.PLAIN, FEW))
        url, further = self._server.url, IDLE - ABSORBED
        with held(url, ABSORBED):
            before = kib(self._server)
            with held(url, further):
                idle = kib(self._server)
                self.many.append(self._server.load(rates.PLAIN, ACTIVE))
                active = kib(self._server)
        self.idle_kib = self.idle_kib or (idle - before) / further
        self.active_kib = self.active_kib or (active - idle) / ACTIVE

    def growth(self, of: Callable[[Rate], float]) -> float:
        """How often what it was with few is with many: the median over rounds."""
        pairs = zip(self.many, self.few, strict=True)
        return statistics.median(of(many) / of(few) for many, few in pairs)

    def p99(self) -> float:
        """In ms, with many."""
        return statistics.median(rate.p99_ms for rate in self.many)


def connections(own: Server, bare: Server) -> Iterator[Figure]:
    """Idle ones, and active ones beside them."""
    allow_files(IDLE + ACTIVE + _SPARE_FILES)
    crowds = ours, theirs = Crowd(own), Crowd(bare)
    for crowd in crowds:
        crowd.fill()
    for _ in range(ROUNDS):
        for crowd in crowds:
            crowd.measure()
    for name, mine, other in (
        (f"{IDLE:,} idle connections", ours.idle_kib, theirs.idle_kib),
        (f"{ACTIVE} active beside them", ours.active_kib, theirs.active_kib),
    ):
        note = f"bare {other:.1f}"
        yield Figure(f"{name}: memory of each", mine, "KiB", note=note)
        yield Figure(f"{name}: to the bare server's", mine / other, "×", MOST_GROWTH)
    note = f"bare {theirs.p99():.1f}"
    yield Figure("p99 of the active", ours.p99(), "ms", note=note)
    crowd_name = f"{ACTIVE} active of {IDLE + ACTIVE:,}"
    for title, of in (("p99", p99_ms), ("CPU of a request", cpu_of)):
        yield growth(f"{title}, {crowd_name}", ours.growth(of), theirs.growth(of))


def sandboxes(own: Server, bare: Server) -> Iterator[Figure]:
    """Used in turn, next to as many keys at the bare server."""
    before = kib(own)
    keys = [control(own, "sandboxes", {})["key"] for _ in range(SANDBOXES)]
    found = in_turn(runs_by_key({"own": own, BARE: bare}, keys), ROUNDS)
    each = (kib(own) - before) / SANDBOXES
    yield Figure(f"{SANDBOXES:,} sandboxes in use: memory of each", each, "KiB")
    ratios = {
        name: statistics.median(
            many.cpu_us / one.cpu_us
            for many, one in zip(found[f"{name}, many"], found[name], strict=True)
        )
        for name in ("own", BARE)
    }
    title = f"CPU of a request, {SANDBOXES:,} sandboxes in turn"
    note = f"one: {cpu_us(found['own']):.1f}"
    yield Figure(title, cpu_us(found["own, many"]), "µs", note=note)
    yield growth(title, ratios["own"], ratios[BARE])


def runs_by_key(
    servers: Mapping[str, Server], keys: Sequence[str]
) -> dict[str, tuple[Server, Workload]]:
    """Each server with one key, and with many."""
    many = replace(rates.PLAIN, keys=keys)
    runs = {}
    for name, server in servers.items():
        runs[name] = server, replace(many, keys=keys[:1])
        runs[f"{name}, many"] = server, many
    return runs


def figures() -> Iterator[Figure]:
    """The figures of all."""
    for each in (connections, sandboxes):
        with rates.server() as own:
            canned = rates.first_answer(rates.PLAIN, own.url)
            with rates.reference(BARE, canned) as bare:
                yield from each(own, bare)
    yield from streams.figures()
