"""Datasets and folders of datasets: listed, shown, changed, deleted."""

from typing import Annotated, Any, Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.errors import MissingAuthorization
from mock_server.api.operations.list_v2 import Roles, roles
from mock_server.api.operations.operation import DEMO_DATASET
from mock_server.api.operations.related import fields, holders
from mock_server.api.operations.related.dataset_creation import MAKE, Servers
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    gather_fields,
    route,
)
from mock_server.api.request import RequestBody
from mock_server.domain.access import Level
from mock_server.domain.call import DATASET
from mock_server.domain.clock import format_time
from mock_server.domain.datasets import dataset_folders as folders
from mock_server.domain.datasets.dataset_folders import FolderCycle
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.memory import Memory
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.models import DEFAULT_TEAM_ID
from mock_server.fixture.document import Id, Shared, Time


class Model(Struct, frozen=True, rename="camel", kw_only=True):
    """A model; all datasets here have the same models."""

    type: str
    provider: str = "Other"
    model: str
    name: str
    is_active: bool = True
    is_custom: bool = False
    chars_points_price: int = 0


class EmbeddingModel(Model, frozen=True, kw_only=True):
    """The model that searches rows; its numbers are tokens."""

    type: str = "embedding"
    model: str = "embedding"
    name: str = "embedding"
    default_token: int = 512
    max_token: int = 3_000
    weight: int = 100


class LanguageModel(Model, frozen=True, kw_only=True):
    """The model that processes texts; its numbers are tokens."""

    type: str = "llm"
    model: str = "language"
    name: str = "language"
    max_context: int = 16_000
    max_response: int = 8_000
    quote_max_token: int = 13_000
    function_call: bool = False
    tool_choice: bool = True


class Member(View):
    """The member of the team who has created a dataset."""

    name: str
    avatar: str = ""
    status: str = "active"


class DatasetItem(View, kw_only=True):
    """The fields of a dataset in lists and in its detail."""

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
    """The detail of a dataset."""

    parent_id: str | None
    team_id: str = DEFAULT_TEAM_ID
    agent_model: LanguageModel = LanguageModel()
    status: str = "active"


class FormerListBody(RequestFields, kw_only=True):
    """Filters of datasets: a folder, a type, or a text."""

    parent_id: fields.Parent = UNSET
    type: fields.FormerDatasetType | UnsetType = UNSET
    search_key: Shared | UnsetType = UNSET


class DatasetListBody(FormerListBody, kw_only=True):
    """Filters of datasets, of all types."""

    type: fields.DatasetType | UnsetType = UNSET  # type: ignore[assignment]


async def _receive(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the fields of the body, or of the query of a GET, as old clients send."""
    if body.scope["method"] == "GET":
        return await gather_fields(body, max_bytes, memory)
    return await body.read(max_bytes, memory) or b"{}"


def _listed(seen: holders.Seen[Dataset], _: object) -> ListedDataset:
    return _shown(ListedDataset, *seen, source_member=Member(seen[0].tmb_id))


def _shown(kind: type[K], dataset: Dataset, level: Level, **made: Any) -> K:
    made["update_time"] = format_time(dataset.update_time)
    return fields.shown(kind, dataset, permission=roles(level), **made)


@route(
    "POST|GET /api/core/dataset/list",
    chinese="调用者可读的知识库",
    since="4.6; POST since 4.8",
    differs="A GET with its fields in the query works too. All datasets have the "
    "same models. A permission on a folder does not apply to its content.",
    refuses=DATASET,
    example={"parentId": None},
    former=("datasets_of_dingtalk", FormerListBody),
    shows=_listed,
    has_total=False,
    gather=_receive,
    appear=lambda _, n: (Dataset(f"appeared-{n}", f"Appeared {n}"), Level.OWNER),
)
def dataset_list(call: Call, wanted: DatasetListBody) -> Page[holders.Seen[Dataset]]:
    """The datasets that the caller may read.

    An array, the latest first: all datasets, or those in the folder `parentId`; with
    `searchKey` those with that text in name or intro.
    """
    term, folder = fold(wanted.search_key or ""), wanted.parent_id
    if not term and folder:
        call.dataset(folder, Level.READ, "$.parentId")

    def is_wanted(dataset: Dataset) -> bool:
        is_there = folder is UNSET or dataset.parent_id == (folder or None)
        return is_there and wanted.type in (UNSET, dataset.type)

    datasets = call.store.datasets()
    if term:
        return holders.page_of(call, holders.named(call, term, datasets))
    return holders.page_of(call, filter(is_wanted, datasets))


@route(
    "GET /api/core/dataset/detail",
    chinese="单个知识库",
    since="4.6",
    differs="All datasets have the same models, and no `chunkSettings`.",
    refuses=DATASET,
    example={"id": DEMO_DATASET},
)
def dataset_detail(call: Call, query: fields.IdQuery) -> DatasetDetail:
    """One dataset.

    The fields of lists, and its folder and team.
    """
    dataset = call.dataset(query.id, Level.READ)
    return _shown(DatasetDetail, dataset, dataset.level_of(call.caller))


class Website(Struct):
    """A website whose pages become collections."""

    url: str
    selector: str


class DatasetUpdateBody(RequestFields, kw_only=True):
    """The dataset to change, and its new values; models are ignored."""

    id: Id
    name: fields.Name | UnsetType = UNSET
    intro: fields.Long | UnsetType = UNSET
    avatar: fields.Long | UnsetType = UNSET
    parent_id: fields.Parent = UNSET
    agent_model: fields.Text = UNSET
    vlm_model: fields.Text = UNSET
    website_config: Annotated[Website, fields.IDLE] | UnsetType = UNSET
    external_read_url: fields.Text = UNSET
    api_dataset_server: Annotated[Servers, fields.IDLE] | UnsetType = UNSET
    auto_sync: fields.Flag = UNSET
    chunk_settings: Annotated[fields.ChunkSettings, fields.IDLE] | UnsetType = UNSET


@route(
    "PUT /api/core/dataset/update",
    chinese="重命名或移动知识库",
    since="4.15 with keys",
    differs="Models and settings are not stored. A parent that is not a folder, or is "
    "inside the dataset, is refused, and so are more than four nested folders.",
    refuses=(*DATASET, MissingAuthorization, FolderCycle, *MAKE),
    example={"id": DEMO_DATASET, "name": "Manual"},
    writes=True,
)
def dataset_update(call: Call, new: DatasetUpdateBody) -> None:
    """Rename a dataset, or move it.

    Changes name, intro, avatar and folder. A move to or from the top level needs a
    login.
    """
    dataset = call.dataset(new.id, Level.NONE)
    is_moved, target = new.parent_id is not UNSET, new.parent_id or None
    # An unknown folder is reported before a missing permission.
    folders.folder_for(call, target, Level.NONE)
    call.may(dataset, Level.WRITE)
    # Empty values change nothing, except an empty introduction.
    changes: dict[str, Any] = {"name": new.name} if new.name else {}
    changes |= {"avatar": new.avatar} if new.avatar else {}
    changes |= {} if new.intro is UNSET else {"intro": new.intro}
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
    differs="The dataset disappears at once. FastGPT serves its `detail` for about one "
    "more second.",
    refuses=DATASET,
    example={"id": DEMO_DATASET},
    writes=True,
)
def dataset_delete(call: Call, query: fields.IdQuery) -> None:
    """Delete a dataset.

    Its collections are deleted too, and the datasets in a folder.
    """
    folders.remove(call.store, call.dataset(query.id, Level.OWNER))


class DatasetPathsQuery(RequestFields, kw_only=True):
    """The dataset, and whether the path includes it."""

    source_id: fields.Label = ""
    type: Literal["current", "parent"]


@route(
    "GET /api/core/dataset/paths",
    chinese="知识库的上级文件夹",
    since="4.6",
    refuses=DATASET,
    example={"sourceId": DEMO_DATASET, "type": "current"},
    access="login",
)
def dataset_paths(call: Call, query: DatasetPathsQuery) -> list[fields.PathStep]:
    """The folders above a dataset.

    Ids and names, the outermost folder first; with `current` the dataset is the last.
    """
    if not query.source_id:
        return []
    dataset = call.dataset(query.source_id, Level.READ, "$.sourceId")
    end = dataset.id if query.type == "current" else dataset.parent_id
    way = folders.path_of(call.store, end)
    return [fields.PathStep(each.id, each.name) for each in way]
