"""A mapping that stores changes on top of a shared mapping that never changes."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Generic, Self, TypeVar

from mock_server.domain.memory import GONE_BYTES, MemoryCharge

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Overlay(Generic[K, V]):
    """A base mapping with later changes.

    Iteration follows the base; new keys come last. `size_of` returns the bytes of a
    value that is put; they are charged to `charge`.
    """

    __slots__ = (
        "_base",
        "_charge",
        "_charged_bytes",
        "_len",
        "_size_of",
        "changes",
        "created",
    )

    def __init__(
        self, base: Mapping[K, V], charge: MemoryCharge, size_of: Callable[[V], int]
    ) -> None:
        self.changes: dict[K, V | None] = {}
        """The values that were put, by key; None for a removed key.

        Callers may read it, and replace a value by a value of the same size.
        """
        self.created = 0
        """Number of keys that the base does not have."""
        self._base = base
        self._charge = charge
        self._charged_bytes = 0
        self._size_of = size_of
        self._len = len(base)

    def copy(self, charge: MemoryCharge) -> Self:
        """Return an independent copy; its values are not charged again."""
        copy = type(self)(self._base, charge, self._size_of)
        copy.changes = self.changes.copy()
        copy.created, copy._len = self.created, self._len
        copy._charged_bytes = self._charged_bytes
        return copy

    def __len__(self) -> int:
        return self._len

    def __contains__(self, key: K) -> bool:
        if key in self.changes:
            return self.changes[key] is not None
        return key in self._base

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self.items())

    def get(self, key: K) -> V | None:
        if key in self.changes:
            return self.changes[key]
        return self._base.get(key)

    def items(self) -> Iterator[tuple[K, V]]:
        return (item for item in self.items_and_gaps() if item is not None)

    def items_and_gaps(self) -> Iterator[tuple[K, V] | None]:
        """Yield all items, and None for each removed key, which a caller can count.

        The mapping may change during the iteration.
        """
        changes, base = self.changes, self._base
        for key, loaded in base.items():
            # A removed key has None, which is not the default of `get`.
            value = changes.get(key, loaded)
            yield None if value is None else (key, value)
        for key, put in changes.copy().items():
            # The base has all removed keys: they are not looked up again.
            put = None if put is None or key in base else changes.get(key)
            yield None if put is None else (key, put)

    def values(self) -> Iterator[V]:
        return (value for _, value in self.items())

    def put(self, key: K, value: V) -> None:
        """Store a value. Raises LimitReached."""
        more = self._size_of(value) - self._charged(key)
        self._charge.add(more)
        self._charged_bytes += more
        if self.changes.get(key) is None and key not in self:
            self._len += 1
            self.created += key not in self._base
        self.changes[key] = value

    def remove(self, *keys: K) -> None:
        """Remove keys, which must exist and be distinct."""
        loaded = self._base.keys() & keys
        freed_bytes = sum(map(self._charged, self.changes.keys() & keys))
        more = GONE_BYTES * len(loaded) - freed_bytes
        self._charge.add_unchecked(more)
        self._charged_bytes += more
        self._len -= len(keys)
        self.created -= len(keys) - len(loaded)
        # In the order of the base, look-ups one after the other take less time.
        self.changes |= dict.fromkeys(filter(loaded.__contains__, keys))
        if len(keys) > len(loaded):
            for key in loaded.symmetric_difference(keys):
                del self.changes[key]

    def clear(self) -> None:
        """Undo all changes."""
        self._charge.add_unchecked(-self._charged_bytes)
        self._charged_bytes, self.changes = 0, {}
        self.created, self._len = 0, len(self._base)

    def _charged(self, key: K) -> int:
        """Return the bytes charged for a change."""
        if key not in self.changes:
            return 0
        value = self.changes[key]
        return GONE_BYTES if value is None else self._size_of(value)
