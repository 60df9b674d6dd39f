"""What was seen of an application: its chat sessions, and its lists of them."""

from collections.abc import Iterator

from mock_server.fixture.document import ChatPart
from mock_server.recorded.parts import Plain, Sighting, id_of, part_of
from mock_server.recorded.room import Room
from mock_server.recorded.shown import Shown

_ID = frozenset({"chatId"})


class SeenApp:
    """An application of which something has been seen."""

    def __init__(self, app_id: str, room: Room) -> None:
        self.id = app_id
        self.chats: dict[str, Sighting] = {}
        self.shown: Shown | None = None
        self._room = room

    def show(self, offset: int, ids: list[str], total: int, at: int) -> None:
        """Take where a page of the list has shown chat sessions."""
        self.shown = self.shown or Shown()
        self.shown.show(offset, ids, total, at)

    def put(self, item: Plain, at: int) -> str | None:
        """Take what is said of a chat session; what is not stays.

        Gives its id, or None if it has no room or is none.
        """
        chat_id = id_of(item.get("chatId"))
        if chat_id is None:
            return None
        old = self.chats.get(chat_id)
        start = {"chatId": chat_id} if old is None else old.part
        part = {**start, **part_of(item, ChatPart, _ID)}
        if not self._room.swap(old and old.part, part):
            return None
        self.chats[chat_id] = Sighting(part, at)
        return chat_id

    def lacks(self, chat_id: str) -> bool:
        """Whether a whole list does not show a chat session, which is not known."""
        is_whole = self.shown is not None and self.shown.is_whole
        return is_whole and chat_id not in self.chats

    def remove(self, chat_id: str) -> None:
        """Forget a chat session."""
        gone = self.chats.pop(chat_id, None)
        if gone is not None:
            self._room.swap(gone.part, None)
        if self.shown is not None:
            self.shown.forget(chat_id)

    def part(self) -> Plain:
        """The application as a document has it."""
        shown = self.shown
        there = [
            each
            for each, (_, at) in self.chats.items()
            if shown is None or not shown.lacks(each, at)
        ]
        if shown is not None:
            last = len(there)
            there.sort(key=lambda each: shown.positions.get(each, last))
        return {"id": self.id, "chats": [self.chats[each].part for each in there]}

    def missing(self) -> Iterator[str]:
        """What is known to be incomplete."""
        shown = self.shown
        if shown is None:
            yield "its chats were not listed"
        elif not shown.is_whole:
            yield f"{len(shown.positions)} of {shown.total} chats seen"
