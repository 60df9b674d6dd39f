"""`dataset.list`, `dataset.detail`, `dataset.paths`: how datasets are shown."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field

from mock_server.api.operations import contract
from mock_server.api.operations.list_v2 import Permission, permission
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.api.request import RequestBody
from mock_server.domain import clock, dataset_folders, errors, targets
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.haystack import fold
from mock_server.domain.limits import Limits
from mock_server.domain.listing import Page
from mock_server.domain.memory import Memory
from mock_server.domain.records import DEFAULT_TEAM_ID
from mock_server.domain.state import State
from mock_server.fixture.document import Shared, Time
from mock_server.views import View

Seen = tuple[Dataset, Level]
"""A dataset, and what the caller may do with it."""


class Model(Struct, frozen=True):
    """A model; here all datasets have the same."""

    model: str
    name: str


class Member(View):
    """The member of the team who has created a dataset."""

    name: str
    avatar: str = ""
    status: str = "active"


_EMBEDDING, _LANGUAGE = Model("embedding", "embedding"), Model("language", "language")


class DatasetItem(View, kw_only=True):
    """What lists and details show of a dataset."""

    id: str = field(name="_id")
    avatar: str
    name: str
    intro: str
    type: str
    vector_model: Model = _EMBEDDING
    inherit_permission: bool = True
    tmb_id: str
    update_time: Time
    permission: Permission


class ListedDataset(DatasetItem, kw_only=True):
    """A dataset as it stands in a list."""

    private: bool = False
    source_member: Member


class DatasetDetail(DatasetItem, kw_only=True):
    """A dataset by itself."""

    parent_id: str | None
    team_id: str = DEFAULT_TEAM_ID
    agent_model: Model = _LANGUAGE
    status: str = "active"


def listed(seen: Seen) -> ListedDataset:
    """A dataset as it stands in a list."""
    member = Member(seen[0].tmb_id)
    return ListedDataset(**_item(*seen), source_member=member)


def detail(seen: Seen) -> DatasetDetail:
    """A dataset by itself."""
    return DatasetDetail(**_item(*seen), parent_id=seen[0].parent_id)


def _item(dataset: Dataset, level: Level) -> dict[str, Any]:
    return {
        "id": dataset.id,
        "avatar": dataset.avatar,
        "name": dataset.name,
        "intro": dataset.intro,
        "type": dataset.type,
        "tmb_id": dataset.tmb_id,
        "update_time": clock.format_time(dataset.update_time),
        "permission": permission(level),
    }


class DatasetListBody(contract.RequestFields, kw_only=True):
    """Which datasets: of one folder, of a type, or with a text."""

    parent_id: fields.Parent = UNSET
    type: fields.DatasetType | UnsetType = UNSET
    search_key: Shared | UnsetType = UNSET


async def receive(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """The fields of a body; only GET, as old clients send it, has them in its query."""
    if body.scope["method"] == "GET":
        return await neighbour.receive_fields(body, max_bytes, memory)
    return await body.read(max_bytes, memory) or b"{}"


def dataset_list(state: State, caller: Caller, body: DatasetListBody) -> Page[Seen]:
    """The datasets that the caller may read, the latest first; ties by id.

    Raises DatasetNotFound, DatasetForbidden.
    """
    parent_id = body.parent_id
    if not body.search_key and parent_id is not UNSET and parent_id not in targets.ROOT:
        targets.dataset_for(state, caller, parent_id or "", Level.READ, "$.parentId")
    datasets = [each for each in state.store.datasets() if _is_wanted(each, body)]
    datasets.sort(key=lambda each: (-each.update_time, each.id))
    levels = ((each, each.level_of(caller)) for each in datasets)
    seen = [(each, level) for each, level in levels if level >= Level.READ]
    return Page(seen, len(seen), caller.level, seen, 0, Limits.integer)


def _is_wanted(dataset: Dataset, body: DatasetListBody) -> bool:
    if body.search_key:
        term = fold(body.search_key)
        return term in fold(dataset.name) or term in fold(dataset.intro)
    is_there = body.parent_id is UNSET or dataset.parent_id == (body.parent_id or None)
    return is_there and (body.type is UNSET or dataset.type == body.type)


def view(seen: Seen, _page: Page[Any], _state: State) -> ListedDataset:
    """A dataset as it is shown."""
    return listed(seen)


def appear(_body: DatasetListBody, number: int) -> Seen:
    """A dataset that is not there."""
    return Dataset(f"appeared-{number}", f"Appeared {number}"), Level.OWNER


DATASET_LIST = neighbour.operation(
    name="dataset.list",
    further_methods=("GET",),
    path="/api/core/dataset/list",
    summary="The datasets that the caller may read",
    body=DatasetListBody,
    data=list[ListedDataset],
    refusals=(errors.DatasetNotFound, errors.DatasetForbidden),
    perform=dataset_list,
    view=view,
    has_total=False,
    receive=receive,
    traits=["page"],
    appear=appear,
    since="4.6; POST since 4.8",
    modelled=(
        "An array, the latest first: of all levels, or of the folder `parentId`; with "
        "`searchKey` all whose name or intro has that text."
    ),
    differs=(
        "A GET is answered, whose fields are in the query. All datasets have the same "
        "models. A permission on a folder does not hold for what is in it."
    ),
)


def dataset_detail(
    state: State, caller: Caller, query: fields.IdQuery
) -> DatasetDetail:
    """A dataset. Raises DatasetNotFound, DatasetForbidden."""
    dataset = targets.dataset_for(state, caller, query.id, Level.READ, "$.id")
    return detail((dataset, dataset.level_of(caller)))


DATASET_DETAIL = neighbour.operation(
    name="dataset.detail",
    method="GET",
    path="/api/core/dataset/detail",
    summary="One dataset",
    body=fields.IdQuery,
    data=DatasetDetail,
    refusals=(errors.DatasetNotFound, errors.DatasetForbidden),
    perform=dataset_detail,
    since="4.6",
    modelled="What lists show of it, its folder and its team.",
    differs="All datasets have the same models, and no `chunkSettings`.",
)


class DatasetPathsQuery(contract.RequestFields, kw_only=True):
    """Which dataset, and whether it ends the way itself."""

    source_id: fields.Label = ""
    type: Literal["current", "parent"]


def dataset_paths(
    state: State, caller: Caller, query: DatasetPathsQuery
) -> list[fields.PathStep]:
    """The way to a dataset; without one, none.

    Raises DatasetNotFound, DatasetForbidden.
    """
    if not query.source_id:
        return []
    dataset = targets.dataset_for(
        state, caller, query.source_id, Level.READ, "$.sourceId"
    )
    end = dataset.id if query.type == "current" else dataset.parent_id
    return [
        fields.PathStep(each.id, each.name)
        for each in dataset_folders.path_of(state.store, end)
    ]


DATASET_PATHS = neighbour.operation(
    name="dataset.paths",
    method="GET",
    path="/api/core/dataset/paths",
    summary="The folders above a dataset",
    body=DatasetPathsQuery,
    data=list[fields.PathStep],
    refusals=(errors.DatasetNotFound, errors.DatasetForbidden),
    perform=dataset_paths,
    access="login",
    since="4.6",
    modelled="Ids and names from the outermost folder on; `current` ends with itself.",
)
