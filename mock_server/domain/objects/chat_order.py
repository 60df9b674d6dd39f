"""The chats of an app in order: pinned ones first, then by time (latest first), id."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from mock_server.domain.objects.blocks import Blocks
from mock_server.domain.objects.pending import (
    STEP,
    Steps,
    compute,
    pieces,
    sort_in_steps,
)

if TYPE_CHECKING:
    from mock_server.domain.objects.models import Chat


class LoadedChats(dict[str, "Chat"]):
    """The loaded chats of an app, by id. They never change, so sandboxes share them."""

    @cached_property
    def in_order(self) -> Blocks[Chat]:
        """All chats in order. Raises NotReady."""
        return compute(self, "in order", self._sorted_in_steps())

    def _sorted_in_steps(self) -> Steps[Blocks[Chat]]:
        in_order = yield from sort_in_steps(list(self.values()), _sort_key)
        yield
        return Blocks.from_items(in_order)


class _Moves:
    """Chats that move in the order: as they are sorted, and as they will be."""

    def __init__(
        self, changed: dict[str, Chat | None], loaded: LoadedChats | None = None
    ) -> None:
        """Store the `changed` chats as they are sorted; empties this dictionary.

        With `loaded`, they are sorted as loaded, and only the ids of `changed` count.
        """
        self.changed = changed
        self.old: list[Chat] = []
        self.new: list[Chat] = []
        self._loaded = loaded

    def collect(self, current_chat: Callable[[str], Chat | None]) -> Steps[None]:
        """Collect the old and the new chats. This may be interrupted and repeated."""
        while self.changed:
            for _ in range(min(STEP, len(self.changed))):
                chat_id, old = self.changed.popitem()
                if self._loaded is not None:
                    old = self._loaded.get(chat_id)
                if old is not None:
                    self.old.append(old)
                if (new := current_chat(chat_id)) is not None:
                    self.new.append(new)
            yield


class ChatOrder:
    """The current chats of an app in order, with changes on top of loaded chats.

    A list moves only the chats that were changed since the last list.
    """

    def __init__(self, loaded: LoadedChats, changes: Mapping[str, Chat | None]) -> None:
        """`changes` are the chats that have been changed so far. Raises NotReady."""
        self._sorted = loaded.in_order
        self.size = _SLOT_BYTES * (len(loaded) + len(changes))
        """Estimated bytes of the order, without the chats."""
        self._moves: _Moves | None = _Moves(dict(changes), loaded)
        # By id, the chats to move next: as they are sorted, or None for a new one.
        # Pins are frequent, so a pin only adds an entry here.
        self._before: dict[str, Chat | None] = {}
        self._merges = 0

    def will_change(self, chat_id: str, chat: Chat | None) -> None:
        """Note that a chat will be put or removed; `chat` is the current one, or None.

        Call this before the change.
        """
        # A chat that is not yet collected for the present merge takes part in it.
        if self._moves is None or chat_id not in self._moves.changed:
            self._before.setdefault(chat_id, chat)

    def listed(self, current_chat: Callable[[str], Chat | None]) -> Sequence[Chat]:
        """Return all chats in order. Raises NotReady.

        `current_chat` returns a changed chat by its id, or None if it was removed.
        """
        while self._moves is not None or self._before:
            if self._moves is None:
                self._moves, self._before = _Moves(self._before), {}
                self._merges += 1  # because others may still hold the last merge
            steps = self._merged(self._moves, current_chat)
            self._sorted = compute(self, self._merges, steps)
            self._moves = None
        return self._sorted

    def _merged(
        self, moves: _Moves, current_chat: Callable[[str], Chat | None]
    ) -> Steps[Blocks[Chat]]:
        """Return the sorted chats after these moves."""
        yield from moves.collect(current_chat)
        new: Sequence[Chat] = moves.new
        if len(new) > STEP:  # pinned chats, for example, all come into the same block
            new = yield from sort_in_steps(new, _sort_key)
        merged = yield from self._sorted.merged(moves.old, new[:STEP], _index_of, _sort)
        for _, some in pieces(new[STEP:]):
            merged = yield from merged.merged((), some, _index_of, _sort)
        return merged


_SLOT_BYTES = 8  # of a chat in an order


def _sort_key(chat: Chat) -> tuple[bool, int, str]:
    return not chat.top, -chat.update_time, chat.chat_id


def _index_of(chat: Chat, in_order: Sequence[Chat]) -> int:
    return bisect_left(in_order, _sort_key(chat), key=_sort_key)


def _sort(chats: Iterable[Chat]) -> Sequence[Chat]:
    return sorted(chats, key=_sort_key)
