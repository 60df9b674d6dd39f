"""`collection.update`: rename, move, tag or forbid a collection."""

from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from mock_server.api.operations import contract
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import collection_folders, errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.records import Collection
from mock_server.domain.state import State
from mock_server.fixture.document import Time

FAR_FUTURE = 32_493_830_400_000
"""2999-09-09T00:00:00Z: by their names, what is entered by hand is listed first."""


class CollectionUpdateBody(contract.RequestFields, kw_only=True):
    """Which collection, and what is to be another."""

    id: fields.Label | UnsetType = UNSET
    dataset_id: fields.Label | UnsetType = UNSET
    external_file_id: fields.Label | UnsetType = UNSET
    parent_id: fields.Parent = UNSET
    name: fields.Name | UnsetType = UNSET
    tags: fields.Tags | UnsetType = UNSET
    forbid: bool | UnsetType = UNSET
    create_time: Time | UnsetType = UNSET


def collection_update(state: State, caller: Caller, body: CollectionUpdateBody) -> None:
    """Change what is given of a collection; `forbid` holds for all that is in it.

    Raises MissingParams, CollectionNotFound or FileNotFound, DatasetForbidden,
    InvalidField, and for a move ParentNotFound, CollectionForbidden, FolderCycle,
    CollectionTooDeep; and LimitReached.
    """
    created = fields.time_of(body.create_time, "createTime")
    dataset, collection, at = _target(state, caller, body)
    # What does not exist comes before what is not permitted.
    if body.parent_id is not UNSET:
        parent_id = body.parent_id or None
        collection_folders.check_parent_exists(state, dataset, parent_id)
    targets.check_dataset(dataset, caller, Level.WRITE, at)
    changed = collection
    changes: dict[str, Any] = {} if created is None else {"create_time": created}
    if body.parent_id is not UNSET:
        changes["parent_id"] = collection_folders.parent_to_move_to(
            state, dataset, collection, body.parent_id or None
        )
    if body.name:
        changed = collection.updated(_updated(state, body.name))
        changes["name"] = body.name
    if body.tags is not UNSET:
        changes["tags"] = tuple(body.tags)
    below: list[Collection] = []
    if body.forbid is not UNSET:
        changes["forbid"] = body.forbid
        below = collection_folders.below_to_change(state, dataset, collection)
    others = [replace(each, forbid=body.forbid) for each in below]
    state.store.put_collections(dataset, [replace(changed, **changes), *others])


def _target(
    state: State, caller: Caller, body: CollectionUpdateBody
) -> tuple[Dataset, Collection, str]:
    """The collection of that id, or of that external file in a dataset.

    With them goes the field that names the dataset, or what is in it.
    """
    if body.id:
        found = targets.collection_for(state, caller, body.id, Level.NONE, "$.id")
        return *found, "$.id"
    if not (body.dataset_id and body.external_file_id):
        expected = "an id, or datasetId and externalFileId"
        raise errors.MissingParams(expected, "neither", "$.id")
    dataset = state.store.dataset(body.dataset_id)
    if dataset is not None:
        for collection in dataset.tree:
            if collection.external_file_id == body.external_file_id:
                return dataset, collection, "$.datasetId"
    expected = "the externalFileId of a collection of the dataset"
    got = errors.describe_value(body.external_file_id)
    raise errors.FileNotFound(expected, got, "$.externalFileId")


def _updated(state: State, name: str) -> int:
    is_by_hand = name in ("manual", "mark") or name.startswith("手动")
    return FAR_FUTURE if is_by_hand else state.clock.now()


COLLECTION_UPDATE = neighbour.operation(
    name="collection.update",
    further_methods=("PUT",),
    path="/api/core/dataset/collection/update",
    summary="Rename, move, tag or forbid a collection",
    body=CollectionUpdateBody,
    refusals=(
        errors.MissingParams,
        errors.CollectionNotFound,
        errors.FileNotFound,
        errors.DatasetForbidden,
        errors.ParentNotFound,
        errors.CollectionForbidden,
        errors.FolderCycle,
        errors.CollectionTooDeep,
        errors.LimitReached,
    ),
    perform=collection_update,
    traits=["write"],
    since="4.6 as PUT, later as POST too",
    modelled=(
        "Only a name makes it the latest, and for ever that of what is entered by hand."
    ),
    differs=(
        "Moves are checked as after 4.16: a parent that is in no dataset, in another "
        "one, or in the collection itself is refused."
    ),
)
