"""Train new rows of a collection: step by step on the clock, or at once."""

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from mock_server.domain.errors import LimitReached
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.fixture_data import JobsKey
from mock_server.domain.objects.models import Collection, Row
from mock_server.domain.objects.pending import Steps, compute
from mock_server.domain.objects.rows import (
    SLOT_BYTES,
    Job,
    Merge,
    advance_all,
    amount_of,
    next_due_time,
    size_of_jobs,
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
_COST_PER_COLLECTION = 512
"""Cost of updating listings in the time that storing a collection takes besides."""


def train_due_rows(store: Store, now: int) -> None:
    """Train the rows that are due at `now` (milliseconds). Raises NotReady.

    Rows that do not fit into memory wait.
    """
    compute(store, ("settled", now), _settle_in_steps(store, now))


def _settle_in_steps(store: Store, now: int) -> Steps[None]:
    settled = 0
    places = list(store.jobs)[::-1]
    while places:
        place = places.pop()
        # Another request may have trained these rows during the steps.
        jobs = store.jobs.get(place) or ()
        rows, remaining = advance_all(jobs, now)
        if remaining == jobs:
            continue
        dataset, collection = _found(store, place)
        if dataset is None or collection is None:
            store.jobs.remove(place)
            continue
        try:
            # With a slot for each row, which the first change of loaded rows takes.
            slots = SLOT_BYTES * len(store.rows.get(dataset, collection.id))
            store.check_room(2 * size_of_jobs(jobs) + slots)
        except LimitReached:
            break  # looking at all others at each request would take long
        merge = None
        if rows:
            merge = yield from store.rows.merge(dataset, collection.id, rows)
            dataset, collection = _found(store, place)
        if dataset is None or collection is None or jobs is not store.jobs.get(place):
            places.append(place)
            continue
        if merge is not None and not store.rows.is_current(dataset, merge):
            places.append(place)
            continue
        # A request may have stored the collection with another amount.
        waiting = collection.training_amount + amount_of(remaining) - amount_of(jobs)
        trained = replace(
            collection,
            data_amount=collection.data_amount + len(rows),
            training_amount=max(0, waiting),
        )
        cost = store.update_cost(dataset, trained)
        try:
            _store(store, dataset, trained, merge, before=collection)
        except LimitReached:  # others took the memory during the steps
            break
        if remaining:
            store.jobs.put(place, remaining)
        else:
            store.jobs.remove(place)
        settled += 1 + cost // _COST_PER_COLLECTION
        # Pause only after progress: jobs that wait for memory would be retried forever.
        if settled >= _COLLECTIONS_PER_STEP:
            yield
            settled = 0
    store.due_time = next_due_time(chain.from_iterable(store.jobs.values()))


def _store(
    store: Store,
    dataset: Dataset,
    collection: Collection,
    merge: Merge | None,
    before: Collection,
) -> None:
    """Store a collection and its merged rows. Raises LimitReached, and stores none."""
    store.put_collection(dataset, collection)
    if merge is None:
        return
    try:
        store.rows.apply(dataset, merge)
    except LimitReached:
        store.put_collection(dataset, before)
        raise


def _found(store: Store, place: JobsKey) -> tuple[Dataset | None, Collection | None]:
    """Return the current dataset and collection of jobs, if they exist."""
    dataset = store.dataset(place[0])
    return dataset, None if dataset is None else dataset.tree.get(place[1])


def _check_room(store: Store, jobs: Iterable[Job]) -> None:
    """Raise LimitReached unless memory suffices for jobs and for their trained rows."""
    store.check_room(2 * size_of_jobs(jobs))
