"""`data/delete`: remove a data row."""

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller, Level
from mock_server.domain.data import remove_row, row_for
from mock_server.domain.errors import DatasetForbidden, LimitReached, RowNotFound
from mock_server.domain.state import State
from mock_server.fixture.document import Id


class DataDeleteQuery(RequestFields):
    """Which data row."""

    id: Id


def data_delete(state: State, caller: Caller, query: DataDeleteQuery) -> None:
    """Remove a row. Raises RowNotFound, DatasetForbidden, LimitReached."""
    remove_row(state, *row_for(state, caller, query.id, Level.WRITE, "$.id"))


DATA_DELETE = neighbour(
    name="data.delete",
    method="DELETE",
    path="/api/core/dataset/data/delete",
    summary="Remove a data row",
    body=DataDeleteQuery,
    refusals=(RowNotFound, DatasetForbidden, LimitReached),
    perform=data_delete,
    traits=["write"],
    since="4.6",
    modelled="The row is gone, dataAmount is one less, the collection's updateTime is "
    "bumped at once. The answer is null as of 4.15.",
    differs="The service bumps updateTime about 5 s later. Versions before 4.15 answer "
    '`"success"`.',
)
