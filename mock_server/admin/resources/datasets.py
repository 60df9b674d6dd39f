"""Datasets and their collections, one by one."""

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, convert

from mock_server.admin.framework import AdminRoute, Call, Created, PageQuery
from mock_server.admin.resources.apps import id_in_path, refuse
from mock_server.domain import errors
from mock_server.domain.dataset import Dataset, FolderTree
from mock_server.domain.index import ANYWHERE, Search
from mock_server.domain.limits import Limits
from mock_server.domain.records import Collection
from mock_server.fixture.document import SingleCollection
from mock_server.fixture.dump import collection_part
from mock_server.fixture.parts import collection_of
from mock_server.views import View


class CollectionsQuery(PageQuery):
    """Of all collections, or of those in one folder; "" is the top level.

    Of these only the folders, or those whose name contains a text.
    """

    parent_id: str | UnsetType = UNSET
    type: Literal["folder"] | UnsetType = UNSET
    name: Annotated[str, Meta(max_length=Limits.search_chars)] = ""
    around: str | UnsetType = UNSET

    @property
    def search(self) -> Search | None:
        """What is looked for; None if nothing is."""
        if not self.name and self.type is UNSET:
            return None
        return Search(self.name, "name", folders_only=self.type == "folder")


class DatasetView(View):
    """A dataset, and how many collections it has now."""

    id: str
    name: str
    collections: int


class DatasetsView(View):
    """All datasets."""

    datasets: list[DatasetView]


class CollectionsView(View):
    """A part of a dataset's collections in document order, and how many there are.

    `offset` is where the part begins.
    """

    collections: list[SingleCollection]
    total: int
    offset: int


class DeletedView(View):
    """How many collections have been removed."""

    deleted: int


def get_datasets(call: Call) -> DatasetsView:
    """`GET datasets`, without their collections: those are read page by page."""
    return DatasetsView(
        [
            DatasetView(each.id, each.name, len(each.tree))
            for each in call.sandbox.store.datasets()
        ]
    )


def get_collections(call: Call) -> CollectionsView:
    """`GET datasets/{datasetId}/collections`, of all folders or of one."""
    query = call.query
    found = _found(dataset_of(call), query, call.limits)
    offset = query.offset if query.around is UNSET else _page_of(found, query)
    page = found[offset : offset + query.limit]
    return CollectionsView(list(map(_view, page)), len(found), offset)


def _page_of(found: Sequence[Collection], query: CollectionsQuery) -> int:
    """Where the page begins that has the collection which is asked for.

    Raises CollectionNotFound.
    """
    for index, each in enumerate(found):
        if each.id == query.around:
            return index - index % query.limit
    got = errors.describe_value(query.around)
    raise errors.CollectionNotFound("one of these collections", got, "query.around")


def _found(
    dataset: Dataset, query: CollectionsQuery, limits: Limits
) -> Sequence[Collection]:
    """What a query asks for, in document order. Raises CollectionNotFound."""
    tree, search = dataset.tree, query.search
    if query.parent_id is UNSET and search is None:
        return tree.collections
    parent = ANYWHERE if query.parent_id is UNSET else _folder(dataset, query.parent_id)
    listing = tree.listing(parent, "fixture")
    if search is None:
        return listing.items
    return listing.find(search, limits.cached_searches)


def _folder(dataset: Dataset, parent_id: str) -> str | None:
    """The folder of that id, None for the top level. Raises CollectionNotFound."""
    # A query knows no null: an empty text is the top level.
    if parent_id and parent_id not in dataset.tree:
        expected = f"a collection of dataset {errors.quoted(dataset.id)}"
        got = errors.describe_value(parent_id)
        raise errors.CollectionNotFound(expected, got, "query.parentId")
    return parent_id or None


def get_collection(call: Call) -> SingleCollection:
    """`GET datasets/{datasetId}/collections/{id}`."""
    return _view(_collection(call))


def put_collection(call: Call) -> SingleCollection | Created[SingleCollection]:
    """`PUT datasets/{datasetId}/collections/{id}`: fields left out take defaults."""
    store, dataset = call.sandbox.store, dataset_of(call)
    own_id = id_in_path(call.body.id, call.path["id"], "$._id")
    collection = collection_of(call.body, own_id, refuse)
    _check_parent(dataset.tree, collection, call.limits)
    is_new = collection.id not in dataset.tree
    # Those of the fixture are not counted, however many it has.
    most = call.limits.created_collections
    if is_new and store.created_collections(dataset.id) >= most:
        raise errors.LimitReached(
            f"at most {most} created collections", "one more", "path"
        )
    store.put_collection(dataset, collection)
    return Created(_view(collection)) if is_new else _view(collection)


def delete_collection(call: Call) -> DeletedView:
    """`DELETE datasets/{datasetId}/collections/{id}`, with all that is in it."""
    dataset, collection = dataset_of(call), _collection(call)
    ids = {collection.id, *(each.id for each in dataset.tree.below(collection.id))}
    call.sandbox.store.remove_collections(dataset, ids)
    return DeletedView(len(ids))


def _view(collection: Collection) -> SingleCollection:
    return convert(collection_part(collection), SingleCollection)


def dataset_of(call: Call) -> Dataset:
    """The dataset that the path names. Raises DatasetNotFound."""
    dataset_id = call.path["datasetId"]
    dataset = call.sandbox.store.dataset(dataset_id)
    if dataset is None:
        ids = [each.id for each in call.sandbox.store.datasets()]
        hint = errors.which_there_are(dataset_id, ids, len(ids))
        got = errors.describe_value(dataset_id)
        raise errors.DatasetNotFound("the id of a dataset", got, "path", hint)
    return dataset


def _collection(call: Call) -> Collection:
    collection_id = call.path["id"]
    tree = dataset_of(call).tree
    collection = tree.get(collection_id)
    if collection is None:
        expected = "the _id of a collection of the dataset"
        ids = (each.id for each in tree.collections)
        hint = errors.which_there_are(collection_id, ids, len(tree))
        got = errors.describe_value(collection_id)
        raise errors.CollectionNotFound(expected, got, "path", hint)
    return collection


def _check_parent(tree: FolderTree, collection: Collection, limits: Limits) -> None:
    """Raises InvalidField for a parent that is none, or that makes a circle."""
    parent = collection.parent_id
    if parent is None:
        return
    # A folder that is moved takes what is in it along, down to the deepest.
    moved = {collection.id, *(each.id for each in tree.below(collection.id))}
    if parent not in tree or parent in moved:
        expected = "null or the _id of another collection that is not in this one"
        refuse(
            ("parentId",), f"Expected {expected}, got {errors.describe_value(parent)}"
        )
    levels_below = 0
    # What is new has nothing below it, and no depth yet.
    if len(moved) > 1:
        deepest = max(tree.depth(each) for each in moved)
        levels_below = deepest - tree.depth(collection.id)
    if tree.depth(parent) + levels_below > limits.folder_depth:
        refuse(("parentId",), f"Expected at most {limits.folder_depth} folders above")


_ALL = "/datasets/{datasetId}/collections"
_ONE = "/datasets/{datasetId}/collections/{id}"
_UNKNOWN = (errors.DatasetNotFound, errors.CollectionNotFound)
ROUTES = (
    AdminRoute("GET", "/datasets", get_datasets, DatasetsView, "List the datasets"),
    AdminRoute(
        "GET",
        _ALL,
        get_collections,
        CollectionsView,
        "List the collections of a dataset, or of one folder",
        query=CollectionsQuery,
        errors=_UNKNOWN,
    ),
    AdminRoute(
        "GET",
        _ONE,
        get_collection,
        SingleCollection,
        "Read a collection",
        errors=_UNKNOWN,
    ),
    AdminRoute(
        "PUT",
        _ONE,
        put_collection,
        SingleCollection,
        "Create or replace a collection",
        body=SingleCollection,
        further={201: SingleCollection},
        errors=(errors.DatasetNotFound, errors.InvalidField, errors.LimitReached),
    ),
    AdminRoute(
        "DELETE",
        _ONE,
        delete_collection,
        DeletedView,
        "Remove a collection with all that is in it",
        # Even to remove takes memory: what is gone of the fixture has to be remembered.
        errors=(*_UNKNOWN, errors.LimitReached),
    ),
)
