"""What a soak has found, next to what is demanded."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence

from tests.bench.figures import Figure
from tests.soak.soak import Result
from tests.soak.stalls import p999

MOST_GROWTH_MIB = 8.0
MOST_STALL_MS = 20.0
WARM_SHARE = 1 / 6
"""Of the time, before memory is compared: of half an hour the first five minutes."""
COMPARED_SHARE = 1 / 12
"""Of the time: how long memory is looked at then, and at the end."""


def growth(rss: Sequence[float]) -> tuple[float, float]:
    """The memory after the first while and at the end: medians over a part each."""
    part = max(1, round(len(rss) * COMPARED_SHARE))
    first = round(len(rss) * WARM_SHARE)
    return statistics.median(rss[first : first + part]), statistics.median(rss[-part:])


def stalled(late: Counter[int]) -> float:
    """Milliseconds, of tenths, that all but one in a thousand stay below."""
    return sorted(late.elements())[late.total() * 999 // 1000] / 10


def figures(result: Result) -> Iterator[Figure]:
    """The rows of the table."""
    plan, kinds = result.plan, len(result.stories)
    note = f"{plan.seconds / 60:g} minutes, {sum(result.stories.values()):,} stories"
    yield Figure("answers", result.answers, "", note=f"{note} of {kinds} kinds")
    yield Figure("unexpected answers", len(result.unexpected), "", most=0)
    note = f"{result.rate:.0f} of {result.saturation:.0f} stories a second"
    yield Figure("load, of saturation", plan.share * 100, "%", note=note)
    note = f"it waited for a core {result.waited_share:.0%} of the time"
    yield Figure("CPU of the server", result.cpu_share * 100, "%", note=note)
    yield Figure("the latest story began late by", result.latest, "s")
    yield from _held(result)
    yield from _stalls(result)
    yield Figure("exit code", result.exit_code, "", most=0)


def _held(result: Result) -> Iterator[Figure]:
    """What is to be given back."""
    first, last = growth(result.rss)
    note = f"{first:.1f}, then {last:.1f}, at most {max(result.rss):.1f}"
    yield Figure(
        "growth of resident memory", last - first, "MiB", MOST_GROWTH_MIB, note=note
    )
    data = growth(result.charged)
    note = f"{data[0]:.1f}, then {data[1]:.1f}"
    yield Figure("of it, charged to data", data[1] - data[0], "MiB", note=note)
    before, after = result.before, result.after
    for name, one, other in (
        ("descriptors", before.descriptors, after.descriptors),
        ("threads", before.threads, after.threads),
        ("asyncio tasks", len(before.tasks), len(after.tasks)),
    ):
        yield Figure(f"{name} more than before", other - one, "", 0, note=f"{other}")
    for name in ("requests", "streams", "faults", "snapshots"):
        yield Figure(f"memory charged for {name}", result.memory[name], "bytes", 0)


def _stalls(result: Result) -> Iterator[Figure]:
    """How late the loop was, and how long another client waited."""
    late, times = result.late, result.late.total()
    note = f"of {times:,} looks; at most {max(late) / 10:.1f} ms"
    yield Figure(
        "lateness of the loop, p99.9", stalled(late), "ms", MOST_STALL_MS, note=note
    )
    own, bare = result.stalls.server, result.stalls.bare
    note = f"of {len(own):,}; a bare loop meanwhile {p999(bare):.1f} ms"
    yield Figure("wait for a page, p99.9", p999(own), "ms", note=note)
    on_core, name = p999(result.stalls.on_core), "the same without waits for a core"
    yield Figure(f"{name}, p99.9", on_core, "ms")
    note = f"bare {max(bare):.1f} ms"
    yield Figure("longest wait for a page", max(own), "ms", note=note)
