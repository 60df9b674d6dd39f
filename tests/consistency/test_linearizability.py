"""Overlapping calls on chats and collections have an order that explains them all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import pairwise, permutations
from random import Random
from typing import Any

import pytest

from mock_server import MockServer
from tests.consistency.histories import (
    BASELINE,
    CALLS,
    CHATS,
    CLIENTS,
    MISTAKEN,
    Correct,
    History,
    histories_of,
    others,
    recorded,
)
from tests.consistency.linearizability import (
    EMPTY,
    MISSING,
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
    is_linearizable,
    perform,
)
from tests.soak.client import Answer, Client, Connection, request
from tests.support import APP, DATASET, LIST, PIN

HELLO = {"role": "user", "content": "Hello"}
FIXTURE = {
    "apps": [
        {
            "id": APP,
            "chats": [{"chatId": each, "top": each in BASELINE.pins} for each in CHATS],
        }
    ],
    "datasets": [
        {
            "id": DATASET,
            "collections": [
                {"_id": one, "name": name} for one, name in sorted(BASELINE.collections)
            ],
        }
    ],
}
Made = tuple[Operation, Result, int, int]


def can_be(*calls: Made, baseline: State = EMPTY) -> bool:
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
    assert can_be(*calls, baseline=State(frozenset("a")))
    assert not can_be(*calls)


def test_a_reset_is_one_moment_for_all_chats() -> None:
    reset = Reset(), None, 1, 9
    assert can_be(
        reset,
        (Read("a"), True, 2, 3),
        (Read("b"), False, 4, 5),
        baseline=State(frozenset("a")),
    )
    pins = (Pin("a", True), None, 0, 0), (Pin("b", True), None, 0, 0)
    assert can_be(*pins, reset, (Read("a"), True, 2, 3), (Read("b"), False, 4, 5))
    assert not can_be(*pins, reset, (Read("a"), False, 2, 3), (Read("b"), True, 4, 5))


def test_the_calls_of_one_client_are_in_order() -> None:
    pin = Record(1, Pin("a", True), None, 1, 2)
    assert is_linearizable([Record(1, Read("a"), True, 2, 3), pin])
    assert not is_linearizable([Record(1, Read("a"), False, 2, 3), pin])


def test_a_list_shows_what_was_made_and_renamed() -> None:
    made = (Create("x"), "1", 1, 2), (Rename("1", "y"), None, 3, 6)
    for name, can in (("x", True), ("y", True), ("z", False)):
        listed = (List(), frozenset({("1", name)}), 4, 5)
        assert can_be(*made, listed) is can
    assert not can_be(*made, (List(), frozenset(), 4, 5))


def test_what_is_deleted_is_missing() -> None:
    made = (Create("x"), "1", 1, 2), (Delete("1"), None, 3, 4)
    assert can_be(*made, (Rename("1", "y"), MISSING, 5, 6))
    assert not can_be(*made, (Rename("1", "y"), None, 5, 6))
    gone = (Forget("a"), None, 1, 2), (Read("a"), MISSING, 3, 4)
    assert can_be(*gone, (Talk("a"), None, 5, 6), (Read("a"), False, 7, 8))
    assert not can_be(*gone, (Read("a"), False, 5, 6))


def test_no_id_is_given_twice_while_it_is_there() -> None:
    assert not can_be((Create("x"), "1", 1, 2), (Create("y"), "1", 3, 4))


@pytest.mark.ci
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
    state = EMPTY
    for place, record in enumerate(order):
        if any(later.end < record.start for later in order[place:]):
            return False
        result, state = perform(record.operation, state, EMPTY)
        if result != record.result:
            return False
    return True


def test_a_correct_service_is_never_refused() -> None:
    assert all(is_linearizable(each, BASELINE) for each in histories_of(Correct, 30))


@pytest.mark.ci
@pytest.mark.parametrize("mistaken", MISTAKEN)
def test_a_mistaken_service_is_caught(mistaken: type[Correct]) -> None:
    histories = histories_of(mistaken, 30)
    caught = [each for each in histories if not is_linearizable(each, BASELINE)]
    assert len(caught) >= 10


@pytest.mark.parametrize(
    "seeds",
    [
        range(4),
        pytest.param(range(4, 70), marks=pytest.mark.ci),
        *(
            pytest.param(range(start, start + 500), marks=pytest.mark.full)
            for start in range(1_000, 11_000, 500)
        ),
    ],
    ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}",
)
def test_every_history_of_the_server_has_an_order(seeds: range) -> None:
    with MockServer(FIXTURE, choices={"related_routes": "on"}) as server:
        overlapping = asyncio.run(check_histories(server.url, seeds))
    assert overlapping > len(seeds) // 2


async def check_histories(url: str, seeds: range) -> int:
    """Record histories of a server on a real socket, each from the baseline on.

    How many of them consist of calls that mostly overlap.
    """
    with ExitStack() as stack:
        clients = [stack.enter_context(Client(url)) for _ in range(CLIENTS)]
        found = 0
        for seed in seeds:
            services = [Live(each, Random(f"live {seed}")) for each in clients]
            await services[0](Reset())
            history = await recorded(services, seed)
            assert len(history) == CLIENTS * CALLS
            assert is_linearizable(history, BASELINE), (seed, history)
            found += has_overlaps(history)
        return found


def has_overlaps(history: History) -> bool:
    """Whether most calls began before the one that began before them had ended."""
    by_start = sorted(history, key=lambda each: each.start)
    overlaps = [later.start < earlier.end for earlier, later in pairwise(by_start)]
    return sum(overlaps) > len(history) // 2


class Live:
    """The server as one client sees it, which sends some requests in two parts."""

    def __init__(self, client: Client, random: Random) -> None:
        self.client = client
        self.random = random

    async def __call__(self, operation: Operation) -> Result:
        async with self.client.connection() as connection:
            answer = await self.send(connection, request(*self.asked(operation), "k"))
        if answer.status == 404:
            return MISSING
        assert answer.status == 200, answer
        match operation:
            case Read():
                return bool(answer.json["top"])
            case Create():
                return str(answer.data)
            case List():
                listed = answer.data["list"]
                return frozenset((each["_id"], each["name"]) for each in listed)
        return None

    async def send(self, connection: Connection, content: bytes) -> Answer:
        """The answer to a request, between whose parts others come."""
        cut = self.random.choice((0, len(content) - 1))
        connection.send(content[:cut])
        await others(self.random, 5)
        connection.send(content[cut:])
        return await connection.answer()

    def asked(self, operation: Operation) -> tuple[str, str, Any]:
        """Method, path and body of a call."""
        route = "/api/core/dataset/collection"
        body: dict[str, Any]
        match operation:
            case Pin(chat, value):
                return "PUT", PIN, {"appId": APP, "chatId": chat, "top": value}
            case Read(chat):
                return "GET", f"/__admin/apps/{APP}/chats/{chat}", b""
            case Talk(chat):
                body = {"appId": APP, "chatId": chat, "messages": [HELLO]}
                return "POST", "/api/v1/chat/completions", body
            case Forget(chat):
                query = f"appId={APP}&chatId={chat}"
                return "DELETE", f"/api/core/chat/history/delHistory?{query}", b""
            case Create(name):
                body = {"datasetId": DATASET, "name": name, "type": "virtual"}
                return "POST", f"{route}/create", body
            case Rename(one, name):
                return "POST", f"{route}/update", {"id": one, "name": name}
            case Delete(one):
                return "POST", f"{route}/delete", {"collectionIds": [one]}
            case List():
                body = {"offset": 0, "pageSize": 30, "datasetId": DATASET}
                return "POST", LIST, body
            case Reset():
                return "POST", "/__admin/reset", {}
