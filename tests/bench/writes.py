"""What the related routes' writes cost, with a read after each, as the data grows.

In process, without HTTP, from a hundred records of a kind to a hundred thousand.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from starlette.types import ASGIApp

from mock_server.api.fixture_loading import load_fixture
from mock_server.app import Application, create_app
from mock_server.domain.limits import Limits
from tests.bench.figures import Figure, shown_time
from tests.bench.in_process import Call, canned_answer, together
from tests.support import PIN

SIZES = (100, 1_000, 10_000, 100_000)
SMALL, LARGEST = SIZES[1], SIZES[-1]
MOST_GROWTH = 1.5
TIMES = 90
"""Calls of each kind. The first ones may prepare what the others use."""
APP, DATASET, COLLECTION, FOLDER = "a" * 24, "d" * 24, "c" * 24, "f" * 24
ROUTE, CHATS, DATA = "/api/core/dataset", "/api/core/chat", "/api/core/dataset/data"
LIMITS = Limits(created_chats=10**6, chat_records=10**6, collection_rows=10**6)
Fields = Mapping[str, object]


def document(size: int) -> dict[str, object]:
    """So many collections, data rows, chats, and records of one chat."""
    numbers = range(size)
    record = {"obj": "Human", "text": "What is it?"}
    chats: list[object] = [{"chatId": f"chat-{number}"} for number in numbers]
    chats.append({"chatId": "long", "records": [record] * size})
    rows = [{"q": f"Question {number}", "a": "Answer"} for number in numbers]
    articles = {"name": "Article {n:07}", "repeat": size, "type": "link"}
    written_rows = {"_id": COLLECTION, "name": "Rows", "data": rows}
    folder = {"_id": FOLDER, "name": "Folder", "type": "folder"}
    return {
        "apps": [{"id": APP, "chats": chats}],
        "datasets": [
            {"id": DATASET, "collections": [folder, articles]},
            {"id": "e" * 24, "collections": [written_rows]},
        ],
    }


def call(method: str, path: str, fields: Fields) -> Call:
    """A call with its fields where the method has them."""
    if method in ("GET", "DELETE"):
        return method, f"{path}?{urlencode(fields)}", b""
    return method, path, json.dumps(fields).encode()


def data_of(app: ASGIApp, *asked: Any) -> Any:
    """What a call is answered."""
    return json.loads(canned_answer(app, *call(*asked)).body)["data"]


def ids(app: ASGIApp, path: str, fields: Fields) -> list[str]:
    """The ids of the first items of a list."""
    pages = (
        data_of(app, "POST", path, {**fields, "offset": offset, "pageSize": 30})
        for offset in range(0, TIMES, 30)
    )
    return [item["_id"] for page in pages for item in page["list"]]


COLLECTIONS = call(
    "POST", f"{ROUTE}/collection/listV2", {"offset": 0, "datasetId": DATASET}
)
ROWS = call("POST", f"{DATA}/v2/list", {"collectionId": COLLECTION, "pageSize": 10})
HISTORIES = call("POST", f"{CHATS}/history/getHistories", {"appId": APP})
LONG = {"appId": APP, "chatId": "long"}
RECORDS = call("POST", f"{CHATS}/record/getPaginationRecords", LONG)


def numbered(
    method: str, path: str, fields: Callable[[int], Fields]
) -> Callable[[ASGIApp], list[Call]]:
    """Makes calls that differ by a number."""
    return lambda _: [call(method, path, fields(number)) for number in range(TIMES)]


def of_each(
    method: str, path: str, listed: Call, fields: Callable[[str], Fields]
) -> Callable[[ASGIApp], list[Call]]:
    """Makes a call for each of the first items of a list, by its id."""
    _, at, body = listed
    return lambda app: [
        call(method, path, fields(each)) for each in ids(app, at, json.loads(body))
    ]


def said(number: int, **fields: object) -> Fields:
    """A question to an application."""
    content = f"Question number {number}"
    return {"appId": APP, "messages": [{"role": "user", "content": content}], **fields}


@dataclass(frozen=True)
class Writing:
    """A kind of write, and the page that shows what it did.

    `calls` makes them for an application, before any is timed.
    """

    name: str
    page: Call
    calls: Callable[[ASGIApp], Sequence[Call]]


def collection_writes() -> Iterator[Writing]:
    """What is done to collections."""
    path, of = f"{ROUTE}/collection", {"datasetId": DATASET}
    made = numbered("POST", f"{path}/create", lambda n: of | virtual(n))
    yield Writing("create a collection", COLLECTIONS, made)
    text = numbered("POST", f"{path}/create/text", lambda n: of | written(n))
    yield Writing("create a collection of a text", COLLECTIONS, text)
    for name, fields in (
        ("rename a collection", lambda it: {"id": it, "name": f"Renamed {it}"}),
        ("move a collection", lambda it: {"id": it, "parentId": FOLDER}),
    ):
        calls = of_each("POST", f"{path}/update", COLLECTIONS, fields)
        yield Writing(name, COLLECTIONS, calls)
    gone = of_each(
        "POST", f"{path}/delete", COLLECTIONS, lambda it: {"collectionIds": [it]}
    )
    yield Writing("delete a collection", COLLECTIONS, gone)


def virtual(number: int) -> dict[str, object]:
    """A collection without content."""
    return {"name": f"New {number}", "type": "virtual"}


def written(number: int) -> dict[str, object]:
    """A collection with a text."""
    return {"name": f"New {number}", "text": "Some words.", "trainingType": "chunk"}


def row_writes() -> Iterator[Writing]:
    """What is done to data rows."""
    to = {"collectionId": COLLECTION}
    inserted = numbered("POST", f"{DATA}/insertData", lambda n: to | {"q": f"New {n}"})
    yield Writing("insert a row", ROWS, inserted)
    pushed = numbered(
        "POST", f"{DATA}/pushData", lambda n: to | {"data": [{"q": f"Pushed {n}"}]}
    )
    yield Writing("push a row", ROWS, pushed)
    updated = of_each(
        "PUT", f"{DATA}/update", ROWS, lambda it: {"dataId": it, "q": f"Q {it}"}
    )
    yield Writing("change a row", ROWS, updated)
    deleted = of_each("DELETE", f"{DATA}/delete", ROWS, lambda it: {"id": it})
    yield Writing("delete a row", ROWS, deleted)


def chat_writes() -> Iterator[Writing]:
    """What is done to chats and their records."""
    ask = "/api/v1/chat/completions"
    made = numbered("POST", ask, lambda n: said(n, chatId=f"new-{n}"))
    yield Writing("create a chat", HISTORIES, made)
    pinned = numbered(
        "PUT", PIN, lambda n: {"appId": APP, "chatId": f"chat-{n}", "top": True}
    )
    yield Writing("pin a chat", HISTORIES, pinned)
    deleted = numbered(
        *("DELETE", f"{CHATS}/history/delHistory"),
        lambda n: {"appId": APP, "chatId": f"chat-{n}"},
    )
    yield Writing("delete a chat", HISTORIES, deleted)
    asked = numbered("POST", ask, lambda n: said(n, chatId="long"))
    yield Writing("add records to a chat", RECORDS, asked)


WRITES = (*collection_writes(), *row_writes(), *chat_writes())


def application(size: int) -> Application:
    """The server over so many records of each kind."""
    choices = {"related_routes": "on"}
    fixture = load_fixture(document(size))
    return create_app(fixture, choices=choices, limits=LIMITS)


def seconds(app: Application, writing: Writing) -> tuple[float, float, float]:
    """What a write costs, the page after it, and both together the first time."""
    calls = (each for asked in writing.calls(app) for each in (asked, writing.page))
    took = together(app, [[each] for each in calls])
    medians = statistics.median(took[::2]), statistics.median(took[1::2])
    return *medians, took[0] + took[1]


def figures() -> Iterator[Figure]:
    """How each grows from a thousand records on, in ratio.

    Sizes come in turn, for what else the machine does is to fall on all of them.
    """
    apps = {size: application(size) for size in SIZES}
    for writing in WRITES:
        found = {size: seconds(app, writing) for size, app in apps.items()}
        titles = "", ", the page after it", ", both the first time"
        for number, title in enumerate(titles):
            by_size = {size: each[number] for size, each in found.items()}
            most = MOST_GROWTH if number < 2 else None
            yield growth_of(f"{writing.name}{title}", by_size, most)


def growth_of(name: str, by_size: Mapping[int, float], most: float | None) -> Figure:
    """From a thousand to the largest."""
    times = (f"10^{len(str(n)) - 1}: {shown_time(it)}" for n, it in by_size.items())
    ratio = by_size[LARGEST] / by_size[SMALL]
    return Figure(f"{name}: 10^5 to 10^3", ratio, "×", most, note=", ".join(times))
