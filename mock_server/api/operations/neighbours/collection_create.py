"""`collection.create`: make an empty collection, or a folder of collections."""

from typing import Literal

from msgspec import UNSET, field

from mock_server.api.operations.neighbours.fields import (
    Name,
    Parent,
    ProcessingFields,
    Tags,
)
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller, Level
from mock_server.domain.collection_folders import create, parent_for
from mock_server.domain.errors import (
    CollectionForbidden,
    CollectionTooDeep,
    DatasetForbidden,
    DatasetNotFound,
    LimitReached,
    ParentNotFound,
)
from mock_server.domain.records import Collection
from mock_server.domain.state import State
from mock_server.domain.targets import dataset_for
from mock_server.fixture.document import Id


class CollectionCreateBody(ProcessingFields, kw_only=True):
    """Where the collection goes, and what it is called."""

    dataset_id: Id
    name: Name
    type: Literal["folder", "virtual"]
    parent_id: Parent = UNSET
    tags: Tags = field(default_factory=list)


def collection_create(state: State, caller: Caller, body: CollectionCreateBody) -> str:
    """Make a collection; gives its id.

    Raises DatasetNotFound, DatasetForbidden, ParentNotFound, CollectionForbidden,
    CollectionTooDeep, LimitReached.
    """
    dataset = dataset_for(state, caller, body.dataset_id, Level.WRITE, "$.datasetId")
    parent_id = parent_for(state, dataset, body.parent_id or None)
    tags = tuple(body.tags)
    new = Collection("", body.name, parent_id, type=body.type, tags=tags)
    return create(state, caller, dataset, new).id


COLLECTION_CREATE = neighbour(
    name="collection.create",
    path="/api/core/dataset/collection/create",
    summary="Create an empty collection, or a folder",
    body=CollectionCreateBody,
    data=str,
    refusals=(
        DatasetNotFound,
        DatasetForbidden,
        ParentNotFound,
        CollectionForbidden,
        CollectionTooDeep,
        LimitReached,
    ),
    perform=collection_create,
    traits=["write"],
    since="4.6",
    modelled="The id of the new collection, which lists show first.",
    differs=(
        "A parent that is in no dataset, or in another one, is refused. Lists show the "
        "`trainingType` of the new collection too."
    ),
)
