"""`data.v2.list` and `data.list`: pages of a collection's data rows."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType, field
from msgspec.structs import astuple

from mock_server.api.operations.neighbours import neighbour
from mock_server.domain import clock, data, errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.limits import Limits
from mock_server.domain.listing import Page
from mock_server.domain.records import Row
from mock_server.domain.state import State
from mock_server.fixture.document import Id, Time
from mock_server.views import View


class DataListBody(neighbour.PagedFields, kw_only=True):
    """Which collection, and which of its rows."""

    collection_id: Id
    search_text: Annotated[str, Meta(max_length=Limits.search_chars)] = ""


class RowView(View, kw_only=True):
    """A data row as lists show it; `a` is there unless it is empty."""

    id: str = field(name="_id")
    dataset_id: str
    collection_id: str
    q: str
    a: str | UnsetType = UNSET
    chunk_index: int
    update_time: Time


class RowsView(View):
    """A page of data rows."""

    list: list[RowView]
    total: int


class RowsPage(Page[Row], frozen=True):
    """A page of the rows of one collection."""

    dataset_id: str = ""
    collection_id: str = ""


def data_list(state: State, caller: Caller, body: DataListBody) -> RowsPage:
    """A page of a collection's rows.

    Raises MissingParams, CollectionNotFound, DatasetForbidden.
    """
    paging = neighbour.paging_of(body, Limits.page_size)
    dataset, collection = targets.collection_for(
        state, caller, body.collection_id, Level.READ, "$.collectionId"
    )
    rows = data.matching_rows(
        state.store.rows(dataset, collection.id), body.search_text
    )
    page = neighbour.page_of(rows, paging, dataset.level_of(caller))
    return RowsPage(*astuple(page), dataset.id, collection.id)  # type: ignore[call-arg]


def view(row: Row, page: Page[Any], _state: State) -> RowView:
    """A row as it is shown."""
    whose = page if isinstance(page, RowsPage) else RowsPage((), 0, Level.NONE)
    return RowView(
        id=row.id,
        dataset_id=whose.dataset_id,
        collection_id=whose.collection_id,
        q=row.q,
        a=row.a or UNSET,
        chunk_index=row.chunk_index,
        update_time=clock.format_time(row.update_time),
    )


def appear(_body: DataListBody, number: int) -> Row:
    """A row that is not there."""
    return Row(f"appeared-{number}", f"Appeared {number}")


DATA_V2_LIST = neighbour.operation(
    name="data.v2.list",
    path="/api/core/dataset/data/v2/list",
    summary="A page of a collection's data rows",
    body=DataListBody,
    data=RowsView,
    refusals=(
        errors.CollectionNotFound,
        errors.DatasetForbidden,
        errors.MissingParams,
    ),
    perform=data_list,
    view=view,
    traits=["page"],
    appear=appear,
    since="4.8.12",
    modelled="By chunkIndex, then the latest id first; at most 30 a page, `searchText` "
    "in `q` or `a`.",
    differs="Versions up to 4.14.10 order equal chunkIndexes by id ascending. Rows "
    "have no images.",
)


DATA_LIST = neighbour.operation(
    name="data.list",
    path="/api/core/dataset/data/list",
    summary="A page of a collection's data rows, at an older path",
    body=DataListBody,
    data=RowsView,
    refusals=(
        errors.CollectionNotFound,
        errors.DatasetForbidden,
        errors.MissingParams,
    ),
    perform=data_list,
    view=view,
    traits=["page"],
    appear=appear,
    since="4.0",
    modelled="As `data.v2.list`.",
    differs="Some versions 4.8 answer `{pageNum, pageSize, data, total}`.",
)
