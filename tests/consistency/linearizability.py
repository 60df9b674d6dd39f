"""Tells whether overlapping calls can have happened one at a time, in some order.

Wing and Gong's search with Lowe's memory, for a service of chats and collections.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class State(NamedTuple):
    """What the service holds: pinned chats, deleted ones, collections by id and name.

    All share one, for resets.
    """

    pins: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    collections: frozenset[tuple[str, str]] = frozenset()


EMPTY = State()
MISSING = "missing"
"""The result of a call on what is not there."""
Result = bool | str | frozenset[tuple[str, str]] | None


@dataclass(frozen=True, slots=True)
class Pin:
    """Set the pin flag of a chat, unless it is missing."""

    chat: str
    value: bool


@dataclass(frozen=True, slots=True)
class Read:
    """Ask for the pin flag of a chat, or that it is missing."""

    chat: str


@dataclass(frozen=True, slots=True)
class Talk:
    """Talk in a chat, which makes it anew if it was deleted."""

    chat: str


@dataclass(frozen=True, slots=True)
class Forget:
    """Delete a chat, be it there or not."""

    chat: str


@dataclass(frozen=True, slots=True)
class Create:
    """Make a collection; the result is its id."""

    name: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Give a collection another name, unless it is missing."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a collection, unless it is missing."""

    id: str


@dataclass(frozen=True, slots=True)
class List:
    """Ask for all collections."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Bring all back to the baseline."""


Operation = Pin | Read | Talk | Forget | Create | Rename | Delete | List | Reset


@dataclass(frozen=True, slots=True)
class Record:
    """One call of a client, which makes one at a time, and when it began and ended."""

    client: int
    operation: Operation
    result: Result
    start: int
    end: int


def is_linearizable(history: Iterable[Record], baseline: State = EMPTY) -> bool:
    """Whether there is an order that explains all results.

    A call may be placed before another unless it began after the other had ended.
    """
    calls: dict[int, list[Record]] = {}
    for record in sorted(history, key=lambda each: each.start):
        calls.setdefault(record.client, []).append(record)
    queues = list(calls.values())
    # How many calls of each client are done says which ones.
    first = (0,) * len(queues), baseline
    seen, waiting = {first}, [first]
    while waiting:
        done, state = waiting.pop()
        heads = [
            (client, queue[count])
            for client, (queue, count) in enumerate(zip(queues, done, strict=True))
            if count < len(queue)
        ]
        if not heads:
            return True
        first_end = min(record.end for _, record in heads)
        for client, record in heads:
            if record.start > first_end:
                continue
            result, after = perform(record.operation, state, baseline, record.result)
            if result != record.result:
                continue
            more = (*done[:client], done[client] + 1, *done[client + 1 :])
            if (more, after) not in seen:
                seen.add((more, after))
                waiting.append((more, after))
    return False


def perform(
    operation: Operation, state: State, baseline: State, made: Result = ""
) -> tuple[Result, State]:
    """The result of a call and the state that it leaves; `made` is the id of what is
    created.
    """
    match operation:
        case Reset():
            return None, baseline
        case List():
            return state.collections, state
        case Create(name):
            return _create(made, name, state)
        case Rename(one, _) | Delete(one):
            return _change(operation, dict(state.collections).get(one), state)
        case _:
            return _of_chat(operation, state)


def _create(made: Result, name: str, state: State) -> tuple[Result, State]:
    if not isinstance(made, str) or made in dict(state.collections):
        return MISSING, state
    return made, state._replace(collections=state.collections | {(made, name)})


def _change(
    operation: Rename | Delete, name: str | None, state: State
) -> tuple[Result, State]:
    if name is None:
        return MISSING, state
    left = state.collections - {(operation.id, name)}
    if isinstance(operation, Rename):
        left |= {(operation.id, operation.name)}
    return None, state._replace(collections=left)


def _of_chat(
    operation: Pin | Read | Talk | Forget, state: State
) -> tuple[Result, State]:
    pins, gone, chat = state.pins, state.gone, operation.chat
    match operation:
        case Talk():
            return None, state._replace(gone=gone - {chat})
        case Forget():
            return None, state._replace(pins=pins - {chat}, gone=gone | {chat})
        case _ if chat in gone:
            return MISSING, state
        case Pin(_, value):
            now = pins | {chat} if value else pins - {chat}
            return None, state._replace(pins=now)
    return chat in pins, state
