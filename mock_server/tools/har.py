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

from mock_server.decoding import NOT_JSON
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
    Item,
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
"""What the responses of operations show; those of all others show nothing."""
KINDS_BY_ROUTE = dict[tuple[str, str], ObjectKind | None]()
"""The same by path and method."""
for _operation in OPERATIONS:
    KINDS_BY_ROUTE |= dict.fromkeys(_operation.routes, KINDS_BY_OPERATION.get(_operation.name))
HOLDERS = {"chat": "app", "record": "app", "collection": "dataset"}
# What tools were given and gave, and files, may have secrets.
KEPT_PARTS = ("reasoning", "text")
ADDRESSES = ("avatar", "name", "rawLink")
"""Fields that may be an address. The name of a link without a title is."""
_IS_ADDRESS = re.compile("(https?:/)?/", re.IGNORECASE)
_PRIVATE = re.compile(r"(?<=//)[^/?#]*@|[?#].*", re.DOTALL)
"""What may be secret in an address: a user with a password, the query, the fragment."""


class Body(Struct):
    text: str | None = None
    encoding: str | None = None

    def value(self) -> Any:
        """The JSON in it. Raises NOT_AS_EXPECTED."""
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
        """What the response shows, None if that is nothing."""
        _, api, end = re.split("[?#]", self.url)[0].rpartition("/api/")
        return KINDS_BY_ROUTE.get((api + end, self.method))

    def fields(self) -> Item:
        """The fields of the body. Raises NOT_AS_EXPECTED."""
        if self.post_data is None or not self.post_data.text:
            return {}
        return convert(self.post_data.value(), Item)


class HarResponse(Struct):
    status: int
    content: Body = field(default_factory=Body)


class RecordedExchange(Struct, rename="camel"):
    """An entry of a recording."""

    request: HarRequest
    response: HarResponse
    started_date_time: ZonedTime = START


def fixture_of(file: BinaryIO) -> tuple[Item, list[str]]:
    """The fixture of a recording, and notes on what was left out. Raises ValueError, OSError."""
    recording = Recording()
    exchanges = list[RecordedExchange]()
    for entry in entries_of(file):
        try:
            exchanges.append(json.decode(entry, type=RecordedExchange))
        except NOT_JSON:
            recording.skip("exchange", "without a request and a response")
    # Later ones win, and a file may have another order.
    for exchange in sorted(exchanges, key=attrgetter("started_date_time")):
        recording.add(exchange)
    # Only the document shows what has no place in it.
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


class Recording:
    """The objects that the exchanges of a recording show; later exchanges win."""

    def __init__(self) -> None:
        self.lists: defaultdict[Names, dict[str, Item]] = defaultdict(dict)
        """Objects by id. The key of a list is their noun and its holders: `("chat", app_id)`."""
        self.positions = defaultdict[tuple[Names, str], Position](Position)
        """Those of the objects, by the key of the list and the id."""
        self.notes = Counter[tuple[str, str]]()
        """How many objects of which a sentence is true, by their noun and the sentence."""

    def skip(self, noun: str, why: str) -> None:
        self.notes[noun, f"skipped {{}} {why}"] += 1

    def summary(self) -> list[str]:
        """The notes, a line each."""
        lines = []
        for (noun, sentence), count in self.notes.items():
            plural = "" if count == 1 else "s"
            lines.append(sentence.format(f"{count} {noun}{plural}"))
        return lines

    # What exchanges show

    def add(self, exchange: RecordedExchange) -> None:
        """Add the objects of an exchange, or note why it is skipped."""
        kind = exchange.request.kind
        if kind is None:
            return self.skip("response", "of other addresses")
        if not 200 <= exchange.response.status < 300:
            return self.skip("response", "that failed")
        try:
            envelope = convert(exchange.response.content.value(), Item)
            if envelope.get("code") != 200:
                return self.skip("response", "that failed")
            self._add_objects(kind, exchange.request.fields(), envelope.get("data"))
        except NOT_AS_EXPECTED:
            self.skip("response", "whose request or data is not as expected")

    def _add_objects(self, kind: ObjectKind, request: Item, data: Any) -> None:
        """Add what the data of a response show; of a pin, the request. Raises NOT_AS_EXPECTED."""
        holder_ids = convert([*map(request.get, kind.holder_fields)], list[Id])
        list_key = (kind.noun, *holder_ids)
        # Even a list without objects shows its holder, so it is made here.
        objects = self.lists[list_key]
        if kind is PINNED:
            chat_id = convert(request.get("chatId"), Id)
            earlier = objects.get(chat_id, {})
            self._put(list_key, kind, request, earlier | {"chatId": chat_id})
        elif kind in (APP, DATASET):
            self._add_resources(list_key, kind, request, data)
        else:
            self._add_page(list_key, kind, request, convert(data, Item))

    def _add_resources(self, list_key: Names, kind: ObjectKind, request: Item, data: Any) -> None:
        """Add a list of apps or datasets, or the details of one."""
        folder = {}
        # A search finds objects of any folder.
        if "parentId" in request and not request.get("searchKey"):
            folder["parentId"] = request["parentId"] or None
        items = data if isinstance(data, list) else [data]
        for item in convert(items, list[Item]):
            id = item.get("_id")
            earlier = self.lists[list_key].get(str(id), {})
            self._put(list_key, kind, item, earlier | folder | {"id": id})

    def _add_page(self, list_key: Names, kind: ObjectKind, request: Item, page: Item) -> None:
        """Add a page of a list."""
        items = convert(page.get("list", page.get("data")), list[Any])
        first = first_index(request)
        # Pages of records go from the newest on, but each has the oldest first.
        if kind is RECORD:
            first = convert(page.get("total"), int) - first - len(items)
        for index, item in enumerate(items, first):
            texts = {}
            if kind is RECORD:
                texts = texts_of_record(item)
            id = self._put(list_key, kind, item, texts)
            # A search shows no positions.
            if id is None or request.get("searchText"):
                continue
            position = self.positions[list_key, id]
            # Without a folder, a request is for all objects.
            if "parentId" in request:
                position.in_folder = index
            else:
                position.in_all = index

    def _put(self, list_key: Names, kind: ObjectKind, item: Any, base: Item) -> str | None:
        """Put an object into its list: base fields, and those kept of an item. Returns its id."""
        try:
            fields = base | pick_fields(item, kind.kept_fields)
            # A folder of null or "" is the top level.
            if "parent_id" in kind.entry.__struct_fields__ and "parentId" in item:
                fields["parentId"] = item["parentId"] or None
            convert(fields, kind.entry)
            id = " ".join(fields[name] for name in kind.id_fields)
        except (AttributeError, KeyError, TypeError, ValidationError):
            self.skip(kind.noun, "with a missing or a wrong field")
            return None
        for name in ADDRESSES:
            if _IS_ADDRESS.match(fields.get(name, "")):
                fields[name] = _PRIVATE.sub("", fields[name])
        self.lists[list_key][id] = fields
        return id

    # The fixture

    def document(self) -> Item:
        """The fixture, empty if nothing was seen."""
        self._add_holders()
        # Apps have chats, and these have records.
        apps = self._place_in_folders("app")
        for app in apps:
            app["chats"] = self._objects_in_order("chat", app["id"])
            for chat in app["chats"]:
                records = self._objects_in_order("record", app["id"], chat["chatId"])
                if records:
                    chat["records"] = records
        # Datasets have collections, and these have rows, of which the dataset is not known.
        datasets = self._place_in_folders("dataset")
        for dataset in datasets:
            dataset["collections"] = self._place_in_folders("collection", dataset["id"])
            for collection in dataset["collections"]:
                rows = self._objects_in_order("row", collection["_id"])
                if rows:
                    collection["data"] = rows
                    del self.lists["row", collection["_id"]]
        # The rows that remain belong to no collection.
        for (noun, *_), objects in self.lists.items():
            if noun == "row" and objects:
                self.notes["row", "skipped {} whose collection was not seen"] += len(objects)
        if not apps and not datasets:
            return {}
        return {"apps": apps, "datasets": datasets}

    def _add_holders(self) -> None:
        """Add apps, datasets and chats of which nothing but the content was seen."""
        for noun, *holder_ids in [*self.lists]:
            if noun in HOLDERS:
                id = holder_ids[0]
                self.lists[HOLDERS[noun],].setdefault(id, {"id": id})
            # An empty list of records may be that of a chat which does not exist.
            if noun == "record" and self.lists[noun, *holder_ids]:
                app_id, chat_id = holder_ids
                self.lists["chat", app_id].setdefault(chat_id, {"chatId": chat_id})

    def _place_in_folders(self, *list_key: str) -> list[Item]:
        """The objects in order, those whose folder was not seen moved to the top level."""
        objects = self.lists.get(list_key, {})
        for fields in objects.values():
            if fields.get("parentId") not in (None, *objects):
                fields["parentId"] = None
                sentence = "moved {} whose folder was not seen to the top level"
                self.notes[list_key[0], sentence] += 1
        return self._objects_in_order(*list_key)

    def _objects_in_order(self, *list_key: str) -> list[Item]:
        """The objects of a list as its pages showed them; those without a position are last."""
        objects = self.lists.get(list_key, {})
        ids = sorted(objects, key=lambda id: self.positions[list_key, id])
        return [objects[id] for id in ids]


def first_index(request: Item) -> int:
    """Where in its list a page begins, by the `offset` or else the number of the page."""
    paging = convert(request, Paged)
    pages_before = max(0, int(paging.page_num or 0) - 1)
    return int(paging.offset or 0) or pages_before * int(paging.page_size or 10)


def texts_of_record(record: Any) -> Item:
    """The texts and thoughts of a record. Raises ValidationError."""
    if not isinstance(record, dict):
        return {}
    value = record.get("value")
    if isinstance(value, str):  # in older records
        return {"text": value}
    parts = []
    for sent_part in convert(value, list[Item]):
        for name in KEPT_PARTS:
            holder = sent_part.get(name)
            if isinstance(holder, dict):
                parts.append({name: holder.get("content")})
    return {"parts": parts}
