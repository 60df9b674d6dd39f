"""`dataset.create`: make a dataset, at the top level or in a folder."""

from msgspec import UNSET

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.fields import (
    DatasetType,
    Long,
    Name,
    Parent,
    Settings,
    Text,
)
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.dataset_folders import NewDataset, create
from mock_server.domain.errors import (
    DatasetForbidden,
    FolderTooDeep,
    LimitReached,
    ParentNotFound,
    TeamForbidden,
)
from mock_server.domain.state import State


class DatasetCreateBody(RequestFields, kw_only=True):
    """What the dataset is called, and where it goes; models are not looked at."""

    type: DatasetType
    name: Name
    intro: Long
    avatar: Long
    parent_id: Parent = UNSET
    vector_model: Text = UNSET
    agent_model: Text = UNSET
    vlm_model: Text = UNSET
    api_dataset_server: Settings = UNSET


def dataset_create(state: State, caller: Caller, body: DatasetCreateBody) -> str:
    """Make a dataset; gives its id.

    Raises ParentNotFound, DatasetForbidden, TeamForbidden, FolderTooDeep, LimitReached.
    """
    new = NewDataset(body.type, body.name, body.intro, body.avatar)
    return create(state, caller, new, body.parent_id or None).id


DATASET_CREATE = neighbour(
    name="dataset.create",
    path="/api/core/dataset/create",
    summary="Create a dataset",
    body=DatasetCreateBody,
    data=str,
    refusals=(
        ParentNotFound,
        DatasetForbidden,
        TeamForbidden,
        FolderTooDeep,
        LimitReached,
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
