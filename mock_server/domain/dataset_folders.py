"""Datasets in folders: who may create them, what lies in what, where one may go."""

from msgspec import Struct

from mock_server.domain import errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.records import DEFAULT_TMB_ID
from mock_server.domain.state import State
from mock_server.domain.store import Store
from mock_server.domain.targets import ROOT, check_dataset

FOLDER = "folder"


def path_of(store: Store, dataset_id: str | None) -> list[Dataset]:
    """A dataset and the folders above it, the outermost first."""
    path: list[Dataset] = []
    while dataset_id is not None and (dataset := store.dataset(dataset_id)) is not None:
        path.append(dataset)
        dataset_id = dataset.parent_id
    return path[::-1]


def below(store: Store, dataset_id: str) -> list[Dataset]:
    """All datasets and folders in a folder, nearest first."""
    inside: dict[str | None, list[Dataset]] = {}
    for dataset in store.datasets():
        inside.setdefault(dataset.parent_id, []).append(dataset)
    found = [*inside.get(dataset_id, ())]
    for dataset in found:  # grows meanwhile: level by level
        found += inside.get(dataset.id, ())
    return found


def folder_of(state: State, parent_id: str | None) -> Dataset | None:
    """The folder that a `parentId` names, None for the top level.

    Raises ParentNotFound.
    """
    if parent_id in ROOT:
        return None
    parent = state.store.dataset(parent_id or "")
    if parent is None or parent.type != FOLDER:
        expected = "null or the id of a folder of datasets"
        got = errors.describe_value(parent_id)
        raise errors.ParentNotFound(expected, got, "$.parentId")
    return parent


def folder_for(
    state: State, caller: Caller, parent_id: str | None, level: Level
) -> str | None:
    """The id of the folder that a `parentId` names, None for the top level.

    At the top level, what a key may do with datasets in general counts. Raises
    ParentNotFound, DatasetForbidden or TeamForbidden.
    """
    parent = folder_of(state, parent_id)
    if parent is None:
        check_team(caller)
        return None
    check_dataset(parent, caller, level, "$.parentId")
    return parent.id


def check_team(caller: Caller) -> None:
    """Raises TeamForbidden for a caller who may create no datasets."""
    if caller.level < Level.WRITE:
        expected = "a key with write permission"
        raise errors.TeamForbidden(expected, "a key without it", "$.parentId")


def check_depth(state: State, parent_id: str | None, levels: int) -> None:
    """Raises FolderTooDeep if so many nested folders would be too many in a folder."""
    most = state.limits.dataset_folder_depth
    got = len(path_of(state.store, parent_id)) + levels
    if got > most:
        expected = f"at most {most} folders within one another"
        raise errors.FolderTooDeep(expected, str(got), "$.parentId")


def levels_of(store: Store, dataset: Dataset) -> int:
    """How many folders lie within one another, from this one on; 0 for a dataset."""
    if dataset.type != FOLDER:
        return 0
    levels = {dataset.id: 1}
    for each in below(store, dataset.id):
        parent = levels[each.parent_id or ""]
        levels[each.id] = parent + (each.type == FOLDER)
    return max(levels.values())


class NewDataset(Struct, frozen=True):
    """What is said of a dataset that is to be created."""

    type: str
    name: str
    intro: str
    avatar: str


def create(
    state: State, caller: Caller, new: NewDataset, parent_id: str | None
) -> Dataset:
    """A new dataset in a folder, which belongs to the caller.

    The caller needs write permission. Raises ParentNotFound, DatasetForbidden,
    TeamForbidden, FolderTooDeep, LimitReached.
    """
    parent_id = folder_for(state, caller, parent_id, Level.WRITE)
    if new.type == FOLDER:
        check_depth(state, parent_id, 1)
    store, most = state.store, state.limits.created_datasets
    loaded = store.generation.datasets
    if sum(each.id not in loaded for each in store.datasets()) >= most:
        expected = f"at most {most} created datasets"
        raise errors.LimitReached(expected, "one more", "body")
    # Whoever owns all needs no permission, and a state can name declared keys only.
    is_owner = caller.level is Level.OWNER or caller.key not in store.generation.keys
    dataset = Dataset(
        id=store.new_id(),
        name=new.name,
        permissions={} if is_owner else {caller.key: Level.OWNER},
        parent_id=parent_id,
        type=new.type,
        intro=new.intro,
        avatar=new.avatar,
        tmb_id=caller.member or DEFAULT_TMB_ID,
        update_time=state.clock.now(),
    )
    store.put_dataset(dataset)
    return dataset


def check_move(
    state: State, caller: Caller, dataset: Dataset, parent_id: str | None
) -> None:
    """Check that a dataset may go to a folder, or to the top level.

    The caller has to manage the folder that it leaves and the one where it goes; at the
    top level, a caller's general permission counts. Raises ParentNotFound,
    DatasetForbidden, TeamForbidden, FolderCycle, FolderTooDeep.
    """
    target = folder_for(state, caller, parent_id, Level.MANAGE)
    folder_for(state, caller, dataset.parent_id, Level.MANAGE)
    above = path_of(state.store, target)
    if dataset.id in {each.id for each in above}:
        expected = "a folder that is not in this one"
        got = errors.describe_value(parent_id)
        raise errors.FolderCycle(expected, got, "$.parentId")
    if target != dataset.parent_id:
        check_depth(state, target, levels_of(state.store, dataset))


def remove(store: Store, dataset: Dataset) -> None:
    """Remove a dataset, or a folder with all that is in it."""
    # From the innermost on: at no time is there one whose folder is gone.
    for each in reversed([dataset, *below(store, dataset.id)]):
        store.remove_dataset(each.id)
