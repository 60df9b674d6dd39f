"""The records of a chat. Deleted records stay in the chat, but are not shown."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
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
        self, records: Blocks[ChatRecord], deleted: array[int], size: int
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
        return ChatRecords(Blocks.from_items(records), array("I"), size)

    @staticmethod
    def loaded(records: Sequence[ChatRecord]) -> Sequence[ChatRecord]:
        """Return loaded records, as ChatRecords if some of them are deleted."""
        indexed = enumerate(records)
        deleted = array("I", (at for at, each in indexed if _is_deleted(each)))
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
        records, olds = self._records.with_items(by_index)
        size = self.size + _size_of(by_index.values()) - _size_of(olds)
        new = [index for index in sorted(by_index) if _is_deleted(by_index[index])]
        return ChatRecords(records, self._deleted_with(new), size)

    def _deleted_with(self, new: Sequence[int]) -> array[int]:
        """Return the indexes of the deleted records, with `new` ones, in order."""
        # Parts are copied, because a million indexes take long to sort.
        old, deleted, start = self._deleted, array("I"), 0
        if not new:
            return old
        for index in new:
            end = bisect_left(old, index, start)
            deleted += old[start:end]
            deleted.append(index)
            start = bisect_right(old, index, end)
        return deleted + old[start:]


def _is_deleted(record: ChatRecord) -> bool:
    return record.delete_time is not None


def _size_of(records: Iterable[ChatRecord]) -> int:
    return sum(
        _RECORD_BYTES + getsizeof(each.text) + len(each.parts) + len(each.feedback)
        for each in records
    )


class _VisibleRecords(ComputedSequence[ChatRecord]):
    __slots__ = ("_deleted", "records")

    def __init__(self, records: Sequence[ChatRecord], deleted: Sequence[int]) -> None:
        self.records, self._deleted = records, deleted

    def __len__(self) -> int:
        return len(self.records) - len(self._deleted)

    def _item(self, index: int) -> ChatRecord:
        # Numbers of deleted records with at most `index` visible records before them.
        numbers = range(len(self._deleted))
        visible_before = lambda number: self._deleted[number] - number  # noqa: E731
        return self.records[index + bisect_right(numbers, index, key=visible_before)]

    def indexes_of(self, indexes: Iterable[int]) -> list[int]:
        """Return the indexes among visible records of those at `indexes` of all."""
        visible = (each for each in indexes if not _is_deleted(self.records[each]))
        return [each - bisect_left(self._deleted, each) for each in visible]


def visible_records(records: Sequence[ChatRecord]) -> Sequence[ChatRecord]:
    """Return the records of a chat that are not deleted."""
    return records.visible if isinstance(records, ChatRecords) else records


def all_records(records: Sequence[ChatRecord]) -> Sequence[ChatRecord]:
    """Return the records of a chat, of which `records` may be the visible ones."""
    return records.records if isinstance(records, _VisibleRecords) else records


def indexes_among(
    records: Sequence[ChatRecord], indexes: Sequence[int]
) -> Sequence[int]:
    """Return the indexes in `records` of those at `indexes` of all of the chat."""
    if isinstance(records, _VisibleRecords):
        return records.indexes_of(indexes)
    return indexes
