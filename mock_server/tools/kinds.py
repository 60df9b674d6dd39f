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
    id: Names
    kept: Names
    holders: Names = ()
    """The fields of a request that identify what holds it."""


RESOURCE = ("name", "type", "intro", "avatar", "tmbId", "updateTime")
LISTED: Names = ("_id", "tmbId", "type", "name", "updateTime", "createTime")
LISTED += ("dataAmount", "trainingAmount", "externalFileId", "tags", "forbid", "trainingType")
LISTED += ("hasError", "fileId", "rawLink")
PIN_FIELDS = ("top", "title", "customTitle")
RECORD = ("dataId", "obj", "time", "userGoodFeedback", "userBadFeedback")
ROW = ("_id", "q", "a", "chunkIndex")

APP = ObjectKind("app", document.AppEntry, ("id",), RESOURCE)
DATASET = ObjectKind("dataset", document.DatasetEntry, ("id",), RESOURCE)
PINNED = ObjectKind("chat", document.ChatEntry, ("chatId",), PIN_FIELDS, ("appId",))
CHAT = PINNED._replace(kept=("chatId", "updateTime", "hasBeenRead", *PIN_FIELDS))
MESSAGE = ObjectKind("record", document.RecordEntry, ("dataId", "obj"), RECORD, ("appId", "chatId"))
COLLECTION = ObjectKind("collection", document.CollectionEntry, ("_id",), LISTED, ("datasetId",))
DATA = ObjectKind("row", document.RowEntry, ("_id",), ROW, ("collectionId",))


def pick_fields(item: Item, names: Iterable[str]) -> Item:
    """Those of these fields that an object has."""
    fields = {}
    for name in names:
        if item.get(name) is not None:
            fields[name] = item[name]
    return fields
