"""Folders of datasets: paths, contents, and the rules for the folder of a dataset."""

from mock_server.domain import folders
from mock_server.domain.access import Level
from mock_server.domain.call import Call, DatasetForbidden, ParentNotFound
from mock_server.domain.errors import refusal
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import FOLDER as FOLDER
from mock_server.domain.storage.store import Store

TeamForbidden = refusal("TeamForbidden", "403 forbidden", "500 500003 unAuthTeam")
FolderTooDeep = refusal(
    "FolderTooDeep", "400 folderTooDeep", "500 507006 folderDepthLimit"
)
FolderCycle = refusal("FolderCycle", "400 folderCycle", "500 507000 invalidParams")

ROOT = (None, "")
"""Values of `parentId` that mean the top level."""
INSERT = (ParentNotFound, DatasetForbidden, TeamForbidden)
"""Refusals that `folder_for` raises."""


def path_of(store: Store, dataset_id: str | None) -> list[Dataset]:
    """Return a dataset and the folders above it, outermost first."""
    return folders.path_of(store.dataset, dataset_id)


def descendants(store: Store, dataset_id: str) -> list[Dataset]:
    """Return all datasets and folders in a folder, direct children first."""
    return folders.descendants(store.datasets(), dataset_id)


def folder_for(call: Call, parent_id: str | None, level: Level) -> str | None:
    """Return the id of the folder `parent_id`, None for the top level. Raises INSERT.

    The caller needs `level` on the folder. At the top level, the caller needs write
    permission, unless `level` is NONE.
    """
    if parent_id is None or parent_id in ROOT:
        if level and call.caller.level < Level.WRITE:
            expected = "a key with write permission"
            raise TeamForbidden(expected, "a key without it", "$.parentId")
        return None
    parent = call.store.dataset(parent_id)
    if parent is None or parent.type != FOLDER:
        expected = "null or the id of a folder of datasets"
        raise ParentNotFound.of(parent_id, expected, "$.parentId")
    return call.require(parent, level, "$.parentId").id


def check_depth(call: Call, parent_id: str | None, levels: int) -> None:
    """Raise FolderTooDeep if a folder cannot contain `levels` nested folders."""
    limit = call.state.limits.dataset_folder_depth
    depth = len(path_of(call.store, parent_id)) + levels
    if depth > limit:
        expected = f"at most {limit} folders within one another"
        raise FolderTooDeep(expected, str(depth), "$.parentId")


def check_move(call: Call, dataset: Dataset, parent_id: str | None) -> None:
    """Check that a dataset may move to a folder.

    The caller needs manage permission on both folders; for the top level, write
    permission suffices. Raises INSERT, FolderCycle, FolderTooDeep.
    """
    target = folder_for(call, parent_id, Level.MANAGE)
    folder_for(call, dataset.parent_id, Level.MANAGE)
    if dataset.id in {each.id for each in path_of(call.store, target)}:
        expected = "a folder that is not in this one"
        raise FolderCycle.of(parent_id, expected, "$.parentId")
    if target == dataset.parent_id or dataset.type != FOLDER:
        return check_depth(call, target, 0) if target != dataset.parent_id else None
    levels = {dataset.id: 1}
    for each in descendants(call.store, dataset.id):
        levels[each.id] = levels[each.parent_id or ""] + (each.type == FOLDER)
    return check_depth(call, target, max(levels.values()))


def remove(store: Store, dataset: Dataset) -> None:
    """Remove a dataset, or a folder with everything in it."""
    removed = dataset, *descendants(store, dataset.id)
    store.remove_datasets({each.id for each in removed})
