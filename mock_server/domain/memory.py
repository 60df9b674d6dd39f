"""The memory budget: how many bytes the data of a server takes, and what gives way.

What is held is charged by an estimate: a loaded state by one that may be several times
what the process needs for it, all else by one within a factor of two. Once the budget
is used up, states, changes, snapshots, faults, request bodies, streams and answers that
wait are refused; journals drop their oldest entries, caches are emptied.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from sys import getsizeof
from threading import RLock
from typing import Any, Literal, Protocol, get_args
from weakref import WeakKeyDictionary, WeakValueDictionary

from msgspec import Raw

from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Limits
from mock_server.domain.printable import size_text

Kind = Literal[
    "states",
    "changes",
    "snapshots",
    "faults",
    "journals",
    "caches",
    "streams",
    "requests",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
_MIB = 1024 * 1024
_HINT = "start with more --memory, or delete sandboxes, snapshots, faults or journals"


class Sized(Protocol):
    """Data that several sandboxes share; `size` is in bytes."""

    @property
    def size(self) -> int: ...


class Memory:
    """The budget of one server (`memory_bytes`), and what its data takes of it."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.limit = self.limits.memory_bytes
        self.used = 0
        """Bytes of all kinds."""
        self._used: dict[Kind, int] = dict.fromkeys(KINDS, 0)
        self._shares = {
            "journals": min(self.limits.journals_bytes, self.limit // 4),
            "caches": min(self.limits.caches_bytes, self.limit // 8),
        }
        # Holdings are released by whichever thread forgets them, even amid a change.
        self._lock = RLock()
        # A state is shared by sandboxes, snapshots and requests on their way. It is
        # charged, and its cache kept, until the last of them lets go: hence weak keys.
        self._shared: WeakKeyDictionary[Any, Holding] = WeakKeyDictionary()
        self._caches: WeakKeyDictionary[
            Any, WeakValueDictionary[Hashable, TextCache]
        ] = WeakKeyDictionary()

    def usage(self) -> dict[Kind, int]:
        """Bytes by kind."""
        return dict(self._used)

    def hold(self, kind: Kind, size: int = 0, at: str = "path") -> Holding:
        """Charge so many bytes. Raises LimitReached, naming the place `at`."""
        holding = Holding(self, kind)
        holding.charge(size, at)
        return holding

    def keep(self, shared: Sized, holding: Holding | None = None) -> None:
        """Charge a state once, for as long as anybody holds it.

        `holding` is what has been reserved for it already. Raises LimitReached.
        """
        if shared not in self._shared:
            held = holding or self.hold("states", shared.size, "body")
            self._shared[shared] = held

    def fits(self, size: int) -> bool:
        """Whether so many bytes more are within the budget."""
        return self.used + size <= self.limit

    def check_room(self, size: int, at: str) -> None:
        """Raises LimitReached unless so many bytes more fit; caches give way."""
        if self.fits(size):
            return
        self.clear_caches()
        if self.fits(size):
            return
        expected = f"at most {size_text(self.limit)} of memory in use"
        large = {kind: held for kind, held in self._used.items() if held >= _MIB}
        parts = [f"{kind} {size_text(held)}" for kind, held in large.items()]
        got = size_text(self.used + size)
        hint = f"held: {', '.join(parts) or 'little'}; {_HINT}"
        raise LimitReached(expected, got, at, hint)

    def has_room_for(self, kind: Literal["journals", "caches"], size: int) -> bool:
        """Whether a kind may grow by that much, within its part of the budget."""
        return self._used[kind] + size <= self._shares[kind] and self.fits(size)

    def cache_of(self, shared: Sized, look: Hashable) -> TextCache:
        """The cache of a state's JSON texts, kept for as long as anybody holds it.

        States share one if they have the same data, and choices (`look`).
        """
        caches = self._caches.setdefault(shared, WeakValueDictionary())
        cache = caches.get(look)
        if cache is None:
            cache = caches[look] = TextCache(self)
        return cache

    def clear_caches(self) -> None:
        for caches in tuple(self._caches.values()):
            for cache in tuple(caches.values()):
                cache.clear()

    def _add(self, kind: Kind, size: int) -> None:
        with self._lock:
            self._used[kind] += size
            self.used += size


class Holding:
    """Bytes of one kind that are charged until this is released or forgotten."""

    __slots__ = ("_memory", "kind", "size")

    def __init__(self, memory: Memory, kind: Kind) -> None:
        self._memory = memory
        self.kind = kind
        self.size = 0

    def grow(self, size: int) -> None:
        """Charge so many bytes more (fewer if negative), whatever the budget says."""
        self._memory._add(self.kind, size)
        self.size += size

    def charge(self, size: int, at: str = "path") -> None:
        """Charge so many bytes more, or fewer.

        Raises LimitReached for more, naming the place `at`.
        """
        if size > 0:
            self._memory.check_room(size, at)
        self.grow(size)

    def fits(self, size: int) -> bool:
        """Whether so many bytes more are within the budget."""
        return self._memory.fits(size)

    def release(self) -> None:
        self.grow(-self.size)

    def __del__(self) -> None:
        self.release()


GONE_BYTES = 100
"""About what it takes to know that something loaded is gone, by its id."""
_KEY_BYTES = 512
"""About what the key of a text takes: a tuple of a page's items, and its slot."""


class TextCache(dict[Hashable, bytes]):
    """JSON texts by key, kept ready because clients ask again and again.

    Read it as a dictionary; write it with `put`, which keeps it within the budget. All
    caches are emptied as a whole when memory is needed: clients that read on fill them
    again within a few requests.
    """

    __slots__ = ("__weakref__", "_holding", "_memory")

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._memory = memory
        self._holding = memory.hold("caches")

    def put(self, key: Hashable, text: bytes) -> bytes:
        """Keep a text if there is room for it; gives it back."""
        size = len(text) + _KEY_BYTES
        if size <= self._memory.limits.cached_text_bytes and self._makes_room(size):
            self[key] = text
            self._holding.grow(size)
        return text

    def clear(self) -> None:
        super().clear()
        self._holding.release()

    def _makes_room(self, size: int) -> bool:
        if not self._memory.has_room_for("caches", size):
            self._memory.clear_caches()
        return self._memory.has_room_for("caches", size)


def size_of(value: object) -> int:
    """Bytes that plain data takes: a text, a number, a list, a mapping of these."""
    size = getsizeof(value)
    if isinstance(value, str):  # most are, and to ask for a mapping takes longer
        return size
    if isinstance(value, Mapping):
        return size + sum(map(size_of, value)) + sum(map(size_of, value.values()))
    if isinstance(value, list | tuple):
        return size + sum(map(size_of, value))
    return len(bytes(value)) if isinstance(value, Raw) else size
