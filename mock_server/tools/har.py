"""Makes a fixture of a HAR recording: of the objects that its responses show.

An object has the fields that `kinds` names, each checked by the type that fixtures have
for it. All else is left out: headers, cookies, queries, other bodies and other fields.
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
from mock_server.tools import kinds
from mock_server.tools.kinds import Item, Names, ObjectKind, pick_fields

MAX_FILE = 256 * 1024 * 1024
NOT_AS_EXPECTED = (MsgspecError, ValueError, RecursionError)
SHOWN_KINDS = {
    "updateHistory": kinds.PINNED,
    "getHistories": kinds.CHAT,
    "getPaginationRecords": kinds.MESSAGE,
    "listV2": kinds.COLLECTION,
    "collection.list": kinds.COLLECTION,
    "v2.list": kinds.DATA,
    "app.list": kinds.APP,
    "app.detail": kinds.APP,
    "dataset.list": kinds.DATASET,
    "dataset.detail": kinds.DATASET,
}
"""What the responses of operations show."""
KINDS_OF_ROUTES = dict[tuple[str, str], ObjectKind | None]()
"""What the response to each path and method shows."""
for _operation in OPERATIONS:
    KINDS_OF_ROUTES |= dict.fromkeys(_operation.routes, SHOWN_KINDS.get(_operation.name))
HOLDERS = {"chat": "app", "record": "app", "collection": "dataset"}
KEPT_PARTS = ("reasoning", "text")  # what tools were given and gave, and files, may have secrets
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
        return KINDS_OF_ROUTES.get((api + end, self.method))

    def fields(self) -> Item:
        """What is sent. Raises NOT_AS_EXPECTED."""
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


class Recording:
    """What the exchanges of a recording show; later ones win."""

    def __init__(self) -> None:
        self.lists: defaultdict[Names, dict[str, Item]] = defaultdict(dict)
        """By kind and ids of the holders, such as `("chat", app_id)`."""
        self.places = defaultdict[tuple[Names, str], list[float]](lambda: [inf, inf])
        """Where an id is in a list: of everything, and of a folder."""
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
        """Use an exchange, or note why it is skipped."""
        kind = exchange.request.kind
        if kind is None:
            return self.skip("response", "of other addresses")
        if not 200 <= exchange.response.status < 300:
            return self.skip("response", "that failed")
        try:
            envelope = convert(exchange.response.content.value(), Item)
            if envelope.get("code") != 200:
                return self.skip("response", "that failed")
            self._use(kind, exchange.request.fields(), envelope.get("data"))
        except NOT_AS_EXPECTED:
            self.skip("response", "whose request or data is not as expected")

    def _use(self, kind: ObjectKind, sent: Item, data: Any) -> None:
        """Use a request and the data of its response. Raises NOT_AS_EXPECTED."""
        holders = convert([*map(sent.get, kind.holders)], list[Id])
        where = (kind.noun, *holders)
        # Even a list without objects shows its holder.
        seen = self.lists[where]
        if kind is kinds.PINNED:
            id = convert(sent.get("chatId"), Id)
            self.put(where, kind, sent, seen.get(id, {}) | {"chatId": id})
        elif kind in (kinds.APP, kinds.DATASET):
            self._use_resources(where, kind, sent, data)
        else:
            self._use_page(where, kind, sent, convert(data, Item))

    def _use_resources(self, where: Names, kind: ObjectKind, sent: Item, data: Any) -> None:
        """Use a list of apps or datasets, or the details of one."""
        known = {}
        # A search finds objects of any folder.
        if "parentId" in sent and not sent.get("searchKey"):
            known["parentId"] = sent["parentId"] or None
        items = data if isinstance(data, list) else [data]
        for item in convert(items, list[Item]):
            id = item.get("_id")
            earlier = self.lists[where].get(str(id), {})
            self.put(where, kind, item, earlier | known | {"id": id})

    def _use_page(self, where: Names, kind: ObjectKind, sent: Item, page: Item) -> None:
        """Use a page of a list."""
        items = convert(page.get("list", page.get("data")), list[Any])
        first = place_of_first(sent)
        # Pages of messages go from the newest on, but each has the oldest first.
        if kind is kinds.MESSAGE:
            first = convert(page.get("total"), int) - first - len(items)
        for place, item in enumerate(items, first):
            known = {}
            if kind is kinds.MESSAGE:
                known = texts_of_record(item)
            id = self.put(where, kind, item, known)
            if id and not sent.get("searchText"):
                self.places[where, id]["parentId" in sent] = place

    def put(self, where: Names, kind: ObjectKind, item: Any, known: Item) -> str | None:
        """Add or replace an object: known fields, and kept ones of an item. Returns its id."""
        try:
            fields = known | pick_fields(item, kind.kept)
            # A folder of null or "" is the top level.
            if "parent_id" in kind.entry.__struct_fields__ and "parentId" in item:
                fields["parentId"] = item["parentId"] or None
            convert(fields, kind.entry)
            id = " ".join(fields[it] for it in kind.id)
        except (AttributeError, KeyError, TypeError, ValidationError):
            self.skip(kind.noun, "with a missing or a wrong field")
            return None
        for name in ADDRESSES:
            if _IS_ADDRESS.match(fields.get(name, "")):
                fields[name] = _PRIVATE.sub("", fields[name])
        self.lists[where][id] = fields
        return id

    # The fixture

    def document(self) -> Item:
        """The fixture, empty if nothing was seen."""
        self._add_holders()
        apps = self._in_folders("app")
        datasets = self._in_folders("dataset")
        for app in apps:
            app["chats"] = self._chats_of(app["id"])
        for dataset in datasets:
            dataset["collections"] = self._collections_of(dataset["id"])
        # The rows that are left belong to no collection.
        for (noun, *_), objects in self.lists.items():
            if noun == "row" and objects:
                self.notes["row", "skipped {} whose collection was not seen"] += len(objects)
        if not apps and not datasets:
            return {}
        return {"apps": apps, "datasets": datasets}

    def _add_holders(self) -> None:
        """Add apps, datasets and chats of which nothing but the content was seen."""
        for noun, *ids in [*self.lists]:
            if noun in HOLDERS:
                self.lists[HOLDERS[noun],].setdefault(ids[0], {"id": ids[0]})
            if noun == "record" and self.lists[noun, *ids]:
                self.lists["chat", ids[0]].setdefault(ids[1], {"chatId": ids[1]})

    def _chats_of(self, app_id: str) -> list[Item]:
        chats = self._ordered(("chat", app_id))
        for chat in chats:
            records = self._ordered(("record", app_id, chat["chatId"]))
            if records:
                chat["records"] = records
        return chats

    def _collections_of(self, dataset_id: str) -> list[Item]:
        collections = self._in_folders("collection", dataset_id)
        for collection in collections:
            where = ("row", collection["_id"])
            rows = self._ordered(where)
            if rows:
                collection["data"] = rows
                del self.lists[where]
        return collections

    def _in_folders(self, *where: str) -> list[Item]:
        """The objects in order; at the top level if their folder was not seen."""
        found = self.lists.get(where, {})
        for item in found.values():
            if item.get("parentId") not in (None, *found):
                item["parentId"] = None
                self.notes[where[0], "moved {} whose folder was not seen to the top level"] += 1
        return self._ordered(where)

    def _ordered(self, where: Names) -> list[Item]:
        """The objects of a list as its pages showed them; those without a place are last."""
        found = self.lists.get(where, {})
        return [found[id] for id in sorted(found, key=lambda id: self.places[where, id])]


def place_of_first(sent: Item) -> int:
    """Where in its list a page begins, by the `offset` or else the number of the page."""
    wanted = convert(sent, Paged)
    pages_before = max(0, int(wanted.page_num or 0) - 1)
    return int(wanted.offset or 0) or pages_before * int(wanted.page_size or 10)


def texts_of_record(record: Any) -> Item:
    """The texts and thoughts of a record. Raises ValidationError."""
    if not isinstance(record, dict):
        return {}
    value = record.get("value")
    if isinstance(value, str):  # in older records
        return {"text": value}
    parts = []
    for each in convert(value, list[Item]):
        for name in KEPT_PARTS:
            part = each.get(name)
            if isinstance(part, dict):
                parts.append({name: part.get("content")})
    return {"parts": parts}


def fixture_of(file: BinaryIO) -> tuple[Item, list[str]]:
    """The fixture of a recording, and what is to be said of it. Raises ValueError, OSError."""
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
    document = recording.document()
    return document, recording.summary()


def entries_of(file: BinaryIO) -> list[Raw]:
    """The entries of a HAR file, not decoded yet. Raises ValueError, OSError."""
    content = file.read(MAX_FILE + 1)
    if len(content) > MAX_FILE:
        raise ValueError(f"Expected a HAR file of at most {MAX_FILE // 1024**2} MiB")
    try:
        part = Raw(content.removeprefix(BOM_UTF8))
        for name in ("log", "entries"):
            part = json.decode(part, type=dict[str, Raw])[name]
        return json.decode(part, type=list[Raw])
    except (KeyError, *NOT_JSON) as error:
        raise ValueError(f"Expected a HAR file ({error})") from None
