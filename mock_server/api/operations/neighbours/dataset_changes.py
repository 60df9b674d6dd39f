"""`dataset.create`, `folder.create`, `dataset.update`, `dataset.delete`."""

from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from mock_server.api.errors import MissingAuthorization
from mock_server.api.operations import contract
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import dataset_folders, errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.state import State
from mock_server.fixture.document import Id


class DatasetCreateBody(contract.RequestFields, kw_only=True):
    """What the dataset is called, and where it goes; models are not looked at."""

    type: fields.DatasetType
    name: fields.Name
    intro: fields.Long
    avatar: fields.Long
    parent_id: fields.Parent = UNSET
    vector_model: fields.Text = UNSET
    agent_model: fields.Text = UNSET
    vlm_model: fields.Text = UNSET
    api_dataset_server: fields.Settings = UNSET


def dataset_create(state: State, caller: Caller, body: DatasetCreateBody) -> str:
    """Make a dataset; gives its id.

    Raises ParentNotFound, DatasetForbidden, TeamForbidden, FolderTooDeep, LimitReached.
    """
    new = dataset_folders.NewDataset(body.type, body.name, body.intro, body.avatar)
    return dataset_folders.create(state, caller, new, body.parent_id or None).id


DATASET_CREATE = neighbour.operation(
    name="dataset.create",
    path="/api/core/dataset/create",
    summary="Create a dataset",
    body=DatasetCreateBody,
    data=str,
    refusals=(
        errors.ParentNotFound,
        errors.DatasetForbidden,
        errors.TeamForbidden,
        errors.FolderTooDeep,
        errors.LimitReached,
    ),
    perform=dataset_create,
    traits=["write"],
    since="4.6; all four fields required since 4.14.11",
    modelled="The id of the new dataset, which belongs to the caller.",
    differs=(
        "A parent that is no folder is refused. Models are not looked at. Folders are "
        "bound to the depth of `folder.create` here too."
    ),
)


_AVATAR = "/imgs/files/folder.svg"


class FolderCreateBody(contract.RequestFields, kw_only=True):
    """What the folder is called, and where it goes."""

    name: fields.Name
    intro: fields.Long
    parent_id: fields.Parent = UNSET


def folder_create(
    state: State, caller: Caller, body: FolderCreateBody
) -> fields.Nothing:
    """Make a folder; its id is not told.

    Raises ParentNotFound, DatasetForbidden, TeamForbidden, FolderTooDeep, LimitReached.
    """
    new = dataset_folders.NewDataset(
        dataset_folders.FOLDER, body.name, body.intro, _AVATAR
    )
    dataset_folders.create(state, caller, new, body.parent_id or None)
    return fields.Nothing()


FOLDER_CREATE = neighbour.operation(
    name="folder.create",
    path="/api/core/dataset/folder/create",
    summary="Create a folder of datasets",
    body=FolderCreateBody,
    data=fields.Nothing,
    refusals=(
        errors.ParentNotFound,
        errors.DatasetForbidden,
        errors.TeamForbidden,
        errors.FolderTooDeep,
        errors.LimitReached,
    ),
    perform=folder_create,
    traits=["write"],
    since="4.9.6 with keys",
    modelled="An empty object; four folders within one another at most.",
    differs="A parent that is no folder is refused.",
)


class DatasetUpdateBody(contract.RequestFields, kw_only=True):
    """Which dataset, and what is to be another; models are not looked at."""

    id: Id
    name: fields.Name | UnsetType = UNSET
    intro: fields.Long | UnsetType = UNSET
    avatar: fields.Long | UnsetType = UNSET
    parent_id: fields.Parent = UNSET
    agent_model: fields.Text = UNSET
    vlm_model: fields.Text = UNSET
    website_config: fields.Settings = UNSET
    external_read_url: fields.Long | UnsetType = UNSET
    api_dataset_server: fields.Settings = UNSET
    auto_sync: fields.Flag = UNSET
    chunk_settings: fields.Settings = UNSET


def dataset_update(state: State, caller: Caller, body: DatasetUpdateBody) -> None:
    """Change what is given of a dataset; its time of update stays.

    Raises DatasetNotFound, DatasetForbidden, and for a move ParentNotFound,
    TeamForbidden, MissingAuthorization, FolderCycle, FolderTooDeep.
    """
    dataset = targets.dataset_for(state, caller, body.id, Level.NONE, "$.id")
    # What does not exist comes before what is not permitted.
    if body.parent_id is not UNSET:
        dataset_folders.folder_of(state, body.parent_id or None)
    targets.check_dataset(dataset, caller, Level.WRITE, "$.id")
    changes: dict[str, Any] = {}
    if body.parent_id is not UNSET:
        target = changes["parent_id"] = body.parent_id or None
        is_top_level = target is None or dataset.parent_id is None
        if is_top_level and caller.username is None:
            expected = "a login to move to or from the top level"
            raise MissingAuthorization(expected, "an API key", "$.parentId")
        dataset_folders.check_move(state, caller, dataset, target)
    # Empty ones are as if they were not there, but for the introduction.
    changes |= {"name": body.name} if body.name else {}
    changes |= {"avatar": body.avatar} if body.avatar else {}
    changes |= {} if body.intro is UNSET else {"intro": body.intro}
    state.store.put_dataset(replace(dataset, **changes))


DATASET_UPDATE = neighbour.operation(
    name="dataset.update",
    method="PUT",
    path="/api/core/dataset/update",
    summary="Rename a dataset, or move it",
    body=DatasetUpdateBody,
    refusals=(
        errors.DatasetNotFound,
        errors.DatasetForbidden,
        errors.ParentNotFound,
        errors.TeamForbidden,
        MissingAuthorization,
        errors.FolderCycle,
        errors.FolderTooDeep,
        errors.LimitReached,
    ),
    perform=dataset_update,
    traits=["write"],
    since="4.15 with keys",
    modelled=(
        "Name, intro, avatar and folder; a move to or from the top level takes a login."
    ),
    differs=(
        "Models and settings are not kept. A parent that is no folder or lies in the "
        "dataset is refused, and more than four folders within one another."
    ),
)


def dataset_delete(state: State, caller: Caller, query: fields.IdQuery) -> None:
    """Delete a dataset with all that is in it.

    Raises DatasetNotFound, DatasetForbidden.
    """
    dataset = targets.dataset_for(state, caller, query.id, Level.OWNER, "$.id")
    dataset_folders.remove(state.store, dataset)


DATASET_DELETE = neighbour.operation(
    name="dataset.delete",
    method="DELETE",
    path="/api/core/dataset/delete",
    summary="Delete a dataset",
    body=fields.IdQuery,
    refusals=(errors.DatasetNotFound, errors.DatasetForbidden),
    perform=dataset_delete,
    traits=["write"],
    since="4.6",
    modelled="The dataset goes with its collections; a folder with its datasets.",
    differs="It is gone at once; the service answers `detail` for a second more.",
)
