"""The memory budget of a server: the bytes of all its data, and their limit.

All data is charged by an estimate: loaded data by up to several times its real size,
other data within a factor of two. At the limit, caches are emptied and journals drop
their oldest entries. New states, changes, snapshots, faults, request bodies, streams
and waiting responses are refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping
from copy import copy
from sys import getsizeof
from threading import RLock
from typing import Any, Literal, Protocol, get_args
from weakref import WeakKeyDictionary, WeakValueDictionary, finalize, ref

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
_FREED_AT_ONCE = 4 * _MIB
"""Maximum bytes of data that are freed without steps."""
_FREED_PER_STEP = 2_048
"""Maximum number of objects that are freed in one step."""
_SENT_COPIES = 3
"""Maximum number of copies of a response in parsers and transports."""
_HINT = "start with more --memory, or delete sandboxes, snapshots, faults or journals"


class SharedData(Protocol):
    """Data that several sandboxes share."""

    @property
    def size(self) -> int:
        """Estimated bytes."""

    def parts(self) -> Iterator[object]:
        """Yield all that is held, in lists and containers that are quick to free."""


class Memory:
    """The memory budget of one server (limit `memory_bytes`), and the bytes in use."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.limit = self.limits.memory_bytes
        self.used = 0
        """Bytes in use, of all kinds."""
        self._used: dict[Kind, int] = dict.fromkeys(KINDS, 0)
        self._shares = {
            "journals": min(self.limits.journals_bytes, self.limit // 4),
            "caches": min(self.limits.caches_bytes, self.limit // 8),
        }
        self.run_soon: Callable[[Iterator[None]], object] = _run_at_once
        """Runs the steps that free large data; a server runs them between requests."""
        # Any thread may release a charge, even while another thread changes sizes.
        self._lock = RLock()
        # Sandboxes, snapshots and pending requests share loaded data. Weak keys keep it
        # charged, and its cache alive, until the last of them is freed.
        self._shared: WeakKeyDictionary[Any, MemoryCharge] = WeakKeyDictionary()
        self._freeing: dict[int, finalize[Any, Any]] = {}
        """By the identity of shared data, what frees them in the end."""
        # Containers to free, and the steps that do so, which may end with their loop.
        self._dropped: list[Mapping[Any, object] | list[Any]] = []
        self._emptying: Callable[[], Iterator[None] | None] = lambda: None
        # Number of objects that were dropped since such steps ended.
        self._dropped_count = 0
        self._caches: WeakKeyDictionary[
            Any, WeakValueDictionary[Hashable, TextCache]
        ] = WeakKeyDictionary()

    def usage(self) -> dict[Kind, int]:
        """Return the bytes in use, by kind."""
        return dict(self._used)

    def charge(self, kind: Kind, size: int = 0, place: str = "path") -> MemoryCharge:
        """Charge `size` bytes, and return the charge, which releases them when freed.

        Raises LimitReached, naming the `place` in the request.
        """
        charge = MemoryCharge(self, kind)
        charge.add(size, place)
        return charge

    def charge_response(self, size: int) -> MemoryCharge | None:
        """Charge a response while it is sent; return None for a short response.

        Raises LimitReached.
        """
        if size <= Published.free_body_bytes:
            return None
        return self.charge("requests", _SENT_COPIES * size)

    def charge_shared(
        self, shared: SharedData, charge: MemoryCharge | None = None
    ) -> None:
        """Charge shared data once, for as long as anything refers to it.

        `charge` may have been charged for it before. Raises LimitReached.
        """
        if shared not in self._shared:
            charged = charge or self.charge("states", shared.size, "body")
            self._shared[shared] = charged
            # Once nothing refers to the data, the copy has the last reference to parts.
            key = id(shared)
            freeing = finalize(shared, _free_soon, ref(self), key, copy(shared))
            freeing.atexit = False
            self._freeing[key] = freeing

    def free_soon(self, containers: list[Mapping[Any, object] | list[Any]]) -> None:
        """Free containers that the caller drops; many objects in steps.

        They are many also if one after the other drops a few.
        """
        self._dropped_count += sum(map(len, containers))
        if self._dropped_count > _FREED_PER_STEP:
            self._dropped += filter(None, containers)
            if self._emptying() is None:
                steps = self._emptying_steps()
                self._emptying = ref(steps)
                self.run_soon(steps)

    def _emptying_steps(self) -> Iterator[None]:
        """Free the last container first; the others may refer to the same objects."""
        room = _FREED_PER_STEP
        while self._dropped:
            last = self._dropped.pop()
            # A copy, because who still reads the container finds it unchanged.
            items = [*(last.values() if isinstance(last, Mapping) else last)]
            del last
            while items:
                count = min(len(items), room)
                del items[-count:]
                room -= count
                if not room:
                    yield
                    room = _FREED_PER_STEP
        self._dropped_count = 0

    def __del__(self) -> None:
        # Data may be shared with other servers, and outlive this budget.
        for freeing in self._freeing.values():
            freeing.detach()

    def fits(self, size: int) -> bool:
        """Return True if `size` more bytes are within the budget."""
        return self.used + size <= self.limit

    def check_room(self, size: int, place: str) -> None:
        """Raise LimitReached unless `size` more bytes fit; empty caches if needed."""
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
        raise LimitReached(expected, got, place, hint)

    def has_room_for(self, kind: Literal["journals", "caches"], size: int) -> bool:
        """Return True if a kind may grow by `size` within its share of the budget."""
        return self._used[kind] + size <= self._shares[kind] and self.fits(size)

    def cache_of(self, shared: SharedData, variant: Hashable) -> TextCache:
        """Return the cache of JSON texts for shared data under the choices `variant`.

        The cache exists for as long as its users refer to it.
        """
        caches = self._caches.setdefault(shared, WeakValueDictionary())
        cache = caches.get(variant)
        if cache is None:
            cache = caches[variant] = TextCache(self)
        return cache

    def clear_caches(self) -> None:
        """Remove all cached texts."""
        for caches in tuple(self._caches.values()):
            for cache in tuple(caches.values()):
                cache.clear()

    def _add(self, kind: Kind, size: int) -> None:
        with self._lock:
            self._used[kind] += size
            self.used += size


class MemoryCharge:
    """Bytes of one kind, which stay charged until this object is released or freed."""

    __slots__ = ("kind", "memory", "size")

    def __init__(self, memory: Memory, kind: Kind) -> None:
        self.memory = memory
        self.kind = kind
        self.size = 0

    def add_unchecked(self, size: int) -> None:
        """Charge `size` more bytes (fewer if negative), even beyond the budget."""
        self.memory._add(self.kind, size)
        self.size += size

    def add(self, size: int, place: str = "path") -> None:
        """Charge `size` more bytes; a negative size releases bytes.

        Raises LimitReached, naming the `place` in the request.
        """
        if size > 0:
            self.memory.check_room(size, place)
        self.add_unchecked(size)

    def fits(self, size: int) -> bool:
        """Return True if `size` more bytes are within the budget."""
        return self.memory.fits(size)

    def release(self) -> None:
        """Release all bytes."""
        self.add_unchecked(-self.size)

    def __del__(self) -> None:
        self.release()


def _free_soon(memory: ref[Memory], key: int, shared: SharedData) -> None:
    """Free data to which nothing else refers; large data in steps, between requests."""
    budget = memory()
    if budget is not None:
        del budget._freeing[key]
        if shared.size > _FREED_AT_ONCE:
            budget.run_soon(_freeing_steps(shared))


def _freeing_steps(shared: SharedData) -> Iterator[None]:
    parts: list[object] = []
    part: object = None
    for part in shared.parts():
        parts.append(part)
        yield
    del shared, part
    while parts:
        # Last come the lists, which hold the objects when their containers are freed.
        del parts[-1]
        yield


def _run_at_once(steps: Iterator[None]) -> None:
    deque(steps, maxlen=0)


GONE_BYTES = 100
"""Estimated bytes for the id of a loaded object that was removed."""
_KEY_BYTES = 512
"""Estimated bytes of the key of a text, a tuple of a page's items, and of its slot."""


class TextCache(dict[Hashable, bytes]):
    """JSON texts by key, cached because clients repeat requests.

    Read it like a dictionary, and write it with `put`, which respects the budget. When
    memory is needed, all caches are emptied.
    """

    __slots__ = ("__weakref__", "_charge", "_memory")

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._memory = memory
        self._charge = memory.charge("caches")

    def put(self, key: Hashable, text: bytes) -> bytes:
        """Return a text, and cache it if there is room."""
        size = len(text) + _KEY_BYTES
        if size <= self._memory.limits.cached_text_bytes and self._makes_room(size):
            self[key] = text
            self._charge.add_unchecked(size)
        return text

    def clear(self) -> None:
        """Remove all texts, and release their memory."""
        super().clear()
        self._charge.release()

    def _makes_room(self, size: int) -> bool:
        if not self._memory.has_room_for("caches", size):
            self._memory.clear_caches()
        return self._memory.has_room_for("caches", size)


_ATOMS = str, int, float, type(None)


def size_of(value: object) -> int:
    """Return the bytes of plain data: texts, numbers, lists, mappings, encoded JSON."""
    size = getsizeof(value)
    if isinstance(value, _ATOMS):  # most values; a check for Mapping is slower
        return size
    if isinstance(value, Mapping):
        return size + sum(map(size_of, value)) + sum(map(size_of, value.values()))
    if isinstance(value, list | tuple):
        return size + sum(map(size_of, value))
    return len(bytes(value)) if isinstance(value, Raw) else size
