"""Return the content of a collection's file, and train a collection again from it."""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from msgspec.structs import replace

from mock_server.domain import errors
from mock_server.domain.call import Call
from mock_server.domain.datasets import contents
from mock_server.domain.datasets.texts import ChunkRules, chunks_of
from mock_server.domain.limits import Published
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import Collection, Row
from mock_server.domain.objects.pending import STEP, Steps
from mock_server.domain.objects.uploads import is_text

_SEPARATOR = b"\n\n"
WITHOUT_SOURCE = ("folder", "virtual")
"""Types of collections without a source."""


def text_of(content: bytes) -> str:
    """Return the text of a text file, read as UTF-8; other bytes become U+FFFD."""
    return content.decode("utf-8-sig", "replace")


def content_of(call: Call, dataset: Dataset, collection: Collection) -> bytes:
    """Return the kept part of a collection's file, else the texts of its rows.

    The texts end with the row at which they reach `Published.page_bytes`.
    """
    file = call.store.files.get(collection.file_id or "")
    if file is not None and file.content:
        return file.content
    steps = _content_of_rows(rows_of(call, dataset, collection))
    return call.compute("content", steps, dataset.id, collection.id)


def _content_of_rows(rows: Iterable[Row]) -> Steps[bytes]:
    parts: list[bytes] = []
    texts: list[bytes] = []
    room = Published.page_bytes
    for count, row in enumerate(rows, 1):
        of_row = (each.encode("utf-8", "replace") for each in (row.q, row.a) if each)
        for text in of_row:
            texts.append(text)
            room -= len(text)
        if room <= 0:
            break
        if count % STEP == 0:
            parts.append(_SEPARATOR.join(texts))  # one takes less memory than many
            texts.clear()
            yield
    return _SEPARATOR.join([*parts, *texts])


def retrain(
    call: Call, dataset: Dataset, old: Collection, rules: ChunkRules, **changes: Any
) -> str:
    """Replace a collection by a new one, trained again from its source; return the id.

    `rules` says how to cut a text into rows, `changes` are new values of fields. A
    collection without a source (WITHOUT_SOURCE) gets no rows. If LimitReached or
    NotReady is raised, nothing has changed.
    """
    store, file = call.store, call.store.files.get(old.file_id or "")
    empty = replace(old, data_amount=0, training_amount=0, has_error=False, **changes)
    texts: contents.RowTexts | None = None
    if file is not None and file.content and is_text(old.name):
        limit = call.state.limits.waiting_rows
        chunk_texts = chunks_of(text_of(file.content), limit, rules)
        texts = [(text, "", number) for number, text in enumerate(chunk_texts)]
    elif old.type not in WITHOUT_SOURCE:
        texts = contents.texts_of(call, rows_of(call, dataset, old))
    # The file stays with another collection that it was uploaded for.
    is_own = file is not None and file.owner_ids == (dataset.id, old.id)
    content = file.content if file is not None and is_own else None
    options: dict[str, Any] = {"content": content, "is_retraining": True}
    new_id = contents.create(call, dataset, empty, texts, **options)
    current = store.dataset(dataset.id) or dataset
    try:
        store.remove_collections((current, [old.id]))
    except errors.LimitReached:
        store.remove_collections((current, [new_id]))
        if file is not None:
            store.files.put(file.id, file)
        raise
    return new_id


def rows_of(call: Call, dataset: Dataset, collection: Collection) -> Iterator[Row]:
    """Yield the rows of a collection, then those that wait for training."""
    jobs = call.store.jobs.get((dataset.id, collection.id)) or ()
    rows = call.store.rows.get(dataset, collection.id)
    return chain(rows, *(job.rows for job in jobs))
