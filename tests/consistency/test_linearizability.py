"""Every history of overlapping pins, reads and resets has an order that explains it.

The checker that says so is shown to find three mistakes that servers make.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import pairwise, permutations
from random import Random
from time import perf_counter_ns

import httpx2
import pytest

from mock_server import MockServer
from tests.consistency.connections import connections
from tests.consistency.linearizability import (
    NO_PINS,
    Operation,
    Pin,
    Pinned,
    Read,
    Record,
    Reset,
    is_linearizable,
)
from tests.support import APP, PIN

CLIENTS, CALLS = 8, 20
CHATS = ("chat-1", "chat-2", "chat-3")
BASELINE = Pinned({"chat-2"})
FIXTURE = {
    "apps": [
        {
            "id": APP,
            "chats": [{"chatId": chat, "top": chat in BASELINE} for chat in CHATS],
        }
    ]
}

History = list[Record]
Service = Callable[[Operation], Awaitable[bool | None]]
Made = tuple[Operation, bool | None, int, int]


def can_be(*calls: Made, baseline: Pinned = NO_PINS) -> bool:
    """Whether these calls, each of another client, have an order."""
    history = [Record(client, *call) for client, call in enumerate(calls)]
    return is_linearizable(history, baseline)


def test_nothing_at_all_has_an_order() -> None:
    assert can_be()


@pytest.mark.parametrize("result", [True, False])
def test_a_read_during_a_pin_may_show_it_or_not(result: bool) -> None:
    assert can_be((Pin("a", True), None, 1, 4), (Read("a"), result, 2, 3))


def test_a_read_after_a_pin_shows_it() -> None:
    pin = (Pin("a", True), None, 1, 2)
    assert can_be(pin, (Read("a"), True, 3, 4))
    assert not can_be(pin, (Read("a"), False, 3, 4))


def test_calls_that_touch_in_time_overlap() -> None:
    assert can_be((Pin("a", True), None, 1, 2), (Read("a"), False, 2, 3))


def test_what_one_read_has_shown_later_ones_show_too() -> None:
    pin = (Pin("a", True), None, 1, 9)
    assert can_be(pin, (Read("a"), False, 2, 3), (Read("a"), True, 4, 5))
    assert not can_be(pin, (Read("a"), True, 2, 3), (Read("a"), False, 4, 5))


@pytest.mark.parametrize("last", [True, False])
def test_either_of_two_overlapping_pins_may_be_the_last(last: bool) -> None:
    pins = (Pin("a", True), None, 1, 3), (Pin("a", False), None, 2, 4)
    assert can_be(*pins, (Read("a"), last, 5, 6))
    assert not can_be(*pins, (Read("a"), last, 5, 6), (Read("a"), not last, 7, 8))


def test_a_reset_leads_back_to_the_baseline() -> None:
    calls = (
        (Pin("a", False), None, 1, 2),
        (Reset(), None, 3, 4),
        (Read("a"), True, 5, 6),
    )
    assert can_be(*calls, baseline=Pinned("a"))
    assert not can_be(*calls)


def test_a_reset_is_one_moment_for_all_chats() -> None:
    reset = Reset(), None, 1, 9
    assert can_be(
        reset, (Read("a"), True, 2, 3), (Read("b"), False, 4, 5), baseline=Pinned("a")
    )
    pins = (Pin("a", True), None, 0, 0), (Pin("b", True), None, 0, 0)
    assert can_be(*pins, reset, (Read("a"), True, 2, 3), (Read("b"), False, 4, 5))
    assert not can_be(*pins, reset, (Read("a"), False, 2, 3), (Read("b"), True, 4, 5))


def test_the_calls_of_one_client_are_in_order() -> None:
    pin = Record(1, Pin("a", True), None, 1, 2)
    assert is_linearizable([Record(1, Read("a"), True, 2, 3), pin])
    assert not is_linearizable([Record(1, Read("a"), False, 2, 3), pin])


def test_the_search_agrees_with_trying_every_order() -> None:
    answers = set()
    for seed in range(1_000):
        history = small_history(Random(seed))
        answer = is_linearizable(history)
        assert answer is any(map(explains, permutations(history))), history
        answers.add(answer)
    assert answers == {True, False}


def small_history(random: Random) -> History:
    """Five calls of five clients on two chats, with any times and results."""
    history = []
    for client in range(5):
        chat, value = random.choice("ab"), random.random() < 0.5
        kinds: list[Operation] = [Pin(chat, value), Read(chat), Read(chat), Reset()]
        operation = random.choice(kinds)
        result = value if isinstance(operation, Read) else None
        start = random.randrange(8)
        end = start + random.randrange(6)
        history.append(Record(client, operation, result, start, end))
    return history


def explains(order: Sequence[Record]) -> bool:
    """Whether calls in this order keep to their times, and to their results."""
    state: set[str] = set()
    for place, record in enumerate(order):
        if any(later.end < record.start for later in order[place:]):
            return False
        match record.operation:
            case Pin(chat, value):
                (state.add if value else state.discard)(chat)
            case Read(chat) if record.result is not (chat in state):
                return False
            case Reset():
                state.clear()
    return True


class Correct:
    """A service in memory; a call takes a while to come, and its answer to return."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.pinned = BASELINE

    async def __call__(self, operation: Operation) -> bool | None:
        await others(self.random, 2)
        result = await self.perform(operation)
        await others(self.random, 2)
        return result

    async def perform(self, operation: Operation) -> bool | None:
        match operation:
            case Pin(chat, value):
                await self.pin(chat, value)
            case Read(chat):
                return self.read(chat)
            case Reset():
                self.pinned = BASELINE
        return None

    async def pin(self, chat: str, value: bool) -> None:
        self.pinned = self.pinned | {chat} if value else self.pinned - {chat}

    def read(self, chat: str) -> bool:
        return chat in self.pinned


class AppliesLate(Correct):
    """Acknowledges a pin, then applies it."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.late: set[asyncio.Task[None]] = set()

    async def pin(self, chat: str, value: bool) -> None:
        task = asyncio.create_task(self.apply(chat, value))
        self.late.add(task)
        task.add_done_callback(self.late.discard)

    async def apply(self, chat: str, value: bool) -> None:
        await others(self.random, 10)
        await super().pin(chat, value)


class WritesWhatItReadBefore(Correct):
    """Lets others in between reading the state and writing it."""

    async def pin(self, chat: str, value: bool) -> None:
        pinned = self.pinned
        await others(self.random, 10)
        self.pinned = pinned | {chat} if value else pinned - {chat}


class ReadsFromAStaleCache(Correct):
    """Remembers what it has read until the chat is pinned, beyond a reset too."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.cache: dict[str, bool] = {}

    async def pin(self, chat: str, value: bool) -> None:
        await super().pin(chat, value)
        self.cache.pop(chat, None)

    def read(self, chat: str) -> bool:
        return self.cache.setdefault(chat, super().read(chat))


def test_a_correct_service_is_never_refused() -> None:
    assert all(is_linearizable(each, BASELINE) for each in histories_of(Correct, 30))


@pytest.mark.parametrize(
    "mistaken", [AppliesLate, WritesWhatItReadBefore, ReadsFromAStaleCache]
)
def test_a_mistaken_service_is_caught(mistaken: type[Correct]) -> None:
    histories = histories_of(mistaken, 30)
    caught = [each for each in histories if not is_linearizable(each, BASELINE)]
    assert len(caught) >= 28


def histories_of(kind: type[Correct], count: int) -> Iterator[History]:
    """Histories of as many services in memory, the same ones in every run."""
    for seed in range(count):
        service = kind(Random(f"service {seed}"))
        yield asyncio.run(recorded([service] * CLIENTS, seed))


def drawn(random: Random) -> Operation:
    """An operation: mostly a read, else a pin, seldom a reset.

    Two pins of three lead away from the baseline, so that resets change something.
    """
    chat, kind = random.choice(CHATS), random.randrange(17)
    if kind < 4:
        return Pin(chat, (chat in BASELINE) is (random.random() < 1 / 3))
    return Read(chat) if kind < 16 else Reset()


async def others(random: Random, most: int) -> None:
    """Let others go on, for as many steps at most."""
    for _ in range(random.randint(0, most)):
        await asyncio.sleep(0)


async def recorded(services: Sequence[Service], seed: int) -> History:
    """What clients see that call at the same time, each its own service."""
    history: History = []

    async def client(number: int, service: Service) -> None:
        random = Random(f"client {seed} {number}")
        for _ in range(CALLS):
            await others(random, 10)
            operation = drawn(random)
            start = perf_counter_ns()
            result = await service(operation)
            end = perf_counter_ns()
            history.append(Record(number, operation, result, start, end))

    await asyncio.gather(*(client(*each) for each in enumerate(services)))
    return history


@pytest.mark.parametrize("count", [10, pytest.param(300, marks=pytest.mark.ci)])
def test_every_history_of_the_server_has_an_order(count: int) -> None:
    with MockServer(FIXTURE) as server:
        histories = asyncio.run(histories_at(server.url, count))
    assert [each for each in histories if not is_linearizable(each, BASELINE)] == []
    assert all(len(each) == CLIENTS * CALLS for each in histories)
    assert all(has_overlaps(each) for each in histories)


async def histories_at(url: str, count: int) -> list[History]:
    """Histories of a server on a real socket, each from the baseline on."""
    async with connections(url, CLIENTS) as clients:
        services = [Live(client) for client in clients]
        histories = []
        for seed in range(count):
            await services[0](Reset())
            histories.append(await recorded(services, seed))
        return histories


def has_overlaps(history: History) -> bool:
    """Whether most calls began before the one that began before them had ended."""
    by_start = sorted(history, key=lambda each: each.start)
    overlaps = [later.start < earlier.end for earlier, later in pairwise(by_start)]
    return sum(overlaps) > len(history) // 2


class Live:
    """The server as one client sees it."""

    def __init__(self, client: httpx2.AsyncClient) -> None:
        self.client = client

    async def __call__(self, operation: Operation) -> bool | None:
        match operation:
            case Pin(chat, value):
                body = {"appId": APP, "chatId": chat, "top": value}
                answer = await self.client.put(PIN, json=body)
            case Read(chat):
                answer = await self.client.get(f"/__admin/apps/{APP}/chats/{chat}")
            case Reset():
                answer = await self.client.post("/__admin/reset", json={})
        assert answer.status_code == 200, answer.text
        top: bool | None = answer.json().get("top")
        return top
