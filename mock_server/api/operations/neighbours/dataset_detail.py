"""`dataset.detail`: one dataset."""

from mock_server.api.operations.neighbours.dataset_view import DatasetDetail, detail
from mock_server.api.operations.neighbours.fields import IdQuery
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller, Level
from mock_server.domain.errors import DatasetForbidden, DatasetNotFound
from mock_server.domain.state import State
from mock_server.domain.targets import dataset_for


def dataset_detail(state: State, caller: Caller, query: IdQuery) -> DatasetDetail:
    """A dataset. Raises DatasetNotFound, DatasetForbidden."""
    dataset = dataset_for(state, caller, query.id, Level.READ, "$.id")
    return detail((dataset, dataset.level_of(caller)))


DATASET_DETAIL = neighbour(
    name="dataset.detail",
    method="GET",
    path="/api/core/dataset/detail",
    summary="One dataset",
    body=IdQuery,
    data=DatasetDetail,
    refusals=(DatasetNotFound, DatasetForbidden),
    perform=dataset_detail,
    since="4.6",
    modelled="What lists show of it, its folder and its team.",
    differs="All datasets have the same models, and no `chunkSettings`.",
)
