"""The current chats of a sandbox, and the records of these chats."""

from collections.abc import Iterator, Mapping, Sequence
from sys import getsizeof
from typing import cast

from mock_server.domain.memory import MemoryCharge
from mock_server.domain.objects.chat_order import ChatOrder
from mock_server.domain.objects.chat_records import ChatRecords
from mock_server.domain.objects.models import App, Chat, ChatRecord
from mock_server.domain.objects.pending import compute
from mock_server.domain.storage.overlay import Overlay


class ChatStore:
    """The current chats and records of all apps; changes are charged to `charge`."""

    def __init__(self, charge: MemoryCharge) -> None:
        self.created_chats = 0
        """Number of chats that were created after loading."""
        self._charge = charge
        # By app id, then by chat id.
        self._chats: dict[str, Overlay[str, Chat]] = {}
        # A changed chat has ChatRecords.
        self._records: dict[str, Overlay[str, Sequence[ChatRecord]]] = {}
        # By app id, for apps with changed chats, made by the first list.
        self._orders: dict[str, ChatOrder] = {}

    def _copy_chats(self, target: "ChatStore") -> None:
        """Copy the chats to an empty store without charging them again."""
        charge, target.created_chats = target._charge, self.created_chats
        chats, records = self._chats.items(), self._records.items()
        target._chats = {app: own.copy(charge) for app, own in chats}
        target._records = {app: own.copy(charge) for app, own in records}

    def chat(self, app: App, chat_id: str) -> Chat | None:
        """Return the current chat with this id, or None."""
        chats = self._chats.get(app.id)
        # `chats.get` would double the time of this look-up, which pins need.
        if chats is not None and chat_id in chats.changes:
            return chats.changes[chat_id]
        return app.chats.get(chat_id)

    def chats(self, app: App) -> Iterator[Chat]:
        """Yield all current chats of an app; new ones come last."""
        chats = self._chats.get(app.id)
        return iter(app.chats.values()) if chats is None else chats.values()

    def chats_and_gaps(self, app: App) -> Iterator[Chat | None]:
        """Yield all chats as `chats` does, and None for each removed one."""
        chats = self._chats.get(app.id)
        if chats is None:
            return iter(app.chats.values())
        items = chats.items_and_gaps()
        return (None if item is None else item[1] for item in items)

    def chats_in_order(self, app: App) -> Sequence[Chat]:
        """Return all chats of an app: pinned ones first, then the latest ones first.

        Raises NotReady.
        """
        order = self._orders.get(app.id)
        if order is None:
            chats = self._chats.get(app.id)
            if chats is None:
                return app.chats.in_order
            order = self._orders[app.id] = ChatOrder(app.chats, chats.changes)
            self._charge.add_unchecked(order.size)
        changes = self._changed_chats(app).changes
        return order.listed(changes.get)

    def count_chats(self, app: App) -> int:
        return len(self._chats.get(app.id, app.chats))

    def put_chat(self, app: App, chat: Chat) -> None:
        """Add a chat, or replace the chat with this id. Raises LimitReached."""
        chats = self._chats.get(app.id)
        if chats is None:
            chats = self._changed_chats(app)
        if self._orders:
            self._announce_changes(app, chat.chat_id)
        old = chats.changes.get(chat.chat_id)
        # A repeated pin does not change the size, because the chat keeps its texts.
        if (
            old is not None
            and chat.title is old.title
            and chat.custom_title is old.custom_title
        ):
            chats.changes[chat.chat_id] = chat
            return
        created_before = chats.created
        chats.put(chat.chat_id, chat)
        self.created_chats += chats.created - created_before

    def remove_chats(self, app: App, *chat_ids: str) -> None:
        """Remove chats and their records; the ids must exist and be distinct."""
        self._announce_changes(app, *chat_ids)
        chats = self._changed_chats(app)
        created_before = chats.created
        chats.remove(*chat_ids)
        self.created_chats += chats.created - created_before
        records = self._records.get(app.id, app.records)
        with_records = [each for each in chat_ids if records.get(each)]
        self._changed_records(app).remove(*with_records)

    def records(self, app: App, chat_id: str) -> Sequence[ChatRecord]:
        """Return the records of a chat, oldest first, including deleted ones."""
        records = self._records.get(app.id, app.records)
        return records.get(chat_id) or ()

    def changeable_records(self, app: App, chat_id: str) -> ChatRecords:
        """Return the records of a chat, as changes need them. Raises NotReady."""
        records = self.records(app, chat_id)
        if isinstance(records, ChatRecords):
            return records
        # They were loaded with `app.chats`, and never change.
        steps = ChatRecords.from_visible(records)
        return compute(app.chats, ("records", chat_id), steps)

    def add_records(self, app: App, chat_id: str, new: Sequence[ChatRecord]) -> None:
        """Append records to a chat. Raises LimitReached, NotReady."""
        records = self.changeable_records(app, chat_id)
        self._changed_records(app).put(chat_id, records.with_added(new))

    def change_records(
        self, app: App, chat_id: str, by_index: Mapping[int, ChatRecord]
    ) -> None:
        """Replace the records of a chat at these indexes.

        Raises LimitReached, NotReady.
        """
        records = self.changeable_records(app, chat_id)
        self._changed_records(app).put(chat_id, records.with_records(by_index))

    def _forget_changes(self, app_id: str) -> None:
        """Drop all changes of an app's chats and records."""
        order = self._orders.pop(app_id, None)
        if order is not None:
            self._charge.add_unchecked(-order.size)
        chats = self._chats.pop(app_id, None)
        if chats is not None:
            self.created_chats -= chats.created
            chats.clear()
        records = self._records.pop(app_id, None)
        if records is not None:
            records.clear()

    def _changed_chats(self, app: App) -> Overlay[str, Chat]:
        """Return the overlay for changes of an app's chats."""
        chats = self._chats.get(app.id)
        if chats is None:
            chats = Overlay(app.chats, self._charge, _size_of_chat)
            self._chats[app.id] = chats
        return chats

    def _announce_changes(self, app: App, *chat_ids: str) -> None:
        """Call `ChatOrder.will_change`, if the chats of the app were listed before."""
        order = self._orders.get(app.id)
        if order is not None:
            for chat_id in chat_ids:
                order.will_change(chat_id, self.chat(app, chat_id))

    def _changed_records(self, app: App) -> Overlay[str, Sequence[ChatRecord]]:
        """Return the overlay for changes of the records of an app's chats."""
        records = self._records.get(app.id)
        if records is None:
            records = Overlay(app.records, self._charge, _size_of_records)
            self._records[app.id] = records
        return records


_CHAT_BYTES = 400
"""Estimated bytes of a chat without its texts."""


def _size_of_chat(chat: Chat) -> int:
    ids = filter(None, (chat.share_id, chat.out_link_uid))
    texts = chat.title, chat.custom_title, *ids
    return _CHAT_BYTES + sum(map(getsizeof, texts))


def _size_of_records(records: Sequence[ChatRecord]) -> int:
    return cast(ChatRecords, records).size
