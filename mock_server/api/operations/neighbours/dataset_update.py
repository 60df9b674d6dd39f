"""`dataset.update`: rename a dataset, or move it to another folder."""

from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from mock_server.api.errors import MissingAuthorization
from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.fields import (
    Flag,
    Long,
    Name,
    Parent,
    Settings,
    Text,
)
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset_folders import check_move
from mock_server.domain.errors import (
    DatasetForbidden,
    DatasetNotFound,
    FolderCycle,
    FolderTooDeep,
    LimitReached,
    ParentNotFound,
    TeamForbidden,
)
from mock_server.domain.state import State
from mock_server.domain.targets import dataset_for
from mock_server.fixture.document import Id


class DatasetUpdateBody(RequestFields, kw_only=True):
    """Which dataset, and what is to be another; models are not looked at."""

    id: Id
    name: Name | UnsetType = UNSET
    intro: Long | UnsetType = UNSET
    avatar: Long | UnsetType = UNSET
    parent_id: Parent = UNSET
    agent_model: Text = UNSET
    vlm_model: Text = UNSET
    website_config: Settings = UNSET
    external_read_url: Long | UnsetType = UNSET
    api_dataset_server: Settings = UNSET
    auto_sync: Flag = UNSET
    chunk_settings: Settings = UNSET


def dataset_update(state: State, caller: Caller, body: DatasetUpdateBody) -> None:
    """Change what is given of a dataset; its time of update stays.

    Raises DatasetNotFound, DatasetForbidden, and for a move ParentNotFound,
    TeamForbidden, MissingAuthorization, FolderCycle, FolderTooDeep.
    """
    dataset = dataset_for(state, caller, body.id, Level.WRITE, "$.id")
    changes: dict[str, Any] = {}
    if body.parent_id is not UNSET:
        changes["parent_id"] = body.parent_id or None
        if caller.username is None and None in (
            dataset.parent_id,
            changes["parent_id"],
        ):
            expected = "a login to move to or from the top level"
            raise MissingAuthorization(expected, "an API key", "$.parentId")
        check_move(state, caller, dataset, changes["parent_id"])
    # Empty ones are as if they were not there, but for the introduction.
    changes |= {"name": body.name} if body.name else {}
    changes |= {"avatar": body.avatar} if body.avatar else {}
    changes |= {} if body.intro is UNSET else {"intro": body.intro}
    state.store.put_dataset(replace(dataset, **changes))


DATASET_UPDATE = neighbour(
    name="dataset.update",
    method="PUT",
    path="/api/core/dataset/update",
    summary="Rename a dataset, or move it",
    body=DatasetUpdateBody,
    refusals=(
        DatasetNotFound,
        DatasetForbidden,
        ParentNotFound,
        TeamForbidden,
        MissingAuthorization,
        FolderCycle,
        FolderTooDeep,
        LimitReached,
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
