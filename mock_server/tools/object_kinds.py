"""The kinds of objects that a fixture takes from a real service, and the fields it keeps."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec import Struct

from mock_server.fixture import document

Item = dict[str, Any]
"""An object as a service sends it."""
Names = tuple[str, ...]
FOLDERS = ("folder", "toolFolder")


class ObjectKind(NamedTuple):
    """A kind of objects: its type in fixtures, what identifies one, and what is kept of one."""

    noun: str
    entry: type[Struct]
    id_fields: Names
    kept_fields: Names
    holder_fields: Names = ()
    """The fields of a request that identify what holds it."""


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


def pick_fields(item: Item, names: Iterable[str]) -> Item:
    """Those of these fields that an object has."""
    return {name: item[name] for name in names if item.get(name) is not None}
