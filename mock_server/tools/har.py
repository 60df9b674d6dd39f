"""Makes a fixture of a HAR recording: of the objects that its responses show.

An object has the fields that are named here, each checked by the type that fixtures have
for it. All else is left out: headers, cookies, queries, other bodies and other fields.
"""

import re
from base64 import b64decode
from codecs import BOM_UTF8
from collections import Counter, defaultdict
from contextlib import suppress
from datetime import datetime
from math import inf
from typing import Any, BinaryIO, NamedTuple

from msgspec import MsgspecError, Raw, Struct, ValidationError, convert, field, json

from mock_server.clock import ms_of
from mock_server.decoding import NOT_JSON
from mock_server.fixture import document
from mock_server.service.app import OPERATIONS
from mock_server.service.views import Paged
from mock_server.store.objects import Id

Fields = dict[str, Any]
Names = tuple[str, ...]
MAX_FILE = 256 * 1024 * 1024
UNREADABLE = (MsgspecError, ValueError, RecursionError)
ROUTES = {route: it.name for it in OPERATIONS for route in it.routes}


class NotHar(Exception):
    """A file is no HAR recording, or too large."""


class Body(Struct):
    text: str | None = None
    encoding: str | None = None

    def value(self) -> Any:
        """The JSON in it. Raises UNREADABLE."""
        text = self.text or ""
        return json.decode(b64decode(text) if self.encoding == "base64" else text)


class HarRequest(Struct, rename="camel"):
    method: str
    url: str
    post_data: Body | None = None


class HarResponse(Struct):
    status: int
    content: Body = field(default_factory=Body)


class Exchange(Struct, rename="camel"):
    """An entry of a recording."""

    request: HarRequest
    response: HarResponse
    started_date_time: str = ""


class Kind(NamedTuple):
    """A kind of objects: its type in fixtures, what identifies one, and the fields kept."""

    noun: str
    entry: type[Struct]
    id: Names
    kept: Names
    holders: Names = ()
    """The fields of a request that identify what holds it."""


RESOURCE = ("name", "type", "intro", "avatar", "parentId", "tmbId", "updateTime")
LISTED: Names = ("_id", "parentId", "tmbId", "type", "name", "updateTime", "createTime")
LISTED += ("dataAmount", "trainingAmount", "externalFileId", "tags", "forbid", "trainingType")
LISTED += ("hasError", "fileId", "rawLink")
PIN = ("top", "title", "customTitle")
RECORD = ("dataId", "obj", "time", "userGoodFeedback", "userBadFeedback")
PARTS = ("reasoning", "text")  # what tools were given and gave, and files, may have secrets

APP = Kind("app", document.AppEntry, ("id",), RESOURCE)
DATASET = Kind("dataset", document.DatasetEntry, ("id",), RESOURCE)
PINNED = Kind("chat", document.ChatEntry, ("chatId",), PIN, ("appId",))
CHAT = PINNED._replace(kept=("chatId", "updateTime", "hasBeenRead", *PIN))
MESSAGE = Kind("record", document.RecordEntry, ("dataId", "obj"), RECORD, ("appId", "chatId"))
COLLECTION = Kind("collection", document.CollectionEntry, ("_id",), LISTED, ("datasetId",))
DATA = Kind("row", document.RowEntry, ("_id",), ("_id", "q", "a", "chunkIndex"), ("collectionId",))

SHOWN = {"updateHistory": PINNED, "getHistories": CHAT, "getPaginationRecords": MESSAGE}
SHOWN |= {"listV2": COLLECTION, "collection.list": COLLECTION, "v2.list": DATA}
SHOWN |= {"app.list": APP, "app.detail": APP, "dataset.list": DATASET, "dataset.detail": DATASET}
"""What the responses of operations show."""
HOLDERS = {"chat": "app", "record": "app", "collection": "dataset"}

ADDRESSES = ("avatar", "name", "rawLink")
"""Fields that may be an address. The name of a link without a title is."""
_IS_ADDRESS = re.compile("(https?:/)?/", re.IGNORECASE)
_PRIVATE = re.compile(r"(?<=//)[^/?#]*@|[?#].*", re.DOTALL)
"""What may be secret in an address: a user with a password, the query, the fragment."""


class Recording:
    """What the exchanges of a recording show; later ones win."""

    def __init__(self) -> None:
        self.lists: defaultdict[Names, dict[str, Fields]] = defaultdict(dict)
        """By kind and ids of the holders, such as `("chat", app_id)`."""
        self.places: dict[tuple[Names, str, bool], int] = {}
        """Where an id is in a list: of everything, or (True) of a folder."""
        self.notes = Counter[tuple[str, str]]()

    def skip(self, noun: str, why: str) -> None:
        self.notes[noun, f"skipped {{}} {why}"] += 1

    def add(self, exchange: Exchange) -> None:
        """Use an exchange, or count it as skipped."""
        request, response = exchange.request, exchange.response
        _, api, end = re.split("[?#]", request.url)[0].rpartition("/api/")
        name = ROUTES.get((api + end, request.method))
        if name not in SHOWN:
            why = "of operations that list nothing" if name else "of other addresses"
            return self.skip("response", why)
        is_success = 200 <= response.status < 300
        try:
            value = response.content.value() if is_success else None
        except UNREADABLE:
            return self.skip("response", "without JSON")
        if not isinstance(value, dict) or value.get("code") != 200:
            return self.skip("response", "that failed")
        body = request.post_data
        try:
            sent = convert(body.value() if body and body.text else {}, Fields)
            self.use(SHOWN[name], sent, value.get("data"))
        except UNREADABLE:
            self.skip("response", "whose request or data is not as expected")

    def use(self, kind: Kind, sent: Fields, data: Any) -> None:
        """Use a request and the data of its response. Raises UNREADABLE."""
        where = (kind.noun, *convert([sent.get(it) for it in kind.holders], list[Id]))
        seen = self.lists[where]
        if kind is PINNED:
            id = convert(sent.get("chatId"), Id)
            self.put(where, kind, sent, seen.get(id, {}) | {"chatId": id})
        elif kind in (APP, DATASET):
            has_folder = "parentId" in sent and not sent.get("searchKey")
            known = {"parentId": sent["parentId"] or None} if has_folder else {}
            for it in convert(data if isinstance(data, list) else [data], list[Fields]):
                earlier = seen.get(str(it.get("_id")), {})
                self.put(where, kind, it, earlier | known | {"id": it.get("_id")})
        else:
            self.use_page(where, kind, sent, convert(data, Fields))

    def use_page(self, where: Names, kind: Kind, sent: Fields, page: Fields) -> None:
        """Use a page of a list. Raises UNREADABLE."""
        items = convert(page.get("list", page.get("data")), list[Any])
        wanted = convert(sent, Paged)
        first = int(wanted.offset or 0)
        first = first or max(0, int(wanted.page_num or 0) - 1) * int(wanted.page_size or 10)
        if kind is MESSAGE:  # pages go from the newest on, but each has the oldest first
            first = convert(page.get("total"), int) - first - len(items)
        for place, it in enumerate(items, first):
            id = self.put(where, kind, it, parts_of(it) if kind is MESSAGE else {})
            if id and not sent.get("searchText"):
                self.places[where, id, "parentId" in sent] = place

    def put(self, to: Names, kind: Kind, item: Any, known: Fields) -> str | None:
        """Add or replace an object: known fields, and kept ones of an item. Returns its id."""
        try:
            fields = known | {it: item[it] for it in kind.kept if item.get(it) is not None}
            if "parentId" in kind.kept and "parentId" in item:
                fields["parentId"] = item["parentId"] or None
            convert(fields, kind.entry)
            id = " ".join(fields[it] for it in kind.id)
        except (AttributeError, KeyError, TypeError, ValidationError):
            self.skip(kind.noun, "with a missing or a wrong field")
            return None
        for name in ADDRESSES:
            if _IS_ADDRESS.match(fields.get(name, "")):
                fields[name] = _PRIVATE.sub("", fields[name])
        self.lists[to][id] = fields
        return id

    def document(self) -> Fields:
        """The fixture, empty if nothing was seen."""
        for noun, *ids in [*self.lists]:
            if noun in HOLDERS:
                self.lists[HOLDERS[noun],].setdefault(ids[0], {"id": ids[0]})
            if noun == "record" and self.lists[noun, *ids]:
                self.lists["chat", ids[0]].setdefault(ids[1], {"chatId": ids[1]})
        apps, datasets = self.placed("app"), self.placed("dataset")
        for app in apps:
            app["chats"] = self.ordered(("chat", app["id"]))
            for chat in app["chats"]:
                if records := self.ordered(("record", app["id"], chat["chatId"])):
                    chat["records"] = records
        for dataset in datasets:
            dataset["collections"] = self.placed("collection", dataset["id"])
            for it in dataset["collections"]:
                if rows := self.ordered(("row", it["_id"])):
                    it["data"] = rows
                    del self.lists["row", it["_id"]]
        lost = sum(len(it) for where, it in self.lists.items() if where[0] == "row")
        self.notes["row", "skipped {} whose collection was not seen"] += lost
        return {"apps": apps, "datasets": datasets} if apps or datasets else {}

    def ordered(self, where: Names) -> list[Fields]:
        found, places = self.lists.get(where, {}), self.places
        order = {id: [places.get((where, id, it), inf) for it in (False, True)] for id in found}
        return [found[id] for id in sorted(found, key=order.__getitem__)]

    def placed(self, *where: str) -> list[Fields]:
        """The objects in order; at the top level if their folder was not seen, or is in them."""
        found = self.lists.get(where, {})
        for id, it in found.items():
            above, folder = set[str](), it.get("parentId")
            while folder in found and folder not in above:
                above.add(folder)
                folder = found[folder].get("parentId")
            if id in above or it.get("parentId") not in (None, *above):
                it["parentId"] = None
                self.notes[where[0], "moved {} whose folder was not seen to the top level"] += 1
        return self.ordered(where)


def parts_of(record: Any) -> Fields:
    """The texts and thoughts of a record. Raises ValidationError."""
    value = record.get("value") if isinstance(record, dict) else []
    if isinstance(value, str):  # in older records
        return {"text": value}
    kept = [(name, it.get(name)) for it in convert(value, list[Fields]) for name in PARTS]
    return {"parts": [{name: it.get("content")} for name, it in kept if isinstance(it, dict)]}


def fixture_of(file: BinaryIO) -> tuple[Fields, list[str]]:
    """The fixture of a recording, and what is to be said of it. Raises NotHar, OSError."""
    content = file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise NotHar(f"Expected a HAR file of at most {MAX_FILE // 1024**2} MiB")
    try:
        part = Raw(content.removeprefix(BOM_UTF8))
        for name in ("log", "entries"):
            part = json.decode(part, type=dict[str, Raw])[name]
        entries = json.decode(part, type=list[Raw])
    except (KeyError, *NOT_JSON) as error:
        raise NotHar(f"Expected a HAR file ({error})") from None
    recording, exchanges = Recording(), list[Exchange]()
    for entry in entries:
        try:
            exchanges.append(json.decode(entry, type=Exchange))
        except NOT_JSON:
            recording.skip("exchange", "without a request and a response")
    with suppress(ValueError):  # else in the order of the file
        exchanges.sort(key=lambda it: ms_of(datetime.fromisoformat(it.started_date_time)))
    for each in exchanges:
        recording.add(each)
    found, notes = recording.document(), recording.notes.items()
    return found, [said.format(f"{n} {noun}{'s' * (n != 1)}") for (noun, said), n in notes if n]
