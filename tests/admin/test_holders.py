"""Applications and datasets, read, put and removed as wholes."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import DEFAULT_LIMITS, Limits, Published
from tests.conftest import MakeApi
from tests.support import APP, CHAT, DATASET, LIBRARY, Api

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


def test_a_put_replaces_the_whole_dataset(api: Api) -> None:
    api.admin("PUT", f"{DATASET_PATH}/collections/new", {"name": "New"})
    before = api.list_v2(searchText="alpha").json()["data"]["total"]
    again = api.admin("PUT", DATASET_PATH, {"collections": [{"name": "Only"}]})
    assert (before, again.status_code) == (3, 200)
    names = [item["name"] for item in api.list_v2().json()["data"]["list"]]
    assert names == ["Only"]
    assert api.list_v2(searchText="alpha").json()["data"]["total"] == 0
    listed = api.admin("GET", "/datasets").json()["datasets"]
    assert [each["id"] for each in listed] == [DATASET, "dataset-2"]
    assert api.admin("PUT", f"{DATASET_PATH}/collections/x", {"name": "x"}).is_success
    assert api.list_v2().json()["data"]["total"] == 2


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


def test_a_created_app_has_its_chats_and_goes_with_them(api: Api) -> None:
    made = api.admin("PUT", "/apps/support", SUPPORT)
    assert (made.status_code, made.json()["chats"][0]["records"][0]["text"]) == (
        (201, "Hello")
    )
    assert api.pin(appId="support", chatId="c2").status_code == 200
    gone = api.admin("DELETE", "/apps/support").json()
    assert [chat["top"] for chat in gone["chats"]] == [False, True]
    assert api.pin(appId="support", chatId="c2").json()["statusText"] == "appNotFound"
    assert api.admin("GET", "/apps/support").status_code == 404
    assert api.admin("DELETE", "/apps/support").status_code == 404


def test_a_deleted_dataset_is_gone_until_a_reset(api: Api) -> None:
    whole = api.admin("GET", DATASET_PATH).json()
    assert api.admin("DELETE", DATASET_PATH).json() == whole
    assert api.list_v2().json()["statusText"] == "datasetNotFound"
    assert api.admin("GET", DATASET_PATH).json()["statusText"] == "datasetNotFound"
    api.admin("POST", "/reset")
    assert api.admin("GET", DATASET_PATH).json() == whole


@pytest.mark.parametrize(
    ("path", "part", "counts"),
    [
        (
            "/datasets/d",
            {"collections": [{"name": "x", "repeat": 9}]},
            {"collections": 9},
        ),
        ("/apps/d", {"chats": [{"chatId": "c1"}]}, {"chats": 1}),
    ],
)
def test_a_change_is_answered_with_counts_on_request(
    api: Api, path: str, part: dict[str, Any], counts: dict[str, int]
) -> None:
    short = {"id": "d", "name": "n"} | counts
    calls = [("PUT", 201, part | {"name": "n"}), ("PUT", 200, part | {"name": "n"})]
    for method, status, body in [*calls, ("DELETE", 200, None)]:
        answer = api.admin(method, f"{path}?counts=true", body)
        assert (answer.status_code, answer.json()) == (status, short)
    assert api.admin("GET", path).status_code == 404


def test_a_deleted_folder_takes_the_datasets_in_it(make_api: MakeApi) -> None:
    folder = {"id": "f", "type": "folder"}
    inside = [{"id": "in", "parentId": "g"}, {"id": "g", "type": "folder"}]
    inside[1]["parentId"] = "f"
    api = make_api({"datasets": [folder, *inside, {"id": "out"}]})
    assert api.admin("DELETE", "/datasets/f").json()["id"] == "f"
    left = api.admin("GET", "/datasets").json()["datasets"]
    assert [each["id"] for each in left] == ["out"]


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


def test_folders_keep_what_lies_in_them(make_api: MakeApi) -> None:
    child = {"id": "child", "parentId": "f"}
    api = make_api({"datasets": [{"id": "f", "type": "folder"}, child]})
    answer = api.admin("PUT", "/datasets/f", {"type": "dataset"})
    assert answer.status_code == 400
    assert "of type folder" in answer.json()["message"]
    assert api.admin("PUT", "/datasets/f", {"type": "folder", "intro": "x"}).is_success
    assert api.admin("PUT", "/datasets/new", {"parentId": "f"}).status_code == 201


def test_no_row_can_be_in_two_datasets(api: Api) -> None:
    assert api.admin("PUT", "/datasets/prices", PRICES).status_code == 201
    assert api.admin("PUT", "/datasets/prices", PRICES).status_code == 200
    twice = api.admin("PUT", DATASET_PATH, PRICES)
    assert (
        '"row-1" is the _id of a data row of dataset "prices"'
        in (twice.json()["message"])
    )
    api.admin("DELETE", "/datasets/prices")
    assert api.admin("PUT", DATASET_PATH, PRICES).status_code == 200


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


def test_created_ones_are_bounded(make_api: MakeApi) -> None:
    api = make_api(limits=Limits(created_apps=1, created_datasets=1))
    for kind in ("apps", "datasets"):
        codes = [
            api.admin("PUT", f"/{kind}/{each}", {}).status_code
            for each in ("one", "two", "one")
        ]
        assert codes == [201, 409, 200]
        api.admin("DELETE", f"/{kind}/one")
        assert api.admin("PUT", f"/{kind}/two", {}).status_code == 201


def test_pins_that_created_chats_are_forgotten_with_the_app(make_api: MakeApi) -> None:
    limits, create = Limits(created_chats=1), {"chat_unknown": "create"}
    api = make_api(limits=limits, choices=create)
    assert api.pin(chatId="one").status_code == 200
    api.admin("PUT", APP_PATH, {"chats": [{"chatId": CHAT}]})
    assert api.pin(chatId="two").status_code == 200
    assert api.pin(chatId="three").status_code == 404


@pytest.mark.parametrize("own_id", ["a%2Fb%20%25%C3%A9%3F", "x" * Published.id_chars])
def test_ids_of_any_kind_work(api: Api, own_id: str) -> None:
    for kind in ("apps", "datasets"):
        path = f"/{kind}/{own_id}"
        assert api.admin("PUT", path, {"name": "x"}).status_code == 201
        assert api.admin("GET", path).json()["name"] == "x"


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
