"""Data rows: listed, pushed, inserted, read, changed, deleted."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import Limits, Published
from tests.api.related.world import (
    DATA,
    DATASET,
    ITEM,
    OUTSIDER,
    READER,
    WRITER,
    insert,
    related_routes,
    send,
)
from tests.conftest import MakeApi
from tests.support import Api


def push(api: Api, *rows: Any) -> Any:
    """Push rows; gives the answer."""
    body = {"collectionId": ITEM, "data": list(rows)}
    return send(api, "POST", f"{DATA}/pushData", body)


def page(api: Api, route: str = "v2/list", **fields: Any) -> Any:
    """A page of the rows of the item."""
    body = {"collectionId": ITEM, **fields}
    answer = send(api, "POST", f"{DATA}/{route}", body)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def texts(api: Api, **fields: Any) -> list[str]:
    """The `q` of a page of rows."""
    return [row["q"] for row in page(api, **fields)["list"]]


def item(api: Api) -> dict[str, Any]:
    """The collection as the list shows it."""
    body = {"datasetId": DATASET, "searchText": "Item", "offset": 0, "pageSize": 1}
    answer = send(api, "POST", "/api/core/dataset/collection/listV2", body)
    found: dict[str, Any] = answer.json()["data"]["list"][0]
    return found


def test_an_inserted_row_is_there_at_once(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    row_id = insert(api, "Question", a="Answer")
    [row] = page(api)["list"]
    assert row == {
        "_id": row_id,
        "datasetId": DATASET,
        "collectionId": ITEM,
        "q": "Question",
        "a": "Answer",
        "chunkIndex": 0,
        "updateTime": "2026-01-01T00:00:00.000Z",
    }
    assert item(api)["dataAmount"] == 1
    assert item(api)["updateTime"] == "2026-01-01T00:00:00.000Z"


def test_the_same_texts_are_refused_and_others_are_not(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    insert(api, "q", a="a")
    body = {"collectionId": ITEM, "q": "q", "a": "a"}
    again = send(api, "POST", f"{DATA}/insertData", body)
    assert (again.status_code, again.json()["code"]) == (500, 500)
    insert(api, "q", a="b")
    assert page(api)["total"] == 2


def test_a_collection_takes_as_many_rows_as_the_limit_says(make_api: MakeApi) -> None:
    api = related_routes(make_api, limits=Limits(collection_rows=3), training="instant")
    insert(api, "one")
    assert push(api, {"q": "two"}, {"q": "three"}, {"q": "four"}).status_code == 409
    assert push(api, {"q": "two"}).status_code == 200
    insert(api, "three")
    body = {"collectionId": ITEM, "q": "four"}
    refused = send(api, "POST", f"{DATA}/insertData", body)
    assert refused.json()["statusText"] == "limitReached"
    assert sorted(texts(api)) == ["one", "three", "two"]


@pytest.mark.parametrize("offset", ["", None, "0", 0])
def test_an_offset_may_be_said_to_be_none(make_api: MakeApi, offset: Any) -> None:
    api = related_routes(make_api)
    insert(api, "one")
    assert texts(api, offset=offset) == ["one"]


def test_pushed_rows_have_what_they_came_with(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="instant")
    given = {"a": "a", "chunkIndex": 3, "indexes": [{"text": "more"}]}
    push(api, {"q": "q"} | given, {"q": "", "a": "no question"})
    [row] = page(api)["list"]
    assert (row["q"], row["a"], row["chunkIndex"]) == ("q", "a", 3)
    told = send(api, "GET", f"{DATA}/detail", {"id": row["_id"]}).json()["data"]
    assert [each["text"] for each in told["indexes"]] == ["q\na", "more"]


def test_rows_go_by_chunk_index_then_by_the_latest_id(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="instant")
    push(api, {"q": "late", "chunkIndex": 2}, {"q": "early", "chunkIndex": 1})
    insert(api, "zero")
    insert(api, "zero too")
    rows = page(api)["list"]
    assert [row["chunkIndex"] for row in rows] == [0, 0, 1, 2]
    assert rows[0]["_id"] > rows[1]["_id"]


def test_pages_have_30_rows_at_most(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="instant")
    push(api, *({"q": f"row {n}", "chunkIndex": n} for n in range(40)))
    for route in ("v2/list", "list"):
        assert len(page(api, route, pageSize=100)["list"]) == 30
        rest = page(api, route, pageNum=2, pageSize="30")
        assert [row["q"] for row in rest["list"]] == [f"row {n}" for n in range(30, 40)]
        assert rest["total"] == 40
    assert len(page(api)["list"]) == 10


def test_a_search_text_is_in_q_or_a(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    insert(api, "退款怎么办")
    insert(api, "other", a="ÜBER")
    assert texts(api, searchText="退款") == ["退款怎么办"]
    assert texts(api, searchText="über") == ["other"]
    assert texts(api, searchText="nowhere") == []


def test_pushed_rows_without_q_do_not_count(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="instant")
    pushed = push(api, {"q": "one", "metadata": {}}, {"a": "no q"}, {"q": ""})
    assert pushed.json()["data"] == {"insertLen": 1}
    assert texts(api) == ["one"]
    assert item(api)["dataAmount"] == 1


def test_pushed_rows_show_once_they_are_trained(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    assert push(api, *({"q": f"{n}"} for n in range(30))).json()["code"] == 200
    assert (item(api)["dataAmount"], item(api)["trainingAmount"]) == (0, 30)
    seen = []
    for _ in range(3):
        api.admin("POST", "/clock/advance", {"seconds": 1})
        now = item(api)
        seen.append((now["dataAmount"], now["trainingAmount"], page(api)["total"]))
    assert seen == [(0, 30, 0), (20, 10, 20), (30, 0, 30)]


def test_a_body_of_2_mib_is_taken(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="instant")
    long = "long " * 200_000
    assert push(api, {"q": long, "a": long}).json()["data"] == {"insertLen": 1}


def test_a_page_of_too_much_text_is_refused_and_smaller_ones_are_not(
    make_api: MakeApi,
) -> None:
    api = related_routes(make_api)
    for n in range(9):
        insert(api, f"{n}" + "x" * 1_000_000)
    body = {"collectionId": ITEM, "pageSize": 9}
    refused = send(api, "POST", f"{DATA}/v2/list", body)
    assert refused.json()["message"] == (
        "Expected a page of at most 8.0 MiB, got more - at body (ask for fewer items)"
    )
    assert len(texts(api, pageSize=8)) == 8


@pytest.mark.parametrize("text", ["xx" * 30, "文" * 60, "\u0390"])
def test_of_very_much_text_a_list_searches_the_beginning(
    make_api: MakeApi, text: str
) -> None:
    api = related_routes(make_api, limits=Limits(listed_search_chars=100))
    for n in range(3):
        insert(api, f"{n}{text}")
    found = page(api, searchText=text[0])["total"]
    assert 0 < found < 3
    assert "the first texts" in api.journal()[-1]["hint"]


def test_a_text_over_the_limit_of_fixtures_is_refused(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    told = push(api, {"q": "x" * (Published.text_chars + 1)}).json()["message"]
    assert told.startswith("Expected a string of up to 1048576 characters"), told


def test_a_mistake_in_a_row_is_told_with_its_place(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    told = push(api, {"q": "a"}, {"q": 5}).json()["message"]
    assert told.endswith("- at $.data[1].q"), told
    told = push(api, *[{"q": "a"}] * 201).json()["message"]
    assert told == "Expected at most 200 items, got 201 - at $.data"


def test_the_detail_of_a_row_has_its_indexes(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    row_id = insert(api, "q", a="a", indexes=[{"text": "more", "type": "custom"}])
    told = send(api, "GET", f"{DATA}/detail", {"id": row_id}).json()["data"]
    indexes = [(each["type"], each["text"]) for each in told.pop("indexes")]
    assert indexes == [("default", "q\na"), ("custom", "more")]
    assert told["id"] == row_id
    assert (told["sourceName"], told["isOwner"]) == ("Item", True)


def test_an_update_replaces_what_is_given(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    row_id = insert(api, "q", a="a", indexes=[{"text": "old"}])
    api.admin("POST", "/clock/advance", {"seconds": 5})
    body = {"dataId": row_id, "q": "new", "indexes": [{"text": "new index"}]}
    answer = send(api, "PUT", f"{DATA}/update", body, WRITER)
    assert answer.json()["data"] == {"q": "new", "a": "a"}
    told = send(api, "GET", f"{DATA}/detail", {"id": row_id}).json()["data"]
    assert [each["text"] for each in told["indexes"]] == ["new\na", "new index"]
    assert told["updateTime"] == "2026-01-01T00:00:05.000Z"
    assert item(api)["updateTime"] == told["updateTime"]
    assert item(api)["dataAmount"] == 1


def test_a_deleted_row_is_gone(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    row_id = insert(api, "gone")
    insert(api, "stays")
    answer = send(api, "DELETE", f"{DATA}/delete", {"id": row_id})
    assert answer.json()["data"] is None
    assert texts(api) == ["stays"]
    assert item(api)["dataAmount"] == 1
    again = send(api, "DELETE", f"{DATA}/delete", {"id": row_id})
    assert (again.status_code, again.json()["code"]) == (500, 500)


def test_readers_read_and_writers_write(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    row_id = insert(api, "q")
    detail = ("GET", f"{DATA}/detail", {"id": row_id})
    update = ("PUT", f"{DATA}/update", {"dataId": row_id, "q": "new"})
    delete = ("DELETE", f"{DATA}/delete", {"id": row_id})
    assert send(api, *detail, READER).status_code == 200
    assert send(api, *detail, OUTSIDER).json()["code"] == 501004
    for each in (update, delete):
        refused = send(api, *each, READER).json()
        assert refused["code"] == 501004
        assert "write permission" in refused["message"]
        assert send(api, *each, WRITER).status_code == 200


@pytest.mark.fresh
def test_a_reset_brings_the_same_ids_again(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    first = insert(api, "q")
    api.admin("POST", "/reset")
    assert page(api)["total"] == 0
    assert insert(api, "q") == first


def test_an_empty_push_adds_nothing(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    body = {"collectionId": ITEM, "data": []}
    answer = send(api, "POST", f"{DATA}/pushData", body)
    assert answer.json()["data"] == {"insertLen": 0}


def test_200_rows_of_50_kib_full_of_commas_are_pushed(make_api: MakeApi) -> None:
    rows = [{"q": ",\n" * 16_000, "indexes": [{"text": ","}] * 100}] * 200
    body = {"collectionId": ITEM, "data": rows}
    answer = send(related_routes(make_api), "POST", f"{DATA}/pushData", body)
    assert answer.json()["data"]["insertLen"] == 200
