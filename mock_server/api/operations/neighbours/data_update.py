"""`data/update`: replace the texts of a data row."""

from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.api.operations.neighbours.row_fields import IndexPart, index_texts
from mock_server.domain.access import Caller, Level
from mock_server.domain.data import put_row, row_for
from mock_server.domain.errors import DatasetForbidden, LimitReached, RowNotFound
from mock_server.domain.state import State
from mock_server.fixture.document import Id
from mock_server.views import View


class DataUpdateBody(RequestFields, kw_only=True):
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
    put_row(state, dataset, collection, new)
    return UpdatedView(new.q, new.a or UNSET)


DATA_UPDATE = neighbour(
    name="data.update",
    method="PUT",
    path="/api/core/dataset/data/update",
    summary="Replace the texts of a data row",
    body=DataUpdateBody,
    data=UpdatedView,
    refusals=(RowNotFound, DatasetForbidden, LimitReached),
    perform=data_update,
    traits=["write"],
    body_limit="text_body_bytes",
    since="4.6",
    modelled="`q` is required, `indexes` replace all; the answer is `{q, a}` as of "
    "4.16.0. The collection's updateTime is bumped at once.",
    differs="The service bumps updateTime about 5 s later. Versions up to 4.14.10 take "
    "no `q` too and answer null.",
)
