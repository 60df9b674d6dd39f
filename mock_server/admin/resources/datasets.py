"""Datasets and their collections, one by one."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from mock_server.admin.framework import AdminRoute, Call, created
from mock_server.admin.resources.records import (
    PageQuery,
    dataset_of,
    own_id,
    page,
    refuse,
)
from mock_server.api.response import Response
from mock_server.domain.errors import (
    CollectionNotFound,
    DatasetNotFound,
    InvalidField,
    LimitReached,
    describe_value,
)
from mock_server.domain.limits import LIMITS
from mock_server.domain.records import Collection, Dataset
from mock_server.fixture.document import SingleCollection
from mock_server.fixture.dump import collection_part
from mock_server.fixture.parts import collection_of
from mock_server.views import View


class CollectionsQuery(PageQuery):
    """Of all collections, or of those in one folder; "" is the top level."""

    parent_id: str | UnsetType = UNSET


class DatasetView(View):
    """A dataset, and how many collections it has now."""

    id: str
    name: str
    collections: int


class DatasetsView(View):
    """All datasets."""

    datasets: list[DatasetView]


class CollectionsView(View):
    """A part of a dataset's collections in document order, and how many there are."""

    collections: list[SingleCollection]
    total: int


class DeletedView(View):
    """How many collections have been removed."""

    deleted: int


def get_datasets(call: Call) -> DatasetsView:
    """`GET datasets`."""
    return DatasetsView(
        [
            DatasetView(each.id, each.name, len(each.collections))
            for each in call.sandbox.store.datasets()
        ]
    )


def get_collections(call: Call) -> dict[str, object]:
    """`GET datasets/{datasetId}/collections`."""
    dataset, parent = dataset_of(call), call.query.parent_id
    collections = dataset.collections
    if parent is not UNSET:
        collections = dataset.listing(parent or None, "fixture").items
    parts = [collection_part(each) for each in page(collections, call.query)]
    return {"collections": parts, "total": len(collections)}


def get_collection(call: Call) -> dict[str, object]:
    """`GET datasets/{datasetId}/collections/{id}`."""
    return collection_part(_collection(call))


def put_collection(call: Call) -> dict[str, object] | Response:
    """`PUT datasets/{datasetId}/collections/{id}`: create it, or replace it."""
    store, dataset, part = call.sandbox.store, dataset_of(call), call.body
    own = own_id(part.id, call.path["id"], "$._id")
    collection = collection_of(part, own, refuse)
    _check_parent(dataset, collection)
    is_new = collection.id not in dataset
    loaded = store.generation.datasets[dataset.id].collections
    if is_new and len(dataset.collections) - len(loaded) >= LIMITS.created_collections:
        expected = f"at most {LIMITS.created_collections} created collections"
        raise LimitReached(expected, "one more", "path")
    store.put_collection(dataset, collection)
    shown = collection_part(collection)
    return created(shown) if is_new else shown


def delete_collection(call: Call) -> DeletedView:
    """`DELETE datasets/{datasetId}/collections/{id}`, with all that is in it."""
    dataset, collection = dataset_of(call), _collection(call)
    ids = {collection.id, *(each.id for each in dataset.below(collection.id))}
    call.sandbox.store.remove_collections(dataset, ids)
    return DeletedView(len(ids))


def _collection(call: Call) -> Collection:
    collection = dataset_of(call).get(call.path["id"])
    if collection is None:
        expected = "the _id of a collection of the dataset"
        raise CollectionNotFound(expected, describe_value(call.path["id"]), "path")
    return collection


def _check_parent(dataset: Dataset, collection: Collection) -> None:
    """Raises InvalidField for a parent that is none, or that leads to a circle."""
    parent = collection.parent_id
    if parent is None:
        return
    inside = {collection.id, *(each.id for each in dataset.below(collection.id))}
    if parent not in dataset or parent in inside:
        expected = "null or the _id of another collection that is not in this one"
        refuse(("parentId",), f"Expected {expected}, got {describe_value(parent)}")
    deepest = max(dataset.depth(each) for each in inside) if len(inside) > 1 else 0
    own = dataset.depth(collection.id) if len(inside) > 1 else 0
    if dataset.depth(parent) + deepest - own > LIMITS.folder_depth:
        refuse(("parentId",), f"Expected at most {LIMITS.folder_depth} folders above")


_ALL = "/datasets/{datasetId}/collections"
_ONE = "/datasets/{datasetId}/collections/{id}"
_UNKNOWN = (DatasetNotFound, CollectionNotFound)
ROUTES = (
    AdminRoute("GET", "/datasets", get_datasets, DatasetsView, "All datasets"),
    AdminRoute(
        "GET",
        _ALL,
        get_collections,
        CollectionsView,
        "A dataset's collections",
        query=CollectionsQuery,
        errors=(DatasetNotFound,),
    ),
    AdminRoute(
        "GET", _ONE, get_collection, SingleCollection, "A collection", errors=_UNKNOWN
    ),
    AdminRoute(
        "PUT",
        _ONE,
        put_collection,
        SingleCollection,
        "Create or replace a collection",
        body=SingleCollection,
        further={201: SingleCollection},
        errors=(DatasetNotFound, InvalidField, LimitReached),
    ),
    AdminRoute(
        "DELETE",
        _ONE,
        delete_collection,
        DeletedView,
        "Remove a collection with all that is in it",
        errors=(*_UNKNOWN, LimitReached),
    ),
)
