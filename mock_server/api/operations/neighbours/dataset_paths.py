"""`dataset.paths`: the folders above a dataset, the outermost first."""

from typing import Literal

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.fields import Label, PathStep
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset_folders import path_of
from mock_server.domain.errors import DatasetForbidden, DatasetNotFound
from mock_server.domain.state import State
from mock_server.domain.targets import dataset_for


class DatasetPathsQuery(RequestFields, kw_only=True):
    """Which dataset, and whether it ends the way itself."""

    source_id: Label = ""
    type: Literal["current", "parent"]


def dataset_paths(
    state: State, caller: Caller, query: DatasetPathsQuery
) -> list[PathStep]:
    """The way to a dataset; without one, none.

    Raises DatasetNotFound, DatasetForbidden.
    """
    if not query.source_id:
        return []
    dataset = dataset_for(state, caller, query.source_id, Level.READ, "$.sourceId")
    end = dataset.id if query.type == "current" else dataset.parent_id
    return [PathStep(each.id, each.name) for each in path_of(state.store, end)]


DATASET_PATHS = neighbour(
    name="dataset.paths",
    method="GET",
    path="/api/core/dataset/paths",
    summary="The folders above a dataset",
    body=DatasetPathsQuery,
    data=list[PathStep],
    refusals=(DatasetNotFound, DatasetForbidden),
    perform=dataset_paths,
    access="login",
    since="4.6",
    modelled="Ids and names from the outermost folder on; `current` ends with itself.",
)
