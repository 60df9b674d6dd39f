"""The two operations, a claim at a time: spec 2, 4, 5, 8."""

import json
from typing import Any

import pytest
from account import COMPLETIONS, HISTORIES, LIST, PIN, SENT_LIST, SENT_PIN, Client, error_of


def refused(client: Client, path: str, without: str = "", **fields: Any) -> str:
    """The message of a 400 for a right body with these fields, or without one."""
    body = (SENT_PIN if path == PIN else SENT_LIST) | fields
    body = {name: it for name, it in body.items() if name != without}
    response = client.fetch(path, body)
    assert error_of(response) == (400, 400, "invalidField")
    return str(response.json()["message"])


# Success (spec 2.3, 3, 4.1)


@pytest.mark.parametrize("chat", ["c1", "c2"])
@pytest.mark.parametrize("top", [True, False])
def test_a_pin_sets_the_state_whatever_it_was(client, chat, top):
    for _ in range(2):
        response = client.pin(chatId=chat, top=top)
        assert response.status_code == 200
        assert response.json() == {"code": 200, "statusText": "", "message": "", "data": None}
        assert client.is_pinned(chat) is top


def test_a_pin_changes_one_chat(client):
    assert (client.is_pinned("c1"), client.is_pinned("c2")) == (False, True)
    client.pin(chatId="c1")
    assert (client.is_pinned("c1"), client.is_pinned("c2")) == (True, True)


def test_a_list_has_the_page_and_the_total(client):
    response = client.page(pageSize=2, offset=1)
    assert response.status_code == 200
    envelope = response.json()
    data = envelope.pop("data")
    assert envelope == {"code": 200, "statusText": "", "message": ""}
    assert data.keys() == {"list", "total"}
    assert (len(data["list"]), data["total"]) == (2, 4)


# Items (spec 2.2)

DEFAULTS = {
    "tmbId": "65422be6aa44b7da77729ec9",
    "type": "virtual",
    "updateTime": "2024-01-01T00:00:00.000Z",
    "dataAmount": 0,
    "trainingAmount": 0,
    "externalFileId": "",
    "tags": [],
    "forbid": False,
    "trainingType": "chunk",
}
DECLARED = DEFAULTS | {
    "type": "link",
    "updateTime": "2024-02-01T00:00:00.000Z",
    "dataAmount": 4,
    "trainingAmount": 2,
    "externalFileId": "ext-1",
    "tags": ["x"],
    "forbid": True,
    "trainingType": "qa",
}
ITEMS = [
    {"_id": "link", "parentId": None, "name": "Alpha link"} | DECLARED,
    {"_id": "in-b", "parentId": "folder", "name": "Beta"} | DEFAULTS | {"tags": ["setup", "first"]},
]


@pytest.mark.parametrize("declared", ITEMS)
def test_an_item_has_the_thirteen_fields(client, declared):
    shown = client.item(declared["_id"])
    assert shown.pop("permission").keys() == RIGHTS.keys() | {"value"}
    assert shown == declared


RIGHTS = {"isOwner": 4294967295, "hasManagePer": 7, "hasWritePer": 6, "hasReadPer": 4}


VALUES = [("read", 4), ("write", 6), ("manage", 7), ("owner", 4294967295)]


@pytest.mark.parametrize("key, value", VALUES)
def test_an_item_shows_the_permission_of_the_calling_key(client, key, value):
    shown = client.page(key=key, datasetId="many").json()["data"]["list"][0]["permission"]
    assert shown == {"value": value} | {name: value >= least for name, least in RIGHTS.items()}


# Which collections (spec 4.2, design 5)

ROWS = [
    ({}, ["folder", "in-a", "link", "in-b"]),
    ({"parentId": None}, ["folder", "link"]),
    ({"parentId": "folder"}, ["in-a", "in-b"]),
    ({"parentId": "link"}, []),
    ({"searchText": ""}, ["folder", "in-a", "link", "in-b"]),
    ({"searchText": "ALPHA"}, ["in-a", "link"]),
    ({"searchText": "alpha", "parentId": "folder"}, ["in-a"]),
    ({"searchText": "etu"}, ["in-b"]),
    ({"searchText": "setupfirst"}, []),
    ({"searchText": "Alpha.*"}, []),
    ({"offset": 4}, []),
    ({"offset": 1_000_000}, []),
    ({"offset": 1, "pageSize": 1}, ["in-a"]),
    ({"offset": 3.0, "pageSize": 2e0}, ["in-b"]),
    ({"offset": -0.0, "pageSize": 1}, ["folder"]),
    ({"searchText": "ß" * 1024}, []),
]


@pytest.mark.parametrize("fields, ids", ROWS)
def test_a_list_selects_collections(client, fields, ids):
    assert client.ids(**fields) == ids


def test_a_total_counts_all_pages(client):
    data = client.page(datasetId="many", offset=110, pageSize=30).json()["data"]
    assert (len(data["list"]), data["total"]) == (10, 120)
    assert client.page(offset=99, searchText="alpha").json()["data"] == {"list": [], "total": 2}


def test_pages_cover_a_dataset_once(client):
    pages = [client.ids(datasetId="many", offset=it, pageSize=30) for it in range(0, 120, 30)]
    assert sorted(id for page in pages for id in page) == [f"m{n:03}" for n in range(1, 121)]


FOLDED = [("Straße", "STRASS"), ("STRASSE", "aß"), ("cafe\u0301", "F\u00c9"), ("\u00e9", "e\u0301")]


@pytest.mark.parametrize("name, text", FOLDED)
def test_a_search_ignores_case_and_unicode_form(client, name, text):
    client.admin("PUT", "/datasets/d/collections/new", {"name": name})
    assert client.ids(searchText=text) == ["new"]


# Wrong requests (spec 4, 8)

LONG = "x" * 257
WRONG_LIST: dict[str, list[Any]] = {
    "offset": [None, "0", -1, 1.5, True, []],
    "pageSize": [None, 0, -1, 31, 100, 101, "10", 1.5, True, 10**30],
    "datasetId": [None, "", LONG, 5],
    "parentId": [LONG, 5, True, {}],
    "searchText": [None, 5, "x" * 1025],
}
WRONG_PIN: dict[str, list[Any]] = {
    "appId": [None, "", LONG, 5],
    "chatId": [None, "", LONG, 5],
    "top": [None, 1, 0, "true", []],
}
WRONG = [(LIST, name, value) for name, values in WRONG_LIST.items() for value in values]
WRONG += [(PIN, name, value) for name, values in WRONG_PIN.items() for value in values]


@pytest.mark.parametrize("path, name, value", WRONG)
def test_a_wrong_value_is_refused_where_it_is(client, path, name, value):
    message = refused(client, path, **{name: value})
    assert message.startswith("Expected ") and ", got " in message
    assert f" - at $.{name}" in message
    assert not client.is_pinned()


REQUIRED = [(LIST, "offset"), (LIST, "datasetId"), *[(PIN, name) for name in WRONG_PIN]]


@pytest.mark.parametrize("path, name", REQUIRED)
def test_a_missing_field_is_said_to_be_missing(client, path, name):
    message = refused(client, path, without=name)
    assert name in message and ("missing" in message or "got nothing" in message)


def test_a_misspelled_field_is_guessed(client):
    assert "did you mean 'offset'" in refused(client, LIST, without="offset", ofset=0)
    client.choose(unknown_fields="reject")
    assert "did you mean 'pageSize'" in refused(client, LIST, pagesize=1)


TOLERATED = [
    ("page_size_over_limit=clamp", LIST, SENT_LIST | {"pageSize": 31}, {}),
    ("offset_missing=accept", LIST, {"datasetId": "d"}, {}),
    ("numeric_strings=accept", LIST, SENT_LIST | {"pageSize": "10"}, {}),
    ("numeric_strings=accept", LIST, SENT_LIST | {"offset": "0"}, {}),
    ("parent_unknown=empty", LIST, SENT_LIST | {"parentId": "nope"}, {}),
    ("top_missing=ignore", PIN, {"appId": "app", "chatId": "c1"}, {}),
    ("chat_unknown=", PIN, SENT_PIN | {"chatId": "nope"}, {}),
    ("method_mismatch=accept", PIN, SENT_PIN, {"method": "POST"}),
]


@pytest.mark.parametrize("choice, path, body, sent", TOLERATED)
def test_a_refusal_names_the_choice_that_would_accept(client, choice, path, body, sent):
    assert choice in client.fetch(path, body, **sent).json()["message"]


def test_a_choice_that_needs_another_is_named_with_it(client):
    message = refused(client, LIST, without="offset", pageSize=50)
    assert "offset_missing=accept" in message


def test_a_choice_that_only_leads_to_another_refusal_is_not_named(client):
    for body in ({"datasetId": "nope"}, {"datasetId": "d", "searchText": 5}):
        assert "accepted with" not in client.fetch(LIST, body).json()["message"]


def test_a_missing_content_type_names_its_choice(client):
    response = client.post(LIST, content=json.dumps(SENT_LIST).encode())
    assert error_of(response) == (415, 415, "unsupportedMediaType")
    assert "content_type_missing=accept" in response.json()["message"]


def test_ids_are_compared_as_sent(client):
    for id in ("d ", "D", "x" * 256):
        assert error_of(client.page(datasetId=id))[2] == "datasetNotFound"


def test_the_last_of_duplicate_keys_wins(client):
    body = b'{"appId": "nope", "top": "x", "chatId": "c1", "appId": "app", "top": true}'
    assert client.fetch(PIN, body).status_code == 200
    assert client.is_pinned()


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"a": 1,}', b"\xff", b'{"offset": NaN}', b"{} x"]
)
def test_a_body_that_is_no_json_object_is_refused(client, body):
    assert error_of(client.fetch(LIST, body)) == (400, 400, "badJson")


# Limits


@pytest.mark.parametrize("more, status", [(0, 200), (1, 413)])
def test_a_body_has_at_most_1_mib(client, more, status):
    body = json.dumps(SENT_PIN).encode().ljust(1024 * 1024 + more)
    assert client.fetch(PIN, body).status_code == status
    assert client.is_pinned() is (status == 200)


@pytest.mark.parametrize("levels, status", [(63, 200), (64, 400)])
def test_json_has_at_most_64_levels(client, levels, status):
    deep = json.dumps(SENT_LIST)[:-1] + ', "more": ' + "[" * levels + "]" * levels + "}"
    assert client.fetch(LIST, deep.encode()).status_code == status


# What is unknown, and who may do what

UNKNOWN = "6593e137231a2be9c5603bff"
NO_DATASET = SENT_LIST | {"datasetId": UNKNOWN}
NO_PARENT = SENT_LIST | {"parentId": UNKNOWN}
PIN_ERRORS: list[tuple[dict[str, Any], str, str]] = [
    ({"key": None}, "401 unauthorized", "403 403 unAuthorization"),
    ({"key": "wrong"}, "401 unauthorized", "500 514 unAuthApiKey"),
    ({"body": SENT_PIN | {"appId": UNKNOWN}}, "404 appNotFound", "500 502000 appUnExist"),
    ({"body": SENT_PIN | {"appId": "x"}}, "404 appNotFound", "400 400 error"),
    ({"key": "none"}, "403 forbidden", "500 502001 unAuthApp"),
    ({"body": SENT_PIN | {"chatId": "x"}}, "404 chatNotFound", "500 504000 unAuthChat"),
    ({"body": SENT_PIN | {"top": 1}}, "400 invalidField", "400 400 error"),
]
LIST_ERRORS: list[tuple[dict[str, Any], str, str]] = [
    ({"key": None}, "401 unauthorized", "403 403 unAuthorization"),
    ({"body": NO_DATASET}, "404 datasetNotFound", "500 501002 unExistDataset"),
    ({"body": SENT_LIST | {"datasetId": "x"}}, "404 datasetNotFound", "500 500 error"),
    ({"body": NO_PARENT}, "404 parentNotFound", "500 501003 unExistCollection"),
    ({"body": SENT_LIST | {"parentId": "y"}}, "404 parentNotFound", "500 500 error"),
    ({"key": "none"}, "403 forbidden", "500 501004 unAuthDataset"),
    ({"body": b"[]"}, "400 badJson", "400 400 error"),
    ({"path": "/api/nothing"}, "404 routeNotFound", ""),
    ({"method": "GET"}, "405 methodNotAllowed", ""),
    ({"headers": {"Content-Type": "text/plain"}}, "415 unsupportedMediaType", "400 400 error"),
]
ERRORS = [({"path": PIN, "body": SENT_PIN} | it, *forms) for it, *forms in PIN_ERRORS]
ERRORS += [({"path": LIST, "body": SENT_LIST} | it, *forms) for it, *forms in LIST_ERRORS]


@pytest.mark.parametrize("sent, plain, service", ERRORS)
def test_an_error_has_its_status_code_and_text(client, sent, plain, service):
    status, text = plain.split()
    assert error_of(client.fetch(**sent)) == (int(status), int(status), text)
    client.choose(error_form="service")
    status, code, text = (service or f"{status} {plain}").split()
    assert error_of(client.fetch(**sent)) == (int(status), int(code), text)


LARGE = b" " * 1048577
TEXTS = [(b"{", 400, "Invalid JSON"), (LARGE, 413, "Body exceeded 1mb limit")]


@pytest.mark.parametrize("body, status, text", TEXTS)
def test_the_service_sends_some_errors_as_texts(client, body, status, text):
    client.choose(error_form="service")
    response = client.fetch(LIST, body)
    assert (response.status_code, response.text) == (status, text)


def test_the_service_says_which_field_is_wrong_and_whose_error_it_is(client):
    client.choose(error_form="service")
    (issue,) = client.pin(top=1).json()["zodError"]
    assert issue["path"] == ["top"] and "got 1" in issue["message"]
    question = {"appId": "app", "messages": []}
    refused = client.fetch(COMPLETIONS, question).json()
    assert refused["errorType"] == "UserError" and "zodError" not in refused


def test_a_refusal_without_authorization_clears_the_cookie(client):
    client.choose(error_form="service")
    assert "fastgpt_token=" in client.pin(key=None).headers["set-cookie"]
    assert "set-cookie" not in client.pin(key="wrong").headers


def test_the_permission_of_an_object_goes_before_that_of_the_key(client):
    assert error_of(client.pin(key="write"))[2] == "forbidden"
    assert error_of(client.page(key="write"))[2] == "forbidden"
    assert client.pin(key="read").status_code == client.page(key="read").status_code == 200


# The order in which refusals win

FIRST_WRONG: list[tuple[str, dict[str, Any]]] = [
    ("routeNotFound", {"path": f"{LIST}/x"}),
    ("methodNotAllowed", {"method": "DELETE"}),
    ("unauthorized", {"key": None}),
    ("unsupportedMediaType", {"headers": {"Content-Type": "text/plain"}}),
    ("bodyTooLarge", {"body": b"{" * 1048577}),
    ("badJson", {"body": b"{"}),
    ("invalidField", {"body": b'{"datasetId": "x", "offset": true}'}),
    ("datasetNotFound", {"body": b'{"datasetId": "x", "offset": 0}'}),
    ("parentNotFound", {"body": b'{"datasetId": "d", "offset": 0, "parentId": "x"}'}),
    ("forbidden", {"body": b'{"datasetId": "d", "offset": 0}'}),
]


@pytest.mark.parametrize("at", range(len(FIRST_WRONG)))
def test_of_several_mistakes_the_first_is_refused(client, at):
    sent: dict[str, Any] = {"path": LIST, "key": "none"}
    for _, wrong in reversed(FIRST_WRONG[at:]):
        sent |= wrong
    assert error_of(client.fetch(**sent))[2] == FIRST_WRONG[at][0]


def test_what_is_unknown_is_refused_before_what_is_forbidden(client):
    assert error_of(client.pin(key="none", appId="x"))[2] == "appNotFound"
    assert error_of(client.pin(key="none", chatId="x"))[2] == "chatNotFound"


@pytest.mark.parametrize("sent", [it for it, *_ in ERRORS])
def test_a_refusal_changes_nothing(client, sent):
    before = client.admin("GET", "/state")
    client.fetch(**sent)
    assert client.admin("GET", "/state") == before


# Headers and routes


@pytest.mark.parametrize("sent", [{"path": LIST, "body": SENT_LIST}, *[it for it, *_ in ERRORS]])
def test_every_response_has_the_common_headers(client, sent):
    headers = client.fetch(**sent).headers
    assert headers["content-type"] == "application/json"
    assert headers["cache-control"] == "no-store"
    assert headers["x-mock-sandbox"] == "default"
    assert headers["x-mock-generation"] == str(client.admin("GET", "/health")["generation"])


def test_some_refusals_have_a_header_of_their_own(client):
    for key in (None, "wrong"):
        assert client.fetch(LIST, SENT_LIST, key=key).headers["www-authenticate"] == "Bearer"
    assert client.fetch(LIST, SENT_LIST, method="GET").headers["allow"] == "POST"
    assert client.fetch(PIN, SENT_PIN, method="PATCH").headers["allow"] == "PUT"


def test_an_unknown_path_names_the_nearest_and_respond(client):
    message = client.fetch("/api/core/dataset/collection/listV3", {}).json()["message"]
    assert LIST in message and "respond" in message


def test_related_routes_that_are_off_say_so(client):
    assert client.fetch(HISTORIES, {"appId": "app"}).status_code == 200
    client.choose(related_routes="off")
    response = client.fetch(HISTORIES, {"appId": "app"})
    assert error_of(response) == (404, 404, "routeNotFound")
    assert "related_routes" in response.json()["message"]


@pytest.mark.parametrize("scheme", ["Bearer", "Basic", "bearer"])
def test_the_service_takes_any_scheme_of_authorization(client, scheme):
    headers = {"Authorization": f"{scheme} owner", "Content-Type": "application/json"}
    client.choose(request_form="service")
    assert client.request("PUT", PIN, json=SENT_PIN, headers=headers).status_code == 200
    noted = client.admin("GET", "/journal")["entries"][-1]["violations"]
    assert [it["name"] for it in noted] == ["request_form"] * (scheme == "Basic")


@pytest.mark.parametrize(("profile", "status"), [("documented", 401), ("deployed", 403)])
@pytest.mark.parametrize("header", ["Bearer  owner", "owner", "Bearer"])
def test_an_authorization_that_names_no_key(client, profile, status, header):
    client.admin("PUT", "/choices", {"profile": profile})
    token = client.login()
    headers = {"Authorization": header, "token": token, "Content-Type": "application/json"}
    response = client.request("POST", LIST, json=SENT_LIST, headers=headers)
    assert response.status_code == status
    assert (
        client.request("POST", HISTORIES, json={"appId": "app"}, headers=headers).status_code
        == status
    )
