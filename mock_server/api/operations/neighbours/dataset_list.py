"""`dataset.list`: the datasets that the caller may read, the latest first."""

from typing import Any

from msgspec import UNSET, UnsetType

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.dataset_view import (
    ListedDataset,
    Seen,
    listed,
)
from mock_server.api.operations.neighbours.fields import DatasetType, Parent
from mock_server.api.operations.neighbours.neighbour import neighbour, receive_fields
from mock_server.api.request import RequestBody
from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset
from mock_server.domain.errors import DatasetForbidden, DatasetNotFound
from mock_server.domain.index import fold
from mock_server.domain.limits import Limits
from mock_server.domain.listing import Page
from mock_server.domain.memory import Memory
from mock_server.domain.state import State
from mock_server.domain.targets import ROOT, dataset_for
from mock_server.fixture.document import Shared


class DatasetListBody(RequestFields, kw_only=True):
    """Which datasets: of one folder, of a type, or with a text."""

    parent_id: Parent = UNSET
    type: DatasetType | UnsetType = UNSET
    search_key: Shared | UnsetType = UNSET


async def receive(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """The fields of a body; only GET, as old clients send it, has them in its query."""
    if body.scope["method"] == "GET":
        return await receive_fields(body, max_bytes, memory)
    return await body.read(max_bytes, memory) or b"{}"


def dataset_list(state: State, caller: Caller, body: DatasetListBody) -> Page[Seen]:
    """The datasets that the caller may read, the latest first; ties by id.

    Raises DatasetNotFound, DatasetForbidden.
    """
    parent_id = body.parent_id
    if not body.search_key and parent_id is not UNSET and parent_id not in ROOT:
        dataset_for(state, caller, parent_id or "", Level.READ, "$.parentId")
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


DATASET_LIST = neighbour(
    name="dataset.list",
    further_methods=("GET",),
    path="/api/core/dataset/list",
    summary="The datasets that the caller may read",
    body=DatasetListBody,
    data=list[ListedDataset],
    refusals=(DatasetNotFound, DatasetForbidden),
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
