"""The chat sessions of a sandbox and their records, as they are now."""

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
    """What has been changed of chats lies over those that applications came with.

    It is charged to `holding`.
    """

    def __init__(self, holding: Holding) -> None:
        self.created_chats = 0
        """How many chat sessions there are that the generation does not have."""
        self._holding = holding
        # By app, then by chat id.
        self._chats: dict[str, Overlay[str, Chat]] = {}
        self._records: dict[str, Overlay[str, Sequence[ChatRecord]]] = {}
        # By app, once it has been asked for; not charged, for a chat takes 8 bytes.
        self._orders: dict[str, ChatOrder] = {}

    def _copy_chats(self, to: "ChatStore") -> None:
        """Have the same chats in a store that has none; they are not charged again."""
        holding, to.created_chats = to._holding, self.created_chats
        to._chats = {app: it.copy(holding) for app, it in self._chats.items()}
        to._records = {app: it.copy(holding) for app, it in self._records.items()}

    def chat(self, app: App, chat_id: str) -> Chat | None:
        chats = self._chats.get(app.id)
        # Not `chats.get`: pins look here, and a call more is half of what this takes.
        if chats is not None and chat_id in chats.changed:
            return chats.changed[chat_id]
        return app.chats.get(chat_id)

    def chats(self, app: App) -> Iterator[Chat]:
        """All chat sessions of an application as they are now, created ones last."""
        chats = self._chats.get(app.id)
        return iter(app.chats.values()) if chats is None else chats.values()

    def chats_in_order(self, app: App) -> Sequence[Chat]:
        """All chat sessions of an application: pinned ones first, then the latest."""
        order = self._orders.get(app.id)
        if order is None:
            order = self._orders[app.id] = ChatOrder(self.chats(app))
        return order.listed(partial(self.chat, app))

    def count_chats(self, app: App) -> int:
        return len(self._chats.get(app.id, app.chats))

    def put_chat(self, app: App, chat: Chat) -> None:
        """Keep a chat session of an application in place of the one with its id.

        Raises LimitReached.
        """
        chats = self._chats.get(app.id)
        if chats is None:
            chats = self._chats_of(app)
        if self._orders:
            self._will_change(app, chat.chat_id)
        old = chats.changed.get(chat.chat_id)
        # A pin that is repeated keeps the texts of the chat: its size is known.
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

    def remove_chat(self, app: App, chat_id: str) -> None:
        """Remove a chat session that there is, with its records."""
        self._will_change(app, chat_id)
        chats = self._chats_of(app)
        created = chats.created
        chats.remove(chat_id)
        self.created_chats += chats.created - created
        if self.records(app, chat_id):
            self._records_of(app).remove(chat_id)

    def records(self, app: App, chat_id: str) -> Sequence[ChatRecord]:
        """The records of a chat session, the oldest first; deleted ones are there."""
        records = self._records.get(app.id, app.records)
        return records.get(chat_id) or ()

    def add_records(self, app: App, chat_id: str, new: Sequence[ChatRecord]) -> None:
        """Keep further records of a chat session. Raises LimitReached."""
        records = ChatRecords.of(self.records(app, chat_id)).added(new)
        self._records_of(app).put(chat_id, records, _size_of_records(new))

    def change_records(
        self, app: App, chat_id: str, by_place: Mapping[int, ChatRecord]
    ) -> None:
        """Keep other records of a chat in place of some. Raises LimitReached."""
        records = ChatRecords.of(self.records(app, chat_id))
        olds = [records[at] for at in by_place]
        more = _size_of_records([*by_place.values()]) - _size_of_records(olds)
        self._records_of(app).put(chat_id, records.changed(by_place), more)

    def _forget_changes(self, app_id: str) -> None:
        """Forget what has been changed in an application that is another one now."""
        self._orders.pop(app_id, None)
        chats = self._chats.pop(app_id, None)
        if chats is not None:
            self.created_chats -= chats.created
            chats.clear()
        records = self._records.pop(app_id, None)
        if records is not None:
            records.clear()

    def _chats_of(self, app: App) -> Overlay[str, Chat]:
        """The chats of an application, to change."""
        chats = self._chats.get(app.id)
        if chats is None:
            chats = Overlay(app.chats, self._holding, _size_of_chat)
            self._chats[app.id] = chats
        return chats

    def _will_change(self, app: App, chat_id: str) -> None:
        """Tell the order of an application's chats, if there is one."""
        order = self._orders.get(app.id)
        if order is not None:
            order.will_change(chat_id, self.chat(app, chat_id))

    def _records_of(self, app: App) -> Overlay[str, Sequence[ChatRecord]]:
        """The records of an application's chats, to change."""
        records = self._records.get(app.id)
        if records is None:
            records = Overlay(app.records, self._holding, _size_of_records)
            self._records[app.id] = records
        return records


# About what these take without their texts: a chat; a record of one.
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

    To sort 100,000 takes 100 ms, to find the places of one that has changed 10 us.
    """

    def __init__(self, chats: Iterable[Chat]) -> None:
        # In order, or else those that are to be put in order.
        self._chats: Blocks[Chat] | None = None
        self._unsorted = list(chats)
        # Chats that may have changed since, by id: as they are in the list, None if
        # they are not. Pins, which are many, only enter themselves here.
        self._before: dict[str, Chat | None] = {}

    def will_change(self, chat_id: str, chat: Chat | None) -> None:
        """To be called before a chat is put or removed; `chat` is what there is."""
        self._before.setdefault(chat_id, chat)

    def listed(self, now: Callable[[str], Chat | None]) -> Sequence[Chat]:
        """All of them in order; `now` gives what there is of an id. Raises NotReady."""
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


# One place is found and moved in so much less time than all are sorted.
_FEW = 50


def _place_of(chat: Chat) -> tuple[bool, int, str]:
    return not chat.top, -chat.update_time, chat.chat_id
