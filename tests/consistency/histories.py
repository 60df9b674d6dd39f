"""Histories of clients that call at the same time: drawn, recorded, of services."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from random import Random
from time import perf_counter_ns

from tests.consistency.linearizability import (
    Create,
    Delete,
    Forget,
    List,
    Operation,
    Pin,
    Read,
    Record,
    Rename,
    Reset,
    Result,
    State,
    Talk,
    perform,
)

CLIENTS, CALLS = 8, 12
CHATS = ("chat-1", "chat-2", "chat-3")
BASELINE = State(
    frozenset({"chat-2"}), collections=frozenset({("first", "One"), ("second", "Two")})
)
History = list[Record]
Service = Callable[[Operation], Awaitable[Result]]
KINDS: dict[type, float] = {
    Read: 8,
    Pin: 6,
    List: 4,
    Rename: 4,
    Create: 2,
    Reset: 1.5,
    Delete: 1,
    Talk: 0.5,
    Forget: 0.5,
}
"""How often each operation is drawn."""


def drawn(random: Random, ids: Sequence[str]) -> Operation:
    """An operation on some chat, or on some collection of these ids.

    Two pins of three lead away from the baseline, so that resets change something.
    """
    chat, one, name = random.choice(CHATS), random.choice(ids), f"{random.random()}"
    [kind] = random.choices(list(KINDS), [*KINDS.values()])
    if kind is Pin:
        return Pin(chat, (chat in BASELINE.pins) is (random.random() < 1 / 3))
    if kind is Rename:
        return Rename(one, name)
    made: dict[type, Operation] = {
        Read: Read(chat),
        Talk: Talk(chat),
        Forget: Forget(chat),
        Create: Create(name),
        Delete: Delete(one),
        List: List(),
        Reset: Reset(),
    }
    return made[kind]


async def others(random: Random, most: int) -> None:
    """Let others go on, for as many steps at most."""
    for _ in range(random.randint(0, most)):
        await asyncio.sleep(0)


async def recorded(services: Sequence[Service], seed: int) -> History:
    """What clients see that call at the same time, each its own service."""
    history: History = []
    ids = [one for one, _ in sorted(BASELINE.collections)]

    async def client(number: int, service: Service) -> None:
        random = Random(f"client {seed} {number}")
        for _ in range(CALLS):
            await others(random, 10)
            operation = drawn(random, ids)
            start = perf_counter_ns()
            result = await service(operation)
            end = perf_counter_ns()
            history.append(Record(number, operation, result, start, end))
            if isinstance(operation, Create):
                ids.append(str(result))

    await asyncio.gather(*(client(*each) for each in enumerate(services)))
    return history


class Correct:
    """A service in memory; a call takes a while to come, and its answer to return."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.state = BASELINE
        self.made = 0

    async def __call__(self, operation: Operation) -> Result:
        await others(self.random, 2)
        result = await self.perform(operation)
        await others(self.random, 2)
        return result

    async def perform(self, operation: Operation) -> Result:
        """Perform it in one moment."""
        self.made += isinstance(operation, Create)
        made = f"made-{self.made}"
        result, self.state = perform(operation, self.state, BASELINE, made)
        return result


class AppliesLate(Correct):
    """Acknowledges a pin, then applies it."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.late: set[asyncio.Task[None]] = set()

    async def perform(self, operation: Operation) -> Result:
        if not isinstance(operation, Pin):
            return await super().perform(operation)
        task = asyncio.create_task(self.apply(operation))
        self.late.add(task)
        task.add_done_callback(self.late.discard)
        return perform(operation, self.state, BASELINE)[0]

    async def apply(self, operation: Pin) -> None:
        await others(self.random, 10)
        await super().perform(operation)


class WritesWhatItReadBefore(Correct):
    """Lets others in between reading the state and writing it."""

    async def perform(self, operation: Operation) -> Result:
        if not isinstance(operation, Pin | Rename):
            return await super().perform(operation)
        result, after = perform(operation, self.state, BASELINE)
        await others(self.random, 10)
        self.state = after
        return result


class ReadsFromAStaleCache(Correct):
    """Remembers what it has read until the chat is pinned, beyond a reset too."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.cache: dict[str, Result] = {}

    async def perform(self, operation: Operation) -> Result:
        result = await super().perform(operation)
        if isinstance(operation, Pin):
            self.cache.pop(operation.chat, None)
        if isinstance(operation, Read):
            return self.cache.setdefault(operation.chat, result)
        return result


class ListsWithoutRenames(Correct):
    """Keeps a list until something is made, deleted or reset."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.cache: Result = None

    async def perform(self, operation: Operation) -> Result:
        result = await super().perform(operation)
        if isinstance(operation, Create | Delete | Reset):
            self.cache = None
        if isinstance(operation, List):
            self.cache = result if self.cache is None else self.cache
            return self.cache
        return result


class MakesInTwoSteps(Correct):
    """Shows a new collection before it has its name."""

    async def perform(self, operation: Operation) -> Result:
        if not isinstance(operation, Create):
            return await super().perform(operation)
        made = await super().perform(Create(""))
        await others(self.random, 10)
        await super().perform(Rename(str(made), operation.name))
        return made


MISTAKEN: Sequence[type[Correct]] = (
    AppliesLate,
    WritesWhatItReadBefore,
    ReadsFromAStaleCache,
    ListsWithoutRenames,
    MakesInTwoSteps,
)


def histories_of(kind: type[Correct], count: int) -> Iterator[History]:
    """Histories of as many services in memory, the same ones in every run."""
    for seed in range(count):
        service = kind(Random(f"service {seed}"))
        yield asyncio.run(recorded([service] * CLIENTS, seed))
