"""`data/detail`: one data row with its indexes."""

from msgspec import UNSET, UnsetType

from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.api.operations.neighbours.data_changes import DEFAULT_INDEX
from mock_server.domain import clock, data, errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.records import DEFAULT_TEAM_ID, Row
from mock_server.domain.state import State
from mock_server.fixture.document import Time
from mock_server.views import View


class IndexView(View):
    """A text under which a row is found."""

    type: str
    data_id: str
    text: str


class RowDetailView(View, kw_only=True):
    """A data row by itself; `a` and `sourceId` are there unless they are empty."""

    id: str
    team_id: str = DEFAULT_TEAM_ID
    dataset_id: str
    collection_id: str
    q: str
    a: str | UnsetType = UNSET
    chunk_index: int
    indexes: list[IndexView]
    update_time: Time
    source_name: str
    source_id: str | UnsetType = UNSET
    is_owner: bool


def data_detail(state: State, caller: Caller, query: fields.IdQuery) -> RowDetailView:
    """A row with its indexes. Raises RowNotFound, DatasetForbidden."""
    dataset, collection, row = data.row_for(state, caller, query.id, Level.READ, "$.id")
    return RowDetailView(
        id=row.id,
        dataset_id=dataset.id,
        collection_id=collection.id,
        q=row.q,
        a=row.a or UNSET,
        chunk_index=row.chunk_index,
        indexes=_indexes(row),
        update_time=clock.format_time(row.update_time),
        source_name=collection.name,
        source_id=collection.file_id or collection.raw_link or UNSET,
        is_owner=dataset.level_of(caller) is Level.OWNER,
    )


def _indexes(row: Row) -> list[IndexView]:
    """The index of the row's own text, then the others."""
    own = f"{row.q}\n{row.a}" if row.a else row.q
    texts = [(DEFAULT_INDEX, own), *(("custom", text) for text in row.indexes)]
    return [
        IndexView(kind, f"{row.id}-{number}", text)
        for number, (kind, text) in enumerate(texts)
    ]


DATA_DETAIL = neighbour.operation(
    name="data.detail",
    method="GET",
    path="/api/core/dataset/data/detail",
    summary="One data row with its indexes",
    body=fields.IdQuery,
    data=RowDetailView,
    refusals=(errors.RowNotFound, errors.DatasetForbidden),
    perform=data_detail,
    since="4.6",
    modelled="The row, the index of its own text, then those that were given.",
    differs="All given indexes are of type `custom`; `dataId` is the row's id and a "
    "number.",
)
