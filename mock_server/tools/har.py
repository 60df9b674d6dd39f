"""Makes a fixture from the objects that the exchanges in a HAR recording show.

An object has the fields that its `ObjectKind` keeps, each checked by the type that fixtures
have for it. Everything else is left out: headers, cookies, queries, other bodies and other fields.
"""

import re
from base64 import b64decode
from codecs import BOM_UTF8
from collections import Counter, defaultdict
from math import inf
from operator import attrgetter
from typing import Any, BinaryIO

from msgspec import MsgspecError, Raw, Struct, ValidationError, convert, json

from mock_server.clock import ZonedTime
from mock_server.decoding import NOT_JSON, JsonObject
from mock_server.fixture.document import START
from mock_server.service.apps import app_detail, app_list
from mock_server.service.chats import get_histories, update_history
from mock_server.service.collection_lists import collection_list, list_v2
from mock_server.service.data import data_list
from mock_server.service.datasets import dataset_detail, dataset_list
from mock_server.service.records import get_pagination_records
from mock_server.service.shared import DEFAULT_PAGE_SIZE, PageRequest
from mock_server.store.objects import Id
from mock_server.tools import object_kinds as kinds
from mock_server.words import count_in_words

MAX_FILE = 256 * 1024 * 1024
NOT_AS_EXPECTED = (MsgspecError, ValueError, RecursionError)
RECOGNISED = (
    (update_history, kinds.PINNED),
    (get_histories, kinds.CHAT),
    (get_pagination_records, kinds.RECORD),
    (list_v2, kinds.COLLECTION),
    (collection_list, kinds.COLLECTION),
    (data_list, kinds.ROW),
    (app_list, kinds.APP),
    (app_detail, kinds.APP),
    (dataset_list, kinds.DATASET),
    (dataset_detail, kinds.DATASET),
)
"""The operations whose responses are read, and the kind of objects in these."""
KINDS_BY_ROUTE = {route: kind for operation, kind in RECOGNISED for route in operation.routes}
"""The kinds by (path, method)."""
RESOURCE_NOUNS = {"chat": "app", "record": "app", "collection": "dataset"}
"""Noun of objects -> noun of the app or dataset that holds them, maybe in a chat."""
KEPT_PARTS = ("reasoning", "text")
"""The parts of records that are kept. Files, and the input and output of tools, may be secret."""
ADDRESSES = ("avatar", "name", "rawLink")
"""Fields that may be an address: a link without a title has its address as its name."""
_IS_ADDRESS = re.compile("(https?:/)?/", re.IGNORECASE)
_PRIVATE = re.compile(r"(?<=//)[^/?#]*@|[?#].*", re.DOTALL)
"""What may be secret in an address: a user with a password, the query, the fragment."""


class Body(Struct, frozen=True):
    """The body of a request or a response."""

    text: str | None = None
    encoding: str | None = None

    def fields(self) -> JsonObject:
        """The fields of the text, which is a JSON object. Raises NOT_AS_EXPECTED."""
        text: str | bytes = self.text or ""
        if self.encoding == "base64":
            text = b64decode(text)
        return json.decode(text, type=JsonObject)


class HarRequest(Struct, rename="camel"):
    """The parts of a recorded request that are read."""

    method: str
    url: str
    post_data: Body | None = None


class HarResponse(Struct):
    """The parts of a recorded response that are read."""

    status: int
    content: Body = Body()


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
    # Later exchanges win, and a file may not be in the order of time.
    for exchange in sorted(exchanges, key=attrgetter("started_date_time")):
        recording.add(exchange)
    # The document comes before the summary, as it notes the objects that it leaves out.
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


class ObjectList(Struct):
    """The objects of a list, by id."""

    objects: dict[str, JsonObject] = {}
    places: dict[str, tuple[bool, int]] = {}
    """(False, index in the list of all objects), or (True, index in that of the folder)."""

    def in_order(self) -> list[JsonObject]:
        """The objects in the order of the pages; objects without an index are last."""
        ids = sorted(self.objects, key=lambda id: self.places.get(id, (True, inf)))
        return [self.objects[id] for id in ids]


class Recording:
    """The objects that the exchanges of a recording show; later exchanges win."""

    def __init__(self) -> None:
        self.lists = defaultdict[tuple[str, ...], ObjectList](ObjectList)
        """Lists by the noun and the holders of their objects: `("record", APP_ID, CHAT_ID)`."""
        self.notes = Counter[tuple[str, str]]()
        """The number of objects for which a sentence is true, by their noun and the sentence."""

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
        request = exchange.request
        response = exchange.response
        # Behind a proxy, the path of FastGPT may have a prefix.
        _, api, end = re.split("[?#]", request.url)[0].rpartition("/api/")
        kind = KINDS_BY_ROUTE.get((api + end, request.method))
        if kind is None:
            self.skip("response", "of other addresses")
            return
        try:
            envelope = {}
            if 200 <= response.status < 300:
                envelope = response.content.fields()
            if envelope.get("code") != 200:
                self.skip("response", "that failed")
                return
            fields = {}
            if request.post_data and request.post_data.text:
                fields = request.post_data.fields()
            self._add_objects(kind, fields, envelope.get("data"))
        except NOT_AS_EXPECTED:
            self.skip("response", "whose request or data is not as expected")

    def _add_objects(self, kind: kinds.ObjectKind, request: JsonObject, data: Any) -> None:
        """Add the objects in the data, or the pin in the request. Raises NOT_AS_EXPECTED."""
        holder_ids = convert([*map(request.get, kind.holder_fields)], list[Id])
        target = self.lists[kind.noun, *holder_ids]
        # Even an empty list shows that the app or the dataset exists.
        if kind.noun in RESOURCE_NOUNS:
            id = holder_ids[0]
            self.lists[(RESOURCE_NOUNS[kind.noun],)].objects.setdefault(id, {"id": id})
        if kind is kinds.PINNED:
            chat_id = convert(request.get("chatId"), Id)
            self._put(target, kind, request, target.objects.get(chat_id, {}))
        elif kind in (kinds.APP, kinds.DATASET):
            self._add_resources(target, kind, request, data)
        else:
            self._add_page(target, kind, request, convert(data, JsonObject))

    def _add_resources(
        self, target: ObjectList, kind: kinds.ObjectKind, request: JsonObject, data: Any
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
            self._put(target, kind, item | {"id": id}, earlier | folder)

    def _add_page(
        self, target: ObjectList, kind: kinds.ObjectKind, request: JsonObject, page: JsonObject
    ) -> None:
        """Add a page of a list."""
        items = convert(page.get("list", page.get("data")), list[Any])
        first = first_index(request)
        # The first page of records has the newest, but each page begins with its oldest record.
        if kind is kinds.RECORD:
            first = convert(page.get("total"), int) - first - len(items)
        for index, item in enumerate(items, first):
            id = self._put(target, kind, item, {})
            # An index among the hits of a search is not the index in the list.
            if id is not None and not request.get("searchText"):
                place = ("parentId" in request, index)
                target.places[id] = min(place, target.places.get(id, place))

    def _put(
        self, target: ObjectList, kind: kinds.ObjectKind, item: Any, base: JsonObject
    ) -> str | None:
        """Put an object, with base fields, into its list; return its id, or None if skipped."""
        try:
            sent = convert(item, JsonObject)
            if kind is kinds.RECORD:
                base = texts_of_record(sent)
            fields = base | kind.pick(sent)
            # A folder of null or "" is the top level.
            if "parent_id" in kind.entry.__struct_fields__ and "parentId" in sent:
                fields["parentId"] = sent["parentId"] or None
            # This is only a check: the fixture has the fields as they were sent.
            convert(fields, kind.entry)
            id = " ".join(convert([*map(fields.get, kind.id_fields)], list[str]))
        except ValidationError:
            self.skip(kind.noun, "with a missing or a wrong field")
            return None
        for name in ADDRESSES:
            if _IS_ADDRESS.match(fields.get(name, "")):
                fields[name] = _PRIVATE.sub("", fields[name])
        target.objects[id] = fields
        return id

    # The fixture

    def document(self) -> JsonObject:
        """The fixture, empty if nothing was seen."""
        for (noun, *holder_ids), seen in [*self.lists.items()]:
            # An empty list of records may be of a chat that does not exist.
            if noun == "record" and seen.objects:
                app_id, chat_id = holder_ids
                chats = self.lists["chat", app_id].objects
                chat = chats.setdefault(chat_id, {"chatId": chat_id})
                chat["records"] = seen.in_order()
        apps = self._place_in_folders("app")
        for app in apps:
            app["chats"] = self.lists["chat", app["id"]].in_order()
        # Datasets have collections, and these have rows. A request for rows names no dataset.
        datasets = self._place_in_folders("dataset")
        for dataset in datasets:
            dataset["collections"] = self._place_in_folders("collection", dataset["id"])
            for collection in dataset["collections"]:
                rows = self.lists.pop(("row", collection["_id"]), ObjectList())
                if rows.objects:
                    collection["data"] = rows.in_order()
        # The rows that remain belong to no collection.
        for (noun, *_), rest in self.lists.items():
            if noun == "row" and rest.objects:
                self.notes["row", "skipped {} whose collection was not seen"] += len(rest.objects)
        if not apps and not datasets:
            return {}
        return {"apps": apps, "datasets": datasets}

    def _place_in_folders(self, noun: str, *holder_ids: str) -> list[JsonObject]:
        """The objects in order; those whose folder was not seen are at the top level."""
        placed = self.lists[noun, *holder_ids]
        for fields in placed.objects.values():
            if fields.get("parentId") not in (None, *placed.objects):
                fields["parentId"] = None
                self.notes[noun, "moved {} whose folder was not seen to the top level"] += 1
        return placed.in_order()


def first_index(request: JsonObject) -> int:
    """The index in the list at which a page begins: its `offset`, or from its page number."""
    paging = convert(request, PageRequest)
    pages_before = max(0, int(paging.page_num or 0) - 1)
    return int(paging.offset or 0) or pages_before * int(paging.page_size or DEFAULT_PAGE_SIZE)


def texts_of_record(record: JsonObject) -> JsonObject:
    """The text and reasoning parts of a record. Raises ValidationError."""
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
