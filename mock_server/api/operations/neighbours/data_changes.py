"""`pushData`, `insertData`, `data.update`, `data.delete`: data rows change."""

from collections.abc import Iterable
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from mock_server.api.operations import contract
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.data import (
    add_rows,
    check_new,
    check_room,
    put_row,
    remove_row,
    row_for,
)
from mock_server.domain.limits import Limits
from mock_server.domain.records import Row
from mock_server.domain.state import State
from mock_server.fixture.document import Count, Id
from mock_server.views import View

DEFAULT_INDEX = "default"
"""The type of the index of a row's own text, which every row has."""


class IndexPart(Struct, rename="camel"):
    """A text under which a row is found, as clients send it."""

    text: str
    type: str | UnsetType | None = UNSET


def index_texts(indexes: Iterable[IndexPart] | UnsetType | None) -> tuple[str, ...]:
    """The texts of the indexes that a row has beside its own."""
    if indexes is UNSET or indexes is None:
        return ()
    return tuple(each.text for each in indexes if each.type != DEFAULT_INDEX)


class PushedRow(Struct, rename="camel"):
    """A data row to add; other fields of it are not looked at."""

    q: str | UnsetType | None = UNSET
    a: str | UnsetType | None = UNSET
    chunk_index: Count | UnsetType | None = UNSET
    indexes: list[IndexPart] | UnsetType | None = UNSET


class PushDataBody(contract.RequestFields, kw_only=True):
    """The rows, and of which collection; how they are trained is not looked at."""

    collection_id: Id
    data: Annotated[list[PushedRow], Meta(max_length=Limits.pushed_rows)]
    training_type: Any = UNSET
    prompt: Any = UNSET
    bill_id: Any = UNSET


class PushedView(View):
    """How many rows have been taken."""

    insert_len: int


def push_data(state: State, caller: Caller, body: PushDataBody) -> PushedView:
    """Have rows trained; those without `q` are passed over.

    Raises CollectionNotFound, DatasetForbidden, LimitReached.
    """
    dataset, collection = targets.collection_for(
        state, caller, body.collection_id, Level.WRITE, "$.collectionId"
    )
    pushed = [row for row in body.data if row.q]
    check_room(state, dataset, collection.id, len(pushed))
    now = state.clock.now()
    rows = [
        Row(
            id=state.store.new_id(),
            q=row.q or "",
            a=row.a or "",
            chunk_index=row.chunk_index or 0,
            indexes=index_texts(row.indexes),
            update_time=now,
        )
        for row in pushed
    ]
    add_rows(state, dataset, collection, rows)
    return PushedView(len(rows))


PUSH_DATA = neighbour.operation(
    name="pushData",
    path="/api/core/dataset/data/pushData",
    summary="Add data rows to a collection, to be trained",
    body=PushDataBody,
    data=PushedView,
    refusals=(errors.CollectionNotFound, errors.DatasetForbidden, errors.LimitReached),
    perform=push_data,
    traits=["write"],
    body_limit="text_body_bytes",
    since="4.6",
    modelled="Rows with a `q` count; they show once they are trained (choice "
    "training). The collection's updateTime is bumped at once.",
    differs="The service bumps updateTime about 5 s later. Versions up to 4.9.10 tell "
    "overToken, repeat and error too, and drop duplicates. Rows are trained as they "
    "are, whatever the mode of the collection.",
)


class InsertDataBody(contract.RequestFields, kw_only=True):
    """The row, and of which collection."""

    collection_id: Id
    q: Annotated[str, Meta(min_length=1)]
    a: str | UnsetType | None = UNSET
    indexes: list[IndexPart] | UnsetType | None = UNSET


def insert_data(state: State, caller: Caller, body: InsertDataBody) -> str:
    """Add a row; gives its id.

    Raises CollectionNotFound, DatasetForbidden, RowTaken, LimitReached.
    """
    dataset, collection = targets.collection_for(
        state, caller, body.collection_id, Level.WRITE, "$.collectionId"
    )
    q, a = body.q, body.a or ""
    check_new(state, dataset, collection, q, a)
    check_room(state, dataset, collection.id, 1)
    row = Row(
        id=state.store.new_id(),
        q=q,
        a=a,
        indexes=index_texts(body.indexes),
        update_time=state.clock.now(),
    )
    add_rows(state, dataset, collection, [row], at_once=True)
    return row.id


INSERT_DATA = neighbour.operation(
    name="insertData",
    path="/api/core/dataset/data/insertData",
    summary="Add one data row to a collection",
    body=InsertDataBody,
    data=str,
    refusals=(
        errors.CollectionNotFound,
        errors.DatasetForbidden,
        errors.RowTaken,
        errors.LimitReached,
    ),
    perform=insert_data,
    traits=["write"],
    body_limit="text_body_bytes",
    since="4.6",
    modelled="The row is there at once, with chunkIndex 0; the same texts twice are "
    "refused. The collection's updateTime is bumped at once.",
    differs="The service bumps updateTime about 5 s later.",
)


class DataUpdateBody(contract.RequestFields, kw_only=True):
    """Which row, and its new texts; `indexes` replace all that it has."""

    data_id: Id
    q: Annotated[str, Meta(min_length=1)]
    a: str | UnsetType | None = UNSET
    indexes: list[IndexPart] | UnsetType | None = UNSET


class UpdatedView(View):
    """The texts of the row now; `a` is there unless it is empty."""

    q: str
    a: str | UnsetType = UNSET


def data_update(state: State, caller: Caller, body: DataUpdateBody) -> UpdatedView:
    """Replace the texts of a row; those that are not given stay, but for `q`.

    Raises RowNotFound, DatasetForbidden, LimitReached.
    """
    found = row_for(state, caller, body.data_id, Level.WRITE, "$.dataId")
    dataset, collection, row = found
    keeps_indexes = body.indexes is UNSET or body.indexes is None
    new = replace(
        row,
        q=body.q,
        a=row.a if body.a is UNSET or body.a is None else body.a,
        indexes=row.indexes if keeps_indexes else index_texts(body.indexes),
        update_time=state.clock.now(),
    )
    put_row(state, dataset, collection, row, new)
    return UpdatedView(new.q, new.a or UNSET)


DATA_UPDATE = neighbour.operation(
    name="data.update",
    method="PUT",
    path="/api/core/dataset/data/update",
    summary="Replace the texts of a data row",
    body=DataUpdateBody,
    data=UpdatedView,
    refusals=(errors.RowNotFound, errors.DatasetForbidden, errors.LimitReached),
    perform=data_update,
    traits=["write"],
    body_limit="text_body_bytes",
    since="4.6",
    modelled="`q` is required, `indexes` replace all; the answer is `{q, a}` as of "
    "4.16.0. The collection's updateTime is bumped at once.",
    differs="The service bumps updateTime about 5 s later. Versions up to 4.14.10 take "
    "no `q` too and answer null.",
)


def data_delete(state: State, caller: Caller, query: fields.IdQuery) -> None:
    """Remove a row. Raises RowNotFound, DatasetForbidden, LimitReached."""
    remove_row(state, *row_for(state, caller, query.id, Level.WRITE, "$.id"))


DATA_DELETE = neighbour.operation(
    name="data.delete",
    method="DELETE",
    path="/api/core/dataset/data/delete",
    summary="Remove a data row",
    body=fields.IdQuery,
    refusals=(errors.RowNotFound, errors.DatasetForbidden, errors.LimitReached),
    perform=data_delete,
    traits=["write"],
    since="4.6",
    modelled="The row is gone, dataAmount is one less, the collection's updateTime is "
    "bumped at once. The answer is null as of 4.15.",
    differs="The service bumps updateTime about 5 s later. Versions before 4.15 answer "
    '`"success"`.',
)
