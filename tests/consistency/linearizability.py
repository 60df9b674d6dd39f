"""Tells whether overlapping calls can have happened one at a time, in some order.

Wing and Gong's search with Lowe's memory, for a service that pins chats.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Pinned = frozenset[str]
"""The state of the service: the pin flag of each chat. All share one, for resets."""
NO_PINS = Pinned()


@dataclass(frozen=True, slots=True)
class Pin:
    """Set the pin flag of a chat."""

    chat: str
    value: bool


@dataclass(frozen=True, slots=True)
class Read:
    """Ask for the pin flag of a chat."""

    chat: str


@dataclass(frozen=True, slots=True)
class Reset:
    """Bring all chats back to the baseline."""


Operation = Pin | Read | Reset


@dataclass(frozen=True, slots=True)
class Record:
    """One call of a client, which makes one at a time, and when it began and ended."""

    client: int
    operation: Operation
    result: bool | None
    start: int
    end: int


def is_linearizable(history: Iterable[Record], baseline: Pinned = NO_PINS) -> bool:
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
            after = _after(record, state, baseline)
            if record.start > first_end or after is None:
                continue
            more = (*done[:client], done[client] + 1, *done[client + 1 :])
            if (more, after) not in seen:
                seen.add((more, after))
                waiting.append((more, after))
    return False


def _after(record: Record, state: Pinned, baseline: Pinned) -> Pinned | None:
    """The state that a call leaves; None if its result does not fit this one."""
    match record.operation:
        case Pin(chat, value):
            return state | {chat} if value else state - {chat}
        case Read(chat):
            return state if record.result is (chat in state) else None
        case Reset():
            return baseline
