"""The chats of an app in order: pinned ones first, then by time (latest first), id."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from mock_server.domain.objects.blocks import Blocks
from mock_server.domain.objects.pending import compute, sort_in_steps

if TYPE_CHECKING:
    from mock_server.domain.objects.models import Chat


class LoadedChats(dict[str, "Chat"]):
    """The loaded chats of an app, by id. They never change, so sandboxes share them."""

    @cached_property
    def in_order(self) -> Blocks[Chat]:
        """All chats in order. Raises NotReady."""
        steps = sort_in_steps(list(self.values()), _sort_key)
        return Blocks.from_items(compute(self, "in order", steps))


class ChatOrder:
    """The current chats of an app in order, with changes on top of loaded chats.

    A list moves only the chats that were changed since the last list.
    """

    def __init__(
        self, in_order: Blocks[Chat], before: Mapping[str, Chat | None]
    ) -> None:
        """Store sorted chats, and by id the changed ones: as they are sorted, or None.

        None is for a chat that is not among the sorted ones.
        """
        self._sorted = in_order
        self.size = _SLOT_BYTES * (len(in_order) + len(before))
        """Estimated bytes of the order, without the chats."""
        # Pins are frequent, so a pin only adds an entry here.
        self._before = dict(before)
        # The chats that are being moved: as they are in `_sorted`, and as they will be.
        self._moves: tuple[list[Chat], list[Chat]] | None = None
        self._merges = 0

    def will_change(self, chat_id: str, chat: Chat | None) -> None:
        """Note that a chat will be put or removed; `chat` is the current one, or None.

        Call this before the change.
        """
        self._before.setdefault(chat_id, chat)

    def listed(self, current_chat: Callable[[str], Chat | None]) -> Sequence[Chat]:
        """Return all chats in order. Raises NotReady.

        `current_chat` returns a changed chat by its id, or None if it was removed.
        """
        while self._moves or self._before:
            if self._moves is None:
                before, self._before = self._before, {}
                old_chats = [old for old in before.values() if old is not None]
                new_chats = [
                    new for new in map(current_chat, before) if new is not None
                ]
                self._moves = old_chats, new_chats
                self._merges += 1  # because others may still hold the last merge
            steps = self._sorted.merged(*self._moves, _index_of, _sort)
            self._sorted = compute(self, self._merges, steps)
            self._moves = None
        return self._sorted


_SLOT_BYTES = 8  # of a chat in an order


def _sort_key(chat: Chat) -> tuple[bool, int, str]:
    return not chat.top, -chat.update_time, chat.chat_id


def _index_of(chat: Chat, in_order: Sequence[Chat]) -> int:
    return bisect_left(in_order, _sort_key(chat), key=_sort_key)


def _sort(chats: Iterable[Chat]) -> Sequence[Chat]:
    return sorted(chats, key=_sort_key)
