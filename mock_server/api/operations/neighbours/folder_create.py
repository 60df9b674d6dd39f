"""`folder.create`: make a folder of datasets."""

from msgspec import UNSET

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.fields import Long, Name, Nothing, Parent
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.dataset_folders import FOLDER, NewDataset, create
from mock_server.domain.errors import (
    DatasetForbidden,
    FolderTooDeep,
    LimitReached,
    ParentNotFound,
    TeamForbidden,
)
from mock_server.domain.state import State

_AVATAR = "/imgs/files/folder.svg"


class FolderCreateBody(RequestFields, kw_only=True):
    """What the folder is called, and where it goes."""

    name: Name
    intro: Long
    parent_id: Parent = UNSET


def folder_create(state: State, caller: Caller, body: FolderCreateBody) -> Nothing:
    """Make a folder; its id is not told.

    Raises ParentNotFound, DatasetForbidden, TeamForbidden, FolderTooDeep, LimitReached.
    """
    new = NewDataset(FOLDER, body.name, body.intro, _AVATAR)
    create(state, caller, new, body.parent_id or None)
    return Nothing()


FOLDER_CREATE = neighbour(
    name="folder.create",
    path="/api/core/dataset/folder/create",
    summary="Create a folder of datasets",
    body=FolderCreateBody,
    data=Nothing,
    refusals=(
        ParentNotFound,
        DatasetForbidden,
        TeamForbidden,
        FolderTooDeep,
        LimitReached,
    ),
    perform=folder_create,
    traits=["write"],
    since="4.9.6 with keys",
    modelled="An empty object; four folders within one another at most.",
    differs="A parent that is no folder is refused.",
)
