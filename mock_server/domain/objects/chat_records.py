"""Records of a chat; deleted ones are kept, but not shown."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

from mock_server.domain.objects.blocks import Blocks, Sliced
from mock_server.domain.objects.models import ChatRecord


class ChatRecords(Sliced[ChatRecord]):
    """All records of a chat, oldest first, and the places of deleted ones.

    A sequence of another type has no deleted records.
    """

    __slots__ = ("_all", "_deleted")

    def __init__(self, every: Blocks[ChatRecord], deleted: Sequence[int]) -> None:
        self._all, self._deleted = every, deleted

    @staticmethod
    def of(records: Sequence[ChatRecord]) -> ChatRecords:
        """Return records as ChatRecords; those of another type are all shown."""
        if isinstance(records, ChatRecords):
            return records
        return ChatRecords(Blocks.of(records), ())

    @staticmethod
    def loaded(records: Sequence[ChatRecord]) -> Sequence[ChatRecord]:
        """Return loaded records, some of which may be deleted."""
        deleted = [at for at, it in enumerate(records) if it.delete_time is not None]
        return ChatRecords(Blocks.of(records), deleted) if deleted else records

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[ChatRecord]:
        return iter(self._all)

    def _item(self, at: int) -> ChatRecord:
        return self._all[at]

    def _slice(self, start: int, stop: int) -> Sequence[ChatRecord]:
        return self._all[start:stop]

    def added(self, new: Sequence[ChatRecord]) -> ChatRecords:
        """Return the records with new ones at the end."""
        end = len(self._all)
        return ChatRecords(self._all.replaced(end, end, new), self._deleted)

    def changed(self, by_place: Mapping[int, ChatRecord]) -> ChatRecords:
        """Return the records with some replaced; deleted ones stay deleted."""
        every = self._all.changed(by_place)
        deleted = [at for at, it in by_place.items() if it.delete_time is not None]
        return ChatRecords(every, sorted({*self._deleted, *deleted}))

    @property
    def shown(self) -> Sequence[ChatRecord]:
        """The records that are not deleted."""
        return _Shown(self._all, self._deleted) if self._deleted else self._all


class _Shown(Sliced[ChatRecord]):
    __slots__ = ("_all", "_skipped")

    def __init__(self, every: Sequence[ChatRecord], deleted: Sequence[int]) -> None:
        self._all = every
        # The number of shown records before each deleted one.
        self._skipped = [at - number for number, at in enumerate(deleted)]

    def __len__(self) -> int:
        return len(self._all) - len(self._skipped)

    def _item(self, at: int) -> ChatRecord:
        return self._all[at + bisect_right(self._skipped, at)]


def shown(records: Sequence[ChatRecord]) -> Sequence[ChatRecord]:
    """Return the records of a chat that are not deleted."""
    return records.shown if isinstance(records, ChatRecords) else records
