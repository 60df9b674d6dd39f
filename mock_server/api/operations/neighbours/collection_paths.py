"""`collection.paths`: the folders above a collection, and itself."""

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.fields import Label, PathStep
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller, Level
from mock_server.domain.collection_folders import path_of
from mock_server.domain.errors import CollectionNotFound, DatasetForbidden
from mock_server.domain.state import State
from mock_server.domain.targets import collection_for


class CollectionPathsQuery(RequestFields):
    """Which collection."""

    source_id: Label = ""


def collection_paths(
    state: State, caller: Caller, query: CollectionPathsQuery
) -> list[PathStep]:
    """The way to a collection, which ends it; without one, none.

    Raises CollectionNotFound, DatasetForbidden.
    """
    if not query.source_id:
        return []
    source = query.source_id
    found = collection_for(state, caller, source, Level.READ, "$.sourceId")
    return [PathStep(each.id, each.name) for each in path_of(*found)]


COLLECTION_PATHS = neighbour(
    name="collection.paths",
    method="GET",
    path="/api/core/dataset/collection/paths",
    summary="The folders above a collection, and itself",
    body=CollectionPathsQuery,
    data=list[PathStep],
    refusals=(CollectionNotFound, DatasetForbidden),
    perform=collection_paths,
    access="login",
    since="4.6",
    modelled="Ids and names from the outermost folder on, itself last.",
)
