"""Values that take long to make: made in short steps, between which others are served.

Who needs one that is not there raises NotReady, before anything has been changed.
Whoever serves requests makes its steps in slices of time, then does the same again.
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
"""Makes a value, and pauses after each step."""
STEP = 4_096
"""Records that a step is about: it takes a millisecond or a few."""
AT_ONCE = 4
"""Steps that are made at once: what takes fewer keeps nobody waiting."""
_SAMPLE = 8
"""Keys to a part that is sorted by itself: then no part is much larger than others."""


class Pending(Generic[T]):
    """A value that is being made; whoever iterates makes some of the steps."""

    def __init__(self, steps: Steps[T]) -> None:
        self.value: T
        """Made once the iteration has ended."""
        self.is_made = False
        self._steps = _then_value(steps)
        # Servers in several threads may share what has been loaded.
        self._lock = Lock()

    def __iter__(self) -> Iterator[None]:
        while not self.is_made:
            with self._lock:
                # Where a step has failed none is left: all who wait fail.
                found = next(self._steps)
            if found is not None:
                (self.value,), self.is_made = found, True
            yield


def _then_value(steps: Steps[T]) -> Iterator[tuple[T] | None]:
    """Make the steps, and give the value after them, as often as it is asked for."""
    value = yield from steps
    yield from repeat((value,))


class NotReady(Exception):
    """What is asked for needs a value that is being made.

    Keep `pending` until it is asked for again: nobody else may do so.
    """

    def __init__(self, pending: Pending[Any]) -> None:
        super().__init__("Expected a value that is made, got one that takes steps")
        self.pending = pending


def made(owner: object, key: Hashable, steps: Steps[T]) -> T:
    """The value that an object has of this key. Raises NotReady until it is made.

    It is being made for as long as somebody waits; the first steps are made at once.
    """
    # As a cached property does, it keeps beside the object's own fields what is its.
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
    """The value, made at once."""
    pending = Pending(steps)
    deque(pending, maxlen=0)
    return pending.value


def pieces(items: Iterable[T], size: int = STEP) -> Iterator[tuple[int, list[T]]]:
    """The items, as many at a time as a step is about, and where these begin."""
    rest, start = iter(items), 0
    while some := list(islice(rest, size)):
        yield start, some
        start += len(some)


def sorting(items: Sequence[T], key: Callable[[T], Any]) -> Steps[list[T]]:
    """Sort in steps; no two keys are equal.

    The items are dealt out to parts, by what the keys of a sample are. The parts are
    arrays of indices: the collector of garbage would look at lists of all the items in
    one pass, which takes 25 ms of a million.
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
