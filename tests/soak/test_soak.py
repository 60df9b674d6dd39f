"""A short soak: nothing unexpected, and nothing kept. How long it takes is not asked.

The command `python -m tests.soak` demands figures of memory and of stalls; here memory
has to be within what tells a leak from the ups and downs of a start.
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

import pytest

from tests.process import MIB
from tests.soak.report import figures, growth
from tests.soak.soak import Plan, soak

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
MOST_POOLED = 2
"""Threads that asyncio's pool keeps since loads have overlapped."""
MOST_GROWTH_MIB, MOST_FOR_ANSWER_MIB = 8.0, 512 / MIB
"""Of memory that is not charged to data: in all, and for each answer."""


@pytest.mark.parametrize(
    "seconds",
    [
        pytest.param(25, marks=pytest.mark.ci),
        pytest.param(180, marks=pytest.mark.full),
    ],
)
def test_a_server_at_work_answers_right_and_keeps_nothing(seconds: float) -> None:
    plan = Plan(seconds, share=0.5, seed=1, saturating_seconds=3.0, tell=print)
    result = asyncio.run(soak(plan))
    print("\n".join(each.row() for each in figures(result)))
    assert result.unexpected == []
    before, after = result.before, result.after
    assert replace(after, threads=before.threads) == before
    assert after.threads <= before.threads + MOST_POOLED
    assert result.memory["requests"] + result.memory["streams"] == 0
    assert (result.exit_code, "Traceback" in result.said) == (0, False)
    (first, last), (less, more) = growth(result.rss), growth(result.charged)
    most = MOST_GROWTH_MIB + MOST_FOR_ANSWER_MIB * result.answers
    assert last - first - max(0.0, more - less) < most
