"""The current chats of a sandbox and their records."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from sys import getsizeof

from mock_server.domain.memory import Holding
from mock_server.domain.objects.blocks import Blocks
from mock_server.domain.objects.chat_records import ChatRecords
from mock_server.domain.objects.models import App, Chat, ChatRecord
from mock_server.domain.objects.pending import made, sorting
from mock_server.domain.storage.overlay import Overlay


class ChatStore:
    """Changed chats and records on top of the loaded ones, charged to `holding`."""

    def __init__(self, holding: Holding) -> None:
        self.created_chats = 0
        """Number of chats that were not loaded."""
        self._holding = holding
        # By app, then by chat id.
        self._chats: dict[str, Overlay[str, Chat]] = {}
        self._records: dict[str, Overlay[str, Sequence[ChatRecord]]] = {}
        # By app, from the first list on; not charged, as a chat takes 8 bytes.
        self._orders: dict[str, ChatOrder] = {}

    def _copy_chats(self, to: "ChatStore") -> None:
        """Copy the chats to an empty store without charging them again."""
        holding, to.created_chats = to._holding, self.created_chats
        to._chats = {app: it.copy(holding) for app, it in self._chats.items()}
        to._records = {app: it.copy(holding) for app, it in self._records.items()}

    def chat(self, app: App, chat_id: str) -> Chat | None:
        chats = self._chats.get(app.id)
        # `chats.get` would double the time of this look-up, which pins need.
        if chats is not None and chat_id in chats.changed:
            return chats.changed[chat_id]
        return app.chats.get(chat_id)

    def chats(self, app: App) -> Iterator[Chat]:
        """Yield all current chats of an app, created ones last."""
        chats = self._chats.get(app.id)
        return iter(app.chats.values()) if chats is None else chats.values()

    def chats_in_order(self, app: App) -> Sequence[Chat]:
        """Return all chats of an app: pinned ones first, then the latest."""
        order = self._orders.get(app.id)
        if order is None:
            order = self._orders[app.id] = ChatOrder(self.chats(app))
        return order.listed(partial(self.chat, app))

    def count_chats(self, app: App) -> int:
        return len(self._chats.get(app.id, app.chats))

    def put_chat(self, app: App, chat: Chat) -> None:
        """Store a chat, or replace the one with its id.

        Raises LimitReached.
        """
        chats = self._chats.get(app.id)
        if chats is None:
            chats = self._chats_of(app)
        if self._orders:
            self._will_change(app, chat.chat_id)
        old = chats.changed.get(chat.chat_id)
        # A repeated pin keeps the texts of the chat, so its size is known.
        if (
            old is not None
            and chat.title is old.title
            and chat.custom_title is old.custom_title
        ):
            chats.changed[chat.chat_id] = chat
            return
        created = chats.created
        chats.put(chat.chat_id, chat)
        self.created_chats += chats.created - created

    def remove_chats(self, app: App, *chat_ids: str) -> None:
        """Remove existing, distinct chats with their records."""
        for chat_id in chat_ids:
            self._will_change(app, chat_id)
        chats = self._chats_of(app)
        created = chats.created
        chats.remove(*chat_ids)
        self.created_chats += chats.created - created
        spoken = [each for each in chat_ids if self.records(app, each)]
        self._records_of(app).remove(*spoken)

    def records(self, app: App, chat_id: str) -> Sequence[ChatRecord]:
        """Return the records of a chat, oldest first, deleted ones included."""
        records = self._records.get(app.id, app.records)
        return records.get(chat_id) or ()

    def add_records(self, app: App, chat_id: str, new: Sequence[ChatRecord]) -> None:
        """Append records to a chat. Raises LimitReached."""
        records = ChatRecords.of(self.records(app, chat_id)).added(new)
        self._records_of(app).put(chat_id, records, _size_of_records(new))

    def change_records(
        self, app: App, chat_id: str, by_place: Mapping[int, ChatRecord]
    ) -> None:
        """Replace records of a chat by their places. Raises LimitReached."""
        records = ChatRecords.of(self.records(app, chat_id))
        olds = [records[at] for at in by_place]
        more = _size_of_records([*by_place.values()]) - _size_of_records(olds)
        self._records_of(app).put(chat_id, records.changed(by_place), more)

    def _forget_changes(self, app_id: str) -> None:
        """Drop the changes of an app that was replaced."""
        self._orders.pop(app_id, None)
        chats = self._chats.pop(app_id, None)
        if chats is not None:
            self.created_chats -= chats.created
            chats.clear()
        records = self._records.pop(app_id, None)
        if records is not None:
            records.clear()

    def _chats_of(self, app: App) -> Overlay[str, Chat]:
        """Return the chats of an app for changes."""
        chats = self._chats.get(app.id)
        if chats is None:
            chats = Overlay(app.chats, self._holding, _size_of_chat)
            self._chats[app.id] = chats
        return chats

    def _will_change(self, app: App, chat_id: str) -> None:
        """Notify the order of an app's chats, if any."""
        order = self._orders.get(app.id)
        if order is not None:
            order.will_change(chat_id, self.chat(app, chat_id))

    def _records_of(self, app: App) -> Overlay[str, Sequence[ChatRecord]]:
        """Return the records of an app's chats for changes."""
        records = self._records.get(app.id)
        if records is None:
            records = Overlay(app.records, self._holding, _size_of_records)
            self._records[app.id] = records
        return records


# Estimated bytes without texts: of a chat; of a record.
_CHAT_BYTES, _RECORD_BYTES = 400, 300


def _size_of_chat(chat: Chat) -> int:
    ids = filter(None, (chat.share_id, chat.out_link_uid))
    texts = chat.title, chat.custom_title, *ids
    return _CHAT_BYTES + sum(map(getsizeof, texts))


def _size_of_records(records: Sequence[ChatRecord]) -> int:
    return sum(
        _RECORD_BYTES + getsizeof(it.text) + len(it.parts) + len(it.feedback)
        for it in records
    )


class ChatOrder:
    """Chats in order: pinned ones first, then the latest, then by id.

    Sorting 100,000 takes 100 ms, finding the place of a changed chat 10 us.
    """

    def __init__(self, chats: Iterable[Chat]) -> None:
        # Sorted chats, or None while `_unsorted` has to be sorted.
        self._chats: Blocks[Chat] | None = None
        self._unsorted = list(chats)
        # Chats that may have changed, by id: their state in the list, or None. Pins are
        # frequent, so they only add an entry here.
        self._before: dict[str, Chat | None] = {}

    def will_change(self, chat_id: str, chat: Chat | None) -> None:
        """Call this before a chat is put or removed; `chat` is the current one."""
        self._before.setdefault(chat_id, chat)

    def listed(self, now: Callable[[str], Chat | None]) -> Sequence[Chat]:
        """Return all in order; `now` returns the current chat. Raises NotReady."""
        if self._chats is None:
            in_order = made(self, "in order", sorting(self._unsorted, _place_of))
            self._chats = Blocks.of(in_order)
            self._unsorted = []
        before, self._before = self._before, {}
        olds = [old for old in before.values() if old is not None]
        news = [new for new in map(now, before) if new is not None]
        if len(before) > len(self._chats) // _FEW:
            gone = set(map(id, olds))
            kept = [each for each in self._chats if id(each) not in gone]
            self._chats, self._unsorted = None, [*kept, *news]
            return self.listed(now)
        for old in olds:
            at = bisect_left(self._chats, _place_of(old), key=_place_of)
            self._chats = self._chats.replaced(at, at + 1, ())
        for new in news:
            at = bisect_left(self._chats, _place_of(new), key=_place_of)
            self._chats = self._chats.replaced(at, at, (new,))
        return self._chats


# Sorting all takes less time than moving more than 1 chat in 50.
_FEW = 50


def _place_of(chat: Chat) -> tuple[bool, int, str]:
    return not chat.top, -chat.update_time, chat.chat_id
