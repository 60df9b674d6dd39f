"""The two operations, a claim at a time: spec 2, 4, 5, 8 and contract 2."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from account import LIST, PIN, SENT_LIST, SENT_PIN, Server, error_of

LEVELS = {"read": 4, "manage": 7, "owner": 4294967295}
OTHERS = "/api/core/chat/history/getHistories"


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    with Server() as server:
        yield server


@pytest.fixture
def server(running: Server) -> Server:
    running.admin("POST", "/reset")
    return running


def is_pinned(server: Server, chat: str = "c1") -> bool:
    return bool(server.admin("GET", f"/apps/app/chats/{chat}")["top"])


def item(server: Server, id: str, **more: Any) -> Any:
    items = server.page(**more).json()["data"]["list"]
    return next(it for it in items if it["_id"] == id)


def refused(server: Server, path: str, without: str = "", **fields: Any) -> str:
    """The message of a 400 for a right body with these fields, or without one."""
    body = (SENT_PIN if path == PIN else SENT_LIST) | fields
    body = {name: it for name, it in body.items() if name != without}
    response = server.send(path, body)
    assert error_of(response) == (400, 400, "invalidField")
    return str(response.json()["message"])


# Success (spec 2.3, 3, 4.1)


@pytest.mark.parametrize("chat", ["c1", "c2"])
@pytest.mark.parametrize("top", [True, False])
def test_a_pin_sets_the_state_whatever_it_was(server, chat, top):
    for _ in range(2):
        response = server.pin(chatId=chat, top=top)
        assert response.status_code == 200
        assert response.json() == {"code": 200, "statusText": "", "message": "", "data": None}
        assert is_pinned(server, chat) is top


def test_a_chat_is_unpinned_unless_the_fixture_pins_it(server):
    assert (is_pinned(server, "c1"), is_pinned(server, "c2")) == (False, True)


def test_a_pin_changes_no_other_chat(server):
    server.pin(chatId="c1")
    server.pin(chatId="c2", top=False)
    assert (is_pinned(server, "c1"), is_pinned(server, "c2")) == (True, False)


def test_a_list_has_the_page_and_the_total(server):
    response = server.page(pageSize=2, offset=1)
    assert response.status_code == 200
    envelope = response.json()
    data = envelope.pop("data")
    assert envelope == {"code": 200, "statusText": "", "message": ""}
    assert data.keys() == {"list", "total"}
    assert (len(data["list"]), data["total"]) == (2, 4)


# Items (spec 2.2)

PERMISSION = {
    "value": 4294967295,
    "isOwner": True,
    "hasManagePer": True,
    "hasWritePer": True,
    "hasReadPer": True,
}


def test_an_item_has_the_thirteen_fields_as_declared(server):
    assert item(server, "link") == {
        "_id": "link",
        "parentId": None,
        "tmbId": "65422be6aa44b7da77729ec9",
        "type": "link",
        "name": "Alpha link",
        "updateTime": "2024-02-01T00:00:00.000Z",
        "dataAmount": 4,
        "trainingAmount": 2,
        "externalFileId": "ext-1",
        "tags": ["x"],
        "forbid": True,
        "trainingType": "qa",
        "permission": PERMISSION,
    }


def test_the_fields_of_an_item_have_defaults(server):
    assert item(server, "in-b") == {
        "_id": "in-b",
        "parentId": "folder",
        "tmbId": "65422be6aa44b7da77729ec9",
        "type": "virtual",
        "name": "Beta",
        "updateTime": "2024-01-01T00:00:00.000Z",
        "dataAmount": 0,
        "trainingAmount": 0,
        "externalFileId": "",
        "tags": ["setup", "first"],
        "forbid": False,
        "trainingType": "chunk",
        "permission": PERMISSION,
    }
    assert item(server, "folder")["type"] == "folder"


@pytest.mark.parametrize(("key", "value"), LEVELS.items())
def test_an_item_shows_the_permission_of_the_calling_key(server, key, value):
    assert item(server, "link", key=key)["permission"] == {
        "value": value,
        "isOwner": value > 7,
        "hasManagePer": value >= 7,
        "hasWritePer": value >= 6,
        "hasReadPer": True,
    }


def test_a_key_that_may_write_has_value_6(server):
    response = server.page(key="write", datasetId="many")
    rights = response.json()["data"]["list"][0]["permission"]
    assert (rights["value"], rights["hasWritePer"], rights["hasManagePer"]) == (6, True, False)


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
]


@pytest.mark.parametrize(("fields", "ids"), ROWS)
def test_a_list_selects_collections(server, fields, ids):
    assert server.ids(**fields) == ids


def test_a_total_counts_all_pages(server):
    data = server.page(datasetId="many", offset=110, pageSize=30).json()["data"]
    assert (len(data["list"]), data["total"]) == (10, 120)
    assert server.page(offset=99, searchText="alpha").json()["data"] == {"list": [], "total": 2}


def test_pages_cover_a_dataset_once(server):
    offsets = range(0, 120, 30)
    found = [id for it in offsets for id in server.ids(datasetId="many", offset=it, pageSize=30)]
    assert sorted(found) == [f"m{n:03}" for n in range(1, 121)]


@pytest.mark.parametrize("name", ["Straße", "STRASSE", "cafe\u0301", "CAF\u00c9"])
def test_a_search_ignores_case_and_unicode_form(server, name):
    other = {"Straße": "strasse", "STRASSE": "aß", "cafe\u0301": "Caf\u00e9"}.get(name, "fe\u0301")
    server.admin("PUT", "/datasets/d/collections/new", {"name": name})
    assert server.ids(searchText=other) == ["new"]


# Wrong requests (spec 4, 8; contract 2)

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


@pytest.mark.parametrize(("path", "name", "value"), WRONG)
def test_a_wrong_value_is_refused_where_it_is(server, path, name, value):
    message = refused(server, path, **{name: value})
    assert message.startswith("Expected ") and ", got " in message
    assert f" - at $.{name}" in message
    assert not is_pinned(server)


REQUIRED = [(LIST, "offset"), (LIST, "datasetId"), *[(PIN, name) for name in WRONG_PIN]]


@pytest.mark.parametrize(("path", "name"), REQUIRED)
def test_a_missing_field_is_said_to_be_missing(server, path, name):
    message = refused(server, path, without=name)
    assert name in message and ("missing" in message or "got nothing" in message)


def test_a_misspelled_field_is_guessed(server):
    assert "did you mean 'offset'" in refused(server, LIST, without="offset", ofset=0)
    server.choose(unknown_fields="reject")
    assert "did you mean 'pageSize'" in refused(server, LIST, pagesize=1)


TOLERATED = [
    (LIST, {"pageSize": 31}, "", "page_size_over_limit=clamp"),
    (LIST, {}, "offset", "offset_missing=accept"),
    (LIST, {"pageSize": "10"}, "", "numeric_strings=accept"),
    (LIST, {"offset": "0"}, "", "numeric_strings=accept"),
    (PIN, {}, "top", "top_missing=ignore"),
]


@pytest.mark.parametrize(("path", "fields", "without", "choice"), TOLERATED)
def test_a_refusal_names_the_choice_that_would_accept(server, path, fields, without, choice):
    assert choice in refused(server, path, without, **fields)


@pytest.mark.parametrize(
    ("path", "sent", "choice"),
    [
        (LIST, {"body": SENT_LIST | {"parentId": "nope"}}, "parent_unknown=empty"),
        (PIN, {"body": SENT_PIN | {"chatId": "nope"}}, "chat_unknown=ignore"),
        (PIN, {"body": SENT_PIN, "method": "POST"}, "method_mismatch=accept"),
    ],
)
def test_other_refusals_name_the_choice_as_well(server, path, sent, choice):
    assert choice in server.send(path, **sent).json()["message"]


def test_a_body_without_a_content_type_names_its_choice(server):
    headers = {"Authorization": "Bearer owner"}
    response = server.request("POST", LIST, content=json.dumps(SENT_LIST), headers=headers)
    assert error_of(response) == (415, 415, "unsupportedMediaType")
    assert "content_type_missing=accept" in response.json()["message"]


def test_ids_are_compared_as_sent(server):
    assert error_of(server.page(datasetId="d "))[2] == "datasetNotFound"
    assert error_of(server.pin(chatId="C1"))[2] == "chatNotFound"
    assert error_of(server.page(datasetId="x" * 256))[2] == "datasetNotFound"


def test_the_last_of_duplicate_keys_wins(server):
    body = b'{"appId": "nope", "top": "x", "chatId": "c1", "appId": "app", "top": true}'
    assert server.send(PIN, body).status_code == 200
    assert is_pinned(server)


def test_numbers_are_read_by_their_value(server):
    for number in (b"-0.0", b"0e5", b"0.0"):
        body = b'{"offset": %s, "datasetId": "d", "pageSize": 2}' % number
        assert len(server.send(LIST, body).json()["data"]["list"]) == 2


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"null", b'{"a": 1,}', b"\xff", b'{"offset": NaN}', b"{} x"]
)
def test_a_body_that_is_no_json_object_is_refused(server, body):
    assert error_of(server.send(LIST, body)) == (400, 400, "badJson")


# Limits


@pytest.mark.parametrize(("more", "status"), [(0, 200), (1, 413)])
def test_a_body_has_at_most_1_mib(server, more, status):
    body = json.dumps(SENT_PIN).encode().ljust(1024 * 1024 + more)
    assert server.send(PIN, body).status_code == status
    assert is_pinned(server) is (status == 200)


@pytest.mark.parametrize(("levels", "status"), [(63, 200), (64, 400)])
def test_json_has_at_most_64_levels(server, levels, status):
    deep = json.dumps(SENT_LIST)[:-1] + ', "more": ' + "[" * levels + "]" * levels + "}"
    assert server.send(LIST, deep.encode()).status_code == status


def test_search_texts_have_at_most_1024_characters(server):
    assert server.page(searchText="ß" * 1024).status_code == 200


# What is unknown, and who may do what (contract 2)

SERVICE = [
    ({"path": PIN, "body": SENT_PIN, "key": None}, (403, 403, "unAuthorization")),
    ({"path": LIST, "body": SENT_LIST, "key": None}, (403, 403, "unAuthorization")),
    ({"path": PIN, "body": SENT_PIN, "key": "wrong"}, (500, 514, "unAuthApiKey")),
    ({"path": LIST, "body": SENT_LIST | {"datasetId": "x"}}, (500, 501002, "unExistDataset")),
    ({"path": LIST, "body": SENT_LIST | {"parentId": "x"}}, (500, 501002, "unExistDataset")),
    ({"path": LIST, "body": SENT_LIST, "key": "none"}, (500, 501004, "unAuthDataset")),
    ({"path": PIN, "body": SENT_PIN | {"appId": "x"}}, (500, 502000, "appUnExist")),
    ({"path": PIN, "body": SENT_PIN, "key": "none"}, (500, 502001, "unAuthApp")),
    ({"path": PIN, "body": SENT_PIN | {"chatId": "x"}}, (500, 504000, "unAuthChat")),
    ({"path": PIN, "body": SENT_PIN | {"top": 1}}, (400, 400, "error")),
    ({"path": LIST, "body": b"{"}, (400, 400, "error")),
    ({"path": "/api/nothing", "body": {}}, (404, 404, "routeNotFound")),
    ({"path": LIST, "body": {}, "method": "GET"}, (405, 405, "methodNotAllowed")),
    ({"path": LIST, "body": b" " * 1048577}, (413, 413, "bodyTooLarge")),
    (
        {"path": LIST, "body": b"{}", "headers": {"Content-Type": "text/plain"}},
        (415, 415, "unsupportedMediaType"),
    ),
]
PLAIN = [401, 401, 401, 404, 404, 403, 404, 403, 404, 400, 400, 404, 405, 413, 415]
PLAIN_TEXTS = (
    "unauthorized unauthorized unauthorized datasetNotFound parentNotFound forbidden appNotFound "
    "forbidden chatNotFound invalidField badJson routeNotFound methodNotAllowed bodyTooLarge "
    "unsupportedMediaType"
).split()


@pytest.mark.parametrize(("sent", "form"), SERVICE)
def test_errors_of_the_service_have_its_codes(server, sent, form):
    server.choose(error_form="service")
    assert error_of(server.send(**sent)) == form


@pytest.mark.parametrize(
    ("sent", "status", "text"),
    [(sent, *plain) for (sent, _), plain in zip(SERVICE, zip(PLAIN, PLAIN_TEXTS), strict=True)],
)
def test_plain_errors_have_the_status_as_their_code(server, sent, status, text):
    assert error_of(server.send(**sent)) == (status, status, text)


def test_a_permission_of_an_app_or_a_dataset_goes_before_that_of_the_key(server):
    assert error_of(server.pin(key="write"))[2] == "forbidden"
    assert error_of(server.page(key="write"))[2] == "forbidden"
    assert server.page(key="write", datasetId="many").status_code == 200


def test_a_reader_may_pin_and_list(server):
    assert server.pin(key="read").status_code == server.page(key="read").status_code == 200


# The order in which refusals win (contract 2)

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
def test_of_several_mistakes_the_first_is_refused(server, at):
    sent: dict[str, Any] = {"path": LIST, "key": "none"}
    for _, wrong in reversed(FIRST_WRONG[at:]):
        sent |= wrong
    assert error_of(server.send(**sent))[2] == FIRST_WRONG[at][0]


PIN_ORDER = [
    ("appNotFound", {"appId": "x", "chatId": "x"}),
    ("chatNotFound", {"chatId": "x"}),
    ("forbidden", {}),
]


@pytest.mark.parametrize(("text", "fields"), PIN_ORDER)
def test_a_pin_is_refused_for_what_is_unknown_before_permissions(server, text, fields):
    assert error_of(server.pin(key="none", **fields))[2] == text


@pytest.mark.parametrize(("sent", "form"), SERVICE)
def test_a_refusal_changes_nothing(server, sent, form):
    before = server.admin("GET", "/state")
    server.send(**sent)
    assert server.admin("GET", "/state") == before


# Headers and routes (contract 2)


@pytest.mark.parametrize("sent", [{"path": LIST, "body": SENT_LIST}, *[it for it, _ in SERVICE]])
def test_every_response_has_the_common_headers(server, sent):
    headers = server.send(**sent).headers
    assert headers["content-type"] == "application/json"
    assert headers["cache-control"] == "no-store"
    assert headers["x-mock-sandbox"] == "default"
    assert headers["x-mock-generation"] == str(server.admin("GET", "/health")["generation"])


def test_some_refusals_have_a_header_of_their_own(server):
    for key in (None, "wrong"):
        assert server.send(LIST, SENT_LIST, key=key).headers["www-authenticate"] == "Bearer"
    assert server.send(LIST, SENT_LIST, method="GET").headers["allow"] == "POST"
    assert server.send(PIN, SENT_PIN, method="PATCH").headers["allow"] == "PUT"


def test_an_unknown_path_names_the_nearest_and_respond(server):
    message = server.send("/api/core/dataset/collection/listV3", {}).json()["message"]
    assert LIST in message and "respond" in message


def test_related_routes_that_are_off_say_so(server):
    assert server.send(OTHERS, {"appId": "app"}).status_code == 200
    server.choose(related_routes="off")
    response = server.send(OTHERS, {"appId": "app"})
    assert error_of(response) == (404, 404, "routeNotFound")
    assert "related_routes" in response.json()["message"]
