"""Data rows: listed, pushed, inserted, read, changed, deleted."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import Limits
from tests.api.related.world import (
    DATA,
    DATASET,
    ITEM,
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


def item(api: Api) -> dict[str, Any]:
    """The collection as the list shows it."""
    body = {"datasetId": DATASET, "searchText": "Item", "offset": 0, "pageSize": 1}
    answer = send(api, "POST", "/api/core/dataset/collection/listV2", body)
    found: dict[str, Any] = answer.json()["data"]["list"][0]
    return found


def test_pages_have_30_rows_at_most(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="instant")
    push(api, *({"q": f"row {n}", "chunkIndex": n} for n in range(40)))
    for route in ("v2/list", "list"):
        assert len(page(api, route, pageSize=100)["list"]) == 30
        rest = page(api, route, pageNum=2, pageSize="30")
        assert [row["q"] for row in rest["list"]] == [f"row {n}" for n in range(30, 40)]
        assert rest["total"] == 40
    assert len(page(api)["list"]) == 10


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
        "Expected a response of at most 8.0 MiB, got more - at body "
        "(ask for fewer items)"
    )
    assert len(page(api, pageSize=8)["list"]) == 8


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


def test_200_rows_of_50_kib_full_of_commas_are_pushed(make_api: MakeApi) -> None:
    rows = [{"q": ",\n" * 16_000, "indexes": [{"text": ","}] * 100}] * 200
    body = {"collectionId": ITEM, "data": rows}
    answer = send(related_routes(make_api), "POST", f"{DATA}/pushData", body)
    assert answer.json()["data"]["insertLen"] == 200
