"""`dataset.delete`: delete a dataset, or a folder of datasets."""

from mock_server.api.operations.neighbours.fields import IdQuery
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset_folders import remove
from mock_server.domain.errors import DatasetForbidden, DatasetNotFound
from mock_server.domain.state import State
from mock_server.domain.targets import dataset_for


def dataset_delete(state: State, caller: Caller, query: IdQuery) -> None:
    """Delete a dataset with all that is in it.

    Raises DatasetNotFound, DatasetForbidden.
    """
    dataset = dataset_for(state, caller, query.id, Level.OWNER, "$.id")
    remove(state.store, dataset)


DATASET_DELETE = neighbour(
    name="dataset.delete",
    method="DELETE",
    path="/api/core/dataset/delete",
    summary="Delete a dataset",
    body=IdQuery,
    refusals=(DatasetNotFound, DatasetForbidden),
    perform=dataset_delete,
    traits=["write"],
    since="4.6",
    modelled="The dataset goes with its collections; a folder with its datasets.",
    differs="It is gone at once; the service answers `detail` for a second more.",
)
