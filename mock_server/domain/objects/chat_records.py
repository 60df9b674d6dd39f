"""The records of a chat. Deleted records stay in the chat, but are not shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from sys import getsizeof

from mock_server.domain.objects.blocks import Blocks, ComputedSequence
from mock_server.domain.objects.models import ChatRecord
from mock_server.domain.objects.pending import Steps, pieces

_RECORD_BYTES = 300
"""Estimated bytes of a record without its texts."""


class ChatRecords(ComputedSequence[ChatRecord]):
    """All records of a chat, oldest first, and the indexes of the deleted ones.

    A chat without deleted records may have any other type of sequence instead.
    """

    __slots__ = ("_deleted", "_records", "size", "visible")

    def __init__(
        self, records: Blocks[ChatRecord], deleted: Sequence[int], size: int
    ) -> None:
        self._records, self._deleted = records, deleted
        self.size = size
        """Estimated bytes of all records."""
        self.visible = _VisibleRecords(records, deleted) if deleted else records
        """The records that are not deleted."""

    @staticmethod
    def from_visible(records: Sequence[ChatRecord]) -> Steps[ChatRecords]:
        """Return records, none of which is deleted, as ChatRecords."""
        size = 0
        for _, chunk in pieces(records):
            size += _size_of(chunk)
            yield
        return ChatRecords(Blocks.from_items(records), (), size)

    @staticmethod
    def loaded(records: Sequence[ChatRecord]) -> Sequence[ChatRecord]:
        """Return loaded records, as ChatRecords if some of them are deleted."""
        deleted = _deleted_in(enumerate(records))
        if not deleted:
            return records
        return ChatRecords(Blocks.from_items(records), deleted, _size_of(records))

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[ChatRecord]:
        return iter(self._records)

    def _item(self, index: int) -> ChatRecord:
        return self._records[index]

    def _slice(self, start: int, stop: int) -> Sequence[ChatRecord]:
        return self._records[start:stop]

    def with_added(self, new: Sequence[ChatRecord]) -> ChatRecords:
        """Return the records with `new` records at the end."""
        records, size = self._records.appended(new), self.size + _size_of(new)
        return ChatRecords(records, self._deleted, size)

    def with_records(self, by_index: Mapping[int, ChatRecord]) -> ChatRecords:
        """Return the records with some replaced; deleted records stay deleted."""
        records = self._records.with_items(by_index)
        olds = map(self._records.__getitem__, by_index)
        size = self.size + _size_of(by_index.values()) - _size_of(olds)
        deleted = _deleted_in(by_index.items())
        return ChatRecords(records, sorted({*self._deleted, *deleted}), size)


def _deleted_in(indexed: Iterable[tuple[int, ChatRecord]]) -> list[int]:
    return [index for index, each in indexed if each.delete_time is not None]


def _size_of(records: Iterable[ChatRecord]) -> int:
    return sum(
        _RECORD_BYTES + getsizeof(each.text) + len(each.parts) + len(each.feedback)
        for each in records
    )


class _VisibleRecords(ComputedSequence[ChatRecord]):
    __slots__ = ("_records", "_visible_before")

    def __init__(self, records: Sequence[ChatRecord], deleted: Sequence[int]) -> None:
        self._records = records
        # The number of shown records before each deleted record.
        self._visible_before = [index - number for number, index in enumerate(deleted)]

    def __len__(self) -> int:
        return len(self._records) - len(self._visible_before)

    def _item(self, index: int) -> ChatRecord:
        return self._records[index + bisect_right(self._visible_before, index)]


def visible_records(records: Sequence[ChatRecord]) -> Sequence[ChatRecord]:
    """Return the records of a chat that are not deleted."""
    return records.visible if isinstance(records, ChatRecords) else records
