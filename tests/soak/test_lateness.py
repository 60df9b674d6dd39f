"""What a soak sees of the event loop of its server."""

from __future__ import annotations

import asyncio
import sys
import time

import pytest

from tests.soak.lateness import PAUSE_SECONDS, Lateness
from tests.soak.report import stalled

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


@pytest.mark.ci
def test_work_that_holds_up_the_loop_is_seen() -> None:
    async def run() -> float:
        lateness = Lateness()
        lateness.counts()
        end = time.thread_time() + 0.1
        while time.thread_time() < end:
            pass
        while not (late := lateness.counts()):
            await asyncio.sleep(PAUSE_SECONDS)
        return stalled(late)

    assert asyncio.run(run()) > 80
