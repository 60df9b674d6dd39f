"""The kinds of objects that a fixture takes from a real service, and the fields it keeps."""

from typing import NamedTuple

from msgspec import Struct

from mock_server.decoding.json_values import JsonObject
from mock_server.fixture import document
from mock_server.service.chats import init_chat
from mock_server.service.datasets import dataset_detail
from mock_server.store.objects import FOLDER, TOOL_FOLDER

Names = tuple[str, ...]


class ObjectKind(NamedTuple):
    """A kind of objects: its type in fixtures, and the field that identifies an object."""

    noun: str
    entry: type[Struct]
    id_field: str
    kept_fields: Names
    """The other fields that are kept."""
    settings_path: str = ""
    """The path at which an app or a dataset has its settings; its id follows."""
    settings: Names = ()
    """The fields of the settings that `pull` keeps."""
    content_field: str = ""
    """The field that has what is in an app or a dataset."""

    def pick(self, item: JsonObject) -> JsonObject:
        """The fields of an object that are kept, without missing fields and null."""
        names = (self.id_field, *self.kept_fields)
        return {name: item[name] for name in names if item.get(name) is not None}


RESOURCE_FIELDS = ("name", "type", "intro", "avatar", "tmbId", "updateTime")
COLLECTION_FIELDS = (
    *("name", "type", "tmbId", "tags", "forbid", "updateTime", "createTime"),
    *("externalFileId", "fileId", "rawLink"),
    *("dataAmount", "trainingAmount", "trainingType", "hasError"),
)
CHAT_FIELDS = ("updateTime", "hasBeenRead", "top", "title", "customTitle")
ROW_FIELDS = ("q", "a", "chunkIndex")

APP = ObjectKind(
    "app",
    document.AppEntry,
    "id",
    RESOURCE_FIELDS,
    # Opening a chat that does not exist changes nothing.
    settings_path=f"{init_chat.path}?chatId=mock-server-pull&appId=",
    settings=("chatConfig", "chatModels"),
    content_field="chats",
)
DATASET = ObjectKind(
    "dataset",
    document.DatasetEntry,
    "id",
    RESOURCE_FIELDS,
    settings_path=f"{dataset_detail.path}?id=",
    settings=("parentId", "teamId", "vectorModel", "agentModel", "vlmModel"),
    content_field="collections",
)
CHAT = ObjectKind("chat", document.ChatEntry, "chatId", CHAT_FIELDS)
COLLECTION = ObjectKind("collection", document.CollectionEntry, "_id", COLLECTION_FIELDS)
ROW = ObjectKind("row", document.DataRowEntry, "_id", ROW_FIELDS)


def is_folder(item: JsonObject) -> bool:
    """Whether an app, a dataset or a collection is a folder of others."""
    return item.get("type") in (FOLDER, TOOL_FOLDER)
