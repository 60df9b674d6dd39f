"""Runs long work in slices of 5 ms, so that other requests are served in between.

Only one slice runs before the event loop serves other requests, however many requests
do long work. A few requests of each sandbox hold unfinished values; the others wait.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any, TypeVar

from mock_server.domain.objects.pending import NotReady, Pending

T = TypeVar("T")
_SLICE_SECONDS = 0.005
_TURNS_BETWEEN = 64
"""Turns of the loop between two slices: in each, uvloop accepts one new connection."""
_TURNS_OF_REQUEST = 4
"""Turns of the loop in which a request that has arrived is read, and answered."""
_MAX_WORKING = 16
"""Maximum number of requests of a queue with unfinished values; the others wait."""


class _LoopSchedule:
    """Says which long work on one event loop may go on."""

    def __init__(self) -> None:
        self.next_slice = asyncio.Lock()
        """Its holder runs the next slice."""
        self.next_turn = asyncio.Lock()
        """Its holder has the present turn of the loop for itself."""
        self.slots = defaultdict[str, asyncio.Semaphore](_new_slots)
        """The slots of each queue for requests with unfinished values."""
        self.waiting_count = 0
        """Number of requests that wait for a slice or a slot."""


def _new_slots() -> asyncio.Semaphore:
    return asyncio.Semaphore(_MAX_WORKING)


# Module state, like the tasks of asyncio, because slices of all applications share the
# loop. It is empty while no long work is done.
_schedules: dict[asyncio.AbstractEventLoop, _LoopSchedule] = {}
# The tasks of `run_soon`, because a loop keeps no reference to its tasks.
_tasks: set[asyncio.Task[None]] = set()


@contextmanager
def _schedule_of_loop() -> Iterator[_LoopSchedule]:
    loop = asyncio.get_running_loop()
    schedule = _schedules.setdefault(loop, _LoopSchedule())
    schedule.waiting_count += 1
    try:
        yield schedule
    finally:
        schedule.waiting_count -= 1
        if not schedule.waiting_count:
            del _schedules[loop]


async def let_others_run(loop_turns: int = _TURNS_OF_REQUEST) -> None:
    """Let others run for some turns of the loop, after the slices that wait longer."""
    with _schedule_of_loop() as schedule:
        async with schedule.next_slice:
            for _ in range(loop_turns):
                await asyncio.sleep(0)


async def own_turn() -> None:
    """Wait until no other caller of this function has the present turn of the loop."""
    with ExitStack() as stack:
        schedule = stack.enter_context(_schedule_of_loop())
        await schedule.next_turn.acquire()
        stack.callback(schedule.next_turn.release)
        # The caller keeps the turn until its end.
        asyncio.get_running_loop().call_soon(stack.pop_all().close)


async def in_slices(items: Iterable[T]) -> AsyncGenerator[T, None]:
    """Yield the items; let other requests run before each slice of time."""
    # Alone, work may begin once the requests that came before it are answered.
    schedule = _schedules.get(asyncio.get_running_loop())
    is_alone = schedule is None or not schedule.next_slice.locked()
    await let_others_run(_TURNS_OF_REQUEST if is_alone else _TURNS_BETWEEN)
    end = perf_counter() + _SLICE_SECONDS
    for item in items:
        yield item
        if perf_counter() >= end:
            await let_others_run(_TURNS_BETWEEN)
            end = perf_counter() + _SLICE_SECONDS


def run_soon(steps: Iterator[None]) -> None:
    """Run steps for which no request waits in slices; now if no loop is running."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        deque(steps, maxlen=0)
        return
    task = loop.create_task(_run_in_slices(steps))
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


async def _run_in_slices(steps: Iterator[None]) -> None:
    async for _ in in_slices(steps):
        pass


async def once_ready(
    work: Callable[[], T], queue: str = "", begun: Pending[Any] | None = None
) -> T:
    """Return the result of `work`; call it again as long as it raises NotReady.

    Work of different queues, such as those of sandboxes, does not wait for each other.
    `begun` is the value for which a first call has raised NotReady.
    """
    if begun is None:
        try:
            return work()
        except NotReady as error:
            begun = error.take()
    with _schedule_of_loop() as schedule:
        slots = schedule.slots[queue]
        if slots.locked():
            begun = None  # many requests may wait, so none of them keeps a value
        async with slots:
            # Keep the last value of each kind: earlier ones belong to older data.
            values = {begun.key: begun} if begun else {}
            while True:
                try:
                    return work()
                except NotReady as error:
                    pending = error.take()
                values[pending.key] = pending
                async for _ in in_slices(pending):
                    pass
                await let_others_run()  # the last step may have taken long
