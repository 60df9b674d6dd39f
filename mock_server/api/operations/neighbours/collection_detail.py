"""`collection.detail`: one collection."""

from typing import Any

from mock_server.api.operations.neighbours.collection_view import (
    CollectionDetail,
    detail,
)
from mock_server.api.operations.neighbours.fields import IdQuery
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller, Level
from mock_server.domain.errors import CollectionNotFound, DatasetForbidden
from mock_server.domain.state import State
from mock_server.domain.targets import collection_for


def collection_detail(state: State, caller: Caller, query: IdQuery) -> dict[str, Any]:
    """A collection. Raises CollectionNotFound, DatasetForbidden."""
    found = collection_for(state, caller, query.id, Level.READ, "$.id")
    tags_absent = state.choices.tags_empty == "absent"
    return detail(*found, found[0].level_of(caller), tags_absent)


COLLECTION_DETAIL = neighbour(
    name="collection.detail",
    method="GET",
    path="/api/core/dataset/collection/detail",
    summary="One collection",
    body=IdQuery,
    data=CollectionDetail,
    refusals=(CollectionNotFound, DatasetForbidden),
    perform=collection_detail,
    since="4.6; `datasetId` is a text since 4.8.18",
    modelled="What listV2 shows of it but its amount of data, its dataset and source.",
    differs=(
        "How it was cut into chunks is always shown alike. `indexAmount` is the number "
        "of its data rows."
    ),
)
