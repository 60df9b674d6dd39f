"""`pushData`: add data rows to a collection, to be trained."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.api.operations.neighbours.row_fields import IndexPart, index_texts
from mock_server.domain.access import Caller, Level
from mock_server.domain.data import add_rows, check_room
from mock_server.domain.errors import (
    CollectionNotFound,
    DatasetForbidden,
    LimitReached,
)
from mock_server.domain.limits import Limits
from mock_server.domain.records import Row
from mock_server.domain.state import State
from mock_server.domain.targets import collection_for
from mock_server.fixture.document import Count, Id
from mock_server.views import View


class PushedRow(Struct, rename="camel"):
    """A data row to add; other fields of it are not looked at."""

    q: str | UnsetType | None = UNSET
    a: str | UnsetType | None = UNSET
    chunk_index: Count | UnsetType | None = UNSET
    indexes: list[IndexPart] | UnsetType | None = UNSET


class PushDataBody(RequestFields, kw_only=True):
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
    dataset, collection = collection_for(
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


PUSH_DATA = neighbour(
    name="pushData",
    path="/api/core/dataset/data/pushData",
    summary="Add data rows to a collection, to be trained",
    body=PushDataBody,
    data=PushedView,
    refusals=(CollectionNotFound, DatasetForbidden, LimitReached),
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
