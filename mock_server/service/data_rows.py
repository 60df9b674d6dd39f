"""Rows of a collection: add, list, show, change and delete them."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server import errors
from mock_server.decoding.json_values import kept_value
from mock_server.service.call import Call
from mock_server.service.demo_ids import DEMO_COLLECTION, DEMO_ROW
from mock_server.service.operation import MAX_TEXT, Operation
from mock_server.service.pages import PAGE_FIELDS, Page, PageRequest, list_page, requested_page
from mock_server.service.request_fields import replace_sent, struct_from
from mock_server.service.text_chunks import clean_text
from mock_server.service.training import UNTRAINED_HINT, add_rows_in_training, shows_untrained
from mock_server.store.objects import (
    DEFAULT_TEAM,
    Collection,
    DataRow,
    Dataset,
    Id,
    Index,
    IndexType,
    Level,
    TrainingType,
    fold_text,
    omit,
)
from mock_server.text.javascript import js_trim

PATH = "/api/core/dataset/data"
MAX_LISTED = 30


class NewIndex(Struct):
    """An index of a row as clients send it."""

    text: str
    type: Literal[IndexType, "default", "imageEmbedding"] = "custom"
    data_id: str | UnsetType = field(name="dataId", default=UNSET)


def client_indexes(q: str, a: str, new_indexes: Iterable[NewIndex]) -> tuple[Index, ...]:
    """The indexes that a row keeps: those of clients, each text once, without its `q` and `a`."""
    indexes: dict[str, Index] = {}
    for new in new_indexes:
        # FastGPT 4.16 makes these itself (core/dataset/data/controller.ts).
        if new.type == "default" or new.type == "imageEmbedding":
            continue
        text = js_trim(new.text)
        if text not in ("", js_trim(q), js_trim(a)):
            indexes.setdefault(text, Index(text, new.type))
    return tuple(indexes.values())


class NewDataRow(Struct, rename="camel"):
    """A row to add."""

    q: str = ""
    a: str = ""
    chunk_index: int = 0
    indexes: tuple[NewIndex, ...] = ()
    metadata: dict[str, Any] | UnsetType = UNSET


class PushResult(Struct, rename="camel"):
    """The number of added rows; with rows_visible=at_once, the ids of those listed already."""

    insert_len: int
    data_ids: list[str] | UnsetType = UNSET


@Operation(
    "POST",
    f"{PATH}/pushData",
    max_body=MAX_TEXT,
    refusals=errors.COLLECTION_REFUSALS,
    # Further settings, and the bill of training.
    ignored_fields={
        "autoIndexes": bool,
        "billId": str,
        "imageIndex": bool,
        "indexSize": float,
        "prompt": str,
        "trainingMode": TrainingType,
        "trainingType": TrainingType,
    },
    example={"collectionId": DEMO_COLLECTION, "data": [{"q": "Who answers?", "a": "We do."}]},
)
def push_data(
    call: Call, collection_id: Id, data: Annotated[list[NewDataRow], Meta(max_length=200)]
) -> PushResult:
    """Add rows to a collection, to be trained by its type. Rows without a `q` are left out."""
    dataset, collection = call.require_collection(
        collection_id, Level.WRITE, where="$.collectionId"
    )
    now = call.now()
    rows = []
    for index, new in enumerate(data):
        metadata = kept_value(new.metadata, f"$.data[{index}].metadata") or UNSET
        if new.q:
            indexes = client_indexes(new.q, new.a, new.indexes)
            fields = {"id": call.new_id(), "indexes": indexes, "update_time": now}
            rows.append(struct_from(DataRow, new, **fields, metadata=metadata))
    add_rows_in_training(call, dataset, collection.changed_at(now), rows, is_from_text=False)
    result = PushResult(len(rows))
    if shows_untrained(call, collection):
        result.data_ids = [it.id for it in rows]
    elif call.choices.rows_visible == "at_once":
        result.data_ids = []
    return result


@Operation(
    "POST",
    f"{PATH}/insertData",
    max_body=MAX_TEXT,
    refusals=(*errors.COLLECTION_REFUSALS, errors.RowTaken, errors.FailedField),
    ignored_fields={"chunkIndex": float},
    unchecked_fields=("imageId",),
    example={"collectionId": DEMO_COLLECTION, "q": "Do you sell gift cards?", "a": "Yes."},
)
def insert_data(
    call: Call,
    collection_id: Id,
    q: Annotated[str, Meta(min_length=1)],
    a: str = "",
    indexes: tuple[NewIndex, ...] = (),
    metadata: dict[str, Any] | UnsetType = UNSET,
) -> str:
    """Add a row at once. Returns its id."""
    metadata = kept_value(metadata, "$.metadata")
    dataset, collection = call.require_collection(
        collection_id, Level.WRITE, where="$.collectionId"
    )
    q = clean_text(q)
    a = clean_text(a)
    if not q:
        raise errors.FailedField("a q that is not blank", q, "$.q")
    for row in dataset.rows.get(collection_id, {}).values():
        if row.q == q and row.a == a:
            raise errors.RowTaken("a q and an a that no row of the collection has", q, "$.q")
    row = DataRow(
        id=call.new_id(),
        q=q,
        a=a,
        indexes=client_indexes(q, a, indexes),
        metadata=metadata or UNSET,
        update_time=call.now(),
    )
    save_changed_data_rows(call, dataset.with_data_rows(collection.id, [row]), collection.id)
    return row.id


def save_changed_data_rows(call: Call, dataset: Dataset, collection_id: str) -> None:
    """Save a dataset in which the rows of a collection changed now."""
    collection = dataset.collections[collection_id]
    call.save(dataset.with_collections(collection.changed_at(call.now())))


class ListedDataRow(Struct, rename="camel", kw_only=True):
    """A row in a list."""

    id: str = field(name="_id")
    dataset_id: str
    collection_id: str
    q: str
    a: str
    chunk_index: int


@Operation(
    "POST",
    f"{PATH}/v2/list",
    public_name="data.list",
    older_path=f"{PATH}/list",
    query_fields=PAGE_FIELDS,
    refusals=(*errors.COLLECTION_REFUSALS, errors.MissingParams),
    example={"collectionId": DEMO_COLLECTION, "offset": 0, "pageSize": 10},
)
def data_list(
    call: Call, body: PageRequest, collection_id: Id, search_text: str = ""
) -> Page[ListedDataRow]:
    """List a collection's rows, at most 30: by chunkIndex, then the latest id first."""
    dataset, collection = call.require_collection(collection_id, where="$.collectionId")
    needle = fold_text(search_text)
    # A text of blanks alone finds all.
    if not needle.strip():
        needle = ""
    all_rows = dataset.rows.get(collection.id, {}).values()
    if not all_rows and any(it.collection_id == collection.id for it in dataset.steps):
        call.hint = UNTRAINED_HINT
    rows = [it for it in all_rows if needle in fold_text(f"{it.q}\n{it.a}")]
    rows.sort(key=lambda it: it.id, reverse=call.release.latest_rows_first)
    rows.sort(key=lambda it: it.chunk_index)
    ids = {"dataset_id": dataset.id, "collection_id": collection.id}
    span = requested_page(call, MAX_LISTED)
    return list_page(call, rows, span, lambda it: struct_from(ListedDataRow, it, **ids))


class DataRowDetails(Struct, rename="camel", kw_only=True):
    """A row with its collection and dataset; a detail adds indexes, a search adds scores."""

    id: str
    dataset_id: str
    collection_id: str
    q: str
    a: str | UnsetType = UNSET
    chunk_index: int
    update_time: str
    source_name: str
    source_id: str | UnsetType = UNSET
    team_id: str | UnsetType = UNSET
    indexes: list[dict[str, str]] | UnsetType = UNSET
    metadata: dict[str, Any] | UnsetType = UNSET
    is_owner: bool | UnsetType = UNSET
    score: list[dict[str, str | float]] | UnsetType = UNSET


def data_row_view(
    dataset: Dataset, collection: Collection, row: DataRow, **fields: object
) -> DataRowDetails:
    """A row with its collection and its dataset, and with further fields."""
    # The indexes of a view have another form, so those of the row must not be copied.
    fields.setdefault("indexes", UNSET)
    ids = {"dataset_id": dataset.id, "collection_id": collection.id}
    source = {"source_name": collection.name, "source_id": collection.source_id}
    return struct_from(DataRowDetails, row, **ids, **source, **fields)


@Operation("GET", f"{PATH}/detail", refusals=errors.ROW_REFUSALS, example={"id": DEMO_ROW})
def data_detail(call: Call, id: Id) -> DataRowDetails:
    """Get a row. Its indexes are those of clients, then one for each text of its own."""
    dataset, collection, row = call.require_data_row(id)
    indexes = all_indexes(row)
    is_owner = call.caller.level_on(dataset) == Level.OWNER
    return data_row_view(
        dataset, collection, row, team_id=DEFAULT_TEAM, indexes=indexes, is_owner=is_owner
    )


def all_indexes(row: DataRow) -> list[dict[str, str]]:
    """The indexes of a row: those of clients, then one for each text of its own."""
    typed_texts: list[tuple[str, str]] = [(it.type, it.text) for it in row.indexes]
    typed_texts += [("default", js_trim(row.q)), ("default", js_trim(row.a))]
    indexes = []
    for number, (type, text) in enumerate(typed_texts):
        if text:
            indexes.append({"type": type, "dataId": f"{row.id}-{number}", "text": text})
    return indexes


def require_trained_data_row(
    call: Call, id: str, where: str = "$.id"
) -> tuple[Dataset, Collection, DataRow]:
    """A row that may be changed, as `require_data_row` returns it. Raises RowNotIndexed, too."""
    dataset, collection, row = call.require_data_row(id, Level.WRITE, where)
    if row.id in dataset.untrained:
        raise errors.RowNotIndexed("a row whose training is done", id)
    return dataset, collection, row


@Operation(
    "PUT",
    f"{PATH}/update",
    max_body=MAX_TEXT,
    refusals=(*errors.ROW_REFUSALS, errors.RowNotIndexed),
    ignored_fields={"imageId": str, "indexPrefix": str},
    example={"dataId": DEMO_ROW, "q": "When do you open?"},
)
def data_update(
    call: Call,
    data_id: Id,
    q: str,
    a: str | UnsetType = UNSET,
    indexes: tuple[NewIndex, ...] | UnsetType = UNSET,
) -> dict[str, str]:
    """Replace the texts of a row; a text that is left out stays.

    `indexes` replace all indexes of clients. The response leaves out an empty `a`.
    """
    dataset, collection, row = require_trained_data_row(call, data_id, "$.dataId")
    if call.release.rewrites_rows and not (q or a or indexes):
        q = ""
        indexes = UNSET
    elif call.release.rewrites_rows:
        q = q or row.q
        a = a or UNSET
    row = replace_sent(row, q=q, a=a, update_time=call.now())
    if indexes is not UNSET:
        # An index that names none of the row is no new one.
        known = [UNSET, *(it["dataId"] for it in all_indexes(row))]
        indexes = tuple(it for it in indexes if it.data_id in known)
        row = replace(row, indexes=client_indexes(row.q, row.a, indexes))
    # With an empty q and no indexes nothing is saved, but q is returned (update.ts of FastGPT).
    if q or indexes is not UNSET:
        save_changed_data_rows(call, dataset.with_data_rows(collection.id, [row]), collection.id)
    texts = {"q": row.q}
    if row.a:
        texts["a"] = row.a
    return texts


@Operation(
    "DELETE",
    f"{PATH}/delete",
    refusals=(*errors.ROW_REFUSALS, errors.RowNotIndexed),
    example={"id": DEMO_ROW},
)
def data_delete(call: Call, id: Id) -> None:
    """Delete a row."""
    dataset, collection, row = require_trained_data_row(call, id)
    rows = omit(dataset.rows[collection.id], [row.id])
    save_changed_data_rows(call, dataset.replace_data_rows(collection.id, rows), collection.id)
