"""The chat sessions of an application in the order of lists, kept while they change."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from mock_server.domain.blocks import Blocks
from mock_server.domain.records import Chat


class ChatOrder:
    """Chats in order: pinned ones first, then the latest, then by id.

    To sort 100,000 takes 20 ms, to find the places of one that has changed 10 us.
    """

    def __init__(self, chats: Iterable[Chat]) -> None:
        self._chats = Blocks.of(sorted(chats, key=_place_of))
        # Chats that may have changed since, by id: as they are in the list, None if
        # they are not. Pins, which are many, only enter themselves here.
        self._before: dict[str, Chat | None] = {}

    def will_change(self, chat_id: str, chat: Chat | None) -> None:
        """To be called before a chat is put or removed; `chat` is what there is."""
        self._before.setdefault(chat_id, chat)

    def listed(self, now: Callable[[str], Chat | None]) -> Sequence[Chat]:
        """All of them in order; `now` gives what there is of an id."""
        before, self._before = self._before, {}
        olds = [old for old in before.values() if old is not None]
        news = [new for new in map(now, before) if new is not None]
        if len(before) > len(self._chats) // _FEW:
            gone = set(map(id, olds))
            kept = [each for each in self._chats if id(each) not in gone]
            self._chats = Blocks.of(sorted([*kept, *news], key=_place_of))
            return self._chats
        for old in olds:
            at = bisect_left(self._chats, _place_of(old), key=_place_of)
            self._chats = self._chats.replaced(at, at + 1, ())
        for new in news:
            at = bisect_left(self._chats, _place_of(new), key=_place_of)
            self._chats = self._chats.replaced(at, at, (new,))
        return self._chats


# One place is found and moved in so much less time than all are sorted.
_FEW = 50


def _place_of(chat: Chat) -> tuple[bool, int, str]:
    return not chat.top, -chat.update_time, chat.chat_id
