"""How datasets are shown."""

from typing import Any

from msgspec import Struct, field

from mock_server.api.operations.list_v2 import Permission, permission
from mock_server.domain.access import Level
from mock_server.domain.clock import format_time
from mock_server.domain.dataset import Dataset
from mock_server.domain.records import DEFAULT_TEAM_ID
from mock_server.fixture.document import Time
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
        "update_time": format_time(dataset.update_time),
        "permission": permission(level),
    }
