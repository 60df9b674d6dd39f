"""Collections in folders: where one may go, and what goes with it."""

from msgspec.structs import replace

from mock_server.domain import errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.records import DEFAULT_TMB_ID, Collection
from mock_server.domain.state import State
from mock_server.domain.targets import ROOT


def path_of(dataset: Dataset, collection: Collection) -> list[Collection]:
    """A collection and the folders above it, the outermost first."""
    path, parent_id = [collection], collection.parent_id
    while parent_id is not None and (above := dataset.tree.get(parent_id)) is not None:
        path.append(above)
        parent_id = above.parent_id
    return path[::-1]


def target_for(
    state: State, caller: Caller, dataset_id: str, parent_id: str | None
) -> tuple[Dataset, str | None]:
    """The dataset, and the folder in it, where the caller may put something new.

    What does not exist comes before what is not permitted. Raises DatasetNotFound,
    ParentNotFound, DatasetForbidden, in this order, and what `parent_for` does.
    """
    at = "$.datasetId"
    dataset = targets.dataset_for(state, caller, dataset_id, Level.NONE, at)
    check_parent_exists(state, dataset, parent_id)
    targets.check_dataset(dataset, caller, Level.WRITE, at)
    return dataset, parent_for(state, dataset, parent_id)


def check_parent_exists(state: State, dataset: Dataset, parent_id: str | None) -> None:
    """Raises ParentNotFound for what is neither the top level nor a collection."""
    is_known = parent_id is None or parent_id in ROOT or parent_id in dataset.tree
    if not is_known and state.store.find_collection(parent_id or "") is None:
        expected, got = _folder_of(dataset), errors.describe_value(parent_id)
        raise errors.ParentNotFound(expected, got, "$.parentId")


def _folder_of(dataset: Dataset) -> str:
    return f"null or the _id of a folder of dataset {errors.quoted(dataset.id)}"


def parent_for(
    state: State, dataset: Dataset, parent_id: str | None, levels: int = 0
) -> str | None:
    """The id of the folder that a `parentId` names, None for the top level.

    `levels` folders lie within one another in what goes there. Any collection of the
    dataset counts as a folder. Raises ParentNotFound, CollectionForbidden for one of
    another dataset, and CollectionTooDeep.
    """
    if parent_id is None or parent_id in ROOT:
        return None
    if parent_id not in dataset.tree:
        check_parent_exists(state, dataset, parent_id)
        got = f"one of another, {errors.describe_value(parent_id)}"
        raise errors.CollectionForbidden(_folder_of(dataset), got, "$.parentId")
    most = state.limits.folder_depth
    if dataset.tree.depth(parent_id) + levels > most:
        expected = f"at most {most} folders above a collection"
        raise errors.CollectionTooDeep(expected, "more", "$.parentId")
    return parent_id


def parent_to_move_to(
    state: State, dataset: Dataset, collection: Collection, parent_id: str | None
) -> str | None:
    """The id of the folder to which a collection may go with what is in it.

    Raises as `parent_for` does, and FolderCycle.
    """
    target = dataset.tree.get(parent_for(state, dataset, parent_id) or "")
    if target is None:
        return None
    if collection.id in {each.id for each in path_of(dataset, target)}:
        expected = "a folder that is not in this collection"
        got = errors.describe_value(parent_id)
        raise errors.FolderCycle(expected, got, "$.parentId")
    levels = {collection.id: 0}
    for each in dataset.tree.below(collection.id):
        levels[each.id] = levels[each.parent_id or ""] + 1
    return parent_for(state, dataset, parent_id, max(levels.values()))


def create(
    state: State, caller: Caller, dataset: Dataset, new: Collection
) -> Collection:
    """Keep a new collection, under an id of its own, as the caller's and of now.

    Raises LimitReached.
    """
    most = state.limits.created_collections
    if state.store.created_collections(dataset.id) >= most:
        expected = f"at most {most} created collections"
        raise errors.LimitReached(expected, "one more", "body")
    now = state.clock.now()
    collection = replace(
        new,
        id=state.store.new_id(),
        tmb_id=caller.member or DEFAULT_TMB_ID,
        update_time=now,
        create_time=now,
    )
    state.store.put_collection(dataset, collection)
    return collection


def below_to_change(
    state: State, dataset: Dataset, collection: Collection
) -> list[Collection]:
    """What is in a collection, to be changed with it. Raises LimitReached."""
    below, most = dataset.tree.below(collection.id), state.limits.changed_collections
    if len(below) > most:
        expected = f"at most {most} collections in a folder that is changed"
        raise errors.LimitReached(expected, str(len(below)), "$.id")
    return below
