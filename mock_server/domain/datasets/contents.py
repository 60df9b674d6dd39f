"""Create, move and change collections and their rows.

The `data_amount` of a collection is the number of its rows; `update_time` is the time
of its last change.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from msgspec.structs import replace

from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import Call, ParentNotFound
from mock_server.domain.datasets import upload_tickets
from mock_server.domain.datasets.dataset_folders import ROOT, FolderCycle
from mock_server.domain.errors import refusal
from mock_server.domain.limits import Published
from mock_server.domain.messages import describe_value, quoted
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.index import Search
from mock_server.domain.objects.models import Collection, Row
from mock_server.domain.objects.pending import STEP, Steps, in_steps, pieces
from mock_server.domain.objects.rows import oversize
from mock_server.domain.objects.uploads import File, FileNotFound
from mock_server.domain.printable import size_text
from mock_server.domain.storage import training
from mock_server.domain.storage.store import Store

CollectionForbidden = refusal(
    "CollectionForbidden", "403 forbidden", "500 501005 unAuthDatasetCollection"
)
CollectionTooDeep = refusal(
    "CollectionTooDeep", "400 folderTooDeep", "500 507007 folderDepthLimit"
)

INSERT = (ParentNotFound, CollectionForbidden, CollectionTooDeep)
"""Refusals that `parent_for` raises."""


def path_of(dataset: Dataset, collection: Collection) -> list[Collection]:
    """Return a collection and the folders above it, outermost first."""
    folders = map(dataset.tree.get, dataset.tree.folder_path(collection.parent_id))
    return [collection, *filter(None, folders)][::-1]


def target_for(
    call: Call, dataset_id: str, parent_id: str | None
) -> tuple[Dataset, str | None]:
    """Return the dataset for a new collection, and the id of the folder (None: top).

    Raises DATASET and INSERT: first for unknown ids, then for a missing permission.
    """
    if not parent_id:
        return call.dataset(dataset_id, Level.WRITE, "$.datasetId"), None
    dataset = call.dataset(dataset_id, Level.NONE, "$.datasetId")
    check_parent_exists(call, dataset, parent_id)
    call.require(dataset, Level.WRITE, "$.datasetId")
    return dataset, parent_for(call, dataset, parent_id)


def check_parent_exists(call: Call, dataset: Dataset, parent_id: str | None) -> None:
    """Raise ParentNotFound unless `parent_id` is the top level or any collection."""
    is_known = parent_id in ROOT or (parent_id or "") in dataset.tree
    if not is_known and call.store.find_collection(parent_id or "") is None:
        raise ParentNotFound.of(parent_id, _expected_folder(dataset), "$.parentId")


def _expected_folder(dataset: Dataset) -> str:
    return f"null or the _id of a folder of dataset {quoted(dataset.id)}"


def parent_for(
    call: Call, dataset: Dataset, parent_id: str | None, moved_id: str = ""
) -> str | None:
    """Return the id of the folder `parent_id`, None for the top level. Raises INSERT.

    `moved_id` is the id of a collection that moves into it with its content. Any
    collection of the dataset may be the folder.
    """
    if parent_id is None or parent_id in ROOT:
        return None
    if parent_id not in dataset.tree:
        check_parent_exists(call, dataset, parent_id)
        got = f"one of another, {describe_value(parent_id)}"
        raise CollectionForbidden(_expected_folder(dataset), got, "$.parentId")
    limit = call.state.limits.folder_depth
    max_levels = limit - dataset.tree.depth(parent_id)
    if dataset.tree.has_level(moved_id, max_levels + 1):
        expected = f"at most {limit} folders above a collection"
        raise CollectionTooDeep(expected, "more", "$.parentId")
    return parent_id


def parent_to_move_to(
    call: Call, dataset: Dataset, collection: Collection, parent_id: str | None
) -> str | None:
    """Return the id of the folder to move a collection to, or None for the top level.

    Raises INSERT, FolderCycle.
    """
    target = dataset.tree.get(parent_for(call, dataset, parent_id) or "")
    if target is None:
        return None
    if collection.id in {each.id for each in path_of(dataset, target)}:
        expected = "a folder that is not in this collection"
        raise FolderCycle.of(parent_id, expected, "$.parentId")
    return parent_for(call, dataset, parent_id, collection.id)


RowTexts = Sequence[tuple[str, str, int]]
"""The texts of new rows: `q`, `a` and `chunk_index` of each."""


def texts_of(call: Call, rows: Iterable[Row]) -> RowTexts:
    """Return the texts of rows for new rows: if they are too many, only the first."""
    some = islice(rows, call.state.limits.waiting_rows + 1)
    return [(row.q, row.a, row.chunk_index) for row in some]


def create(
    call: Call,
    dataset: Dataset,
    new: Collection,
    texts: RowTexts | None = None,
    *,
    content: bytes | None = None,
    is_retraining: bool = False,
) -> str:
    """Store a new collection of the caller, train rows from `texts`, and return its id.

    With `is_retraining`, the collection keeps the owner and the creation time in `new`.
    A file gets a file id if it has none; `content` is the stored part of an uploaded
    file. If LimitReached is raised, nothing is stored.
    """
    store, limits = call.store, call.state.limits
    known_file_id = new.file_id or ""
    if (
        content is not None
        and known_file_id not in store.files
        and known_file_id not in store.tickets
    ):
        upload_tickets.check_room(call, "part file")
    if texts and len(texts) > limits.waiting_rows:
        expected = f"a text of at most {limits.waiting_rows} chunks"
        raise errors.LimitReached(expected, "more", "body")
    created = dataset.tree.created
    call.check_room(created, limits.created_collections, "created collections")
    member, now = call.member, call.now
    is_stepped = call.state.choices.training == "stepped"
    needs_file_id = new.type == "file" and not new.file_id
    ids = iter(store.new_ids(needs_file_id + 1 + len(texts or ())))
    file_id = next(ids) if needs_file_id else new.file_id
    stored = replace(new, id=next(ids), file_id=file_id)
    if is_retraining:
        stored = stored.updated(now)
    else:
        stored = replace(stored, tmb_id=member, create_time=now, update_time=now)
    if texts is None:
        store.put_collection(dataset, stored)
        return stored.id
    rows = [
        Row(own_id, q, a, chunk_index=number, update_time=now)
        for own_id, (q, a, number) in zip(ids, texts, strict=True)
    ]
    training.begin(
        store, dataset, stored, rows, now=now, is_parsed=False, is_stepped=is_stepped
    )
    if content is not None and file_id is not None:
        try:
            store.files.put(file_id, File(file_id, dataset.id, stored.id, content))
        except errors.LimitReached:
            store.remove_collections((dataset, [stored.id]))
            raise
    return stored.id


def collection_of_file(call: Call, file_id: str) -> tuple[Dataset, Collection]:
    """Return the collection that was created from a file, and its dataset.

    Raises FileNotFound, NotReady.
    """
    file = call.store.files.get(file_id)
    match = call.store.find_collection(file.collection_id) if file else None
    if match is not None:
        return match
    ids = call.compute("file", _ids_of_file(call.store.datasets(), file_id))
    # Others may have changed or removed the collection since.
    dataset = None if ids is None else call.store.dataset(ids[0])
    collection = None if ids is None or dataset is None else dataset.tree.get(ids[1])
    if dataset is None or collection is None:
        raise FileNotFound.of(file_id, "the id of an uploaded file", "$.fileId")
    return dataset, collection


def _ids_of_file(
    datasets: Sequence[Dataset], file_id: str
) -> Steps[tuple[str, str] | None]:
    """Return the ids of the first dataset and collection of a file, or None."""
    search = Search(value=("file_id", file_id))
    for dataset in datasets:
        match = yield from in_steps(partial(dataset.tree.first, search))
        if match is not None:
            return dataset.id, match.id
        yield
    return None


def put_with_content(
    store: Store,
    changed: Callable[[], tuple[Dataset, Collection]],
    ids: Iterable[str],
) -> Steps[None]:
    """Put a changed folder, and disable or enable its content like it.

    `ids` are those of the content; others may have removed some since. `changed`
    returns the folder and its dataset; it is called again immediately before the folder
    is put, because others may have changed it meanwhile. If memory is short, or
    `changed` raises an error, nothing is changed.
    """

    def content_in_steps() -> Iterator[tuple[Dataset, list[Collection]]]:
        for _, chunk in pieces(ids, STEP // 4):
            current = store.dataset(dataset.id)
            if current is not None:
                old = filter(None, map(current.tree.get, chunk))
                yield current, [replace(each, forbid=folder.forbid) for each in old]

    dataset, folder = yield from in_steps(changed)
    size = store.growth_of(dataset, [folder])
    for current, collections in content_in_steps():
        size += store.growth_of(current, collections)
        yield
    store.check_room(size)
    dataset, folder = yield from in_steps(changed)
    store.put_collection(dataset, folder)
    for current, collections in content_in_steps():
        store.put_collections(current, collections)
        yield


def check_rows(call: Call, dataset: Dataset, collection_id: str, count: int) -> None:
    """Raise LimitReached if a collection cannot have `count` more rows."""
    jobs = call.store.jobs.get((dataset.id, collection_id)) or ()
    in_training = sum(len(job.rows) for job in jobs)
    limit = call.state.limits.collection_rows
    if len(call.store.rows.get(dataset, collection_id)) + in_training + count > limit:
        expected = f"at most {limit} data rows in a collection"
        raise errors.LimitReached(expected, f"{count} more", "body")


def check_size(row: Row) -> None:
    """Raise LimitReached for a row whose texts are too large."""
    if size := oversize((row.q, row.a, *row.indexes)):
        expected = f"a data row of at most {size_text(Published.row_bytes)}"
        raise errors.LimitReached(expected, size_text(size), "body")


def add_rows(
    call: Call,
    dataset: Dataset,
    collection: Collection,
    rows: Sequence[Row],
    *,
    is_immediate: bool = False,
) -> None:
    """Add rows to a collection: step by step (choice training=stepped), or at once.

    If LimitReached is raised, nothing is stored.
    """
    is_stepped = call.state.choices.training == "stepped" and not is_immediate
    training.begin(
        call.store,
        dataset,
        collection.updated(call.now),
        rows,
        now=call.now,
        before=collection,
        is_stepped=is_stepped and bool(rows),
    )


def replace_row(
    call: Call, dataset: Dataset, collection: Collection, old: Row, *new: Row
) -> None:
    """Replace the row `old` by `new` rows, or remove it if there are none.

    If LimitReached is raised, nothing is changed.
    """
    row_count = max(0, collection.data_amount - 1 + len(new))
    updated = replace(collection, data_amount=row_count)
    # Change the collection first, because undoing this change needs no memory.
    call.store.put_collection(dataset, updated.updated(call.now))
    try:
        call.store.rows.change(dataset, collection.id, [old], new)
    except errors.LimitReached:
        call.store.put_collection(dataset, collection)
        raise
