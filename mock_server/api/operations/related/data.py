"""Routes that add, show, change and remove single data rows of a collection."""

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.operations.body_field import FieldRules
from mock_server.api.operations.operation import DEMO_COLLECTION
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    route,
    text_bytes,
)
from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import COLLECTION, ROW
from mock_server.domain.clock import format_time
from mock_server.domain.datasets.contents import (
    add_rows,
    check_rows,
    check_size,
    replace_row,
)
from mock_server.domain.errors import refusal
from mock_server.domain.limits import Published
from mock_server.domain.objects.models import DEFAULT_TEAM_ID, Row
from mock_server.domain.replies import Text
from mock_server.fixture.document import Id, Time

RowTaken = refusal("RowTaken", "409 rowTaken", "500 500 error")

PATH = "/api/core/dataset/data"
DEMO_ROW = "3ced00f6ea5c20f80b3baaa5"
UPDATED_LATER = "FastGPT sets the collection's updateTime about 5 s later."


class IndexPart(Struct, rename="camel"):
    """A further text by which searches find a row, as clients send it."""

    text: Text
    type: Literal[
        "default", "imageEmbedding", "summary", "question", "image", "custom"
    ] = "custom"
    data_id: Annotated[Text, fields.IDLE] | UnsetType = UNSET


Indexes = Annotated[list[IndexPart], Meta(max_length=Published.indexes)] | UnsetType


def _index_texts(indexes: Iterable[IndexPart] | UnsetType) -> tuple[str, ...]:
    """Return the texts of the indexes, without those of the row's own texts."""
    return tuple(each.text for each in indexes or () if each.type != "default")


class PushedRow(Struct, rename="camel"):
    """A data row to add; `imageId` and `metadata` have no effect."""

    q: Text = ""
    a: Text = ""
    chunk_index: int | float = 0
    indexes: Indexes = UNSET
    image_id: fields.IdleText = UNSET
    metadata: fields.IdleSettings = UNSET


class PushDataBody(RequestFields, kw_only=True):
    """The rows and their collection; the fields on training have no effect."""

    collection_id: Id
    data: Annotated[
        list[PushedRow],
        Meta(max_length=Published.pushed_rows),
        FieldRules(item_text="q").meta(),
    ]
    training_type: Annotated[fields.TrainingType, fields.IDLE] | UnsetType = UNSET
    training_mode: Annotated[fields.TrainingType, fields.IDLE] | UnsetType = UNSET
    index_size: fields.IdleNumber = UNSET
    auto_indexes: fields.IdleFlag = UNSET
    image_index: fields.IdleFlag = UNSET
    prompt: fields.IdleText = UNSET
    bill_id: fields.IdleText = UNSET


class PushedView(View):
    """The number of added rows."""

    insert_len: int


@route(
    f"POST {PATH}/pushData",
    chinese="向集合添加待训练的数据行",
    since="4.6",
    differences=f"{UPDATED_LATER} FastGPT up to 4.9.10 also returns overToken, repeat "
    "and error, and drops duplicates. Rows are trained unchanged, in every training "
    "mode of the collection.",
    refusals=(*COLLECTION, errors.LimitReached),
    example={
        "collectionId": DEMO_COLLECTION,
        "data": [{"q": "Is it new?", "a": "Yes."}],
    },
    is_write=True,
    max_body_bytes=text_bytes,
)
def push_data(call: Call, body: PushDataBody) -> PushedView:
    """Add data rows to a collection, to be trained.

    Rows without a `q` are left out. Lists show a row once it is trained (choice
    training). The collection's updateTime changes at once.
    """
    collection_id = body.collection_id
    dataset, collection = call.collection(collection_id, Level.WRITE, "$.collectionId")
    pushed, count = [row for row in body.data if row.q], len(body.data)
    if len(pushed) < count:
        text = f'{count - len(pushed)} of {count} rows have no "q" and are left out'
        text += ' (a row is {"q": "...", "a": "..."})'
        call.state.hint(text)
        call.state.ignored.append(text)
    check_rows(call, dataset, collection.id, len(pushed))
    rows = [
        Row(
            id=call.store.new_id(),
            q=row.q,
            a=row.a,
            chunk_index=min(max(0, int(row.chunk_index)), Published.integer),
            indexes=_index_texts(row.indexes),
            update_time=call.now,
        )
        for row in pushed
    ]
    for each in rows:
        check_size(each)
    add_rows(call, dataset, collection, rows)
    return PushedView(len(rows))


class InsertDataBody(RequestFields, kw_only=True):
    """The row and its collection."""

    collection_id: Id
    q: Annotated[Text, Meta(min_length=1)]
    a: Text = ""
    indexes: Indexes = UNSET
    chunk_index: fields.IdleNumber = UNSET
    image_id: fields.IdleText = UNSET
    metadata: fields.IdleSettings = UNSET


@route(
    f"POST {PATH}/insertData",
    chinese="向集合添加一行数据",
    since="4.6",
    differences=UPDATED_LATER,
    refusals=(*COLLECTION, RowTaken, errors.LimitReached),
    example={"collectionId": DEMO_COLLECTION, "q": "Is it new?", "a": "Yes."},
    is_write=True,
    max_body_bytes=text_bytes,
)
def insert_data(call: Call, body: InsertDataBody) -> str:
    """Add one data row to a collection.

    Lists show the row at once, with chunkIndex 0. Texts that another row of the
    collection has are refused. The collection's updateTime changes at once.
    """
    collection_id, a = body.collection_id, body.a
    dataset, collection = call.collection(collection_id, Level.WRITE, "$.collectionId")
    check_rows(call, dataset, collection.id, 1)  # first, so that few rows are compared
    if call.store.rows.has_texts(dataset, collection.id, body.q, a):
        raise RowTaken("texts that no row of the collection has", "those of one", "$.q")
    own_id, indexes = call.store.new_id(), _index_texts(body.indexes)
    row = Row(own_id, body.q, a, indexes=indexes, update_time=call.now)
    check_size(row)
    add_rows(call, dataset, collection, [row], is_immediate=True)
    return row.id


class IndexView(View):
    """A text by which searches find a row."""

    type: str
    data_id: str
    text: str


class RowDetailView(View, kw_only=True):
    """A data row in detail; without `sourceId` if its collection has no source."""

    id: str
    team_id: str = DEFAULT_TEAM_ID
    dataset_id: str
    collection_id: str
    q: str
    a: str
    chunk_index: int
    indexes: list[IndexView]
    update_time: Time
    source_name: str
    source_id: str | UnsetType = UNSET
    is_owner: bool


@route(
    f"GET {PATH}/detail",
    chinese="单行数据及其索引",
    since="4.6",
    differences="All given indexes have the type `custom`. `dataId` is the row's id "
    "and a number. A long text has one index, not one for each part.",
    refusals=ROW,
    example={"id": DEMO_ROW},
)
def data_detail(call: Call, query: fields.IdQuery) -> RowDetailView:
    """Get a data row with its indexes.

    `indexes` has the indexes that clients gave, then one for `q`, and one for `a`
    unless `a` is empty.
    """
    dataset, collection, row = call.row(query.id, Level.READ)
    pairs = (("default", text) for text in (row.q, row.a) if text)
    texts = [*(("custom", text) for text in row.indexes), *pairs]
    return fields.copy_fields(
        RowDetailView,
        row,
        dataset_id=dataset.id,
        collection_id=collection.id,
        indexes=[
            IndexView(kind, f"{row.id}-{number}", text)
            for number, (kind, text) in enumerate(texts)
        ],
        update_time=format_time(row.update_time),
        source_name=collection.name,
        source_id=collection.file_id or collection.raw_link or UNSET,
        is_owner=dataset.level_of(call.caller) is Level.OWNER,
    )


class FormerUpdateBody(RequestFields, kw_only=True):
    """The row and its new texts; a text that is left out stays."""

    data_id: Id
    q: Text | UnsetType | None = UNSET
    a: Text | UnsetType | None = UNSET
    indexes: Indexes = UNSET
    image_id: fields.IdleText = UNSET
    index_prefix: fields.IdleText = UNSET


class DataUpdateBody(FormerUpdateBody, kw_only=True):
    """The row and its new texts; `indexes` replace all indexes of the row."""

    q: Text
    a: Text | UnsetType = UNSET


class UpdatedView(View):
    """The new texts of the row; an empty `a` is left out."""

    q: str
    a: str | UnsetType = UNSET


@route(
    f"PUT {PATH}/update",
    chinese="替换数据行的文本",
    since="4.6",
    differences=UPDATED_LATER,
    former_fields=("data_update_needs_q", FormerUpdateBody),
    refusals=(*ROW, errors.LimitReached),
    example={"dataId": DEMO_ROW, "q": "Are you open today?"},
    is_write=True,
    max_body_bytes=text_bytes,
)
def data_update(call: Call, body: DataUpdateBody) -> UpdatedView | None:
    """Replace the texts of a data row.

    `indexes` replace all given indexes. Returns `{q, a}`. The collection's
    updateTime changes at once.
    """
    dataset, collection, row = call.row(body.data_id, Level.WRITE, "$.dataId")
    updated = replace(row, q=body.q or row.q, update_time=call.now)
    if isinstance(body.a, str):
        updated = replace(updated, a=body.a)
    if isinstance(body.indexes, list):
        updated = replace(updated, indexes=_index_texts(body.indexes))
    check_size(updated)
    replace_row(call, dataset, collection, row, updated)
    if not call.facts.data_update_needs_q:
        return None
    return UpdatedView(updated.q, updated.a or UNSET)


@route(
    f"DELETE {PATH}/delete",
    chinese="移除一行数据",
    since="4.6",
    differences=UPDATED_LATER,
    refusals=(*ROW, errors.LimitReached),
    example={"id": DEMO_ROW},
    is_write=True,
)
def data_delete(call: Call, query: fields.IdQuery) -> str | None:
    """Remove a data row.

    The row disappears, dataAmount decreases by one, and the collection's updateTime
    changes, all at once.
    """
    replace_row(call, *call.row(query.id, Level.WRITE))
    return None if call.facts.data_delete_gives_null else "success"


class QuotedCollection(View, kw_only=True):
    """The collection of a cited row."""

    id: str = field(name="_id")
    parent_id: str | None
    team_id: str = DEFAULT_TEAM_ID
    tmb_id: str
    dataset_id: str
    type: str
    name: str
    training_type: str
    tags: list[str] | UnsetType = UNSET
    forbid: bool
    create_time: Time
    update_time: Time
    file_id: str | UnsetType = UNSET
    raw_link: str | UnsetType = UNSET


class QuoteBody(fields.CitedFields, kw_only=True):
    """The row; the fields that say where it is cited have no effect."""

    id: Id

    def check(self) -> None:
        """Raise InvalidField if the citing reply is named only in part."""
        fields.CitedFields.check(self)
        self.check_whole()


class QuoteView(View):
    """A cited row and its collection; an empty `a` is left out."""

    collection: QuotedCollection
    q: str
    a: str | UnsetType = UNSET


@route(
    "POST /api/core/dataset/data/getQuoteData",
    chinese="引用的数据行及其集合",
    since="4.8.20; POST since 4.9",
    differences="Read permission on the dataset is enough, even with the fields of a "
    "chat: no record needs to cite the row.",
    refusals=ROW,
    example={"id": DEMO_ROW},
)
def get_quote_data(call: Call, body: QuoteBody) -> QuoteView:
    """Get a cited data row and its collection.

    Returns the texts of the row, without an empty `a`, and fields of the collection.
    """
    dataset, collection, row = call.row(body.id, Level.READ)
    create_time = collection.create_time or collection.update_time
    hides_tags = call.state.choices.tags_empty == "absent" and not collection.tags
    view = fields.copy_fields(
        QuotedCollection,
        collection,
        dataset_id=dataset.id,
        tags=UNSET if hides_tags else list(collection.tags),
        create_time=format_time(create_time),
        update_time=format_time(collection.update_time),
        file_id=collection.file_id or UNSET,
        raw_link=collection.raw_link or UNSET,
    )
    return QuoteView(view, row.q, row.a or UNSET)
