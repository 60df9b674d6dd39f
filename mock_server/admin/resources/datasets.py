"""Lists datasets; reads, puts and deletes single collections."""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType, convert

from mock_server.admin import framework
from mock_server.admin.resources.apps import id_in_path, refuse
from mock_server.api.envelope import View
from mock_server.api.items import items_of
from mock_server.domain import errors
from mock_server.domain.call import CollectionNotFound, DatasetNotFound
from mock_server.domain.limits import Limits, Published
from mock_server.domain.messages import describe_value, quoted
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.folder_tree import FolderTree
from mock_server.domain.objects.index import ANYWHERE, Search, is_folder
from mock_server.domain.objects.models import Collection
from mock_server.fixture.builders.parts import collection_of
from mock_server.fixture.document import SingleCollection
from mock_server.fixture.dump import collection_part

routes = framework.Routes()
_ALL = "/datasets/{datasetId}/collections"
_ONE = "/datasets/{datasetId}/collections/{id}"
_UNKNOWN = (DatasetNotFound, CollectionNotFound)
_PRESS_KIT = {"name": "Press kit", "type": "link", "tags": ["press"], "dataAmount": 7}


class CollectionsQuery(framework.PageQuery):
    """Page of collections: all, or those in folder `parentId` ("" is the top level).

    `type` and `name` filter; `around` selects the page with that collection.
    """

    parent_id: str | UnsetType = UNSET
    type: Literal["folder"] | UnsetType = UNSET
    name: Annotated[str, Meta(max_length=Published.search_chars)] = ""
    around: str | UnsetType = UNSET


class DatasetView(View):
    """A dataset, and the number of its collections now."""

    id: str
    name: str
    collections: int


class DatasetsView(View):
    """All datasets."""

    datasets: list[DatasetView]


class CollectionsView(View):
    """A page of collections in fixture order, and the number of all matches.

    `offset` is where the page begins.
    """

    collections: list[SingleCollection]
    total: int
    offset: int


class DeletedView(View):
    """The number of removed collections."""

    deleted: int


@routes.add("GET", "/datasets", errors=(errors.LimitReached,))
def get_datasets(call: framework.Call) -> DatasetsView:
    """List the datasets."""
    return DatasetsView(items_of(map(dataset_view, call.sandbox.store.datasets())))


def dataset_view(dataset: Dataset) -> DatasetView:
    """Return a dataset as an item of a list."""
    return DatasetView(dataset.id, dataset.name, len(dataset.tree))


@routes.add(
    "GET",
    _ALL,
    errors=(*_UNKNOWN, errors.LimitReached),
    examples=(framework.Example(query="limit=2"),),
)
def get_collections(call: framework.Call, query: CollectionsQuery) -> CollectionsView:
    """List the collections of a dataset, or of one folder."""
    dataset = dataset_of(call)
    matches = _matches(dataset, query, call.limits)
    is_around = query.around is not UNSET
    offset = _page_offset(matches, dataset, query) if is_around else query.offset
    page = matches[offset : offset + query.limit]
    return CollectionsView(items_of(map(_view, page)), len(matches), offset)


def _page_offset(
    matches: Sequence[Collection], dataset: Dataset, query: CollectionsQuery
) -> int:
    """Return the offset of the page with the collection `around`.

    Raises CollectionNotFound.
    """
    tree = dataset.tree
    around = tree.get(query.around or "")
    index = bisect_left(matches, tree.number(around), key=tree.number) if around else 0
    if around not in matches[index : index + 1]:
        expected = "one of these collections"
        raise CollectionNotFound.of(query.around, expected, "query.around")
    return index - index % query.limit


def _matches(
    dataset: Dataset, query: CollectionsQuery, limits: Limits
) -> Sequence[Collection]:
    """Return the collections that a query selects, in fixture order."""
    tree, is_all = dataset.tree, not query.name and query.type is UNSET
    if query.parent_id is UNSET and is_all:
        return tree.collections
    parent = ANYWHERE if query.parent_id is UNSET else _folder(dataset, query.parent_id)
    listing = tree.listing(parent, "fixture")
    if is_all:
        return listing.items
    conditions = (is_folder,) if query.type == "folder" else ()
    search = Search(query.name, "name", conditions)
    return listing.find(search, limits.cached_searches)


def _folder(dataset: Dataset, parent_id: str) -> str | None:
    """Return a folder's id, None for the top level. Raises CollectionNotFound."""
    # In a query, which has no null, an empty text means the top level.
    if parent_id and parent_id not in dataset.tree:
        expected = f"the _id of a collection of dataset {quoted(dataset.id)}"
        namesake = dataset.tree.first(Search(value=("name", parent_id)))
        likely_id = quoted(namesake.id) if namesake else ""
        hint = f"did you mean {likely_id}, which has that name?" if namesake else ""
        raise CollectionNotFound.of(parent_id, expected, "query.parentId", hint)
    return parent_id or None


@routes.add("GET", _ONE, errors=_UNKNOWN)
def get_collection(call: framework.Call) -> SingleCollection:
    """Read a collection."""
    return _view(_collection(call))


@routes.add(
    "PUT",
    _ONE,
    errors=(DatasetNotFound, errors.InvalidField, errors.LimitReached),
    examples=(framework.Example(_PRESS_KIT, path={"id": "new"}),),
)
def put_collection(
    call: framework.Call, part: SingleCollection
) -> SingleCollection | framework.Created[SingleCollection]:
    """Create or replace a collection.

    Fields left out take defaults.
    """
    store, dataset = call.sandbox.store, dataset_of(call)
    collection_id = id_in_path(part.id, call.path["id"], "$._id")
    collection = collection_of(part, collection_id, refuse)
    _check_parent(dataset.tree, collection, call.limits)
    is_new = collection.id not in dataset.tree
    # Collections of the fixture do not count.
    if is_new:
        count, limit = dataset.tree.created, call.limits.created_collections
        framework.check_room(count, limit, "collections")
    store.put_whole_collection(dataset, collection)
    return framework.Created(_view(collection)) if is_new else _view(collection)


@routes.add("DELETE", _ONE, errors=(*_UNKNOWN, errors.LimitReached))
def delete_collection(call: framework.Call) -> DeletedView:
    """Remove a collection with all that is in it."""
    dataset, collection = dataset_of(call), _collection(call)
    store = call.sandbox.store
    return DeletedView(store.remove_collections((dataset, [collection.id])))


def _view(collection: Collection) -> SingleCollection:
    return convert(collection_part(collection), SingleCollection)


def dataset_of(call: framework.Call) -> Dataset:
    """Return the dataset in the path. Raises DatasetNotFound."""
    store = call.sandbox.store
    dataset = store.dataset(call.path["datasetId"])
    ids = (each.id for each in store.datasets())
    ids_and_names = ((each.id, each.name) for each in store.datasets())
    unknown = DatasetNotFound, "the id of a dataset", ids, None, ids_and_names
    return framework.require(dataset, call, "datasetId", *unknown)


def _collection(call: framework.Call) -> Collection:
    tree = dataset_of(call).tree
    ids = (own_id for own_id, _ in tree.first_names())
    expected = "the _id of a collection of the dataset"
    unknown = CollectionNotFound, expected, ids, len(tree), tree.first_names()
    return framework.require(tree.get(call.path["id"]), call, "id", *unknown)


def _check_parent(tree: FolderTree, collection: Collection, limits: Limits) -> None:
    """Raise InvalidField if the parent is unknown, too deep or in the collection."""
    parent = collection.parent_id
    if parent is None:
        return
    if parent not in tree or collection.id in tree.folder_path(parent):
        expected = "null or the _id of another collection that is not in this one"
        refuse(("parentId",), f"Expected {expected}, got {describe_value(parent)}")
    # The content of a moved folder moves too, so its deepest level counts.
    max_levels = limits.folder_depth - tree.depth(parent)
    if tree.has_level(collection.id, max_levels + 1):
        refuse(("parentId",), f"Expected at most {limits.folder_depth} folders above")
