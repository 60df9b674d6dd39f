"""The records of a chat. Deleted records stay in the chat, but are not shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mock_server.domain.objects.blocks import Blocks, Sliced
from mock_server.domain.objects.models import ChatRecord


class ChatRecords(Sliced[ChatRecord]):
    """All records of a chat, oldest first, and the indexes of the deleted ones.

    A chat without deleted records may have any other type of sequence instead.
    """

    __slots__ = ("_all", "_deleted", "shown")

    def __init__(self, every: Blocks[ChatRecord], deleted: Sequence[int]) -> None:
        self._all, self._deleted = every, deleted
        self.shown = _Shown(every, deleted) if deleted else every
        """The records that are not deleted."""

    @staticmethod
    def of(records: Sequence[ChatRecord]) -> ChatRecords:
        """Return the records of a chat as ChatRecords."""
        if isinstance(records, ChatRecords):
            return records
        return ChatRecords(Blocks.of(records), ())

    @staticmethod
    def loaded(records: Sequence[ChatRecord]) -> Sequence[ChatRecord]:
        """Return loaded records, as ChatRecords if some of them are deleted."""
        deleted = _deleted_in(enumerate(records))
        return ChatRecords(Blocks.of(records), deleted) if deleted else records

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[ChatRecord]:
        return iter(self._all)

    def _item(self, index: int) -> ChatRecord:
        return self._all[index]

    def _slice(self, start: int, stop: int) -> Sequence[ChatRecord]:
        return self._all[start:stop]

    def added(self, new: Sequence[ChatRecord]) -> ChatRecords:
        """Return the records with `new` records at the end."""
        return ChatRecords(self._all.appended(new), self._deleted)

    def changed(self, by_place: Mapping[int, ChatRecord]) -> ChatRecords:
        """Return the records with some replaced; deleted records stay deleted."""
        every = self._all.changed(by_place)
        deleted = _deleted_in(by_place.items())
        return ChatRecords(every, sorted({*self._deleted, *deleted}))


def _deleted_in(indexed: Iterable[tuple[int, ChatRecord]]) -> list[int]:
    return [index for index, each in indexed if each.delete_time is not None]


class _Shown(Sliced[ChatRecord]):
    __slots__ = ("_all", "_shown_before")

    def __init__(self, every: Sequence[ChatRecord], deleted: Sequence[int]) -> None:
        self._all = every
        # The number of shown records before each deleted record.
        self._shown_before = [index - n for n, index in enumerate(deleted)]

    def __len__(self) -> int:
        return len(self._all) - len(self._shown_before)

    def _item(self, index: int) -> ChatRecord:
        return self._all[index + bisect_right(self._shown_before, index)]


def shown(records: Sequence[ChatRecord]) -> Sequence[ChatRecord]:
    """Return the records of a chat that are not deleted."""
    return records.shown if isinstance(records, ChatRecords) else records
