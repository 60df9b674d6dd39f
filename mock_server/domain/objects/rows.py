"""The data rows of a sandbox: changes on top of loaded rows, and rows in training.

Rows in training are hidden. A job starts after a second; parsing a text takes another
second. Then 20 rows are trained in each second. Times are in milliseconds of the
sandbox's clock.
"""

from bisect import bisect_left, bisect_right
from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from itertools import chain, islice
from operator import attrgetter
from sys import getsizeof
from typing import Any, NamedTuple
from weakref import ref

import msgspec
from msgspec import Struct
from msgspec.structs import force_setattr, replace

from mock_server.domain.limits import Published
from mock_server.domain.memory import GONE_BYTES, MemoryCharge
from mock_server.domain.objects.blocks import Blocks, ComputedSequence
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import Row
from mock_server.domain.objects.pending import (
    FIRST_STEPS,
    STEP,
    Steps,
    complete,
    pieces,
)

_SECOND = 1_000
_ROWS_A_SECOND = 20


class Job(Struct, frozen=True):
    """The rows that a collection will get; hidden until they are trained.

    `start` is in milliseconds. `is_parsed` is False for a text: it counts as
    one waiting row until it is parsed.
    """

    dataset_id: str
    collection_id: str
    start: int
    is_parsed: bool = True
    rows: tuple[Row, ...] = ()
    size: int = 0
    """Estimated bytes of the rows; computed if it is not given."""

    def __post_init__(self) -> None:
        if not self.size:
            force_setattr(self, "size", sum(map(size_of_row, self.rows)))

    @property
    def waiting(self) -> int:
        """The number of rows that the job adds to the collection's training amount."""
        return len(self.rows) if self.is_parsed else 1

    @property
    def due_time(self) -> int:
        """Time (ms) of the next step: the text is parsed, or first rows are trained."""
        return self.start + 2 * _SECOND

    def advanced(self, now: int) -> tuple[tuple[Row, ...], "Job | None"]:
        """Return the rows trained by `now` (ms), and the rest of the job, if any."""
        if now < self.due_time:
            return (), self
        if not self.is_parsed:
            # Parsed rows are trained like rows that were pushed a second later.
            parsed = replace(self, start=self.start + _SECOND, is_parsed=True)
            return parsed.advanced(now) if self.rows else ((), None)
        seconds = (now - self.start) // _SECOND - 1
        count = _ROWS_A_SECOND * seconds
        if count >= len(self.rows):
            return self.rows, None
        start = self.start + seconds * _SECOND
        trained, rest = self.rows[:count], self.rows[count:]
        # Estimated, because to measure many rows would delay other requests.
        size = self.size * len(rest) // len(self.rows)
        return trained, replace(self, start=start, rows=rest, size=size)


def advance_all(
    jobs: Iterable[Job], now: int
) -> tuple[tuple[Row, ...], tuple[Job, ...]]:
    """Return the rows that jobs have trained by `now` (ms), and the remaining jobs."""
    rows: list[Row] = []
    remaining: list[Job] = []
    for job in jobs:
        trained, rest = job.advanced(now)
        rows.extend(trained)
        if rest is not None:
            remaining.append(rest)
    return tuple(rows), tuple(remaining)


def amount_of(jobs: Iterable[Job]) -> int:
    """Return the number of rows that jobs add to the training amount."""
    return sum(job.waiting for job in jobs)


def next_due_time(jobs: Iterable[Job]) -> int | None:
    """Return the time (ms) of the next step of any job; None without jobs."""
    return min((job.due_time for job in jobs), default=None)


class RowPlace(Struct, frozen=True):
    """A row, with the ids of its dataset and collection."""

    dataset_id: str
    collection_id: str
    row: Row


class OldestFirstView(ComputedSequence[Row]):
    """Rows in another order, as a view: by chunkIndex, then oldest first."""

    __slots__ = ("_rows",)

    def __init__(self, rows: Sequence[Row]) -> None:
        """Store `rows`, which are sorted by chunkIndex, then newest first."""
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def _item(self, index: int) -> Row:
        rows, chunk = self._rows, attrgetter("chunk_index")
        first = bisect_left(rows, chunk(rows[index]), key=chunk)
        end = bisect_right(rows, chunk(rows[index]), key=chunk)
        return rows[first + end - 1 - index]


class _ChangedRows(Struct, frozen=True):
    """All rows of a changed collection, and the bytes that are charged for them.

    `text_hashes` is None until the first look-up of a text. It may also contain hashes
    of removed rows; copies of a store share the set.
    """

    rows: Blocks[Row]
    size: int
    text_hashes: set[int] | None = None


class Merge(NamedTuple):
    """All rows of a collection before and after a change; the removed and new ones.

    `new_size` is the estimated size of the new rows in bytes.
    """

    collection_id: str
    old: Sequence[Row]
    rows: Blocks[Row]
    removed: Sequence[Row]
    new: Sequence[Row]
    new_size: int


class Rows:
    """The current data rows, by dataset and collection; changes are charged."""

    def __init__(self, charge: MemoryCharge) -> None:
        self._charge = charge
        # By dataset id, then by collection id.
        self._changed: dict[str, dict[str, _ChangedRows]] = {}
        # By dataset id: ids of the collections whose loaded rows were removed.
        self._gone: dict[str, set[str]] = {}
        # By row id: places of rows that were added after loading. Those of dropped rows
        # stay until `_free` removes them.
        self._places: dict[str, RowPlace] = {}
        # Dropped rows to free, and the steps that do so, which may end with their loop.
        self._dropped: list[Sequence[Row]] = []
        self._freeing: Callable[[], Iterator[None] | None] = lambda: None

    def __del__(self) -> None:
        self._drop(chain.from_iterable(map(dict.values, self._changed.values())))

    def copy(self, charge: MemoryCharge) -> "Rows":
        """Return an independent copy; its rows are not charged again."""
        copy = Rows(charge)
        copy._changed = {own_id: each.copy() for own_id, each in self._changed.items()}
        copy._gone = {own_id: each.copy() for own_id, each in self._gone.items()}
        copy._places = self._places.copy()
        copy._free_soon(self._dropped)
        return copy

    def get(self, dataset: Dataset, collection_id: str) -> Sequence[Row]:
        """Return the current rows of a collection, in the order of `sort_rows`."""
        changes = self._changed.get(dataset.id)
        if changes is not None and collection_id in changes:
            return changes[collection_id].rows
        if collection_id in self._gone.get(dataset.id, ()):
            return ()
        return dataset.rows.get(collection_id, ())

    def by_collection(self, dataset: Dataset) -> Iterator[tuple[str, Sequence[Row]]]:
        """Yield collection ids and rows, for each collection that has or had rows."""
        changes, gone = (
            self._changed.get(dataset.id, {}),
            self._gone.get(dataset.id, ()),
        )
        for own_id, rows in dataset.rows.items():
            if own_id in changes:
                yield own_id, changes[own_id].rows
            else:
                yield own_id, () if own_id in gone else rows
        for own_id, changed in changes.items():
            if own_id not in dataset.rows:
                yield own_id, changed.rows

    def change(
        self,
        dataset: Dataset,
        collection_id: str,
        removed: Sequence[Row] = (),
        new: Sequence[Row] = (),
    ) -> None:
        """Remove rows from a collection, and insert `new` rows at their places.

        Raises LimitReached.
        """
        self.apply(dataset, complete(self.merge(dataset, collection_id, new, removed)))

    def merge(
        self,
        dataset: Dataset,
        collection_id: str,
        new: Sequence[Row],
        removed: Sequence[Row] = (),
    ) -> Steps[Merge]:
        """Return the rows of a collection after a change, for `apply`."""
        old = self.get(dataset, collection_id)
        blocks = Blocks.from_items(old)
        rows = yield from blocks.merged(removed, new, _index_of, sort_rows)
        new_size = 0
        for start, chunk in pieces(new, STEP // 8):  # each may have many indexes
            if start:
                yield
            new_size += sum(map(size_of_row, chunk))
        return Merge(collection_id, old, rows, removed, new, new_size)

    def is_current(self, dataset: Dataset, merge: Merge) -> bool:
        """Return False if the rows have changed since the beginning of a merge."""
        return self.get(dataset, merge.collection_id) is merge.old

    def apply(self, dataset: Dataset, merge: Merge) -> None:
        """Store all rows of a collection after a merge. Raises LimitReached."""
        collection_id, _, rows, removed, new, new_size = merge
        changes = self._changed.get(dataset.id, {})
        old = changes.get(collection_id)
        hashes = None if old is None else old.text_hashes
        size = new_size + SLOT_BYTES * len(rows)
        added = [row for row in removed if _has_place(row, self._places)]
        freed = sum(map(size_of_row, added))
        if old is not None:
            freed += SLOT_BYTES * len(old.rows)
        new_hashes = set() if hashes is None else {*map(_hash_of, new)} - hashes
        size += _HASH_BYTES * len(new_hashes)
        self._charge.add(size - freed)
        for row in added:
            del self._places[row.id]
        for row in new:
            self._places[row.id] = RowPlace(dataset.id, collection_id, row)
        if hashes is not None:
            hashes |= new_hashes
        charged = (0 if old is None else old.size) + size - freed
        self._changed.setdefault(dataset.id, changes)[collection_id] = _ChangedRows(
            rows, charged, hashes
        )

    def has_texts(self, dataset: Dataset, collection_id: str, q: str, a: str) -> bool:
        """Return True if a row has exactly the texts `q` and `a`.

        Raises LimitReached.
        """
        changes = self._changed.get(dataset.id, {}).get(collection_id)
        rows: Iterable[Row] = self.get(dataset, collection_id)
        if changes is not None:
            hashes = changes.text_hashes
            if hashes is None:
                size = _HASH_BYTES * len(changes.rows)
                self._charge.add(size)
                hashes = set(map(_hash_of, rows))
                self._changed[dataset.id][collection_id] = replace(
                    changes, size=changes.size + size, text_hashes=hashes
                )
            wanted = hash((q, a))
            if wanted not in hashes:
                return False
            # Long texts may differ only at their ends.
            rows = (row for row in rows if _hash_of(row) == wanted)
        return any(row.q == q and row.a == a for row in rows)

    def changed_collections(self, dataset: Dataset) -> Iterable[str]:
        """Return the ids of the collections that have changed rows."""
        return self._changed.get(dataset.id, {}).keys()

    def remove(self, dataset: Dataset, ids: Iterable[str]) -> None:
        """Remove all rows of the collections with these ids."""
        changes = self._changed.get(dataset.id, {})
        gone = self._gone.setdefault(dataset.id, set())
        old_count = len(gone)
        forgotten: list[_ChangedRows] = []
        for collection_id in ids:
            if collection_id in changes:
                forgotten.append(changes.pop(collection_id))
            if collection_id in dataset.rows:
                gone.add(collection_id)
        self._charge.add_unchecked(GONE_BYTES * (len(gone) - old_count))
        self._forget(forgotten)

    def forget_datasets(self, dataset_ids: Set[str]) -> None:
        """Forget all changes of the rows of removed datasets."""
        ids = self._changed.keys() & dataset_ids
        forgotten = [self._changed.pop(each).values() for each in ids]
        gone = [self._gone.pop(each) for each in self._gone.keys() & dataset_ids]
        self._charge.add_unchecked(-GONE_BYTES * sum(map(len, gone)))
        self._forget([*chain.from_iterable(forgotten)])

    def find(
        self, row_id: str, find_loaded: Callable[[str], RowPlace | None]
    ) -> tuple[RowPlace, bool] | None:
        """Return `(place, is_added)`, or None if there is no such row.

        `is_added` is True if the row was added after loading. `find_loaded` returns the
        place of a loaded row, even if the row was removed.
        """
        added = self._added_place(row_id)
        if added is not None:
            return added, True
        place = find_loaded(row_id)
        return None if place is None else (place, False)

    def added_places(self, row_ids: Mapping[str, object]) -> Iterator[RowPlace]:
        """Yield the places, by id, of rows with these ids that were added later."""
        ids = sorted(self._places.keys() & row_ids.keys())
        return (each for each in map(self._added_place, ids) if each is not None)

    def _added_place(self, row_id: str) -> RowPlace | None:
        place = self._places.get(row_id)
        if place is None:
            return None
        changes = self._changed.get(place.dataset_id, {}).get(place.collection_id)
        return place if changes and _is_in(place.row, changes.rows) else None

    def has(self, dataset: Dataset, place: RowPlace) -> bool:
        """Return True if a loaded row still exists."""
        if place.collection_id not in self._changed.get(dataset.id, {}):
            return place.collection_id not in self._gone.get(dataset.id, ())
        return _is_in(place.row, self.get(dataset, place.collection_id))

    def _forget(self, changes: Collection[_ChangedRows]) -> None:
        """Release the memory of changed rows, and drop them."""
        self._charge.add_unchecked(-sum(each.size for each in changes))
        self._drop(changes)

    def _drop(self, changes: Iterable[_ChangedRows]) -> None:
        """Free changed rows and their places soon: all at once would take long."""
        self._free_soon([each.rows for each in changes])

    def _free_soon(self, dropped: Sequence[Sequence[Row]]) -> None:
        self._dropped += dropped
        if self._dropped and self._freeing() is None:
            steps = _free(self._dropped, self._places)
            self._freeing = ref(steps)
            if len([*islice(steps, FIRST_STEPS)]) == FIRST_STEPS:
                self._charge.memory.run_soon(steps)


def sort_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return rows as lists show them: chunk_index ascending, then id descending."""
    by_id = sorted(rows, key=attrgetter("id"), reverse=True)
    return tuple(sorted(by_id, key=attrgetter("chunk_index")))


def places_of(datasets: Iterable[Dataset]) -> Steps[dict[str, RowPlace]]:
    """Return the places of all rows of datasets, by row id."""
    places: dict[str, RowPlace] = {}
    places_in_order = (
        RowPlace(dataset.id, own_id, row)
        for dataset in datasets
        for own_id, rows in dataset.rows.items()
        for row in rows
    )
    for _, chunk in pieces(places_in_order, STEP // 4):
        places |= {each.row.id: each for each in chunk}
        yield
    return places


def common_keys(one: Mapping[str, Any], other: Mapping[str, Any]) -> Steps[set[str]]:
    """Return the keys that two mappings have in common."""
    shorter, longer = sorted((one, other), key=len)
    common = set[str]()
    for _, keys in pieces(shorter):
        common.update(filter(longer.__contains__, keys))
        yield
    return common


def _free(dropped: list[Sequence[Row]], places: dict[str, RowPlace]) -> Iterator[None]:
    """Empty `dropped` block by block, and remove the places of the rows."""
    while dropped:
        rows = dropped.pop()
        if isinstance(rows, Blocks):
            dropped += rows.blocks
        else:
            for row in rows:
                if _has_place(row, places):
                    del places[row.id]
        yield


def _has_place(row: Row, places: Mapping[str, RowPlace]) -> bool:
    place = places.get(row.id)
    return place is not None and place.row is row


def _is_in(row: Row, rows: Sequence[Row]) -> bool:
    """Return True if sorted `rows` contain this very row."""
    index = _index_of(row, rows)
    return index < len(rows) and rows[index] is row


def _index_of(row: Row, rows: Sequence[Row]) -> int:
    """Return the index where a row is, or would be, in sorted `rows`."""
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        middle_row = rows[middle]
        # The order of `sort_rows`, which no key of `bisect` can express.
        if middle_row.chunk_index < row.chunk_index or (
            middle_row.chunk_index == row.chunk_index and middle_row.id > row.id
        ):
            low = middle + 1
        else:
            high = middle
    return low


def _hash_of(row: Row) -> int:
    return hash((row.q, row.a))


# Estimated bytes of a row without its texts, and of its slot in its collection.
_ROW_BYTES, SLOT_BYTES = 400, 8
# Estimated bytes of a hash in a set.
_HASH_BYTES = 72


def oversize(texts: Sequence[str]) -> int:
    """Return the bytes of the texts of a row as JSON, 0 if they are few enough."""
    if sum(map(len, texts)) <= Published.row_bytes // _MOST_BYTES_PER_CHAR:
        return 0
    size = len(msgspec.json.encode(texts))
    return size if size > Published.row_bytes else 0


_MOST_BYTES_PER_CHAR = len(r"\u0000")


def size_of_row(row: Row) -> int:
    """Return the estimated bytes of a row."""
    size = _ROW_BYTES + getsizeof(row.q) + getsizeof(row.a)
    return size + sum(map(getsizeof, row.indexes)) if row.indexes else size


_JOB_BYTES = 400  # estimated bytes of a job without its rows


def size_of_jobs(jobs: Iterable[Job]) -> int:
    """Return the estimated bytes of jobs with their rows."""
    return sum(_JOB_BYTES + job.size for job in jobs)
