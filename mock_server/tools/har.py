"""Makes a fixture of a HAR recording: of the objects that its responses show.

An object has the fields that its `ObjectKind` keeps, each checked by the type that fixtures
have for it. All else is left out: headers, cookies, queries, other bodies and other fields.
"""

import re
from base64 import b64decode
from codecs import BOM_UTF8
from collections import Counter, defaultdict
from math import inf
from operator import attrgetter
from typing import Any, BinaryIO

from msgspec import MsgspecError, Raw, Struct, ValidationError, convert, field, json

from mock_server.decoding import NOT_JSON, JsonObject
from mock_server.errors import count_in_words
from mock_server.fixture.document import START, ZonedTime
from mock_server.service.app import OPERATIONS
from mock_server.service.views import Paged
from mock_server.store.objects import Id
from mock_server.tools.object_kinds import (
    APP,
    CHAT,
    COLLECTION,
    DATASET,
    PINNED,
    RECORD,
    ROW,
    Names,
    ObjectKind,
    pick_fields,
)

MAX_FILE = 256 * 1024 * 1024
NOT_AS_EXPECTED = (MsgspecError, ValueError, RecursionError)
KINDS_BY_OPERATION = {
    "updateHistory": PINNED,
    "getHistories": CHAT,
    "getPaginationRecords": RECORD,
    "listV2": COLLECTION,
    "collection.list": COLLECTION,
    "v2.list": ROW,
    "app.list": APP,
    "app.detail": APP,
    "dataset.list": DATASET,
    "dataset.detail": DATASET,
}
"""The kind of objects that the responses of an operation show; of other operations, none."""
KINDS_BY_ROUTE = dict[tuple[str, str], ObjectKind | None]()
"""The kind of objects that responses show, by the path and the method of the request."""
for _operation in OPERATIONS:
    KINDS_BY_ROUTE |= dict.fromkeys(_operation.routes, KINDS_BY_OPERATION.get(_operation.name))
RESOURCE_NOUNS = {"chat": "app", "record": "app", "collection": "dataset"}
"""The app or dataset in which objects are, directly or in a chat, by their noun."""
KEPT_PARTS = ("reasoning", "text")
"""The parts of records that are kept: files, and what tools were given or gave, may be secret."""
ADDRESSES = ("avatar", "name", "rawLink")
"""Fields that may be an address, as the name of a link without a title is."""
_IS_ADDRESS = re.compile("(https?:/)?/", re.IGNORECASE)
_PRIVATE = re.compile(r"(?<=//)[^/?#]*@|[?#].*", re.DOTALL)
"""What may be secret in an address: a user with a password, the query, the fragment."""


class Body(Struct):
    text: str | None = None
    encoding: str | None = None

    def value(self) -> Any:
        """The value of the text, which is JSON. Raises NOT_AS_EXPECTED."""
        text = self.text or ""
        if self.encoding == "base64":
            return json.decode(b64decode(text))
        return json.decode(text)


class HarRequest(Struct, rename="camel"):
    method: str
    url: str
    post_data: Body | None = None

    @property
    def kind(self) -> ObjectKind | None:
        """The kind of objects that the response shows, None if it shows none."""
        _, api, end = re.split("[?#]", self.url)[0].rpartition("/api/")
        return KINDS_BY_ROUTE.get((api + end, self.method))

    def fields(self) -> JsonObject:
        """The fields of the body. Raises NOT_AS_EXPECTED."""
        if self.post_data is None or not self.post_data.text:
            return {}
        return convert(self.post_data.value(), JsonObject)


class HarResponse(Struct):
    status: int
    content: Body = field(default_factory=Body)

    def envelope(self) -> JsonObject:
        """The envelope in the body; that of a failure is not read. Raises NOT_AS_EXPECTED."""
        if not 200 <= self.status < 300:
            return {}
        return convert(self.content.value(), JsonObject)


class RecordedExchange(Struct, rename="camel"):
    """An entry of a recording."""

    request: HarRequest
    response: HarResponse
    started_date_time: ZonedTime = START


def fixture_of(file: BinaryIO) -> tuple[JsonObject, list[str]]:
    """The fixture of a recording, and notes on what was left out. Raises ValueError, OSError."""
    recording = Recording()
    exchanges = list[RecordedExchange]()
    for entry in entries_of(file):
        try:
            exchanges.append(json.decode(entry, type=RecordedExchange))
        except NOT_JSON:
            recording.skip("exchange", "without a request and a response")
    # Later exchanges win, and a file may have another order.
    for exchange in sorted(exchanges, key=attrgetter("started_date_time")):
        recording.add(exchange)
    # What has no place in the document is noted when the document is made.
    document = recording.document()
    return document, recording.summary()


def entries_of(file: BinaryIO) -> list[Raw]:
    """The entries of a HAR file, not decoded yet. Raises ValueError, OSError."""
    content = file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise ValueError(f"Expected a HAR file of at most {MAX_FILE // 1024**2} MiB")
    try:
        recording = json.decode(content.removeprefix(BOM_UTF8), type=dict[str, Raw])
        log = json.decode(recording["log"], type=dict[str, Raw])
        return json.decode(log["entries"], type=list[Raw])
    except (KeyError, *NOT_JSON) as error:
        raise ValueError(f"Expected a HAR file ({error})") from None


class Position(Struct, order=True):
    """The index of an object in a list of everything, and in the list of its folder."""

    in_all: float = inf
    in_folder: float = inf


class ObjectList:
    """The objects of a list, by id, and the positions that its pages showed."""

    def __init__(self) -> None:
        self.objects = dict[str, JsonObject]()
        self.positions = defaultdict[str, Position](Position)

    def put(self, kind: ObjectKind, item: Any, base: JsonObject) -> str:
        """Put base fields, and those kept of an item; return the id. Raises ValidationError."""
        sent = convert(item, JsonObject)
        fields = base | pick_fields(sent, kind.kept_fields)
        # A folder of null or "" is the top level.
        if "parent_id" in kind.entry.__struct_fields__ and "parentId" in sent:
            fields["parentId"] = sent["parentId"] or None
        convert(fields, kind.entry)  # only a check: the fixture has the fields as they were sent
        id = " ".join(convert([*map(fields.get, kind.id_fields)], list[str]))
        for name in ADDRESSES:
            if _IS_ADDRESS.match(fields.get(name, "")):
                fields[name] = _PRIVATE.sub("", fields[name])
        self.objects[id] = fields
        return id

    def in_order(self) -> list[JsonObject]:
        """The objects as the pages showed them; those without a position are last."""
        ids = sorted(self.objects, key=lambda id: self.positions[id])
        return [self.objects[id] for id in ids]


class Recording:
    """The objects that the exchanges of a recording show; later exchanges win."""

    def __init__(self) -> None:
        self.lists = defaultdict[tuple[str, Names], ObjectList](ObjectList)
        """Lists by the noun of their objects, and the ids of what holds them."""
        self.notes = Counter[tuple[str, str]]()
        """How many objects a sentence is true of, by their noun and the sentence."""

    def list_of(self, noun: str, *holder_ids: str) -> ObjectList:
        """The list of the chats of an app, of the records of a chat in an app, ..."""
        return self.lists[noun, holder_ids]

    def skip(self, noun: str, why: str) -> None:
        self.notes[noun, f"skipped {{}} {why}"] += 1

    def summary(self) -> list[str]:
        """The notes, a line each."""
        lines = []
        for (noun, sentence), count in self.notes.items():
            lines.append(sentence.format(count_in_words(count, noun)))
        return lines

    # What exchanges show

    def add(self, exchange: RecordedExchange) -> None:
        """Add the objects of an exchange, or note why it is skipped."""
        kind = exchange.request.kind
        if kind is None:
            self.skip("response", "of other addresses")
            return
        try:
            envelope = exchange.response.envelope()
            if envelope.get("code") == 200:
                self._add_objects(kind, exchange.request.fields(), envelope.get("data"))
            else:
                self.skip("response", "that failed")
        except NOT_AS_EXPECTED:
            self.skip("response", "whose request or data is not as expected")

    def _add_objects(self, kind: ObjectKind, request: JsonObject, data: Any) -> None:
        """Add what the data of a response show; of a pin, the request. Raises NOT_AS_EXPECTED."""
        # Even a list without objects shows what holds it, so it is made here.
        holder_ids = convert([*map(request.get, kind.holder_fields)], list[Id])
        target = self.list_of(kind.noun, *holder_ids)
        if kind is PINNED:
            chat_id = convert(request.get("chatId"), Id)
            earlier = target.objects.get(chat_id, {})
            self._put(target, kind, request, earlier | {"chatId": chat_id})
        elif kind in (APP, DATASET):
            self._add_resources(target, kind, request, data)
        else:
            self._add_page(target, kind, request, convert(data, JsonObject))

    def _add_resources(
        self, target: ObjectList, kind: ObjectKind, request: JsonObject, data: Any
    ) -> None:
        """Add a list of apps or datasets, or the details of one."""
        folder = {}
        # A search finds objects of any folder.
        if "parentId" in request and not request.get("searchKey"):
            folder["parentId"] = request["parentId"] or None
        items = data if isinstance(data, list) else [data]
        for item in convert(items, list[JsonObject]):
            id = item.get("_id")
            earlier = target.objects.get(str(id), {})
            self._put(target, kind, item, earlier | folder | {"id": id})

    def _add_page(
        self, target: ObjectList, kind: ObjectKind, request: JsonObject, page: JsonObject
    ) -> None:
        """Add a page of a list."""
        items = convert(page.get("list", page.get("data")), list[Any])
        first = first_index(request)
        # Pages of records go from the newest on, but each has the oldest first.
        if kind is RECORD:
            first = convert(page.get("total"), int) - first - len(items)
        for index, item in enumerate(items, first):
            id = self._put(target, kind, item, {})
            # A search shows no positions.
            if id is None or request.get("searchText"):
                continue
            # Without a folder, a request is for all objects.
            if "parentId" in request:
                target.positions[id].in_folder = index
            else:
                target.positions[id].in_all = index

    def _put(self, target: ObjectList, kind: ObjectKind, item: Any, base: JsonObject) -> str | None:
        """Put an object into its list and return its id, or note that it is skipped."""
        try:
            if kind is RECORD:
                base = texts_of_record(item)
            return target.put(kind, item, base)
        except ValidationError:
            self.skip(kind.noun, "with a missing or a wrong field")
            return None

    # The fixture

    def document(self) -> JsonObject:
        """The fixture, empty if nothing was seen."""
        self._add_unseen_holders()
        # Apps have chats, and these have records.
        apps = self._place_in_folders("app")
        for app in apps:
            app["chats"] = self.list_of("chat", app["id"]).in_order()
            for chat in app["chats"]:
                records = self.list_of("record", app["id"], chat["chatId"]).in_order()
                if records:
                    chat["records"] = records
        # Datasets have collections, and these have rows, of which the dataset is not known.
        datasets = self._place_in_folders("dataset")
        for dataset in datasets:
            dataset["collections"] = self._place_in_folders("collection", dataset["id"])
            for collection in dataset["collections"]:
                rows = self._take_rows(collection["_id"])
                if rows:
                    collection["data"] = rows
        # The rows that remain belong to no collection.
        for (noun, _), rest in self.lists.items():
            if noun == "row" and rest.objects:
                self.notes["row", "skipped {} whose collection was not seen"] += len(rest.objects)
        if not apps and not datasets:
            return {}
        return {"apps": apps, "datasets": datasets}

    def _add_unseen_holders(self) -> None:
        """Add apps, datasets and chats of which nothing but the content was seen."""
        for noun, holder_ids in [*self.lists]:
            if noun in RESOURCE_NOUNS:
                id = holder_ids[0]
                self.list_of(RESOURCE_NOUNS[noun]).objects.setdefault(id, {"id": id})
            # An empty list of records may be that of a chat which does not exist.
            if noun == "record" and self.list_of(noun, *holder_ids).objects:
                app_id, chat_id = holder_ids
                self.list_of("chat", app_id).objects.setdefault(chat_id, {"chatId": chat_id})

    def _take_rows(self, collection_id: str) -> list[JsonObject]:
        """The rows of a collection, which are then no longer among those that remain."""
        return self.lists.pop(("row", (collection_id,)), ObjectList()).in_order()

    def _place_in_folders(self, noun: str, *holder_ids: str) -> list[JsonObject]:
        """The objects in order, those whose folder was not seen moved to the top level."""
        placed = self.list_of(noun, *holder_ids)
        for fields in placed.objects.values():
            if fields.get("parentId") not in (None, *placed.objects):
                fields["parentId"] = None
                self.notes[noun, "moved {} whose folder was not seen to the top level"] += 1
        return placed.in_order()


def first_index(request: JsonObject) -> int:
    """Where in its list a page begins, by the `offset` or else the number of the page."""
    paging = convert(request, Paged)
    pages_before = max(0, int(paging.page_num or 0) - 1)
    return int(paging.offset or 0) or pages_before * int(paging.page_size or 10)


def texts_of_record(record: Any) -> JsonObject:
    """The texts and thoughts of a record. Raises ValidationError."""
    if not isinstance(record, dict):
        return {}
    value = record.get("value")
    if isinstance(value, str):  # in older records
        return {"text": value}
    parts = []
    for sent_part in convert(value, list[JsonObject]):
        for name in KEPT_PARTS:
            sent_text = sent_part.get(name)
            if isinstance(sent_text, dict):
                parts.append({name: sent_text.get("content")})
    return {"parts": parts}
