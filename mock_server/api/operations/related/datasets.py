"""Routes that list, show, change and delete datasets and folders of datasets."""

from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.errors import MissingAuthorization
from mock_server.api.operations.list_v2 import Roles, roles
from mock_server.api.operations.operation import DEMO_DATASET
from mock_server.api.operations.related import fields, holders
from mock_server.api.operations.related.dataset_creation import CREATE, Servers
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    read_by_method,
    route,
)
from mock_server.domain.access import Level
from mock_server.domain.call import DATASET
from mock_server.domain.clock import format_time
from mock_server.domain.datasets import dataset_folders as folders
from mock_server.domain.datasets.dataset_folders import FolderCycle
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.models import DEFAULT_TEAM_ID
from mock_server.fixture.document import Id, Time


class Model(Struct, frozen=True, rename="camel", kw_only=True):
    """A model; all datasets of the mock server have the same models."""

    type: str
    provider: str = "Other"
    model: str
    name: str
    is_active: bool = True
    is_custom: bool = False
    chars_points_price: int = 0


class EmbeddingModel(Model, frozen=True, kw_only=True):
    """The model that searches rows; its token fields are numbers of tokens."""

    type: str = "embedding"
    model: str = "embedding"
    name: str = "embedding"
    default_token: int = 512
    max_token: int = 3_000
    weight: int = 100


class LanguageModel(Model, frozen=True, kw_only=True):
    """The model that processes texts; its maximum values are numbers of tokens."""

    type: str = "llm"
    model: str = "language"
    name: str = "language"
    max_context: int = 16_000
    max_response: int = 8_000
    quote_max_token: int = 13_000
    function_call: bool = False
    tool_choice: bool = True


class Member(View):
    """The member of the team who created a dataset or an application."""

    name: str
    avatar: str = ""
    status: str = "active"


class DatasetItem(View, kw_only=True):
    """The fields of a dataset in lists and in details."""

    id: str = field(name="_id")
    avatar: str
    name: str
    intro: str
    type: str
    vector_model: EmbeddingModel = EmbeddingModel()
    inherit_permission: bool = True
    tmb_id: str
    update_time: Time
    permission: Roles


K = TypeVar("K", bound=DatasetItem)


class ListedDataset(DatasetItem, kw_only=True):
    """A dataset in a list."""

    private: bool = False
    source_member: Member


class DatasetDetail(DatasetItem, kw_only=True):
    """A dataset in detail."""

    parent_id: str | None
    team_id: str = DEFAULT_TEAM_ID
    agent_model: LanguageModel = LanguageModel()
    status: str = "active"


class FormerListBody(RequestFields, kw_only=True):
    """Filters of datasets, in versions with fewer types."""

    parent_id: fields.Parent = UNSET
    type: fields.FormerDatasetType | UnsetType = UNSET
    search_key: fields.SearchText | UnsetType = UNSET


class DatasetListBody(FormerListBody, kw_only=True):
    """Filters of datasets: a folder, a type or a text."""

    type: fields.DatasetType | UnsetType = UNSET  # type: ignore[assignment]


def _list_item(
    dataset_with_level: holders.WithLevel[Dataset], _: object
) -> ListedDataset:
    dataset, level = dataset_with_level
    member = Member(dataset.tmb_id)
    return _view(ListedDataset, dataset, level, source_member=member)


def _view(view_type: type[K], dataset: Dataset, level: Level, **values: Any) -> K:
    values["update_time"] = format_time(dataset.update_time)
    return fields.copy_fields(view_type, dataset, permission=roles(level), **values)


@route(
    "POST|GET /api/core/dataset/list",
    chinese="调用者可读的知识库",
    since="4.6; POST since 4.8",
    differences="A GET with its fields in the query works too. All datasets have the "
    "same models. A permission on a folder does not apply to its content.",
    refusals=DATASET,
    example={"parentId": None},
    former_fields=("datasets_of_dingtalk", FormerListBody),
    item_view=_list_item,
    has_total=False,
    read_fields=read_by_method,
    invent_item=lambda _, n: (Dataset(f"appeared-{n}", f"Appeared {n}"), Level.OWNER),
)
def dataset_list(call: Call, body: DatasetListBody) -> Page[holders.WithLevel[Dataset]]:
    """List the datasets that the caller may read.

    Returns an array, the latest first, of all datasets or of those in the folder
    `parentId`. `searchKey` finds all datasets with this text in name or intro.
    """
    search_term, folder = fold(body.search_key or ""), body.parent_id
    if not search_term and folder:
        call.dataset(folder, Level.READ, "$.parentId")

    def is_wanted(dataset: Dataset) -> bool:
        is_in_folder = folder is UNSET or dataset.parent_id == (folder or None)
        return is_in_folder and body.type in (UNSET, dataset.type)

    datasets = call.store.datasets()
    if search_term:
        return holders.page_of(call, holders.search(call, search_term, datasets))
    return holders.page_of(call, filter(is_wanted, datasets))


@route(
    "GET /api/core/dataset/detail",
    chinese="单个知识库",
    since="4.6",
    differences="All datasets have the same models, and no `chunkSettings`.",
    refusals=DATASET,
    example={"id": DEMO_DATASET},
)
def dataset_detail(call: Call, query: fields.IdQuery) -> DatasetDetail:
    """Get a dataset.

    Returns the fields that lists show, and the folder and the team.
    """
    dataset = call.dataset(query.id, Level.READ)
    return _view(DatasetDetail, dataset, dataset.level_of(call.caller))


class Website(Struct):
    """A website whose pages become collections."""

    url: str
    selector: str


class DatasetUpdateBody(RequestFields, kw_only=True):
    """The dataset to change and its new values; models and settings are ignored."""

    id: Id
    name: fields.Name | UnsetType = UNSET
    intro: fields.LongText | UnsetType = UNSET
    avatar: fields.LongText | UnsetType = UNSET
    parent_id: fields.Parent = UNSET
    agent_model: fields.IdleText = UNSET
    vlm_model: fields.IdleText = UNSET
    website_config: Annotated[Website, fields.IDLE] | UnsetType = UNSET
    external_read_url: fields.IdleText = UNSET
    api_dataset_server: Annotated[Servers, fields.IDLE] | UnsetType = UNSET
    auto_sync: fields.IdleFlag = UNSET
    chunk_settings: Annotated[fields.ChunkSettings, fields.IDLE] | UnsetType = UNSET


@route(
    "PUT /api/core/dataset/update",
    chinese="重命名或移动知识库",
    since="4.15 with API keys",
    differences="Models and settings are not stored. A parent is refused if it is not "
    "a folder, is inside the dataset, or nests more than four folders.",
    refusals=(*DATASET, MissingAuthorization, FolderCycle, *CREATE),
    example={"id": DEMO_DATASET, "name": "Manual"},
    is_write=True,
)
def dataset_update(call: Call, body: DatasetUpdateBody) -> None:
    """Rename or move a dataset.

    Changes name, intro, avatar and folder. A move to or from the top level needs a
    login token.
    """
    dataset = call.dataset(body.id, Level.NONE)
    is_moved, target = body.parent_id is not UNSET, body.parent_id or None
    # An unknown folder is reported before a missing permission.
    folders.folder_for(call, target, Level.NONE)
    call.require(dataset, Level.WRITE)
    # Empty values change nothing, except an empty introduction.
    changes: dict[str, Any] = {"name": body.name} if body.name else {}
    changes |= {"avatar": body.avatar} if body.avatar else {}
    changes |= {} if body.intro is UNSET else {"intro": body.intro}
    if is_moved:
        changes["parent_id"] = target
        is_top = target is None or dataset.parent_id is None
        if is_top and call.caller.username is None:
            expected = "a login to move to or from the top level"
            raise MissingAuthorization(expected, "an API key", "$.parentId")
        folders.check_move(call, dataset, target)
    call.store.put_dataset(replace(dataset, **changes))


@route(
    "DELETE /api/core/dataset/delete",
    chinese="删除知识库",
    since="4.6",
    differences="The dataset disappears at once; FastGPT serves its `detail` for "
    "another second.",
    refusals=DATASET,
    example={"id": DEMO_DATASET},
    is_write=True,
)
def dataset_delete(call: Call, query: fields.IdQuery) -> None:
    """Delete a dataset.

    Its collections are deleted too. A folder is deleted with its content.
    """
    folders.remove(call.store, call.dataset(query.id, Level.OWNER))


class DatasetPathsQuery(RequestFields, kw_only=True):
    """The dataset; with `current` the path ends with it, with `parent` above it."""

    source_id: fields.ShortText = ""
    type: Literal["current", "parent"]


@route(
    "GET /api/core/dataset/paths",
    chinese="知识库的上级文件夹",
    since="4.6",
    refusals=DATASET,
    example={"sourceId": DEMO_DATASET, "type": "current"},
    access="login",
)
def dataset_paths(call: Call, query: DatasetPathsQuery) -> list[fields.PathStep]:
    """Get the folders above a dataset.

    Returns ids and names, the outermost folder first. With `type` `current`, the last
    is the dataset.
    """
    if not query.source_id:
        return []
    dataset = call.dataset(query.source_id, Level.READ, "$.sourceId")
    end = dataset.id if query.type == "current" else dataset.parent_id
    path = folders.path_of(call.store, end)
    return [fields.PathStep(each.id, each.name) for each in path]
