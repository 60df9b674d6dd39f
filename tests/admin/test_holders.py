"""Applications and datasets, read, put and removed as wholes."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import DEFAULT_LIMITS
from tests.conftest import MakeApi
from tests.support import APP, DATASET, LIBRARY, Api

APP_PATH, DATASET_PATH = f"/apps/{APP}", f"/datasets/{DATASET}"
PRICES: dict[str, Any] = {
    "name": "Prices",
    "collections": [
        {
            "_id": "years",
            "name": "Years",
            "children": [
                {"repeat": 3, "_id": "y{n}", "name": "Year {n}", "tags": ["old"]}
            ],
        },
        {"_id": "rows", "name": "Rows", "data": [{"_id": "row-1", "q": "A question"}]},
    ],
}
SUPPORT: dict[str, Any] = {
    "name": "Support",
    "chats": [
        {
            "chatId": "c1",
            "title": "One",
            "records": [{"dataId": "r1", "obj": "Human", "text": "Hello"}],
        },
        {"chatId": "c2", "title": "Two"},
    ],
}
KEYED = LIBRARY | {"keys": [{"key": "fastgpt-owner"}, {"key": "fastgpt-reader"}]}


def in_state(api: Api, kind: str, own_id: str) -> Any:
    found = [
        each for each in api.admin("GET", "/state").json()[kind] if each["id"] == own_id
    ]
    return found[0] if found else None


def test_an_app_and_a_dataset_are_shown_as_the_state_shows_them(api: Api) -> None:
    assert api.admin("GET", APP_PATH).json() == in_state(api, "apps", APP)
    assert api.admin("GET", DATASET_PATH).json() == in_state(api, "datasets", DATASET)


def test_a_put_dataset_is_listed_searched_and_shown_at_once(api: Api) -> None:
    made = api.admin("PUT", "/datasets/prices", PRICES)
    assert made.status_code == 201
    assert made.json() == in_state(api, "datasets", "prices")
    assert api.ids(datasetId="prices", parentId="years") == ["y1", "y2", "y3"]
    assert api.ids(datasetId="prices", searchText="YEAR 2") == ["y2"]
    assert api.ids(datasetId="prices", searchText="old", pageSize=1, offset=2) == ["y3"]
    listed = api.admin("GET", "/datasets").json()["datasets"]
    assert listed[-1] == {"id": "prices", "name": "Prices", "collections": 5}


def test_a_put_replaces_the_whole_app(api: Api) -> None:
    api.pin()
    api.admin("PUT", f"{APP_PATH}/chats/new", {})
    assert api.admin("PUT", APP_PATH, SUPPORT).json() == in_state(api, "apps", APP)
    assert api.pin().json()["statusText"] == "chatNotFound"
    assert api.pin(chatId="new").status_code == 404
    assert api.pin(chatId="c1").status_code == 200
    assert [each["id"] for each in api.admin("GET", "/apps").json()["apps"]] == (
        [APP, "app-2"]
    )


def test_what_was_read_can_be_put_back_and_changes_nothing(make_api: MakeApi) -> None:
    api = make_api(None)
    before = api.admin("GET", "/state").json()
    for kind in ("apps", "datasets"):
        for each in before[kind]:
            put = api.admin("PUT", f"/{kind}/{each['id']}", each)
            assert (put.status_code, put.json()) == (200, each)
    assert api.admin("GET", "/state").json() == before
    assert api.admin("PUT", "/state", before).status_code == 200
    assert api.admin("GET", "/state").json() == before


def test_reset_and_restore_bring_back_what_there_was(api: Api) -> None:
    before = api.admin("GET", "/state").json()
    api.admin("PUT", DATASET_PATH, PRICES)
    api.admin("PUT", "/apps/support", SUPPORT)
    with_new = api.admin("GET", "/state").json()
    api.admin("PUT", "/snapshots/s")
    api.admin("DELETE", DATASET_PATH)
    api.admin("PUT", "/apps/support", {})
    api.admin("POST", "/snapshots/s/restore")
    assert api.admin("GET", "/state").json() == with_new
    assert api.ids(searchText="Year 2") == ["y2"]
    api.admin("POST", "/reset")
    assert api.admin("GET", "/state").json() == before


def test_sandboxes_do_not_share_what_was_put(api: Api) -> None:
    api.admin("POST", "/sandboxes", {"name": "team"})
    api.admin("PUT", f"/sandboxes/team{DATASET_PATH}", PRICES)
    api.admin("DELETE", f"/sandboxes/team{APP_PATH}")
    assert api.list_v2().json()["data"]["total"] == 7
    assert api.pin().status_code == 200
    team = api.admin("GET", f"/sandboxes/team{DATASET_PATH}").json()
    assert len(team["collections"]) == 5


def test_permissions_of_declared_keys_hold_at_once(make_api: MakeApi) -> None:
    api = make_api(KEYED)
    none = {"permissions": {"fastgpt-reader": "none"}}
    api.admin("PUT", DATASET_PATH, PRICES | none)
    api.admin("PUT", APP_PATH, SUPPORT | none)
    assert api.list_v2("fastgpt-reader").status_code == 403
    assert api.pin("fastgpt-reader", chatId="c1").status_code == 403
    assert api.list_v2("fastgpt-owner").status_code == 200


def test_rows_of_a_replaced_dataset_are_no_longer_found(api: Api) -> None:
    api.admin("PUT", "/datasets/prices", PRICES)
    assert api.sandbox.store.find_row("row-1") is not None
    api.admin("PUT", "/datasets/prices", {})
    assert api.sandbox.store.find_row("row-1") is None


def test_rows_of_the_fixture_go_with_the_dataset_that_had_them(
    make_api: MakeApi,
) -> None:
    api = make_api({"datasets": [PRICES | {"id": "prices"}]})
    own = {"collections": [{"_id": "rows", "name": "Rows", "data": [{"q": "Other"}]}]}
    whole = api.admin("GET", "/datasets/prices").json()
    api.admin("PUT", "/datasets/prices", own)
    assert api.sandbox.store.find_row("row-1") is None
    api.admin("PUT", "/datasets/prices", whole)
    found = api.sandbox.store.find_row("row-1")
    assert found is not None
    assert found[2].q == "A question"


@pytest.mark.ci
@pytest.mark.sampled
def test_what_is_put_is_charged_and_given_back(make_api: MakeApi) -> None:
    api = make_api(memory=4 * 1024 * 1024)
    used = api.admin("GET", "/health").json()["memory"]["states"]
    for _ in range(10):
        many = {"collections": [{"repeat": 1_500, "name": "Item {n}"}]}
        assert api.admin("PUT", "/datasets/many", many).is_success
    assert api.admin("GET", "/health").json()["memory"]["states"] > used + 500_000
    too_many = {"collections": [{"repeat": 100_000, "name": "Item {n}"}]}
    answer = api.admin("PUT", "/datasets/many", too_many)
    assert (answer.status_code, answer.json()["statusText"]) == (409, "limitReached")
    assert len(api.admin("GET", "/datasets/many").json()["collections"]) == 1_500
    api.admin("DELETE", "/datasets/many")
    assert api.admin("GET", "/health").json()["memory"]["states"] == used


@pytest.mark.ci
@pytest.mark.sampled
def test_a_large_one_is_loaded_by_a_process_and_sent_in_pieces(
    make_api: MakeApi,
) -> None:
    number = DEFAULT_LIMITS.inline_load_collections + 1
    api = make_api()
    many = {"collections": [{"repeat": number, "name": "Item {n:05}"}]}
    made = api.admin("PUT", "/datasets/many", many)
    assert (made.status_code, len(made.json()["collections"])) == (201, number)
    assert "content-length" not in made.headers
    assert api.list_v2(datasetId="many").json()["data"]["total"] == number
    bad = {"collections": [{"repeat": number, "name": "Item {n:05}"}, {"name": 5}]}
    told = api.admin("PUT", "/datasets/many", bad).json()["message"]
    assert "$.collections[1].name: " in told
    gone = api.admin("DELETE", "/datasets/many")
    assert len(gone.json()["collections"]) == number


def test_problems_are_told_by_their_paths_and_nothing_changes(
    make_api: MakeApi,
) -> None:
    api = make_api(KEYED)
    before = api.admin("GET", "/state").json()
    bad = {"permissions": {"fastgpt-raeder": "read"}, "collections": [{"name": 5}]}
    told = api.admin("PUT", DATASET_PATH, bad).json()["message"]
    assert "($.collections[0].name: Expected a string, got 5" in told
    assert "; $.permissions.fastgpt-raeder: " in told
    assert "(did you mean 'fastgpt-reader'?)" in told
    assert api.admin("GET", "/state").json() == before
