"""Values that are made in short steps, between which other requests are served.

Code that needs a missing value raises NotReady before it changes anything. The caller
that serves requests runs the steps in slices of time, then repeats the call.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from itertools import islice, repeat
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")
Steps = Generator[None, None, T]
"""A generator that returns a value and pauses after each step."""
STEP = 4_096
"""Objects handled in a step, which takes a few milliseconds at most."""
AT_ONCE = 4
"""Steps that run immediately: so few delay no other request."""
_SAMPLE = 8
"""Sampled keys for each separately sorted part, so that parts have similar sizes."""


class Pending(Generic[T]):
    """A value in the making; iterate over it to make steps."""

    def __init__(self, steps: Steps[T]) -> None:
        self.value: T
        """Set when the iteration has ended."""
        self.is_made = False
        self._steps = _then_value(steps)
        # Servers in several threads may share loaded data.
        self._lock = Lock()

    def __iter__(self) -> Iterator[None]:
        while not self.is_made:
            with self._lock:
                # If a step failed, none is left: all waiting callers fail.
                found = next(self._steps)
            if found is not None:
                (self.value,), self.is_made = found, True
            yield


def _then_value(steps: Steps[T]) -> Iterator[tuple[T] | None]:
    """Run the steps, then yield the value in a tuple, for ever."""
    value = yield from steps
    yield from repeat((value,))


class NotReady(Exception):
    """A needed value is still being made.

    Keep a reference to `pending` until the next try: no other one exists.
    """

    def __init__(self, pending: Pending[Any]) -> None:
        super().__init__("Expected a value that is made, got one that takes steps")
        self.pending = pending


def made(owner: object, key: Hashable, steps: Steps[T]) -> T:
    """Return the value of `key` for an object. Raises NotReady until it is made.

    Values are made while somebody waits for them; the first steps run immediately.
    """
    # Kept among the owner's attributes, like a cached property.
    being_made: WeakValueDictionary[Hashable, Pending[T]]
    being_made = vars(owner).setdefault("_being_made", WeakValueDictionary())
    pending = being_made.get(key)
    if pending is None:
        pending = Pending(steps)
        deque(islice(pending, AT_ONCE), maxlen=0)
    if not pending.is_made:
        being_made[key] = pending
        raise NotReady(pending)
    return pending.value


def complete(steps: Steps[T]) -> T:
    """Run all steps and return the value."""
    pending = Pending(steps)
    deque(pending, maxlen=0)
    return pending.value


def pieces(items: Iterable[T], size: int = STEP) -> Iterator[tuple[int, list[T]]]:
    """Yield lists of at most `size` items, each with its start index."""
    rest, start = iter(items), 0
    while some := list(islice(rest, size)):
        yield start, some
        start += len(some)


def sorting(items: Sequence[T], key: Callable[[T], Any]) -> Steps[list[T]]:
    """Sort in steps; all keys have to differ.

    A sample of the keys divides the items into parts. Parts are arrays of indices: the
    garbage collector would take 25 ms to walk lists of a million items.
    """
    found: list[T] = []
    sample = sorted(map(key, items[:: max(1, STEP // _SAMPLE)]))
    bounds = sample[_SAMPLE::_SAMPLE]
    parts = [array("I") for _ in range(len(bounds) + 1)]
    for start, some in pieces(items):
        for at, item in enumerate(some, start):
            parts[bisect_right(bounds, key(item))].append(at)
        yield
    for part in parts:
        found += sorted(map(items.__getitem__, part), key=key)
        yield
    return found
