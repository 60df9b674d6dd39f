"""Rows of a sandbox: changes on top of loaded rows, and rows in training.

Rows in training are hidden. A job waits for a second; an unparsed text takes another
second to parse. Then 20 rows are trained every second. Times are in milliseconds of the
sandbox's clock.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import chain
from operator import attrgetter
from sys import getsizeof

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from mock_server.domain.memory import GONE_BYTES, Holding
from mock_server.domain.objects.blocks import Blocks, Sliced
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import Row
from mock_server.domain.objects.pending import STEP, Steps, pieces

_SECOND = 1_000
_ROWS_A_SECOND = 20


class Job(Struct, frozen=True):
    """The rows that a collection will get; hidden until they are trained.

    `since` is the start in milliseconds. `is_parsed` is False for a text: clients learn
    the number of its rows after parsing.
    """

    dataset_id: str
    collection_id: str
    since: int
    is_parsed: bool = True
    rows: tuple[Row, ...] = ()
    size: int = 0
    """Bytes of the rows, added up once."""

    def __post_init__(self) -> None:
        if not self.size:
            force_setattr(self, "size", sum(map(size_of_row, self.rows)))

    @property
    def waiting(self) -> int:
        """The job's share of the collection's training amount."""
        return len(self.rows) if self.is_parsed else 1

    @property
    def due(self) -> int:
        """When the next step is due: parsing done, or first rows trained."""
        return self.since + 2 * _SECOND

    def advanced(self, now: int) -> tuple[tuple[Row, ...], "Job | None"]:
        """Return the rows trained by `now`, and the rest of the job, if any."""
        if now < self.due:
            return (), self
        if not self.is_parsed:
            # Parsed rows are trained like rows pushed a second later.
            parsed = replace(self, since=self.since + _SECOND, is_parsed=True)
            return parsed.advanced(now) if self.rows else ((), None)
        seconds = (now - self.since) // _SECOND - 1
        count = _ROWS_A_SECOND * seconds
        if count >= len(self.rows):
            return self.rows, None
        since = self.since + seconds * _SECOND
        trained, left = self.rows[:count], self.rows[count:]
        size = self.size - sum(map(size_of_row, trained))
        return trained, replace(self, since=since, rows=left, size=size)


def advance_all(
    jobs: Iterable[Job], now: int
) -> tuple[tuple[Row, ...], tuple[Job, ...]]:
    """Return the rows that jobs have trained by `now`, and the jobs that are left."""
    rows: list[Row] = []
    left: list[Job] = []
    for job in jobs:
        trained, rest = job.advanced(now)
        rows.extend(trained)
        if rest is not None:
            left.append(rest)
    return tuple(rows), tuple(left)


def amount_of(jobs: Iterable[Job]) -> int:
    """Return the training amount of jobs."""
    return sum(job.waiting for job in jobs)


def next_due(jobs: Iterable[Job]) -> int | None:
    """Return when the first job's next step is due; None without jobs."""
    return min((job.due for job in jobs), default=None)


class RowPlace(Struct, frozen=True):
    """A row, with the ids of its dataset and collection."""

    dataset_id: str
    collection_id: str
    row: Row


class OldestFirst(Sliced[Row]):
    """A view of rows by chunkIndex, then oldest first."""

    __slots__ = ("_rows",)

    def __init__(self, rows: Sequence[Row]) -> None:
        """Show `rows`, which are sorted by chunkIndex, then newest first."""
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def _item(self, at: int) -> Row:
        rows, chunk = self._rows, attrgetter("chunk_index")
        first = bisect_left(rows, chunk(rows[at]), key=chunk)
        end = bisect_right(rows, chunk(rows[at]), key=chunk)
        return rows[first + end - 1 - at]


class _PutRows(Struct, frozen=True):
    """The changed rows of a collection, and the bytes charged for them.

    `texts` has the hashes of all texts (maybe of removed ones too) once a text was
    looked up; copies of a store share it.
    """

    rows: Sequence[Row]
    size: int
    texts: set[int] | None = None


class Rows:
    """Rows by dataset and collection, charged to `holding`."""

    def __init__(self, holding: Holding) -> None:
        self._holding = holding
        # By dataset, then by collection.
        self._put: dict[str, dict[str, _PutRows]] = {}
        # Places of rows that were not loaded, by id.
        self._places: dict[str, RowPlace] = {}

    def copy(self, holding: Holding) -> "Rows":
        """Return an independent copy; its rows are not charged again."""
        copy = Rows(holding)
        copy._put = {dataset: each.copy() for dataset, each in self._put.items()}
        copy._places = self._places.copy()
        return copy

    def of(self, dataset: Dataset, collection_id: str) -> Sequence[Row]:
        changed = self._put.get(dataset.id)
        if changed is not None and collection_id in changed:
            return changed[collection_id].rows
        return dataset.rows.get(collection_id, ())

    def by_collection(self, dataset: Dataset) -> Iterator[tuple[str, Sequence[Row]]]:
        """Yield the rows of each collection that has or had rows."""
        put = self._put.get(dataset.id, {})
        ids = chain(dataset.rows, (each for each in put if each not in dataset.rows))
        return ((own_id, self.of(dataset, own_id)) for own_id in ids)

    def change(
        self,
        dataset: Dataset,
        collection_id: str,
        gone: Sequence[Row] = (),
        new: Sequence[Row] = (),
    ) -> None:
        """Remove rows from a collection and insert others, in the order of lists.

        Raises LimitReached.
        """
        rows = Blocks.of(self.of(dataset, collection_id))
        for row in gone:
            at = _place_of(row, rows)
            rows = rows.replaced(at, at + 1, ())
        if len(new) * _FEW > len(rows):
            rows = Blocks.of(in_order((*rows, *new)))
        else:
            for row in new:
                at = _place_of(row, rows)
                rows = rows.replaced(at, at, (row,))
        self._keep(dataset, collection_id, rows, gone, new)

    def _keep(
        self,
        dataset: Dataset,
        collection_id: str,
        rows: Sequence[Row],
        gone: Sequence[Row],
        new: Sequence[Row],
    ) -> None:
        """Store `rows`; `gone` and `new` are the differences to before."""
        changed = self._put.get(dataset.id, {})
        put = changed.get(collection_id)
        texts = None if put is None else put.texts
        size = sum(map(size_of_row, new)) + _SLOT_BYTES * len(rows)
        freed = sum(size_of_row(row) for row in gone if row.id in self._places)
        if put is not None:
            freed += _SLOT_BYTES * len(put.rows)
        if texts is not None:
            size += _HASH_BYTES * len(new)
        self._holding.charge(size - freed)
        for row in gone:
            self._places.pop(row.id, None)
        for row in new:
            self._places[row.id] = RowPlace(dataset.id, collection_id, row)
        if texts is not None:
            texts.update(map(_hash_of, new))
        charged = (0 if put is None else put.size) + size - freed
        self._put.setdefault(dataset.id, changed)[collection_id] = _PutRows(
            rows, charged, texts
        )

    def has_texts(self, dataset: Dataset, collection_id: str, q: str, a: str) -> bool:
        """Return True if a row has both texts. Raises LimitReached."""
        put = self._put.get(dataset.id, {}).get(collection_id)
        if put is not None:
            texts = put.texts
            if texts is None:
                more = _HASH_BYTES * len(put.rows)
                self._holding.charge(more)
                texts = set(map(_hash_of, put.rows))
                found = _PutRows(put.rows, put.size + more, texts)
                self._put[dataset.id][collection_id] = found
            if hash((q, a)) not in texts:
                return False
        rows = self.of(dataset, collection_id)
        return any(row.q == q and row.a == a for row in rows)

    def changed_collections(self, dataset: Dataset) -> Iterable[str]:
        """Return the ids of the collections whose rows were changed."""
        return self._put.get(dataset.id, {}).keys()

    def remove(self, dataset: Dataset, ids: Iterable[str]) -> None:
        changed = self._put.get(dataset.id, {})
        for collection_id in ids:
            self._forget(changed.pop(collection_id, None))
            if collection_id in dataset.rows:
                changed[collection_id] = _PutRows((), GONE_BYTES)
                self._holding.grow(GONE_BYTES)
        if changed:
            self._put[dataset.id] = changed

    def remove_all(self, dataset_ids: Set[str]) -> None:
        """Remove the rows of removed datasets."""
        for dataset_id in self._put.keys() & dataset_ids:
            for put in self._put.pop(dataset_id).values():
                self._forget(put)

    def find(
        self, row_id: str, loaded: Callable[[str], RowPlace | None]
    ) -> tuple[RowPlace, bool] | None:
        """Return a row's place, and True if it was put; `loaded` finds loaded rows."""
        place = self._places.get(row_id)
        if place is not None:
            return place, True
        place = loaded(row_id)
        return None if place is None else (place, False)

    def has(self, dataset: Dataset, place: RowPlace) -> bool:
        """Return True if a loaded row still exists."""
        if place.collection_id not in self._put.get(dataset.id, {}):
            return True
        rows = self.of(dataset, place.collection_id)
        at = _place_of(place.row, rows)
        return at < len(rows) and rows[at] is place.row

    def _forget(self, put: _PutRows | None) -> None:
        if put is None:
            return
        self._holding.grow(-put.size)
        for row in put.rows:
            self._places.pop(row.id, None)


def in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return rows in the order of lists: chunk_index ascending, then id descending."""
    by_id = sorted(rows, key=attrgetter("id"), reverse=True)
    return tuple(sorted(by_id, key=attrgetter("chunk_index")))


def places_of(datasets: Iterable[Dataset]) -> Steps[dict[str, RowPlace]]:
    """Return the place of each row of datasets, by its id."""
    places: dict[str, RowPlace] = {}
    placed = (
        RowPlace(dataset.id, own_id, row)
        for dataset in datasets
        for own_id, rows in dataset.rows.items()
        for row in rows
    )
    for _, some in pieces(placed, STEP // 4):
        places |= {each.row.id: each for each in some}
        yield
    return places


def _place_of(row: Row, rows: Sequence[Row]) -> int:
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        other = rows[middle]
        # By chunk_index, then the latest id first; no key of `bisect` can express that.
        if other.chunk_index < row.chunk_index or (
            other.chunk_index == row.chunk_index and other.id > row.id
        ):
            low = middle + 1
        else:
            high = middle
    return low


def _hash_of(row: Row) -> int:
    return hash((row.q, row.a))


# Estimated bytes: a row without its texts; its slot in its collection.
_ROW_BYTES, _SLOT_BYTES = 400, 8
# Bytes of a hash in a set.
_HASH_BYTES = 72
# Sorting all rows takes less time than inserting 1 in 16 of them.
_FEW = 16


def size_of_row(row: Row) -> int:
    """Return the bytes of a row."""
    return _ROW_BYTES + sum(map(getsizeof, (row.q, row.a, *row.indexes)))


_JOB_BYTES = 400  # estimate of a job without its rows


def size_of_jobs(jobs: Iterable[Job]) -> int:
    """Return the bytes of jobs with their rows."""
    return sum(_JOB_BYTES + job.size for job in jobs)
