"""Datasets with their collections: list, read, put and delete them."""

from typing import Any

from msgspec import UNSET, UnsetType

from mock_server.admin.route import AdminCall, PageQuery, check_place, found, route, same_id
from mock_server.errors import CollectionNotFound, DatasetNotFound
from mock_server.fixture.dump import dataset_entry
from mock_server.fixture.parse import parse_collections, parse_dataset
from mock_server.store.objects import ROOT, Collection, Dataset

Fields = dict[str, Any]


class CollectionsQuery(PageQuery):
    """A part of a list, of one folder if `parentId` is given; empty, it is the top level."""

    parent_id: str | UnsetType = UNSET


@route("GET", "/datasets")
def get_datasets(call: AdminCall) -> dict[str, list[Fields]]:
    """List the datasets, with the number of their collections."""
    datasets = call.state.moment.store.datasets.values()
    shown = [{"id": it.id, "name": it.name, "collections": len(it.collections)} for it in datasets]
    return {"datasets": shown}


@route("GET", "/datasets/{dataset}")
def get_dataset(call: AdminCall) -> Fields:
    """Read a dataset, as a fixture has it."""
    return dataset_entry(dataset_of(call))


@route("PUT", "/datasets/{dataset}")
def put_dataset(call: AdminCall, body: Fields) -> Fields:
    """Create or replace a dataset, as a fixture has it."""
    id, state = call.path["dataset"], call.state
    same_id(body, "id", id)
    dataset = parse_dataset(body, id)
    check_place(state.moment.store.datasets, dataset)
    call.status = 200 if id in state.moment.store.datasets else 201
    state.set_store(state.moment.store.put(dataset).past(dataset))
    return dataset_entry(dataset)


@route("DELETE", "/datasets/{dataset}")
def delete_dataset(call: AdminCall) -> dict[str, int]:
    """Remove a dataset; a folder goes with all that is in it."""
    before = call.state.moment.store
    call.state.set_store(before.remove_dataset(dataset_of(call).id))
    return {"deleted": len(before.datasets) - len(call.state.moment.store.datasets)}


@route("GET", "/datasets/{dataset}/collections")
def get_collections(call: AdminCall, query: CollectionsQuery) -> Fields:
    """List the collections of a dataset or of a folder, in the fixture's order."""
    items = [*dataset_of(call).collections.values()]
    if query.parent_id is not UNSET:
        items = [it for it in items if it.parent_id == (query.parent_id or ROOT)]
    return query.page("collections", items)


@route("POST", "/datasets/{dataset}/collections", status=201)
def post_collection(call: AdminCall, body: Fields) -> Collection:
    """Add a collection, as a fixture has it; a missing _id is derived as there."""
    return put_into(call, body)


@route("GET", "/datasets/{dataset}/collections/{id:path}")
def get_collection(call: AdminCall) -> Collection:
    """Read a collection."""
    return collection_of(call)


@route("PUT", "/datasets/{dataset}/collections/{id:path}")
def put_collection(call: AdminCall, body: Fields) -> Collection:
    """Create or replace a collection, as a fixture has it."""
    id = call.path["id"]
    same_id(body, "_id", id)
    call.status = 200 if id in dataset_of(call).collections else 201
    return put_into(call, body | {"_id": id})


@route("DELETE", "/datasets/{dataset}/collections/{id:path}")
def delete_collection(call: AdminCall) -> dict[str, int]:
    """Remove a collection; a folder with all that is in it."""
    before = dataset_of(call)
    after = before.remove([collection_of(call).id])
    call.state.set_store(call.state.moment.store.put(after))
    return {"deleted": len(before.collections) - len(after.collections)}


def put_into(call: AdminCall, body: Fields) -> Collection:
    """Make a collection part of the dataset in the path, and return it."""
    dataset, id = parse_collections(body, dataset_of(call))
    call.state.set_store(call.state.moment.store.put(dataset).past(body))
    return dataset.collections[id]


def dataset_of(call: AdminCall) -> Dataset:
    """The dataset in the path. Raises DatasetNotFound."""
    datasets, id = call.state.moment.store.datasets, call.path["dataset"]
    return found(datasets, id, DatasetNotFound, "the id of a dataset")


def collection_of(call: AdminCall) -> Collection:
    """The collection in the path. Raises DatasetNotFound, CollectionNotFound."""
    items, id = dataset_of(call).collections, call.path["id"]
    return found(items, id, CollectionNotFound, "the _id of a collection of this dataset")
