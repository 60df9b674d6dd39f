"""Values that are computed in short steps, between which other requests are served.

Code that needs such a value too early raises NotReady, before it changes anything. Its
caller, which serves the request, runs the steps in slices of time, then calls it again.
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
"""A generator that pauses after each step, and finally returns a value."""
STEP = 2_048
"""Number of objects handled in one step, which takes about a millisecond."""
FIRST_STEPS = 4
"""Number of steps that run immediately, because so few do not delay other requests."""
_SAMPLED_KEYS = 8
"""Number of sampled keys for each part of a sort, so that parts have similar sizes."""
_GOLDEN = 2_654_435_769
"""2**32 divided by the golden ratio: multiples of it modulo 2**32 lie evenly."""


class Pending(Generic[T]):
    """A value that is being computed. Iterate over it to run the steps."""

    def __init__(
        self, steps: Steps[T], key: Hashable = None, *, is_change: bool = False
    ) -> None:
        self.key = key
        """Names the value among those that a call needs."""
        self.is_change = is_change
        """True if the steps change data."""
        self.value: T
        """The value; set when the iteration has ended."""
        self.is_computed = False
        self.error: Exception | None = None
        """What a step has raised."""
        self._steps = _with_value(steps)
        # Servers in several threads may share loaded data.
        self._lock = Lock()

    def __iter__(self) -> Iterator[None]:
        while not self.is_computed:
            result: tuple[T] | None = None
            with self._lock:
                try:
                    result = next(self._steps)
                except Exception as error:
                    self.error = self.error or error
                    return
            if result is not None:
                (self.value,), self.is_computed = result, True
            yield

    @property
    def is_unfinished(self) -> bool:
        """True until the value is computed, or a step has raised an error."""
        return not self.is_computed and self.error is None

    def result(self) -> T:
        """Return the value. Raises NotReady, and what a step has raised."""
        if self.error is not None:
            raise self.error.with_traceback(None)
        if not self.is_computed:
            raise NotReady(self)
        return self.value

    def start(self) -> None:
        """Run the first steps: often they are all."""
        deque(islice(self, FIRST_STEPS), maxlen=0)


def _with_value(steps: Steps[T]) -> Iterator[tuple[T] | None]:
    """Yield None after each step, then the value in a tuple, again and again."""
    value = yield from steps
    yield from repeat((value,))


class NotReady(Exception):
    """A needed value is still being computed.

    Keep a reference to `pending` until you repeat the call: it holds the results of the
    steps.
    """

    def __init__(self, pending: Pending[Any]) -> None:
        super().__init__("Expected a computed value, got one that takes more steps")
        self.pending = pending

    def take(self) -> Pending[Any]:
        """Return `pending`, and forget it, so that only the caller keeps it alive."""
        self.__traceback__ = None  # its frames refer to `pending`
        pending = self.pending
        del self.pending
        return pending


def compute(owner: object, key: Hashable, steps: Steps[T]) -> T:
    """Return the value that `steps` compute. Raises NotReady until it is computed.

    `key` names the value among those of the object `owner`: callers that need the same
    value share the steps, for as long as one of them waits. The first steps run
    immediately. The value must not depend on what may change during the steps.
    """
    # Stored among the owner's attributes, like a cached property.
    unfinished: WeakValueDictionary[Hashable, Pending[T]]
    unfinished = vars(owner).setdefault("_being_made", WeakValueDictionary())
    pending = unfinished.get(key)
    if pending is None:
        pending = Pending(steps, (id(owner), key))
        pending.start()
    if pending.error is None:
        unfinished[key] = pending
    else:  # others begin again
        unfinished.pop(key, None)
    return pending.result()


def complete(steps: Steps[T]) -> T:
    """Run all steps and return the value."""
    pending = Pending(steps)
    deque(pending, maxlen=0)
    return pending.result()


def complete_all(work: Callable[[], T]) -> T:
    """Return the result of `work`; run all steps that it waits for."""
    return complete(in_steps(work))


def in_steps(work: Callable[[], T]) -> Steps[T]:
    """Return the result of `work`; its steps are those that it waits for."""
    while True:
        try:
            return work()
        except NotReady as error:
            pending = error.take()
        yield from pending


def pieces(items: Iterable[T], size: int = STEP) -> Iterator[tuple[int, list[T]]]:
    """Yield lists of at most `size` items, each with its start index."""
    iterator, start = iter(items), 0
    while chunk := list(islice(iterator, size)):
        yield start, chunk
        start += len(chunk)


def lists_of(items: Iterable[T]) -> Iterator[list[T]]:
    """Yield the items in lists, each of which can be handled in one step."""
    return (each for _, each in pieces(items))


def select_in_steps(
    items: Iterable[T], is_wanted: Callable[[T], bool]
) -> Steps[array[int]]:
    """Return the indexes of the wanted items."""
    indexes = array("I")
    for start, chunk in pieces(items):
        indexed = enumerate(chunk, start)
        indexes.extend(index for index, item in indexed if is_wanted(item))
        yield
    return indexes


def sort_in_steps(items: Sequence[T], key: Callable[[T], Any]) -> Steps[list[T]]:
    """Return the items sorted by `key`, which must differ for all items."""
    return (yield from items_at(items, (yield from sorted_indexes(items, key))))


def sorted_indexes(items: Sequence[T], key: Callable[[T], Any]) -> Steps[array[int]]:
    """Return the indexes of the items, sorted by `key`, which must differ for all.

    A sample of the keys divides the items into parts; a part that is still large is
    divided again. All indexes are in arrays, because the garbage collector would walk
    long lists.
    """
    key_at = lambda index: key(items[index])  # noqa: E731
    in_order = array("I")
    parts: list[Sequence[int]] = [range(len(items))]
    while parts:
        part = parts.pop()
        if len(part) <= 2 * STEP:
            in_order.extend(sorted(part, key=key_at))
            yield
        else:
            parts += reversed((yield from _divided(part, key_at)))
    return in_order


def _divided(
    indexes: Sequence[int], key_at: Callable[[int], Any]
) -> Steps[list[array[int]]]:
    """Return the indexes in parts of about `STEP`, each with greater keys."""
    count = len(indexes) * _SAMPLED_KEYS // STEP
    # A fixed distance would miss values that recur at it; these distances vary.
    places = (_GOLDEN * number % 2**32 * len(indexes) >> 32 for number in range(count))
    sample = sorted(key_at(indexes[place]) for place in places)
    bounds = sample[_SAMPLED_KEYS::_SAMPLED_KEYS]
    parts = [array("I") for _ in range(len(bounds) + 1)]
    for _, chunk in pieces(indexes):
        for index in chunk:
            parts[bisect_right(bounds, key_at(index))].append(index)
        yield
    return parts


def items_at(items: Sequence[T], indexes: Iterable[int]) -> Steps[list[T]]:
    """Return the items with these indexes."""
    selected: list[T] = []
    for start, chunk in pieces(indexes):
        if start:
            yield
        selected += map(items.__getitem__, chunk)
    return selected


def numbers_at(numbers: Sequence[int], indexes: Iterable[int]) -> Steps[array[int]]:
    """Return the numbers with these indexes."""
    selected = array("I")
    for start, chunk in pieces(indexes):
        if start:
            yield
        selected.extend(map(numbers.__getitem__, chunk))
    return selected
