"""What was seen of a service becomes a fixture that serves the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import permutations
from time import thread_time
from typing import Any

import httpx2
import pytest

from mock_server.api.fixture_loading import load_fixture
from mock_server.control.embedding import MockServer
from mock_server.service.har.handlers import CapturedData
from mock_server.service.har.reading import Exchange
from tests.har.watched import HISTORIES, Watched, made
from tests.support import APP, DATASET, LIBRARY, LIST, client_of

FOLDERS = (None, "folder", "deep")
COLLECTION = "/api/core/dataset/collection"


@pytest.fixture(scope="module")
def client() -> Iterator[httpx2.Client]:
    with (
        MockServer(LIBRARY) as server,
        client_of(server.url) as client,
    ):
        yield client


@pytest.fixture
def service(client: httpx2.Client) -> Watched:
    return Watched(client).serve(LIBRARY)


def item(collection_id: str, **fields: Any) -> dict[str, Any]:
    return {"_id": collection_id, "name": collection_id, "parentId": None} | fields


def page(items: list[dict[str, Any]], total: int | None = None) -> dict[str, Any]:
    return {"list": items, "total": len(items) if total is None else total}


def seen_of(*exchanges: Exchange) -> CapturedData:
    """What was seen; whatever that was, it loads."""
    seen = CapturedData()
    for each in exchanges:
        seen.add_exchange(each)
    load_fixture(seen.document())
    return seen


def listed(items: Any, *, total: int | None = None, **asked: Any) -> Exchange:
    fields = {"offset": 0, "datasetId": DATASET, "parentId": None} | asked
    return made(LIST, fields, page(items, total))


def parents(seen: CapturedData) -> dict[str, str | None]:
    """The collections of the one dataset, in order, each with its parent."""
    document: Any = seen.document()
    (dataset,) = document["datasets"]
    return {each["_id"]: each["parentId"] for each in dataset["collections"]}


def ids(seen: CapturedData) -> list[str]:
    return list(parents(seen))


@pytest.mark.parametrize("profile", ["deployed", "documented"])
@pytest.mark.parametrize("order", ["update_time_desc", "name", "fixture"])
def test_what_was_seen_whole_is_served_alike(
    service: Watched, profile: str, order: str
) -> None:
    choices: dict[str, str] = {"list_order": order}
    if profile == "documented":
        choices |= {"item_fields": "documented", "parent_omitted": "any"}
    service.serve(LIBRARY, **choices)
    asked: list[dict[str, Any]] = [{"parentId": each} for each in FOLDERS]
    asked += [{"parentId": None, "offset": 1, "pageSize": 2}, {"searchText": "alpha"}]
    asked += [{"searchText": "red", "parentId": None}, {}]
    before = [service.list_v2(**each) for each in asked]
    assert None not in before
    service.again(**choices)
    assert [service.list_v2(**each) for each in asked] == before


def test_chats_are_served_alike_after_pins(service: Watched) -> None:
    service.histories()
    service.pin()
    service.pin(chatId="chat-2", top=False)
    before = service.histories()
    assert service.again().histories() == before


def test_a_pin_tells_of_a_chat_that_was_never_listed(service: Watched) -> None:
    service.pin(title="Refund")
    (chat,) = service.again().histories()["list"]
    assert (chat["chatId"], chat["top"], chat["title"]) == ("chat-1", True, "Refund")


def test_details_and_datasets_are_served_alike(service: Watched) -> None:
    def asked() -> list[Any]:
        return [
            service.send("POST", "/api/core/dataset/list", {"parentId": None}),
            service.send("GET", f"/api/core/dataset/detail?id={DATASET}"),
            service.list_v2(parentId=None),
            service.send("GET", f"{COLLECTION}/detail?id=a"),
        ]

    before = asked()
    service.again()
    assert asked() == before


def test_what_was_deleted_is_gone(service: Watched) -> None:
    for folder in FOLDERS:
        service.list_v2(parentId=folder)
    service.histories()
    service.send("DELETE", f"{COLLECTION}/delete?id=deep")
    service.send(
        "DELETE", f"/api/core/chat/history/delHistory?appId={APP}&chatId=chat-1"
    )
    assert ids(service.seen) == ["folder", "inner", "a", "c", "b"]
    service.again()
    assert [each["chatId"] for each in service.histories()["list"]] == ["chat-2"]


@pytest.mark.parametrize("offsets", [*permutations([0, 2, 4])])
def test_pages_in_any_order_make_the_same_list(offsets: tuple[int, ...]) -> None:
    everything = [item(each) for each in "edcba"]
    pages = [
        listed(everything[at : at + 2], total=5, offset=at, pageSize=2)
        for at in offsets
    ]
    seen = seen_of(*pages)
    assert ids(seen) == list("edcba")
    assert not [each for each in seen.gaps() if " of 5 " in each]


_FOUND_BY_SEARCH = made(
    LIST,
    {"offset": 0, "datasetId": DATASET, "searchText": "x"},
    page([item("x", parentId="unknown")]),
)


def test_what_is_missing_is_told() -> None:
    folder = item("f", type="folder")
    exchanges = [
        listed([folder], total=63),
        _FOUND_BY_SEARCH,
        made(HISTORIES, {"appId": APP}, page([{"chatId": "c", "appId": APP}], 2)),
    ]
    assert [*seen_of(*exchanges).gaps()] == [
        f"dataset {DATASET}: 1 of 63 collections of its top level seen",
        f"dataset {DATASET}: known by id only: folder unknown",
        f"app {APP}: 1 of 2 chats seen",
    ]


@pytest.mark.ci
@pytest.mark.parametrize("subject", ["collection", "dataset"])
@pytest.mark.parametrize("at_once", [False, True])
def test_many_deletions_cost_in_proportion(subject: str, at_once: bool) -> None:
    def cost(count: int) -> float:
        ids = [f"{number}" for number in range(count)]
        path, field = "/api/core/dataset/delete", "id"
        exchanges = [made("/api/core/dataset/list", {}, [*map(item, ids)])]
        if subject == "collection":
            path, field = f"{COLLECTION}/delete", "collectionIds"
            exchanges = [
                made(
                    LIST, {"datasetId": "all" if at_once else each}, page([item(each)])
                )
                for each in ids
            ]
        seen = seen_of(*exchanges)
        deletions = [
            made(path, {field: each}, None)._replace(method="DELETE")
            for each in ([ids] if at_once else ([each] for each in ids))
        ]
        start = thread_time()
        assert all(map(seen.add_exchange, deletions))
        return thread_time() - start

    small, large = (min(cost(n) for _ in range(3)) for n in (100, 800))
    assert large <= 20 * small + 0.003


def test_an_unknown_folder_stands_at_the_top() -> None:
    seen = seen_of(listed([item("f", type="folder")]), _FOUND_BY_SEARCH)
    assert parents(seen) == {"f": None, "unknown": None, "x": "unknown"}


@pytest.mark.parametrize(
    "items",
    [
        [item("a", parentId="b"), item("b", parentId="a")],
        [item("a", parentId="a")],
        [item(f"{n}", parentId=f"{n + 1}") for n in range(250)],
        [item("a", tags=None, updateTime="yesterday", dataAmount=-1, forbid="no")],
        [item("a", tags=["x", 5], updateTime="2024-01-01T00:00:00+25:00", type=7)],
        [item("..", parentId="."), item(""), item("x" * 300), {"_id": "a"}, item("b")],
        [item("a", parentId="x" * 300), item("a", name="twice")],
    ],
)
def test_odd_items_become_a_fixture_that_loads(items: list[Any]) -> None:
    asked = {"offset": 0, "datasetId": DATASET}
    seen_of(
        made(LIST, asked, page(items)), made(LIST, {**asked, "parentId": "q"}, page([]))
    )


def test_long_texts_are_cut() -> None:
    long = item("a", name="n" * 9_000, tags=["t" * 300, "x"])
    document: Any = seen_of(listed([long])).document()
    (found,) = document["datasets"][0]["collections"]
    assert found["name"] == "n" * 8_192
    assert found["tags"] == ["t" * 256, "x"]


def _answer(**fields: Any) -> bytes:
    return json.dumps({"code": 200, "data": page([item("a")])} | fields).encode()


@pytest.mark.parametrize(
    "change",
    [
        {"status": 500},
        {"body": _answer(code=514)},
        {"body": _answer(data=None)},
        {"body": _answer(data={"list": [7], "total": 1})},
        {"body": _answer(data={"list": [item("a")], "total": "many"})},
        {"body": b'{"code": 200, "data": {"list": [], "total": 1e999}}'},
        {"body": _answer()[:-5]},
        {"body": b"<!doctype html>"},
        {"body": b"[" * 5000},
        {"request_body": b"\xff"},
        {"request_body": b"[]"},
        {"request_body": b'{"datasetId": ".."}'},
        {"path": "/api/core/dataset"},
        {"method": "GET"},
    ],
)
def test_refused_and_malformed_answers_tell_nothing(change: dict[str, Any]) -> None:
    seen = CapturedData()
    assert not seen.add_exchange(listed([item("a")])._replace(**change))
    assert seen.document() == {"apps": [], "datasets": []}
