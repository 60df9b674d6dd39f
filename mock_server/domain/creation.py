"""Collections that are made of texts, links and files, with the rows that follow."""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from mock_server.domain import errors, training
from mock_server.domain.access import Caller
from mock_server.domain.chunking import chunks
from mock_server.domain.collection_folders import create
from mock_server.domain.dataset import Dataset
from mock_server.domain.records import Collection, Row
from mock_server.domain.state import State
from mock_server.domain.uploads import File


def create_from_texts(
    state: State,
    caller: Caller,
    dataset: Dataset,
    new: Collection,
    texts: Sequence[str],
) -> Collection:
    """Keep a new collection, and have these texts trained as its rows.

    A file gets an id. Raises LimitReached.
    """
    if new.type == "file":
        new = replace(new, file_id=state.store.new_id())
    rows = [(text, "", number) for number, text in enumerate(texts)]
    return _create(state, caller, dataset, new, rows)


def create_from_upload(
    state: State,
    caller: Caller,
    dataset: Dataset,
    new: Collection,
    texts: Sequence[str],
) -> Collection:
    """Keep a new collection for a file that has been uploaded. Raises LimitReached."""
    most = state.limits.uploads
    if len(state.store.files) >= most:
        expected = f"at most {most} uploaded files"
        raise errors.LimitReached(
            expected, "one more", "part file", "delete some first"
        )
    made = create_from_texts(state, caller, dataset, new, texts)
    file = File(made.file_id or "", dataset.id, made.id)
    try:
        state.store.files.put(file.id, file)
    except errors.LimitReached:
        _remove(state, dataset, made)
        raise
    return made


def create_from_file(
    state: State, caller: Caller, dataset: Dataset, new: Collection, source: Collection
) -> Collection:
    """Keep a new collection of the file of another one, with the same rows.

    Raises LimitReached.
    """
    whose, _ = state.store.find_collection(source.id) or (dataset, source)
    rows = [
        (row.q, row.a, row.chunk_index) for row in state.store.rows(whose, source.id)
    ]
    file_id, size = source.file_id, source.file_size
    new = replace(new, file_id=file_id, file_size=size)
    return _create(state, caller, dataset, new, rows)


def collection_of_file(state: State, file_id: str) -> Collection:
    """A collection that is made of a file. Raises FileNotFound."""
    found = next(islice(_of_file(state, file_id), 1), None)
    if found is None:
        got = errors.describe_value(file_id)
        raise errors.FileNotFound("the id of an uploaded file", got, "$.fileId")
    return found


def texts_of(text: str, size: int | None) -> list[str]:
    """The texts of the rows of a text, of at most `size` characters each."""
    return chunks(text) if size is None else chunks(text, size)


def _of_file(state: State, file_id: str) -> Iterator[Collection]:
    file = state.store.files.get(file_id)
    if file is not None:
        found = state.store.find_collection(file.collection_id)
        if found is not None:
            yield found[1]
    for dataset in state.store.datasets():
        yield from (each for each in dataset.tree if each.file_id == file_id)


def _create(
    state: State,
    caller: Caller,
    dataset: Dataset,
    new: Collection,
    texts: Sequence[tuple[str, str, int]],
) -> Collection:
    """Keep a new collection, and have rows trained of `q`, `a` and `chunk_index`."""
    store, now = state.store, state.clock.now()
    most = state.limits.collection_rows
    if len(texts) > most:
        expected = f"a text of at most {most} chunks"
        raise errors.LimitReached(expected, str(len(texts)), "body")
    made = create(state, caller, dataset, new)
    try:
        rows = [
            Row(store.new_id(), q, a, chunk_index=number, update_time=now)
            for q, a, number in texts
        ]
        return training.begin(
            store,
            store.dataset(dataset.id) or dataset,
            made,
            rows,
            now=now,
            is_parsed=False,
            is_stepped=state.choices.training == "stepped",
        )
    except errors.LimitReached:
        _remove(state, dataset, made)
        raise


def _remove(state: State, dataset: Dataset, made: Collection) -> None:
    now = state.store.dataset(dataset.id) or dataset
    state.store.remove_collections(now, [made.id])
