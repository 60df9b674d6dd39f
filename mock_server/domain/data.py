"""Data rows: listed, added, changed and removed; their collection follows.

Its `data_amount` counts with them, and its `update_time` is that of the last change.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from mock_server.domain import errors, training
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.haystack import fold
from mock_server.domain.records import Collection, Row
from mock_server.domain.state import State
from mock_server.domain.targets import check_dataset


def row_for(
    state: State, caller: Caller, row_id: str, level: Level, at: str
) -> tuple[Dataset, Collection, Row]:
    """The data row of that id, its dataset and its collection.

    `at` is the field that names it. Raises RowNotFound, DatasetForbidden, in this
    order.
    """
    found = state.store.find_row(row_id)
    if found is None:
        got = errors.describe_value(row_id)
        raise errors.RowNotFound("the id of a data row", got, at)
    check_dataset(found[0], caller, level, at)
    return found


def matching_rows(rows: Sequence[Row], text: str) -> Sequence[Row]:
    """The rows with a text in their `q` or `a`, case ignored; all for an empty one."""
    if not text:
        return rows
    term = fold(text)
    return [row for row in rows if term in fold(row.q) or term in fold(row.a)]


def check_new(
    state: State, dataset: Dataset, collection: Collection, q: str, a: str
) -> None:
    """Raises RowTaken if a row of the collection has both texts, and LimitReached."""
    if state.store.has_texts(dataset, collection.id, q, a):
        expected = "texts that no row of the collection has"
        raise errors.RowTaken(expected, "those of one", "$.q")


def check_room(state: State, dataset: Dataset, collection: str, count: int) -> None:
    """Raises LimitReached unless a collection may have so many rows more."""
    jobs = state.store.jobs.get((dataset.id, collection)) or ()
    coming = sum(len(job.rows) for job in jobs)
    most = state.limits.collection_rows
    if len(state.store.rows(dataset, collection)) + coming + count > most:
        expected = f"at most {most} data rows in a collection"
        raise errors.LimitReached(expected, f"{count} more", "body")


def add_rows(
    state: State,
    dataset: Dataset,
    collection: Collection,
    rows: Sequence[Row],
    *,
    at_once: bool = False,
) -> None:
    """Have rows come to a collection: at once, or as choice training says.

    Raises LimitReached.
    """
    is_stepped = state.choices.training == "stepped" and not at_once
    store, now = state.store, state.clock.now()
    store.put_collection(dataset, collection.updated(now))
    changed = store.dataset(dataset.id) or dataset
    try:
        training.begin(store, changed, collection, rows, now=now, is_stepped=is_stepped)
    except errors.LimitReached:
        store.put_collection(changed, collection)
        raise


def put_row(
    state: State, dataset: Dataset, collection: Collection, old: Row, new: Row
) -> None:
    """Keep a row of a collection in place of one. Raises LimitReached."""
    _change_rows(state, dataset, collection, [old], [new])


def remove_row(
    state: State, dataset: Dataset, collection: Collection, gone: Row
) -> None:
    """Remove a row of a collection. Raises LimitReached."""
    _change_rows(state, dataset, collection, [gone])


def _change_rows(
    state: State,
    dataset: Dataset,
    collection: Collection,
    gone: Sequence[Row],
    new: Sequence[Row] = (),
) -> None:
    """Keep a collection with the time of the change, without some rows, with others."""
    store = state.store
    amount = max(0, collection.data_amount - len(gone) + len(new))
    changed = replace(collection, data_amount=amount)
    # First what can be taken back without memory: rows could not.
    store.put_collection(dataset, changed.updated(state.clock.now()))
    try:
        store.change_rows(dataset, collection.id, gone, new)
    except errors.LimitReached:
        store.put_collection(dataset, collection)
        raise
