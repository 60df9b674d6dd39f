"""`insertData`: add one data row to a collection, at once."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.api.operations.neighbours.row_fields import IndexPart, index_texts
from mock_server.domain.access import Caller, Level
from mock_server.domain.data import add_rows, check_new, check_room
from mock_server.domain.errors import (
    CollectionNotFound,
    DatasetForbidden,
    LimitReached,
    RowTaken,
)
from mock_server.domain.records import Row
from mock_server.domain.state import State
from mock_server.domain.targets import collection_for
from mock_server.fixture.document import Id


class InsertDataBody(RequestFields, kw_only=True):
    """The row, and of which collection."""

    collection_id: Id
    q: Annotated[str, Meta(min_length=1)]
    a: str | UnsetType | None = UNSET
    indexes: list[IndexPart] | UnsetType | None = UNSET


def insert_data(state: State, caller: Caller, body: InsertDataBody) -> str:
    """Add a row; gives its id.

    Raises CollectionNotFound, DatasetForbidden, RowTaken, LimitReached.
    """
    dataset, collection = collection_for(
        state, caller, body.collection_id, Level.WRITE, "$.collectionId"
    )
    q, a = body.q, body.a or ""
    check_new(state.store.rows(dataset, collection.id), q, a)
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


INSERT_DATA = neighbour(
    name="insertData",
    path="/api/core/dataset/data/insertData",
    summary="Add one data row to a collection",
    body=InsertDataBody,
    data=str,
    refusals=(CollectionNotFound, DatasetForbidden, RowTaken, LimitReached),
    perform=insert_data,
    traits=["write"],
    body_limit="text_body_bytes",
    since="4.6",
    modelled="The row is there at once, with chunkIndex 0; the same texts twice are "
    "refused. The collection's updateTime is bumped at once.",
    differs="The service bumps updateTime about 5 s later.",
)
