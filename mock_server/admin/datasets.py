"""Datasets with their collections: list, read, put and delete them."""

from msgspec import UNSET, UnsetType

from mock_server.admin.route import AdminCall, PageQuery, route
from mock_server.decoding.json_values import JsonObject
from mock_server.errors import CollectionNotFound
from mock_server.fixture.dump import dataset_entry
from mock_server.fixture.merge import parse_collections, parse_dataset
from mock_server.store.account import subtree_ids
from mock_server.store.objects import ROOT, Collection
from mock_server.text.wording import did_you_mean


class CollectionsQuery(PageQuery):
    """Selects a page of all collections, or of a folder; an empty `parentId`: the top level."""

    parent_id: str | UnsetType = UNSET


@route("GET", "/datasets")
def get_datasets(call: AdminCall) -> dict[str, list[JsonObject]]:
    """List the datasets, with the number of their collections."""
    datasets = call.store.datasets.values()
    views = [{"id": it.id, "name": it.name, "collections": len(it.collections)} for it in datasets]
    return {"datasets": views}


@route("GET", "/datasets/{dataset}")
def get_dataset(call: AdminCall) -> JsonObject:
    """Read a dataset."""
    return dataset_entry(call.dataset)


@route("PUT", "/datasets/{dataset}")
def put_dataset(call: AdminCall, body: JsonObject) -> JsonObject:
    """Create or replace a dataset."""
    body = call.with_id_of_path(body, "id", "dataset")
    dataset = parse_dataset(body, body["id"])
    call.put_resource(dataset, call.store.datasets)
    return dataset_entry(dataset)


@route("DELETE", "/datasets/{dataset}")
def delete_dataset(call: AdminCall) -> dict[str, int]:
    """Remove a dataset; a folder goes with all that is in it."""
    before = call.store
    call.state.set_store(before.without_resource(call.dataset))
    return {"deleted": len(before.datasets) - len(call.store.datasets)}


@route("GET", "/datasets/{dataset}/collections")
def get_collections(call: AdminCall, query: CollectionsQuery) -> JsonObject:
    """List the collections of a dataset or of a folder, in the fixture's order."""
    in_order = call.dataset.in_order("fixture")
    if query.parent_id is UNSET:
        return query.page("collections", in_order.all)
    parent = query.parent_id or ROOT
    if parent != ROOT and parent not in call.dataset.collections:
        raise CollectionNotFound(
            "the _id of a folder",
            parent,
            "$.parentId",
            suggestion=did_you_mean(parent, call.dataset.collections),
        )
    return query.page("collections", in_order.by_folder.get(parent, []))


@route("POST", "/datasets/{dataset}/collections")
def post_collection(call: AdminCall, body: JsonObject) -> Collection:
    """Add a collection; a missing _id is derived."""
    after, id = parse_collections(body, call.dataset)
    call.set_put_status(id, call.dataset.collections, "_id")
    call.save_resource(after, body)
    return after.collections[id]


@route("GET", "/datasets/{dataset}/collections/{collection:path}/rows")
def get_rows(call: AdminCall, query: PageQuery) -> JsonObject:
    """List the rows of a collection."""
    rows = call.dataset.rows.get(get_collection(call).id, {})
    return query.page("rows", [*rows.values()])


@route("GET", "/datasets/{dataset}/collections/{collection:path}")
def get_collection(call: AdminCall) -> Collection:
    """Read a collection."""
    return call.require_item("collection", call.dataset.collections)


@route("PUT", "/datasets/{dataset}/collections/{collection:path}")
def put_collection(call: AdminCall, body: JsonObject) -> Collection:
    """Create or replace a collection."""
    return post_collection(call, call.with_id_of_path(body, "_id", "collection"))


@route("DELETE", "/datasets/{dataset}/collections/{collection:path}")
def delete_collection(call: AdminCall) -> dict[str, int]:
    """Remove a collection; a folder with all that is in it."""
    ids = subtree_ids(call.dataset.collections, get_collection(call).id)
    call.save_resource(call.dataset.without_collections(ids))
    return {"deleted": len(ids)}
