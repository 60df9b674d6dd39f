"""What a request is about, once it is certain that it exists and what may be done."""

from mock_server.domain import errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.records import Collection
from mock_server.domain.state import State

ROOT = (None, "")
"""What a `parentId` is that means the top level."""


def dataset_for(
    state: State, caller: Caller, dataset_id: str, level: Level, at: str
) -> Dataset:
    """The dataset of that id, with which the caller may do so much.

    `at` is the field that names it. Raises DatasetNotFound, DatasetForbidden, in this
    order.
    """
    dataset = state.store.dataset(dataset_id)
    if dataset is None:
        got = errors.describe_value(dataset_id)
        raise errors.DatasetNotFound("the id of a dataset", got, at)
    check_dataset(dataset, caller, level, at)
    return dataset


def check_dataset(dataset: Dataset, caller: Caller, level: Level, at: str) -> None:
    """Raises DatasetForbidden unless the caller may do so much with a dataset."""
    if dataset.level_of(caller) < level:
        permission = f"{level.name.lower()} permission on dataset"
        expected = f"a key with {permission} {errors.quoted(dataset.id)}"
        raise errors.DatasetForbidden(expected, "a key without it", at)


def collection_for(
    state: State, caller: Caller, collection_id: str, level: Level, at: str
) -> tuple[Dataset, Collection]:
    """The collection of that id and its dataset, with which the caller may do so much.

    `at` is the field that names it. Raises CollectionNotFound, DatasetForbidden, in
    this order.
    """
    found = state.store.find_collection(collection_id)
    if found is None:
        got = errors.describe_value(collection_id)
        raise errors.CollectionNotFound("the _id of a collection", got, at)
    check_dataset(found[0], caller, level, at)
    return found
