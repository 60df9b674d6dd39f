"""What stories ask: fields that are drawn at random from what there is."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from tests.model.records import Fields
from tests.model.sandbox import Sandbox

Maker = Callable[["Draw"], Any]
UNKNOWN = "0" * 24


class Draw:
    """What is drawn at random, and the ids that there are in a sandbox."""

    def __init__(self, random: Random, sandbox: Sandbox) -> None:
        self.random, self.state = random, sandbox.plain.state

    def one(self, values: Any) -> Any:
        return self.random.choice(values)

    def id(self, ids: Any) -> str:
        """One of the ids, the latest more often, now and then one that there is not."""
        known = list(ids)
        if not known or self.random.random() < 0.06:
            return UNKNOWN
        recent = known[-4:] if self.random.random() < 0.4 else known
        return str(self.random.choice(recent))

    def fields(self, needed: dict[str, Maker], optional: dict[str, Maker]) -> Fields:
        """An object with these fields, each of the optional ones now and then."""
        found = {name: make(self) for name, make in needed.items()}
        for name, make in optional.items():
            if self.random.random() < 0.35:
                found[name] = make(self)
        return found


def of(*values: Any) -> Maker:
    """One of these values."""
    return lambda draw: draw.random.choice(values)


def many(make: Maker, least: int, most: int) -> Maker:
    """A list of so many."""
    return lambda draw: [make(draw) for _ in range(draw.random.randint(least, most))]


def an_object(needed: dict[str, Maker], **optional: Maker) -> Maker:
    return lambda draw: draw.fields(needed, optional)


def apps(draw: Draw) -> str:
    return draw.id(draw.state["apps"])


def datasets(draw: Draw) -> str:
    """A dataset, more often one that has collections."""
    known = draw.state["datasets"]
    full = [each["id"] for each in known.values() if each["collections"]]
    return draw.id(full if full and draw.random.random() < 0.5 else known)


def collections(draw: Draw) -> str:
    known = draw.state["datasets"].values()
    return draw.id([each for dataset in known for each in dataset["collections"]])


def rows(draw: Draw) -> str:
    found = [
        row["id"]
        for dataset in draw.state["datasets"].values()
        for each in dataset["rows"].values()
        for row in each
    ]
    return draw.id(found)


def records(draw: Draw) -> str:
    found = [
        record["id"]
        for app in draw.state["apps"].values()
        for each in app["records"].values()
        for record in each
    ]
    return draw.id(found)


def some_records(draw: Draw) -> str | list[str]:
    """Two of them, as a list or as a text."""
    found = [records(draw), records(draw)]
    return draw.one([found, ",".join(found)])  # type: ignore[no-any-return]


def files(draw: Draw) -> str:
    found = [
        each["fileId"]
        for dataset in draw.state["datasets"].values()
        for each in dataset["collections"].values()
        if "fileId" in each
    ]
    return draw.id(found)


def chats(draw: Draw) -> str:
    if draw.random.random() < 0.15:
        return str(draw.one(["one", "new", ".", "other one"]))
    app = draw.state["apps"].get(apps(draw), {"chats": ()})
    return draw.id(app["chats"])


def parents(draw: Draw) -> str | None:
    kind = draw.random.random()
    return None if kind < 0.3 else "" if kind < 0.4 else collections(draw)


def shelves(draw: Draw) -> str | None:
    kind = draw.random.random()
    return None if kind < 0.3 else "" if kind < 0.4 else datasets(draw)


FLAGS = of(True, False)
TEXTS = of("", "Apple", "pear", "manual", "a\n\nb", "äPFEL", "1", 'STRASSE "x"')
SOME_TEXTS = of("Apple", "Pears grow", "re", "Nuts and pears", '"x",')
TERMS = of("", "a", "PEAR", "äpf", "none", "part 1", "ed", "Ä", "strasse")
TAGS = many(of("red", "green", "blue", "Pear"), 0, 2)
TIMES = of("2025-06-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")
NUMBERS, COUNTS = of(0, 1, 2, 40, "1", None, ""), of(1, 2, 3, 40, "2")
PAGING: dict[str, Maker] = {"pageSize": COUNTS, "offset": NUMBERS, "pageNum": NUMBERS}
INDEXES = many(
    an_object({"text": SOME_TEXTS}, type=of("default", "custom", None)), 0, 2
)
PUSHED = an_object({}, q=TEXTS, a=TEXTS, chunkIndex=of(0, 1, 2), indexes=INDEXES)
LISTED: dict[str, Maker] = {
    "parentId": parents,
    "searchText": TERMS,
    "selectFolder": FLAGS,
    "filterTags": TAGS,
}
CHAT: dict[str, Maker] = {"appId": apps, "chatId": chats}


def of_record(name: str, **optional: Maker) -> Maker:
    """A record of some chat, mostly of the one that is named, under that name."""

    def make(draw: Draw) -> Fields:
        found = draw.fields({**CHAT, name: records}, optional)
        known = [
            (app["id"], chat_id, record["id"])
            for app in draw.state["apps"].values()
            for chat_id, each in app["records"].items()
            for record in each
        ]
        if known and draw.random.random() < 0.7:
            names = "appId", "chatId", name
            found |= dict(zip(names, draw.one(known), strict=True))
        return found

    return make


SOURCE: dict[str, Maker] = {
    "parentId": parents,
    "tags": TAGS,
    "trainingType": of("qa", None),
}
MESSAGES = many(
    an_object(
        {
            "role": of("user", "user", "user", "system"),
            "content": of("Hi", "A question of more than twenty characters"),
        }
    ),
    1,
    2,
)


def _pushed(draw: Draw) -> list[Fields]:
    if draw.random.random() < 0.2:
        return [{"q": f"row {number}"} for number in range(25)]
    found: list[Fields] = many(PUSHED, 1, 3)(draw)
    return found


PIN = an_object(CHAT | {"top": FLAGS}, title=TEXTS, customTitle=TEXTS)
PLAIN_PIN = an_object(CHAT | {"top": FLAGS})
LIST = an_object(
    {"datasetId": datasets},
    offset=of(0, 0, 1, 2, 5, 40, "1", 3.0),
    pageSize=of(1, 2, 3, 10, 30, 31, 100, 101, "2", "40", 1e300),
    pageNum=of(1, 2, 3, "2", 0),
    **LISTED,
)
PLAIN_LIST = an_object(
    {"datasetId": datasets, "offset": of(0, 0, 1, 3)},
    pageSize=of(1, 2, 3, 30),
    parentId=parents,
    searchText=TERMS,
)
_SIZES: dict[str, Maker] = {"pageSize": of(1, 2, 3, 40)}
_AROUND = [
    an_object(CHAT, includeDeleted=FLAGS, **_SIZES),
    an_object(CHAT | {"initialId": records}, prevId=records, **_SIZES),
    an_object(CHAT | {"prevId": records}, nextId=records, **_SIZES),
    an_object(CHAT | {"nextId": records}, **_SIZES),
]
_UPDATES = [
    an_object(
        {"id": collections},
        name=TEXTS,
        parentId=parents,
        tags=TAGS,
        forbid=FLAGS,
        createTime=TIMES,
    ),
    an_object({"datasetId": datasets, "externalFileId": of("file-1", "?")}, name=TEXTS),
]
_DELETIONS = [
    an_object({"id": collections}),
    an_object({"collectionIds": many(collections, 0, 2)}),
    an_object({}, id=collections, collectionIds=many(collections, 0, 2)),
]
CALLS: dict[str, Maker] = {
    "getHistories": an_object(
        {"appId": apps}, startUpdateTime=TIMES, endUpdateTime=TIMES, **PAGING
    ),
    "delHistory": an_object(CHAT),
    "clearHistories": an_object({"appId": apps}),
    "batchDelete": an_object({"appId": apps, "chatIds": many(chats, 1, 2)}),
    "getHistoryStatus": an_object({"appId": apps, "chatIds": many(chats, 0, 3)}),
    "markRead": an_object(CHAT),
    "updateUserFeedback": of_record(
        "dataId", userGoodFeedback=of("yes", "", None), userBadFeedback=of("no", None)
    ),
    "record.delete": of_record(
        "contentId", contentIds=some_records, delFile=of(True, "x")
    ),
    "item.delete": of_record("contentId"),
    "getResData": of_record("dataId"),
    "v2.createQuestionGuide": an_object(CHAT, questionGuide=of({"open": True}, 5)),
    "init": an_object(CHAT),
    "getPaginationRecords": an_object({"appId": apps}, chatId=chats, **PAGING),
    "getRecords_v2": lambda draw: draw.one(_AROUND)(draw),
    "completions": an_object({"messages": MESSAGES}, detail=FLAGS, **CHAT),
    "dataset.create": an_object(
        {
            "type": of("dataset", "folder"),
            "name": TEXTS,
            "intro": TEXTS,
            "avatar": TEXTS,
        },
        parentId=shelves,
    ),
    "folder.create": an_object({"name": TEXTS, "intro": TEXTS}, parentId=shelves),
    "dataset.list": an_object(
        {}, parentId=shelves, type=of("dataset", "folder"), searchKey=TERMS
    ),
    "dataset.detail": an_object({"id": datasets}),
    "dataset.update": an_object(
        {"id": datasets}, name=TEXTS, intro=TEXTS, avatar=TEXTS, parentId=shelves
    ),
    "dataset.delete": an_object({"id": datasets}),
    "dataset.paths": an_object({"sourceId": datasets, "type": of("current", "parent")}),
    "collection.create": an_object(
        {"datasetId": datasets, "name": TEXTS, "type": of("folder", "virtual")},
        parentId=parents,
        tags=TAGS,
    ),
    "text": an_object({"datasetId": datasets, "name": TEXTS, "text": TEXTS}, **SOURCE),
    "link": an_object(
        {"datasetId": datasets, "link": of("https://a.bc/d", "a b")}, **SOURCE
    ),
    "fileId": an_object({"datasetId": datasets, "fileId": files}, **SOURCE),
    "collection.update": lambda draw: draw.one(_UPDATES)(draw),
    "collection.delete": lambda draw: draw.one(_DELETIONS)(draw),
    "collection.detail": an_object({"id": collections}),
    "collection.paths": an_object({"sourceId": collections}),
    "trainingDetail": an_object({"collectionId": collections}),
    "export": an_object({"collectionId": collections}),
    "collection.list": an_object(
        {"datasetId": datasets},
        pageNum=of(1, 2, 3),
        pageSize=of(1, 2, 30),
        simple=FLAGS,
        **LISTED,
    ),
    "scrollList": an_object({"datasetId": datasets}, **PAGING, **LISTED),
    "data.v2.list": an_object(
        {"collectionId": collections}, searchText=TERMS, **PAGING
    ),
    "data.list": an_object({"collectionId": collections}, searchText=TERMS, **PAGING),
    "pushData": an_object({"collectionId": collections, "data": _pushed}),
    "insertData": an_object(
        {"collectionId": collections, "q": SOME_TEXTS}, a=TEXTS, indexes=INDEXES
    ),
    "data.detail": an_object({"id": rows}),
    "data.update": an_object(
        {"dataId": rows, "q": SOME_TEXTS}, a=TEXTS, indexes=INDEXES
    ),
    "data.delete": an_object({"id": rows}),
    "searchTest": an_object(
        {"datasetId": datasets, "text": SOME_TEXTS},
        searchMode=of("embedding", "fullTextRecall", "mixedRecall"),
        usingReRank=FLAGS,
        limit=of(1, 5, 20_000),
    ),
    "tokenLogin": an_object({}),
    "getInitData": an_object({}),
    "getTeamPlanStatus": an_object({}),
}
