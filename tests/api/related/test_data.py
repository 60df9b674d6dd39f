"""Data rows with very much text: pushed and listed."""

from __future__ import annotations

import pytest

from tests.api.related.world import (
    CREATE,
    DATA,
    DATASET,
    ITEM,
    insert,
    related_routes,
    send,
)
from tests.conftest import MakeApi


@pytest.mark.ci
def test_a_page_of_too_much_text_is_refused_and_smaller_ones_are_not(
    make_api: MakeApi,
) -> None:
    api = related_routes(make_api)
    for n in range(9):
        insert(api, f"{n}" + "x" * 1_000_000)
    refused, served = (
        send(api, "POST", f"{DATA}/v2/list", {"collectionId": ITEM, "pageSize": size})
        for size in (9, 8)
    )
    assert refused.json()["message"] == (
        "Expected a response of at most 8.0 MiB, got more - at body "
        "(ask for fewer items)"
    )
    assert len(served.json()["data"]["list"]) == 8


@pytest.mark.ci
def test_200_rows_of_50_kib_full_of_commas_are_pushed(make_api: MakeApi) -> None:
    rows = [{"q": ",\n" * 16_000, "indexes": [{"text": ","}] * 100}] * 200
    body = {"collectionId": ITEM, "data": rows}
    answer = send(related_routes(make_api), "POST", f"{DATA}/pushData", body)
    assert answer.json()["data"]["insertLen"] == 200


@pytest.mark.ci
def test_a_text_that_asks_for_one_row_makes_rows_that_a_state_takes(
    make_api: MakeApi,
) -> None:
    api = related_routes(make_api)
    text = {"name": "n", "text": "ab " * 400_000, "chunkTriggerMinSize": 10**9}
    body = text | {"datasetId": DATASET, "chunkSettingMode": "custom"}
    answer = send(api, "POST", f"{CREATE}/text", body)
    assert answer.status_code == 200
    state = api.admin("GET", "/state").json()
    assert api.admin("PUT", "/state", state).status_code == 200


@pytest.mark.ci
def test_a_row_that_a_state_cannot_have_is_refused(make_api: MakeApi) -> None:
    """However it would come to be: in one request, or text after text."""
    api = related_routes(make_api)
    long = "\x01" * 145_000
    row_id = insert(api, "short", indexes=[{"text": long}] * 3)
    before = api.admin("GET", "/state").json()
    row = {"q": long, "indexes": [{"text": long}] * 4}
    for method, name, body in (
        ("POST", "insertData", {"collectionId": ITEM} | row),
        ("POST", "pushData", {"collectionId": ITEM, "data": [row]}),
        ("PUT", "update", {"dataId": row_id, "q": long, "a": long}),
    ):
        answer = send(api, method, f"{DATA}/{name}", body)
        assert answer.status_code == 409
        assert "Expected a data row of at most 4.0 MiB" in answer.json()["message"]
    assert api.admin("GET", "/state").json() == before
