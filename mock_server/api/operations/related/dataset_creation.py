"""Routes that create datasets and folders of datasets."""

from typing import Annotated

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from mock_server.api.operations.related import fields, holders
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.domain import errors
from mock_server.domain.access import Level
from mock_server.domain.datasets import dataset_folders as folders
from mock_server.domain.datasets.dataset_folders import FolderTooDeep
from mock_server.domain.objects.dataset import Dataset

CREATE = (*folders.INSERT, FolderTooDeep, errors.LimitReached)
"""Refusals of both routes."""


class ApiServer(Struct, rename="camel"):
    """The address of an API server that belongs to the client."""

    base_url: str
    authorization: str = ""
    base_path: str = ""


class FeishuServer(Struct, rename="camel"):
    """A folder of Feishu."""

    app_id: str
    folder_token: str
    app_secret: str = ""


class YuqueServer(Struct, rename="camel"):
    """A user of Yuque."""

    user_id: str
    token: str = ""
    base_path: str = ""


class DingtalkServer(Struct, rename="camel"):
    """A workspace of DingTalk."""

    app_key: str
    user_id: str
    app_secret: str = ""
    operator_id: str = ""
    workspace_id: str = ""
    root_node_id: str = ""
    workspace_name: str = ""


class Servers(Struct, rename="camel"):
    """The server with the texts of a dataset; the mock server never calls it."""

    api_server: ApiServer | UnsetType = UNSET
    feishu_server: FeishuServer | UnsetType = UNSET
    yuque_server: YuqueServer | UnsetType = UNSET
    dingtalk_server: DingtalkServer | UnsetType = UNSET


class NewDataset(RequestFields, kw_only=True):
    """The dataset to create, in versions where most fields are optional."""

    name: fields.Name
    type: fields.FormerDatasetType = "dataset"
    intro: fields.LongText = ""
    avatar: fields.LongText = "/icon/logo.svg"
    parent_id: fields.Parent = UNSET
    vector_model: fields.IdleText = UNSET
    agent_model: fields.IdleText = UNSET
    vlm_model: fields.IdleText = UNSET
    api_dataset_server: Annotated[Servers, fields.IDLE] | UnsetType = UNSET


class DatasetCreateBody(NewDataset, kw_only=True):
    """The dataset to create, and its folder; models and servers have no effect."""

    type: fields.DatasetType  # type: ignore[assignment]
    intro: fields.LongText
    avatar: fields.LongText


@route(
    "POST /api/core/dataset/create",
    chinese="创建知识库",
    since="4.6",
    former_fields=("dataset_create_needs_all", NewDataset),
    differences="A parent that is not a folder is refused. Models are ignored. Folders "
    "have the depth limit of `folder.create`.",
    refusals=CREATE,
    example={"type": "dataset", "name": "News", "intro": "", "avatar": ""},
    is_write=True,
)
def dataset_create(call: Call, body: DatasetCreateBody) -> str:
    """Create a dataset.

    Returns the id of the new dataset, which belongs to the caller.
    """
    return _create(call, body)


class FolderCreateBody(RequestFields, kw_only=True):
    """The folder to create, and the folder above it."""

    name: fields.Name
    intro: fields.LongText
    parent_id: fields.Parent = UNSET


@route(
    "POST /api/core/dataset/folder/create",
    chinese="创建知识库文件夹",
    since="4.9.6 with API keys",
    differences="A parent that is not a folder is refused.",
    refusals=CREATE,
    example={"name": "Archive", "intro": ""},
    is_write=True,
)
def folder_create(call: Call, body: FolderCreateBody) -> fields.EmptyData:
    """Create a folder of datasets.

    Returns an empty object. At most four folders may be nested.
    """
    _create(call, body, type=folders.FOLDER, avatar="/imgs/files/folder.svg")
    return fields.EmptyData()


def _create(call: Call, body: NewDataset | FolderCreateBody, **values: str) -> str:
    """Store a dataset or a folder of the caller, and return its id. Raises CREATE.

    `values` are fields that `body` does not have.
    """
    store = call.store
    parent_id = folders.folder_for(call, body.parent_id or None, Level.WRITE)
    dataset = fields.copy_fields(
        Dataset,
        body,
        id="",
        parent_id=parent_id,
        permissions=holders.permissions_of(call),
        tmb_id=call.member,
        update_time=call.now,
        **values,
    )
    if dataset.type == folders.FOLDER:
        folders.check_depth(call, parent_id, 1)
    created_count = sum(it.id not in store.fixture.datasets for it in store.datasets())
    call.check_room(
        created_count, call.state.limits.created_datasets, "created datasets"
    )
    dataset = replace(dataset, id=store.new_id())
    store.put_dataset(dataset)
    return dataset.id
