"""Every value of every choice, and what it changes. One test each, named after it."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from mock_server.domain.choices.table import table
from tests.conftest import MakeApi
from tests.stories.telling import stories
from tests.support import APP, CHAT, DATASET, LIBRARY, LIST, PIN, Api

DEL_HISTORY = "/api/core/chat/history/delHistory"

ALL = ["deep", "folder", "a", "c", "b", "bottom", "inner"]


@pytest.mark.parametrize("name", table())
def test_every_value_has_a_test(name: str) -> None:
    values = table()[name].values if name != "page_size_default" else ()
    told = {str(each).split(": ")[1].split(" (")[0] for each in stories()}
    for value in values:
        assert f"test_{name}_{value}" in globals() or f"{name}={value}" in told


def status_of(response: httpx2.Response) -> str:
    return str(response.json()["statusText"])


@pytest.mark.sampled
@pytest.mark.parametrize("size", range(1, 31))
def test_page_size_default(make_api: MakeApi, size: int) -> None:
    collections = [{"name": "x", "repeat": 40}]
    document = {"datasets": [{"id": DATASET, "collections": collections}]}
    api = make_api(document, choices={"page_size_default": size})
    assert len(api.ids()) == size


def test_page_size_over_limit_clamp(make_api: MakeApi) -> None:
    collections = [{"name": "x", "repeat": 40}]
    document = {"datasets": [{"id": DATASET, "collections": collections}]}
    api = make_api(document, choices={"page_size_over_limit": "clamp"})
    assert len(api.ids(pageSize=31)) == len(api.ids(pageSize=2**53 - 1)) == 30
    assert len(api.ids(pageSize=1e16)) == 30


def sized(make_api: MakeApi, **choices: Any) -> Api:
    """An API over 120 collections."""
    collections = [{"name": "x", "repeat": 120}]
    document = {"datasets": [{"id": DATASET, "collections": collections}]}
    return make_api(document, choices=choices)


def test_a_page_over_the_largest_that_is_served_is_clamped_to_it(
    make_api: MakeApi,
) -> None:
    api = sized(make_api, page_size_max=100, page_size_over_limit="clamp")
    assert len(api.ids(pageSize=101)) == 100
    assert api.ids(offset=100, pageSize=100) == api.ids(offset=100, pageSize=20)


def test_numeric_strings_accept(make_api: MakeApi) -> None:
    api = make_api(choices={"numeric_strings": "accept"})
    assert api.ids(offset="1", pageSize="2") == ALL[1:3]
    assert api.ids(offset="000000000000000000001", pageSize="2") == ALL[1:3]
    for bad in ("", " 1", "-1", "1.5", "1e1", "٣", "9" * 16, "9" * 9000):
        assert api.list_v2(offset=bad).status_code == 400


def test_parent_empty_string_unknown(make_api: MakeApi) -> None:
    api = make_api(choices={"parent_empty_string": "unknown"})
    assert status_of(api.list_v2(parentId="")) == "parentNotFound"
    api = make_api(
        choices={"parent_empty_string": "unknown", "parent_unknown": "empty"}
    )
    assert api.ids(parentId="") == []


def test_chat_unknown_create(make_api: MakeApi) -> None:
    api = make_api(choices={"chat_unknown": "create"})
    assert api.pin(chatId="new").status_code == 200
    assert (api.top("new"), api.sandbox.store.created_chats) == (True, 1)
    assert api.pin(chatId="new", top=False).status_code == 200
    assert (api.top("new"), api.sandbox.store.created_chats) == (False, 1)


def test_top_missing_ignore(make_api: MakeApi) -> None:
    api = make_api(choices={"top_missing": "ignore"})
    api.pin(top=True)
    assert api.pin(top=..., title="New", customTitle="Mine").status_code == 200
    assert (api.top(), titles(api)) == (True, ("New", "Mine"))
    assert api.pin(top=None).status_code == 400
    assert api.pin(top=..., title=5).status_code == 400
    assert titles(api) == ("New", "Mine")


def titles(api: Api) -> tuple[str, str]:
    chat = api.sandbox.chat(APP, CHAT)
    assert chat is not None
    return chat.title, chat.custom_title


def test_content_type_missing_reject(make_api: MakeApi) -> None:
    api = make_api(choices={"content_type_missing": "reject"})
    assert without_content_type(api).status_code == 415


def test_content_type_missing_accept(make_api: MakeApi) -> None:
    api = make_api(choices={"content_type_missing": "accept"})
    assert without_content_type(api).status_code == 200
    headers = {"Authorization": "Bearer k", "Content-Type": "text/plain"}
    assert api.client.post(LIST, content=b"{}", headers=headers).status_code == 415


def without_content_type(api: Api) -> httpx2.Response:
    body = b'{"offset": 0, "datasetId": "dataset-1"}'
    return api.client.post(LIST, content=body, headers={"Authorization": "Bearer k"})


def message(response: httpx2.Response) -> str:
    assert response.status_code == 400
    return str(response.json()["message"])


def test_list_filters_honour(make_api: MakeApi) -> None:
    api = make_api(choices={"list_filters": "honour"})
    assert api.ids(selectFolder=True) == ["deep", "folder"]
    assert api.ids(filterTags=["blue", "green"]) == ["b"]
    assert api.ids(selectFolder=True, filterTags=["red"]) == []
    assert api.ids(selectFolder=False, filterTags=[]) == ALL
    for bad in ("red", [1], None, ["x"] * 101):
        assert api.list_v2(filterTags=bad).status_code == 400
    assert api.list_v2(selectFolder="true").status_code == 400


SERVICE_FORM: list[tuple[str, dict[str, Any], tuple[int, int, str]]] = [
    ("pin", {"key": None}, (403, 403, "unAuthorization")),
    ("pin", {"key": "unknown"}, (500, 514, "unAuthApiKey")),
    ("pin", {"top": 1}, (400, 400, "error")),
    ("pin", {"appId": "x"}, (500, 502000, "appUnExist")),
    ("pin", {"key": "nobody"}, (500, 502001, "unAuthApp")),
    ("pin", {"chatId": "x"}, (500, 504000, "unAuthChat")),
    ("list_v2", {"datasetId": "x"}, (500, 501002, "unExistDataset")),
    ("list_v2", {"parentId": "x"}, (500, 501002, "unExistDataset")),
    ("list_v2", {"key": "nobody"}, (500, 501004, "unAuthDataset")),
]
KEYS = [{"key": "any-key"}, {"key": "nobody", "permission": "none"}]
WITH_KEYS = {
    "keys": KEYS,
    "apps": [{"id": APP, "chats": [{"chatId": CHAT}]}],
    "datasets": [{"id": DATASET}],
}


def outcome(response: httpx2.Response) -> tuple[int, int, str]:
    answer = response.json()
    assert answer["message"].startswith("Expected ")
    return response.status_code, answer["code"], answer["statusText"]


LONG = {"datasets": [{"id": DATASET, "collections": [{"name": "x", "repeat": 120}]}]}


def test_page_size_max_30(make_api: MakeApi) -> None:
    api = make_api(LONG, choices={"page_size_max": 30})
    assert "from 1 to 30" in message(api.list_v2(pageSize=31))
    api = make_api(LONG, choices={"page_size_max": 30, "page_size_over_limit": "clamp"})
    assert len(api.ids(pageSize=100)) == 30


def test_page_size_max_100(make_api: MakeApi) -> None:
    api = make_api(LONG, choices={"page_size_max": 100})
    assert [len(api.ids(pageSize=size)) for size in (30, 31, 100)] == [30, 31, 100]
    assert status_of(api.list_v2(pageSize=101)) == "invalidField"
    assert [each["name"] for each in api.journal()[1]["violations"]] == [
        "page_size_over_limit"
    ]
    api = make_api(
        LONG, choices={"page_size_max": 100, "page_size_over_limit": "clamp"}
    )
    assert len(api.ids(pageSize=2**53 - 1)) == 100


USERS = LIBRARY | {"users": [{"username": "root", "password": "1234"}]}


def with_login(api: Api, name: str, form: str = "{}", **more: str) -> int:
    """The status of a pin with the token of a login in a header."""
    body = {"appId": APP, "chatId": CHAT, "top": True}
    token = form.format(api.sandbox.tokens.token("root"))
    response = api.client.put(PIN, json=body, headers={name: token} | more)
    return int(response.status_code)


def test_credentials_bearer(make_api: MakeApi) -> None:
    api = make_api(USERS, choices={"credentials": "bearer"})
    assert (with_login(api, "token"), api.top()) == (401, False)


def test_credentials_login_too(make_api: MakeApi) -> None:
    api = make_api(USERS, choices={"credentials": "login_too"})
    # Where a key counts, nothing else is tried beside one that is wrong.
    assert with_login(api, "token", Authorization="Basic x") == 401
    assert (with_login(api, "token"), api.top()) == (200, True)
    (violation,) = api.journal()[-1]["violations"]
    told = violation["name"], violation["effect"]
    assert told == ("missing_authorization", "honoured")
    assert with_login(api, "Cookie", "a=b; fastgpt_token={}") == 200


@pytest.mark.parametrize("path", [PIN, DEL_HISTORY])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_no_login_that_counts_is_a_violation_of_what_is_refused_for_more(
    make_api: MakeApi, path: str, method: str
) -> None:
    api = make_api(USERS, profile="deployed")
    cookie = f"fastgpt_token={api.sandbox.tokens.token('root')}"
    for token, is_told in (cookie, False), ("fastgpt_token=none", True):
        headers = {"Cookie": token}
        api.client.request(method, path, json={"appId": 5}, headers=headers)
        entry = api.journal()[-1]
        assert entry["answer"]["body"]["code"] != 200
        names = [each["name"] for each in entry["violations"]]
        assert ("missing_authorization" in names) == is_told


def deleted(api: Api, **headers: str) -> int:
    given = {"Authorization": "Bearer k"} | headers
    query = {"appId": APP, "chatId": CHAT}
    response = api.client.delete(DEL_HISTORY, params=query, headers=given)
    return int(response.status_code)


def test_query_delete_needs_json_type(make_api: MakeApi) -> None:
    choices = {"related_routes": "on", "query_delete": "needs_json_type"}
    api = make_api(choices=choices)
    assert (deleted(api), api.top()) == (415, False)
    json_type = {"Content-Type": "application/json"}
    assert (deleted(api, **json_type), api.top()) == (200, None)


PUSH = "/api/core/dataset/data/pushData"
ROWS = "/api/core/dataset/data/v2/list"


def rows_after_a_push(api: Api) -> list[int]:
    """How many rows are shown at once after a push, and 3 seconds later."""
    api.admin("PUT", "/clock", {"frozen": True})
    rows = [{"q": f"Question {number}"} for number in range(20)]
    pushed = api.send("POST", PUSH, {"collectionId": "b", "data": rows})
    assert pushed.json()["data"] == {"insertLen": 20}
    found = []
    for seconds in (0, 3):
        api.admin("POST", "/clock/advance", {"seconds": seconds})
        shown = api.send("POST", ROWS, {"collectionId": "b", "pageSize": 30})
        found.append(shown.json()["data"]["total"])
    return found


def test_training_instant(make_api: MakeApi) -> None:
    api = make_api(choices={"related_routes": "on", "training": "instant"})
    assert rows_after_a_push(api) == [20, 20]


def test_training_stepped(make_api: MakeApi) -> None:
    api = make_api(choices={"related_routes": "on", "training": "stepped"})
    assert rows_after_a_push(api) == [0, 20]
