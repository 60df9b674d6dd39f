"""Routes that show, change and delete collections."""

from functools import partial
from typing import Annotated, Any, Literal

from msgspec import UNSET, UnsetType, field
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.operations import list_v2
from mock_server.api.operations.list_v2 import Roles
from mock_server.api.operations.operation import DEMO_COLLECTION
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.datasets import EmbeddingModel, LanguageModel
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    read_body_and_query,
    route,
)
from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.call import COLLECTION
from mock_server.domain.clock import format_time
from mock_server.domain.datasets import contents
from mock_server.domain.datasets.dataset_folders import FolderCycle
from mock_server.domain.errors import refusal
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.index import Search
from mock_server.domain.objects.models import DEFAULT_TEAM_ID, Collection
from mock_server.domain.objects.pending import Steps, in_steps
from mock_server.domain.objects.uploads import FileNotFound
from mock_server.fixture import record_types
from mock_server.fixture.document import Time


class DatasetBrief(View, kw_only=True):
    """The dataset of a collection."""

    id: str = field(name="_id")
    parent_id: str | None
    team_id: str = DEFAULT_TEAM_ID
    tmb_id: str
    avatar: str
    name: str
    intro: str
    type: str
    update_time: Time
    inherit_permission: bool = True
    vector_model: str = EmbeddingModel().model
    agent_model: str = LanguageModel().model


class FileView(View):
    """The file from which a collection was made; `contentLength` is in bytes."""

    filename: str
    content_length: int


_ITEM: Any = record_types.collection_type(
    "CollectionItem",
    "A collection without its amount of data.",
    [each for each in record_types.LISTED_FIELDS if each != "data_amount"],
    record_types.EXTENDED_FIELDS,
)


class CollectionDetail(_ITEM, rename="camel", kw_only=True):  # type: ignore[misc, call-arg]
    """A collection in detail."""

    chunk_setting_mode: str
    chunk_split_mode: str
    chunk_size: int
    index_size: int
    chunk_splitter: str
    qa_prompt: str
    permission: Roles
    team_id: str
    dataset_id: str
    dataset: DatasetBrief
    metadata: dict[str, Any]
    source_name: str
    source_id: str | UnsetType = UNSET
    file: FileView | UnsetType = UNSET
    index_amount: int
    error_count: int


@route(
    "GET /api/core/dataset/collection/detail",
    chinese="单个集合",
    since="4.6; `datasetId` is a text since 4.8.18",
    differences="All collections have the same chunk settings. `indexAmount` is the "
    "number of data rows.",
    refusals=COLLECTION,
    example={"id": DEMO_COLLECTION},
)
def collection_detail(call: Call, query: fields.AnyIdQuery) -> CollectionDetail:
    """Get a collection.

    Returns the fields that listV2 shows, without `dataAmount`, and the collection's
    dataset and source.
    """
    dataset, collection = call.collection(query.id, Level.READ)
    source = collection.file_id or collection.raw_link
    file = FileView(collection.name, collection.file_size or 0)
    tags_absent = call.state.choices.tags_empty == "absent"
    return fields.copy_fields(
        CollectionDetail,
        list_v2.item_view(collection, extended=True, tags_absent=tags_absent),
        # Settings that the mock server does not store: all collections have these.
        chunk_setting_mode="auto",
        chunk_split_mode="size",
        chunk_size=512,
        index_size=512,
        chunk_splitter="",
        qa_prompt="",
        permission=list_v2.roles(dataset.level_of(call.caller)),
        team_id=DEFAULT_TEAM_ID,
        dataset_id=dataset.id,
        dataset=fields.copy_fields(
            DatasetBrief, dataset, update_time=format_time(dataset.update_time)
        ),
        metadata={},
        source_name=collection.name,
        source_id=UNSET if source is None else source,
        file=file if collection.file_id else UNSET,
        index_amount=collection.data_amount,
        error_count=int(collection.has_error),
    )


class CollectionPathsQuery(RequestFields):
    """The collection; `type` has no effect."""

    source_id: fields.ShortText = ""
    type: Annotated[Literal["current", "parent"], fields.IDLE] | UnsetType = UNSET


class ParentIdQuery(RequestFields):
    """The collection, in the field of older versions."""

    source_id: fields.ShortText = field(name="parentId", default="")


@route(
    "GET /api/core/dataset/collection/paths",
    chinese="集合的上级文件夹及其自身",
    since="4.6",
    refusals=COLLECTION,
    former_fields=("collection_paths_by_source_id", ParentIdQuery),
    example={"sourceId": DEMO_COLLECTION},
    access="login",
)
def collection_paths(call: Call, query: CollectionPathsQuery) -> list[fields.PathStep]:
    """Get the folders above a collection, and the collection.

    Returns ids and names: the outermost folder first, the collection last.
    """
    if not query.source_id:
        return []
    match = call.collection(query.source_id, Level.READ, "$.sourceId")
    return [fields.PathStep(each.id, each.name) for each in contents.path_of(*match)]


NothingListed = refusal("NothingListed", "400 nothingListed", "500 500 error")

FAR_FUTURE = 32_493_830_400_000
"""2999-09-09T00:00:00Z: lists show collections with a manual name first."""


class CollectionUpdateBody(RequestFields, kw_only=True):
    """The collection to change and its new values."""

    id: fields.ShortText | UnsetType = UNSET
    dataset_id: fields.Name | UnsetType = UNSET
    external_file_id: fields.Name | UnsetType = UNSET
    parent_id: fields.Parent = UNSET
    name: fields.Name | UnsetType = UNSET
    tags: fields.Tags | UnsetType = UNSET
    forbid: bool | UnsetType = UNSET
    create_time: Any = UNSET


@route(
    "POST|PUT /api/core/dataset/collection/update",
    chinese="重命名、移动、标记或停用集合",
    since="4.6 as PUT, later as POST too",
    differences="A parent that is in no dataset, in another dataset, or in the "
    "collection itself is refused, as in versions after 4.16.",
    refusals=(
        fields.MissingParams,
        FileNotFound,
        *COLLECTION,
        *contents.INSERT,
        FolderCycle,
        errors.LimitReached,
    ),
    example={"id": DEMO_COLLECTION, "name": "By hand"},
    is_write=True,
)
def collection_update(call: Call, body: CollectionUpdateBody) -> None:
    """Rename, move, tag or forbid a collection.

    Only a new name changes updateTime. The names `manual`, `mark` and those that begin
    with `手动` set it to the year 2999, so lists show the collection first. A
    `createTime` may be a day, or milliseconds since 1970.
    """
    if body.forbid is UNSET:
        call.store.put_collection(*_changed(call, body))
    else:
        steps = _change_with_content(call, body)
        call.compute("changed with content", steps, is_change=True)


def _changed(call: Call, body: CollectionUpdateBody) -> tuple[Dataset, Collection]:
    """Return a changed collection, and its dataset; store nothing.

    Raises what `collection_update` refuses, and NotReady.
    """
    create_time = fields.date_of(body.create_time, "createTime")
    dataset, collection, place = _find(call, body)
    # Refuse unknown ids before missing permissions.
    if body.parent_id is not UNSET:
        contents.check_parent_exists(call, dataset, body.parent_id)
    call.require(dataset, Level.WRITE, place)
    changes: dict[str, Any] = (
        {} if create_time is None else {"create_time": create_time}
    )
    if body.parent_id is not UNSET:
        changes["parent_id"] = contents.parent_to_move_to(
            call, dataset, collection, body.parent_id
        )
    if body.tags is not UNSET:
        changes["tags"] = tuple(body.tags)
    if body.forbid is not UNSET:
        changes["forbid"] = body.forbid
    if body.name:
        is_manual = body.name in ("manual", "mark") or body.name.startswith("手动")
        collection = collection.updated(FAR_FUTURE if is_manual else call.now)
        changes["name"] = body.name
    return dataset, replace(collection, **changes)


def _change_with_content(call: Call, body: CollectionUpdateBody) -> Steps[None]:
    """Change a collection, and disable or enable its descendants like it.

    Raises what `collection_update` refuses.
    """
    changed = partial(_changed, call, body)
    dataset, collection = yield from in_steps(changed)
    limit = call.state.limits.changed_collections
    ids = yield from dataset.tree.ids_below(collection.id, limit)
    if ids is None:
        expected = f"at most {limit} collections in a folder that is changed"
        raise errors.LimitReached(expected, f"at least {limit + 1}", "$.id")
    yield from contents.put_with_content(call.store, changed, ids)


def _find(call: Call, body: CollectionUpdateBody) -> tuple[Dataset, Collection, str]:
    """Return the named collection, its dataset, and the field that names one of them.

    Raises MissingParams, CollectionNotFound, FileNotFound, NotReady.
    """
    if body.id:
        return *call.collection(body.id, Level.NONE), "$.id"
    if not (body.dataset_id and body.external_file_id):
        expected = "an id, or datasetId and externalFileId"
        raise fields.MissingParams(expected, "neither", "$.id")
    dataset = call.store.dataset(body.dataset_id)
    if dataset is not None:
        search = Search(value=("external_file_id", body.external_file_id))
        match = dataset.tree.first(search)
        if match is not None:
            return dataset, match, "$.datasetId"
    expected = "the externalFileId of a collection of the dataset"
    raise FileNotFound.of(body.external_file_id, expected, "$.externalFileId")


class CollectionDeleteBody(RequestFields, kw_only=True):
    """The id of a collection, or the ids of several collections."""

    id: fields.Name | UnsetType = UNSET
    collection_ids: fields.Texts | UnsetType = UNSET


@route(
    "DELETE|POST /api/core/dataset/collection/delete",
    chinese="删除集合",
    since="4.6; `?id=` and `collectionIds` both since 4.12.4",
    differences="Write permission is enough, as in versions up to 4.16.0.",
    refusals=(fields.MissingParams, NothingListed, *COLLECTION, errors.LimitReached),
    example={"id": DEMO_COLLECTION},
    is_write=True,
    read_fields=read_body_and_query,
)
def collection_delete(call: Call, body: CollectionDeleteBody) -> None:
    """Delete collections.

    Their data rows and the content of folders are deleted too. If one collection is
    refused, none is deleted.
    """
    if body.id:
        places = {"$.id": body.id}
    elif body.collection_ids is UNSET:
        raise fields.MissingParams("an id, or collectionIds", "neither", "$.id")
    elif not body.collection_ids:
        raise NothingListed("at least one id", "none", "$.collectionIds")
    else:
        listed = enumerate(body.collection_ids)
        places = {f"$.collectionIds[{place}]": each for place, each in listed}
    matches = call.collections(places, Level.NONE)
    deleted: dict[str, tuple[Dataset, list[str]]] = {}
    # Unknown ids have been refused before missing permissions.
    for place, (dataset, collection) in matches.items():
        call.require(dataset, Level.WRITE, place)
        deleted.setdefault(dataset.id, (dataset, []))[1].append(collection.id)
    call.store.remove_collections(*deleted.values())
