"""Train new rows of a collection: step by step on the clock, or at once."""

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from mock_server.domain.errors import LimitReached
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import Collection, Row
from mock_server.domain.objects.pending import Steps, compute
from mock_server.domain.objects.rows import (
    SLOT_BYTES,
    Job,
    advance_all,
    amount_of,
    next_due_time,
    size_of_jobs,
    size_of_row,
    sort_rows,
)
from mock_server.domain.storage.store import Store


def begin(
    store: Store,
    dataset: Dataset,
    collection: Collection,
    rows: Sequence[Row],
    *,
    now: int,
    before: Collection | None = None,
    is_parsed: bool = True,
    is_stepped: bool = True,
) -> Collection:
    """Store a collection, and train more rows of it: step by step, or at once.

    Returns the collection with its new amounts. `before` is the stored collection with
    this id, or None; `is_parsed` is False for rows of a text, which is parsed first;
    `now` is in milliseconds. If LimitReached is raised, nothing is stored.
    """
    if is_stepped:
        job = Job(dataset.id, collection.id, now, is_parsed, tuple(rows))
        waiting = collection.training_amount + job.waiting
        changed = replace(collection, training_amount=waiting)
        _check_room(store, (job,))
        store.check_waiting(len(rows))
    else:
        changed = replace(collection, data_amount=collection.data_amount + len(rows))
    store.put_collection(dataset, changed)
    try:
        if is_stepped:
            place = dataset.id, collection.id
            store.jobs.put(place, (*(store.jobs.get(place) or ()), job))
            known = job.due_time if store.due_time is None else store.due_time
            store.due_time = min(known, job.due_time)
        elif rows:
            store.rows.change(dataset, collection.id, new=rows)
    except LimitReached:
        if before is None:
            store.remove_collections((dataset, [collection.id]))
        else:
            store.put_collection(dataset, before)
        raise
    return changed


_COLLECTIONS_PER_STEP = 16  # a step takes a millisecond or two
_ROWS_PER_STEP = 256  # each of them may change another block of rows


def train_due_rows(store: Store, now: int) -> None:
    """Train the rows that are due at `now` (milliseconds). Raises NotReady.

    Rows that do not fit into memory wait.
    """
    compute(store, ("settled", now), _settle_in_steps(store, now))


def _settle_in_steps(store: Store, now: int) -> Steps[None]:
    settled, rest = 0, None
    places = list(store.jobs)[::-1]
    while places:
        place = places.pop()
        # Another request may have trained these rows during the steps.
        jobs = store.jobs.get(place) or ()
        rows, remaining = advance_all(jobs, now)
        if remaining == jobs:
            continue
        dataset = store.dataset(place[0])
        collection = None if dataset is None else dataset.tree.get(place[1])
        if dataset is None or collection is None:
            store.jobs.remove(place)
            continue
        try:
            # With a slot for each row, which the first change of loaded rows takes.
            slots = SLOT_BYTES * len(store.rows.get(dataset, collection.id))
            store.check_room(2 * size_of_jobs(jobs) + slots)
        except LimitReached:
            break  # looking at all others at each request would take long
        if len(rows) > _ROWS_PER_STEP:
            if rest is None or jobs[0] is not rest or len(rows) > len(rest.rows):
                rows = sort_rows(rows)  # neighbours change the same blocks of rows
            rows, others = rows[:_ROWS_PER_STEP], rows[_ROWS_PER_STEP:]
            rest = Job(
                *place, start=0, rows=others, size=_size_of(jobs, remaining, rows)
            )
            remaining = rest, *remaining
            places.append(place)
        if remaining:
            store.jobs.put(place, remaining)
        else:
            store.jobs.remove(place)
        # A request may have stored the collection with another amount.
        waiting = collection.training_amount + amount_of(remaining) - amount_of(jobs)
        trained = replace(
            collection,
            data_amount=collection.data_amount + len(rows),
            training_amount=max(0, waiting),
        )
        if rows:
            store.rows.change(dataset, collection.id, new=rows)
        store.put_collection(dataset, trained)
        settled += 1
        # Pause only after progress: jobs that wait for memory would be retried forever.
        is_long = len(rows) == _ROWS_PER_STEP
        if settled % _COLLECTIONS_PER_STEP == 0 or is_long:
            yield
    store.due_time = next_due_time(chain.from_iterable(store.jobs.values()))


def _size_of(
    jobs: Iterable[Job], remaining: Iterable[Job], trained: Iterable[Row]
) -> int:
    """Return the bytes of the rows of `jobs` that neither remain nor are trained."""
    gone = sum(each.size for each in remaining) + sum(map(size_of_row, trained))
    return sum(each.size for each in jobs) - gone


def _check_room(store: Store, jobs: Iterable[Job]) -> None:
    """Raise LimitReached unless memory suffices for jobs and for their trained rows."""
    store.check_room(2 * size_of_jobs(jobs))
