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

    __slots__ = ("_base", "_charge", "_len", "_size_of", "changes", "created")

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
        self._size_of = size_of
        self._len = len(base)

    def copy(self, charge: MemoryCharge) -> Self:
        """Return an independent copy; its values are not charged again."""
        copy = type(self)(self._base, charge, self._size_of)
        copy.changes = self.changes.copy()
        copy.created, copy._len = self.created, self._len
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
        changes, base = self.changes, self._base
        for key, loaded in base.items():
            value = changes.get(key, loaded)
            # A removed key has None, which is not the default of `get`.
            if value is not None:
                yield key, value
        for key, put in changes.items():
            if put is not None and key not in base:
                yield key, put

    def values(self) -> Iterator[V]:
        return (value for _, value in self.items())

    def put(self, key: K, value: V) -> None:
        """Store a value. Raises LimitReached."""
        self._charge.add(self._size_of(value) - self._charged(key))
        if self.changes.get(key) is None and key not in self:
            self._len += 1
            self.created += key not in self._base
        self.changes[key] = value

    def remove(self, *keys: K) -> None:
        """Remove keys, which must exist and be distinct."""
        loaded = self._base.keys() & keys
        freed_bytes = sum(map(self._charged, self.changes.keys() & keys))
        self._charge.add_unchecked(GONE_BYTES * len(loaded) - freed_bytes)
        self._len -= len(keys)
        self.created -= len(keys) - len(loaded)
        self.changes |= dict.fromkeys(loaded)
        if len(keys) > len(loaded):
            for key in loaded.symmetric_difference(keys):
                del self.changes[key]

    def clear(self) -> None:
        """Undo all changes."""
        self._charge.add_unchecked(-sum(map(self._charged, self.changes)))
        self.changes = {}
        self.created, self._len = 0, len(self._base)

    def _charged(self, key: K) -> int:
        """Return the bytes charged for a change."""
        if key not in self.changes:
            return 0
        value = self.changes[key]
        return GONE_BYTES if value is None else self._size_of(value)
