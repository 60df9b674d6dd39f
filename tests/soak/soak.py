"""The course of a soak: saturation, steady load with a look every second, rest."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from tests.process import MIB
from tests.soak.pacing import closed, opened
from tests.soak.served import Held, Served, served
from tests.soak.stalls import Stalls, probing
from tests.soak.traffic import Traffic
from tests.soak.world import write

WORKERS = 16
SATURATING_SECONDS = 10.0
REST_SECONDS = 60.0
TELLINGS = 30
SERVING = "Server.serve"
"""The task of a server at rest."""


@dataclass(frozen=True)
class Plan:
    """How long, at which share of saturation; `tell` gets a line now and then."""

    seconds: float
    share: float
    seed: int
    saturating_seconds: float = SATURATING_SECONDS
    tell: Callable[[str], object] = lambda _: None


@dataclass
class Result:
    """What a soak has found. Rates are a second's, memory is in MiB."""

    plan: Plan
    before: Held
    after: Held
    saturation: float
    rate: float
    answers: int
    cpu_share: float
    waited_share: float
    latest: float
    rss: Sequence[float]
    """One value a second."""
    charged: Sequence[float]
    """What the server says that its data takes, at the same moments."""
    stalls: Stalls
    late: Counter[int]
    """How often the loop was so many tenths of a millisecond late on its core."""
    memory: dict[str, int]
    stories: dict[str, int]
    exit_code: int
    said: str
    unexpected: list[str] = field(default_factory=list)


async def soak(plan: Plan) -> Result:
    """Run a server at a share of its saturation, and look at it."""
    with tempfile.TemporaryDirectory() as folder:
        fixture = Path(folder) / "fixture.json"
        write(fixture, 0)
        options = (str(fixture), "--watch", "--choice=related_routes=on")
        with served(*options) as server:
            return await _at(server, fixture, plan)


async def _at(server: Served, fixture: Path, plan: Plan) -> Result:
    traffic = Traffic(server.url, fixture, plan.seed)
    await traffic.each_once()
    before = await _at_rest(server, traffic, None)
    saturation = await _saturation(traffic, plan)
    rate = saturation * plan.share
    plan.tell(f"saturation {saturation:.0f} stories a second, load {rate:.0f}")
    start, cpu, waited = monotonic(), server.cpu(), server.waited()
    server.late.clear()
    asked, sizes = traffic.client.asked, list[tuple[float, float]]()
    with probing(server.url, server.pid) as stalls:
        looking = asyncio.create_task(_look(server, traffic, plan, sizes))
        beside = asyncio.create_task(traffic.beside(plan.seconds))
        latest = await opened(traffic.story, rate, plan.seconds)
        await beside
        looking.cancel()
    took = monotonic() - start
    cpu_share = (server.cpu() - cpu) / took
    waited_share = (server.waited() - waited) / took
    answers = traffic.client.asked - asked
    after = await _at_rest(server, traffic, before)
    health = await traffic.client.admin("GET", "/health")
    traffic.client.close()
    exit_code, said = server.stop()
    return Result(
        plan=plan,
        before=before,
        after=after,
        saturation=saturation,
        rate=rate,
        answers=answers,
        cpu_share=cpu_share,
        waited_share=waited_share,
        latest=latest,
        rss=[rss for rss, _ in sizes],
        charged=[charged for _, charged in sizes],
        stalls=stalls,
        late=server.late,
        memory=health["memory"],
        stories=dict(traffic.done),
        exit_code=exit_code,
        said=said,
        unexpected=traffic.unexpected,
    )


async def _saturation(traffic: Traffic, plan: Plan) -> float:
    """How many stories a second are over when there are always as many at work."""
    start = monotonic()
    done = await closed(traffic.story, plan.saturating_seconds, WORKERS)
    return done / (monotonic() - start)


async def _look(
    server: Served, traffic: Traffic, plan: Plan, sizes: list[tuple[float, float]]
) -> None:
    """Note the memory every second, and tell of it now and then."""
    start, told = monotonic(), 0
    while True:
        health = await traffic.client.admin("GET", "/health")
        sizes.append((server.rss(), health["memory"]["used"] / MIB))
        passed = monotonic() - start
        if passed * TELLINGS > plan.seconds * (told + 1):
            told += 1
            rss, charged = sizes[-1]
            plan.tell(
                f"{passed:.0f} s: {traffic.client.asked:,} answers, "
                f"{len(traffic.unexpected)} unexpected, {rss:.1f} MiB, "
                f"{charged:.1f} MiB of data"
            )
        await asyncio.sleep(1)


async def _at_rest(server: Served, traffic: Traffic, wanted: Held | None) -> Held:
    """What a server holds once nobody asks for anything, and it is as wanted."""
    await traffic.finish()
    end = monotonic() + REST_SECONDS
    while True:
        await asyncio.sleep(0.5)
        held = server.held()
        if (held.tasks == [SERVING] and wanted in (None, held)) or monotonic() > end:
            return held
