"""Train the rows of a collection in a store: step by step, or at once."""

from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from mock_server.domain.errors import LimitReached
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import Collection, Row
from mock_server.domain.objects.pending import Steps, made
from mock_server.domain.objects.rows import (
    Job,
    advance_all,
    amount_of,
    next_due,
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
    """Store a collection and train more rows of it: step by step, or at once.

    Returns the collection with its new amounts. `before` is the stored one, None if
    there is none; `is_parsed` is False for rows of a text; `now` is in milliseconds.
    Raises LimitReached, and then nothing is stored.
    """
    job = Job(dataset.id, collection.id, now, is_parsed, tuple(rows))
    if is_stepped:
        waiting = collection.training_amount + job.waiting
        changed = replace(collection, training_amount=waiting)
        _check_room(store, (job,))
        store.check_waiting(len(rows))
    else:
        changed = replace(collection, data_amount=collection.data_amount + len(rows))
    store.put_collection(dataset, changed)
    try:
        if is_stepped:
            at = dataset.id, collection.id
            store.jobs.put(at, (*(store.jobs.get(at) or ()), job))
            store.due = job.due if store.due is None else min(store.due, job.due)
        elif rows:
            store.rows.change(dataset, collection.id, new=rows)
    except LimitReached:
        if before is None:
            store.remove_collections(dataset, [collection.id])
        else:
            store.put_collection(dataset, before)
        raise
    return changed


_COLLECTIONS = 16  # trained in a step, which takes a millisecond or two


def settle(store: Store, now: int) -> None:
    """Train the rows that are due at `now` (milliseconds). Raises NotReady.

    Training waits while memory is used up.
    """
    made(store, ("settled", now), _settling(store, now))


def _settling(store: Store, now: int) -> Steps[None]:
    """Train the due rows of one collection after the other."""
    settled = 0
    for at in list(store.jobs):
        # Another request may have trained it meanwhile, for another time.
        jobs = store.jobs.get(at) or ()
        rows, left = advance_all(jobs, now)
        if left == jobs:
            continue
        dataset = store.dataset(at[0])
        collection = None if dataset is None else dataset.tree.get(at[1])
        if dataset is None or collection is None:
            store.jobs.remove(at)
            continue
        try:
            _check_room(store, jobs)
        except LimitReached:
            continue
        if left:
            store.jobs.put(at, left)
        else:
            store.jobs.remove(at)
        # The collection may have been put with another amount meanwhile.
        waiting = collection.training_amount + amount_of(left) - amount_of(jobs)
        trained = replace(
            collection,
            data_amount=collection.data_amount + len(rows),
            training_amount=max(0, waiting),
        )
        if rows:
            store.rows.change(dataset, collection.id, new=rows)
        store.put_collection(dataset, trained)
        settled += 1
        # Only after progress: jobs that wait for memory would be retried for ever.
        if settled % _COLLECTIONS == 0:
            yield
    store.due = next_due(chain.from_iterable(store.jobs.values()))


def _check_room(store: Store, jobs: Iterable[Job]) -> None:
    """Raise LimitReached unless jobs can be stored and their rows trained."""
    store.check_room(2 * size_of_jobs(jobs))
