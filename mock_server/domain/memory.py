"""The memory budget: bytes of a server's data, and what happens at the limit.

Data are charged by an estimate: a loaded state by up to several times its real size,
all else within a factor of two. At the limit, new states, changes, snapshots, faults,
request bodies, streams and waiting responses are refused; journals drop their oldest
entries, caches are emptied.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from sys import getsizeof
from threading import RLock
from typing import Any, Literal, Protocol, get_args
from weakref import WeakKeyDictionary, WeakValueDictionary

from msgspec import Raw

from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Limits, Published
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
_SENT_COPIES = 3
"""Copies of a response that parsers and transports keep at most."""
_HINT = "start with more --memory, or delete sandboxes, snapshots, faults or journals"


class Sized(Protocol):
    """Data that several sandboxes share; `size` is in bytes."""

    @property
    def size(self) -> int: ...


class Memory:
    """The budget of one server (`memory_bytes`), and the bytes in use."""

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
        # Any thread may release a holding, even during a change.
        self._lock = RLock()
        # Sandboxes, snapshots and pending requests share a state. With weak keys a
        # state is charged, and its cache kept, until the last of them frees the state.
        self._shared: WeakKeyDictionary[Any, Holding] = WeakKeyDictionary()
        self._caches: WeakKeyDictionary[
            Any, WeakValueDictionary[Hashable, TextCache]
        ] = WeakKeyDictionary()

    def usage(self) -> dict[Kind, int]:
        """Return the used bytes by kind."""
        return dict(self._used)

    def hold(self, kind: Kind, size: int = 0, at: str = "path") -> Holding:
        """Charge `size` bytes. Raises LimitReached, naming the place `at`."""
        holding = Holding(self, kind)
        holding.charge(size, at)
        return holding

    def hold_response(self, size: int) -> Holding | None:
        """Charge a response while it is sent, unless it is short.

        Raises LimitReached.
        """
        if size <= Published.free_body_bytes:
            return None
        return self.hold("requests", _SENT_COPIES * size)

    def keep(self, shared: Sized, holding: Holding | None = None) -> None:
        """Charge a state once, for as long as anything refers to the state.

        `holding` is what was reserved for the state before. Raises LimitReached.
        """
        if shared not in self._shared:
            held = holding or self.hold("states", shared.size, "body")
            self._shared[shared] = held

    def fits(self, size: int) -> bool:
        """Return True if `size` more bytes are within the budget."""
        return self.used + size <= self.limit

    def check_room(self, size: int, at: str) -> None:
        """Raise LimitReached unless `size` more bytes fit once caches are empty."""
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
        """Return True if a kind may grow by `size` within its share of the budget."""
        return self._used[kind] + size <= self._shares[kind] and self.fits(size)

    def cache_of(self, shared: Sized, look: Hashable) -> TextCache:
        """Return the cache of a state's JSON texts, kept while the state is.

        States share a cache if they have the same data and the same choices (`look`).
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
    """Bytes of one kind that stay charged until this is released or forgotten."""

    __slots__ = ("_memory", "kind", "size")

    def __init__(self, memory: Memory, kind: Kind) -> None:
        self._memory = memory
        self.kind = kind
        self.size = 0

    def grow(self, size: int) -> None:
        """Charge `size` more bytes (fewer if negative), even beyond the budget."""
        self._memory._add(self.kind, size)
        self.size += size

    def charge(self, size: int, at: str = "path") -> None:
        """Charge `size` more bytes, or fewer.

        Raises LimitReached for more, naming the place `at`.
        """
        if size > 0:
            self._memory.check_room(size, at)
        self.grow(size)

    def fits(self, size: int) -> bool:
        """Return True if `size` more bytes are within the budget."""
        return self._memory.fits(size)

    def release(self) -> None:
        self.grow(-self.size)

    def __del__(self) -> None:
        self.release()


GONE_BYTES = 100
"""Estimated bytes to remember the id of a loaded object that is gone."""
_KEY_BYTES = 512
"""Estimated bytes of the key of a text: a tuple of a page's items, and its slot."""


class TextCache(dict[Hashable, bytes]):
    """JSON texts by key, cached because clients send the same request repeatedly.

    Read it as a dictionary; write it with `put`, which respects the budget. All caches
    are emptied as a whole when memory is needed: a few requests fill them again.
    """

    __slots__ = ("__weakref__", "_holding", "_memory")

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._memory = memory
        self._holding = memory.hold("caches")

    def put(self, key: Hashable, text: bytes) -> bytes:
        """Cache a text if there is room for it; return it."""
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
    """Return the bytes of plain data: a text, a number, a list, a mapping of these."""
    size = getsizeof(value)
    if isinstance(value, str):  # most values; a check for Mapping is slower
        return size
    if isinstance(value, Mapping):
        return size + sum(map(size_of, value)) + sum(map(size_of, value.values()))
    if isinstance(value, list | tuple):
        return size + sum(map(size_of, value))
    return len(bytes(value)) if isinstance(value, Raw) else size
