"""The two operations: what they refuse and how, and headers. test_model has what they do."""

import json
import sys
from typing import Any
from uuid import UUID

import pytest
from account import (
    COMPLETIONS,
    HISTORIES,
    LIST,
    PIN,
    SENT_LIST,
    SENT_PIN,
    Client,
    LocalClient,
    error_of,
    mentions,
)

from mock_server.text.wording import value_in_words


def refused(client: Client, path: str, without: str = "", **fields: Any) -> str:
    """The message of a 400 for a right body with these fields, or without one."""
    body = (SENT_PIN if path == PIN else SENT_LIST) | fields
    body = {name: it for name, it in body.items() if name != without}
    response = client.fetch(path, body)
    assert error_of(response) == (400, 400, "invalidField")
    return str(response.json()["message"])


# Wrong requests (spec 4, 8)

LONG = "x" * 257
WRONG_LIST: dict[str, list[Any]] = {"offset": [None, "0", -1, 1.5, True, []]}
WRONG_LIST |= {"pageSize": [None, 0, -1, 31, 100, 101, "10", 1.5, True, 10**30]}
WRONG_LIST |= {"datasetId": [None, "", LONG, 5], "parentId": [LONG, 5, True, {}]}
WRONG_LIST |= {"searchText": [None, 5, "x" * 1025]}
WRONG_PIN: dict[str, list[Any]] = {"appId": [None, "", LONG, 5], "chatId": [None, "", LONG, 5]}
WRONG_PIN |= {"top": [None, 1, 0, "true", []]}
WRONG = [(LIST, name, value) for name, values in WRONG_LIST.items() for value in values]
WRONG += [(PIN, name, value) for name, values in WRONG_PIN.items() for value in values]


@pytest.mark.parametrize("path, name, value", WRONG)
def test_a_wrong_value_is_refused_where_it_is(client, path, name, value):
    assert mentions(refused(client, path, **{name: value}), f"{value_in_words(value)} $.{name}")
    assert not client.is_pinned()


REQUIRED = [(LIST, "offset"), (LIST, "datasetId"), *[(PIN, name) for name in WRONG_PIN]]


@pytest.mark.parametrize("path, name", REQUIRED)
def test_a_missing_field_is_said_to_be_missing(client, path, name):
    assert mentions(refused(client, path, without=name), f"{name} $")


def test_a_misspelled_field_is_guessed(client):
    assert mentions(refused(client, LIST, without="offset", ofset=0), "'offset' 'ofset' $.offset")
    client.set_choices(unknown_fields="reject")
    assert mentions(refused(client, LIST, pagesize=1), "'pagesize' $ 'pageSize'")


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
    assert mentions(message, "offset_missing=accept page_size_max=100")


def test_no_choice_is_named_that_is_not_needed(client):
    for sent in (SENT_PIN, {"appId": 5}):
        content = json.dumps(sent).encode()
        message = client.put(PIN, content=content, headers={"Authorization": "Bearer owner"}).text
        assert ("content_type_missing=accept" in message) == (sent == SENT_PIN)


def test_a_choice_that_only_leads_to_another_refusal_is_not_named(client):
    for body in ({"datasetId": "nope"}, {"datasetId": "d", "searchText": 5}):
        assert "=" not in client.fetch(LIST, body).json()["message"]


def test_a_missing_content_type_names_its_choice(client):
    response = client.post(LIST, content=json.dumps(SENT_LIST).encode())
    assert error_of(response) == (415, 415, "unsupportedMediaType")
    assert "content_type_missing=accept" in response.json()["message"]


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
    client.set_choices(error_form="service")
    status, code, text = (service or f"{status} {plain}").split()
    assert error_of(client.fetch(**sent)) == (int(status), int(code), text)


LARGE = b" " * 1048577
TEXTS = [(b"{", 400, "Invalid JSON"), (LARGE, 413, "Body exceeded 1mb limit")]


@pytest.mark.parametrize("body, status, text", TEXTS)
def test_the_service_sends_some_errors_as_texts(client, body, status, text):
    client.set_choices(error_form="service")
    response = client.fetch(LIST, body)
    assert (response.status_code, response.text) == (status, text)


def test_the_service_says_which_field_is_wrong_and_whose_error_it_is(client):
    client.set_choices(error_form="service", offset_missing="accept")
    (issue,) = client.pin(top=1).json()["zodError"]
    assert issue["path"] == ["top"] and mentions(issue["message"], "1")
    sent = {"datasetId": "d", "pageNum": 2, "pageSize": -5}
    assert client.fetch(LIST, sent).json()["zodError"][0]["path"] == ["pageSize"]
    question = {"appId": "app", "messages": []}
    refused = client.fetch(COMPLETIONS, question).json()
    assert refused["errorType"] == "UserError" and "zodError" not in refused


def test_a_refusal_without_authorization_clears_the_cookie(client):
    client.set_choices(error_form="service")
    assert "fastgpt_token=" in client.pin(key=None).headers["set-cookie"]
    assert "set-cookie" not in client.pin(key="wrong").headers


# The order in which refusals win

FIRST_WRONG: list[tuple[str, dict[str, Any]]] = [("routeNotFound", {"path": f"{LIST}/x"})]
FIRST_WRONG += [("methodNotAllowed", {"method": "DELETE"}), ("unauthorized", {"key": None})]
FIRST_WRONG += [("unsupportedMediaType", {"headers": {"Content-Type": "text/plain"}})]
FIRST_WRONG += [("bodyTooLarge", {"body": b"{" * 1048577}), ("badJson", {"body": b"{"})]
FIRST_WRONG += [("invalidField", {"body": b'{"datasetId": "x", "offset": true}'})]
FIRST_WRONG += [("datasetNotFound", {"body": b'{"datasetId": "x", "offset": 0}'})]
FIRST_WRONG += [("parentNotFound", {"body": b'{"datasetId": "d", "offset": 0, "parentId": "x"}'})]
FIRST_WRONG += [("forbidden", {"body": b'{"datasetId": "d", "offset": 0}'})]


@pytest.mark.parametrize("at", range(len(FIRST_WRONG)))
def test_of_several_mistakes_the_first_is_refused(client, at):
    sent: dict[str, Any] = {"path": LIST, "key": "none"}
    for _, wrong in reversed(FIRST_WRONG[at:]):
        sent |= wrong
    assert error_of(client.fetch(**sent))[2] == FIRST_WRONG[at][0]


def test_what_is_unknown_is_refused_before_what_is_forbidden(client):
    assert error_of(client.pin(key="none", appId="x"))[2] == "appNotFound"
    assert error_of(client.pin(key="none", chatId="x"))[2] == "chatNotFound"


# Headers and routes


@pytest.mark.parametrize("sent", [{"path": LIST, "body": SENT_LIST}, *[it for it, *_ in ERRORS]])
def test_a_list_and_a_refusal_have_the_common_headers_and_change_nothing(client, sent):
    before = client.admin("GET", "/state")
    headers = client.fetch(**sent).headers
    assert headers["content-type"] == "application/json; charset=utf-8"
    assert headers["cache-control"] == "no-store"
    assert UUID(headers["x-request-id"])
    assert headers["x-mock-sandbox"] == "default"
    assert headers["x-mock-generation"] == str(client.admin("GET", "/health")["generation"])
    assert client.admin("GET", "/state") == before


def test_some_refusals_have_a_header_of_their_own(client):
    for key in (None, "wrong"):
        assert client.fetch(LIST, SENT_LIST, key=key).headers["www-authenticate"] == "Bearer"
    assert client.fetch(LIST, SENT_LIST, method="GET").headers["allow"] == "POST"
    assert client.fetch(PIN, SENT_PIN, method="PATCH").headers["allow"] == "PUT"


def test_related_routes_that_are_off_say_so(client):
    client.set_choices(related_routes="off")
    response = client.fetch(HISTORIES, {"appId": "app"})
    assert error_of(response) == (404, 404, "routeNotFound")
    assert "related_routes" in response.json()["message"]


@pytest.mark.parametrize("scheme", ["Bearer", "Basic", "bearer"])
def test_the_service_takes_any_scheme_of_authorization(client, scheme):
    headers = {"Authorization": f"{scheme} owner", "Content-Type": "application/json"}
    client.set_choices(request_form="service")
    assert client.request("PUT", PIN, json=SENT_PIN, headers=headers).status_code == 200
    noted = client.admin("GET", "/journal")["entries"][-1]["violations"]
    assert [it["name"] for it in noted] == ["request_form"] * (scheme == "Basic")


@pytest.mark.parametrize(("profile", "status"), [("documented", 401), ("fastgpt-4.16", 403)])
@pytest.mark.parametrize("header", ["Bearer  owner", "owner", "Bearer"])
def test_an_authorization_that_names_no_key(client, profile, status, header):
    client.admin("PUT", "/choices", {"profile": profile})
    token = client.login()
    headers = {"Authorization": header, "token": token, "Content-Type": "application/json"}
    for path, body in ((LIST, SENT_LIST), (HISTORIES, {"appId": "app"})):
        assert client.request("POST", path, json=body, headers=headers).status_code == status


# What a page costs


def lines_run(client: LocalClient, **sent: Any) -> int:
    """How many lines of Python a request runs."""
    count = 0

    def trace(frame: Any, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        assert client.page(**sent).status_code == 200
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize("order", ["update_time_desc", "name", "fixture"])
@pytest.mark.parametrize("parent", ["folder", None])
def test_a_page_costs_the_same_in_a_small_and_in_a_large_dataset(order, parent):
    few = [{"_id": "folder", "name": "F", "children": [{"name": "a"}, {"name": "b"}]}]
    many = [{"repeat": 300, "name": "Item {n}", "parentId": "folder"}, *few]
    datasets = [{"id": "small", "collections": few}, {"id": "large", "collections": many}]
    costs = []
    with LocalClient({"datasets": datasets}, choices={"list_order": order}) as client:
        for dataset in ("small", "large", "small", "large"):
            costs.append(lines_run(client, datasetId=dataset, parentId=parent, pageSize=1))
    # The first page of a dataset puts its collections in order.
    assert abs(costs[3] - costs[2]) < 10
