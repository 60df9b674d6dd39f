"""The kinds of objects that a fixture takes from a real service, and the fields it keeps."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct

from mock_server.decoding import JsonObject
from mock_server.fixture import document

Names = tuple[str, ...]
FOLDERS = ("folder", "toolFolder")


class ObjectKind(NamedTuple):
    """A kind of objects: its type in fixtures, the fields that identify one, and those kept."""

    noun: str
    entry: type[Struct]
    id_fields: Names
    kept_fields: Names
    holder_fields: Names = ()
    """The fields of a request that identify the object which holds it: an app has chats."""


RESOURCE_FIELDS = ("name", "type", "intro", "avatar", "tmbId", "updateTime")
COLLECTION_FIELDS: Names = ("_id", "tmbId", "type", "name", "updateTime", "createTime")
COLLECTION_FIELDS += ("dataAmount", "trainingAmount", "externalFileId", "tags", "forbid")
COLLECTION_FIELDS += ("trainingType", "hasError", "fileId", "rawLink")
PIN_FIELDS = ("top", "title", "customTitle")
CHAT_FIELDS = ("chatId", "updateTime", "hasBeenRead", *PIN_FIELDS)
RECORD_FIELDS = ("dataId", "obj", "time", "userGoodFeedback", "userBadFeedback")
ROW_FIELDS = ("_id", "q", "a", "chunkIndex")

APP = ObjectKind("app", document.AppEntry, ("id",), RESOURCE_FIELDS)
DATASET = ObjectKind("dataset", document.DatasetEntry, ("id",), RESOURCE_FIELDS)
PINNED = ObjectKind("chat", document.ChatEntry, ("chatId",), PIN_FIELDS, ("appId",))
CHAT = PINNED._replace(kept_fields=CHAT_FIELDS)
RECORD = ObjectKind(
    "record", document.RecordEntry, ("dataId", "obj"), RECORD_FIELDS, ("appId", "chatId")
)
COLLECTION = ObjectKind(
    "collection", document.CollectionEntry, ("_id",), COLLECTION_FIELDS, ("datasetId",)
)
ROW = ObjectKind("row", document.RowEntry, ("_id",), ROW_FIELDS, ("collectionId",))


def pick_fields(item: JsonObject, names: Iterable[str]) -> JsonObject:
    """The fields of an object with these names, as far as it has them, and they are not null."""
    return {name: item[name] for name in names if item.get(name) is not None}
