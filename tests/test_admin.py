"""The admin API: every route once, its wrong calls, guard and limits."""

import asyncio
import json
import re
from time import monotonic
from typing import Any

import httpx2
import pytest
import yaml
from account import ACCOUNT, LIST, PIN, SENT_LIST, SENT_PIN, Client, LocalClient, error_of

from mock_server import create_app

JSON = "application/json"
YAML = "application/yaml"
MAX_BODY = 1024 * 1024
MAX_STATE = 32 * 1024 * 1024
CHAT = "/apps/app/chats/c1"
COLLECTION = "/datasets/d/collections/link"


# Every route once

ROUTES: list[tuple[str, str, Any, int, set[str]]] = [
    ("GET", "/health", None, 200, {"status", "fixture", "generation", "profile"}),
    ("POST", "/reset", {}, 200, {"sandbox", "generation"}),
    ("GET", "/state", None, 200, {"clock", "keys", "users", "apps", "datasets"}),
    ("PUT", "/state", ACCOUNT, 200, {"generation"}),
    ("GET", "/snapshots", None, 200, {"snapshots"}),
    ("PUT", "/snapshots/new", {}, 201, {"name"}),
    ("PUT", "/snapshots/kept", {}, 200, {"name"}),
    ("POST", "/snapshots/kept/restore", {}, 200, {"generation"}),
    ("GET", "/faults", None, 200, {"faults"}),
    ("POST", "/faults", {"kind": "error"}, 201, {"id", "kind", "remaining", "fired"}),
    ("POST", "/faults", {"preset": "flaky", "seed": 1}, 201, {"faults"}),
    ("GET", "/faults/f1", None, 200, {"id", "kind", "remaining", "fired"}),
    ("DELETE", "/faults", None, 200, set()),
    ("GET", "/journal", None, 200, {"entries", "total", "kept", "dropped", "next"}),
    ("DELETE", "/journal", None, 200, set()),
    ("POST", "/journal/verify", {"operation": "listV2"}, 200, {"ok", "count"}),
    ("GET", "/clock", None, 200, {"now", "frozen"}),
    ("PUT", "/clock", {"frozen": True}, 200, {"now", "frozen"}),
    ("POST", "/clock/advance", {"seconds": 1}, 200, {"now", "frozen"}),
    ("GET", "/choices", None, 200, {"profile", "choices"}),
    ("PUT", "/choices", {"choices": {"list_order": "name"}}, 200, {"profile", "choices"}),
    ("GET", "/apps", None, 200, {"apps"}),
    ("GET", "/apps/app", None, 200, {"id", "name", "chats"}),
    ("PUT", "/apps/new", {"name": "New"}, 201, {"id", "name"}),
    ("PUT", "/apps/app", {"name": "Other"}, 200, {"id", "name"}),
    ("GET", "/apps/app/chats", None, 200, {"chats", "total"}),
    ("POST", "/apps/app/chats", {"title": "New"}, 201, {"chatId", "title", "top"}),
    ("GET", CHAT, None, 200, {"chatId", "title", "top"}),
    ("PUT", CHAT, {"title": "Other"}, 200, {"chatId", "title", "top"}),
    ("PUT", "/apps/app/chats/new", {"top": True}, 201, {"chatId", "title", "top"}),
    ("GET", "/datasets", None, 200, {"datasets"}),
    ("GET", "/datasets/d", None, 200, {"id", "name", "collections"}),
    ("PUT", "/datasets/new", {"collections": []}, 201, {"id"}),
    ("PUT", "/datasets/d", {"name": "Other"}, 200, {"id"}),
    ("GET", "/datasets/d/collections", None, 200, {"collections", "total"}),
    ("POST", "/datasets/d/collections", {"name": "New"}, 201, {"_id", "name", "parentId"}),
    ("GET", COLLECTION, None, 200, {"_id", "name", "parentId"}),
    ("PUT", COLLECTION, {"name": "Other"}, 200, {"_id", "name", "parentId"}),
    ("PUT", "/datasets/d/collections/new", {"name": "New"}, 201, {"_id", "name", "parentId"}),
]
OF_ALL = [
    ("GET", "/sandboxes", None, 200, {"sandboxes"}),
    ("POST", "/sandboxes", {}, 201, {"name", "key", "keys", "expiresAt"}),
    ("GET", "/sandboxes/default", None, 200, {"name", "key", "keys", "expiresAt"}),
    ("GET", "/openapi.json", None, 200, {"openapi", "paths"}),
]


CASES = [("", *row) for row in ROUTES + OF_ALL] + [("/sandboxes/one", *row) for row in ROUTES]


@pytest.mark.parametrize("prefix, method, path, body, status, names", CASES)
def test_a_route_answers_in_its_shape(client, prefix, method, path, body, status, names):
    client.admin("POST", "/sandboxes", {"name": "one"})
    client.admin("PUT", f"{prefix}/snapshots/kept")
    client.admin("POST", f"{prefix}/faults", {"kind": "error", "skip": 5})
    client.page(key=client.admin("GET", prefix or "/sandboxes/default")["keys"]["owner"])
    answer = client.admin(method, prefix + path, body, status)
    assert names <= answer.keys()


GONE = ["/faults/f1", CHAT, COLLECTION, "/datasets/d", "/apps/app"]


@pytest.mark.parametrize("path", GONE)
def test_what_is_deleted_is_gone_until_a_reset(client, path):
    client.admin("POST", "/faults", {"kind": "error"})
    client.admin("DELETE", path)
    client.admin("GET", path, status=404)
    client.admin("POST", "/reset")
    client.admin("GET", path, status=404 if path == GONE[0] else 200)


def test_a_posted_object_gets_the_id_that_a_fixture_derives(client):
    made = client.admin("POST", "/datasets/d/collections", {"name": "New"})
    chat = client.admin("POST", "/apps/app/chats", {"title": "New"})
    datasets = [{"id": "d", "collections": [{"name": "New"}]}]
    state = {"apps": [{"id": "app", "chats": [{"title": "New"}]}], "datasets": datasets}
    client.admin("POST", "/sandboxes", {"name": "one", "state": state})
    derived = client.admin("GET", "/sandboxes/one/datasets/d/collections")["collections"]
    assert [it["_id"] for it in derived] == [made["_id"]]
    assert client.admin("GET", "/sandboxes/one/apps/app/chats")["chats"] == [chat]


def test_health_counts_the_fixture(client):
    fixture = client.admin("GET", "/health")["fixture"]
    assert fixture.items() >= {"datasets": 3, "collections": 125, "chats": 2}.items()
    assert {"files", "sha256"} < fixture.keys()


def test_the_public_document_has_the_two_operations(client):
    assert {LIST, PIN} <= client.request("GET", "/openapi.json").json()["paths"].keys()


# Wrong calls

UNKNOWN = [
    ("GET", "/fault", "did you mean '/__admin/faults'"),
    ("GET", "/nope", "(GET /__admin/openapi.json lists them)"),
    ("GET", "/chats", "did you mean '/__admin/apps/{app}/chats'"),
    ("GET", "/sandboxes/defualt", "did you mean 'default'"),
    ("POST", "/snapshots/old/restore", "the name of a snapshot, got 'old' (known: new)"),
    ("GET", "/faults/f9", ""),
    ("GET", "/apps/ap", "did you mean 'app'"),
    ("GET", "/apps/app/chats/none", ""),
    ("GET", "/datasets/man/collections", "did you mean 'many'"),
    ("GET", "/datasets/d/collections/none", ""),
]


@pytest.mark.parametrize("method, path, said", UNKNOWN)
def test_what_is_unknown_is_404_and_guessed(client, method, path, said):
    client.control.snapshot("new")
    client.choose(error_form="service", error_http_status="always_200")  # not for the admin API
    answer = client.admin(method, path, status=404)
    assert answer["code"] == 404 and said in answer["message"]
    assert answer["message"].startswith("Expected ")


def test_a_slash_at_the_end_counts_for_nothing(client):
    client.admin("POST", "/faults/", {"kind": "hang", "operation": "listV2"}, 201)
    assert client.get("/__admin/").status_code == 200


METHODS = [("/state", "GET PUT"), ("/faults", "DELETE GET POST"), ("/journal", "DELETE GET")]
METHODS += [("/snapshots/kept", "DELETE PUT"), (CHAT, "DELETE GET PUT"), ("/reset", "POST")]


@pytest.mark.parametrize("path, methods", METHODS)
def test_a_wrong_method_is_405_and_told_the_right_ones(client, path, methods):
    response = client.request("PATCH", f"/__admin{path}")
    assert error_of(response) == (405, 405, "methodNotAllowed")
    allowed = {it.strip() for it in response.headers["allow"].split(",")} - {"HEAD"}
    assert allowed == set(methods.split())


def test_below_a_sandbox_there_are_no_sandboxes(client):
    response = client.request("GET", "/__admin/sandboxes/default/sandboxes")
    assert error_of(response) == (404, 404, "routeNotFound")


@pytest.mark.parametrize("media", [None, "text/plain", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize("path", ["/reset", "/faults", "/sandboxes", "/clock/advance"])
def test_a_body_must_say_that_it_is_json(client, path, media):
    headers = {"Content-Type": media} if media else {}
    response = client.request("POST", f"/__admin{path}", content=b"{}", headers=headers)
    assert error_of(response) == (415, 415, "unsupportedMediaType")
    empty = client.request("POST", "/__admin/reset", headers={"Content-Type": JSON})
    assert empty.status_code == 200


WRONG = [
    ("PUT", "/clock", {"now": "soon"}, "or null, got 'soon' - at $.now"),
    ("PUT", "/clock", {"frozen": "no"}, "true or false or null, got 'no' - at $.frozen"),
    ("PUT", "/clock", {"nwo": "2026-01-01T00:00:00Z"}, "did you mean 'now'"),
    ("PUT", "/clock", {"now": "9999-12-31T23:59:59-12:00"}, "- at $.now"),
    ("PUT", "/clock", {"now": "0001-01-01T00:00:00+14:00"}, "of the years 1 to 9999"),
    ("POST", "/clock/advance", {"seconds": "1"}, "$.seconds"),
    ("POST", "/clock/advance", {"hours": 1}, "no field 'hours' - at $ (fields: seconds)"),
    ("PUT", "/choices", {"profile": "documentd"}, "did you mean 'documented'"),
    ("PUT", "/choices", {"list_order": "name"}, "- at $ (it stands below 'choices')"),
    ("PUT", "/choices", {"choices": {"list_ordr": "name"}}, "did you mean 'list_order'"),
    ("PUT", "/choices", {"choices": {"list_order": 5}}, "update_time_desc"),
    ("PUT", "/state", {"dataset": []}, "did you mean 'datasets'"),
    ("PUT", CHAT, {"titel": "x"}, "did you mean 'title'"),
    ("PUT", CHAT, {"id": "c"}, "no field 'id' - at $ (fields: chatId, "),
    ("PUT", CHAT, {"chatId": "other"}, "$.chatId"),
    ("PUT", CHAT, {"updateTime": "9999-12-31T23:59:59-12:00"}, "- at $.updateTime"),
    (
        "PUT",
        "/datasets/d",
        {"collections": [{}]},
        "the field 'name', which is missing - at $.collections[0].name",
    ),
    ("PUT", "/datasets/d", {"collections": "x"}, "a list, got 'x' - at $.collections"),
    ("PUT", "/datasets/d/collections/folder", {"name": "x", "parentId": "in-a"}, "$.parentId"),
    (
        "POST",
        "/sandboxes",
        {"name": "a b"},
        "a text of 1 to 64 letters, digits and . _ - or null, got",
    ),
    ("POST", "/sandboxes", {"state": {"datasts": []}}, "did you mean 'datasets'"),
    ("POST", "/journal/verify", {"exactly": 1, "atLeast": 1}, "exactly"),
    ("POST", "/journal/verify", {"inOrder": 5}, "a list or null, got 5 - at $.inOrder"),
    ("GET", "/journal?operatoin=x", None, "did you mean 'operation'"),
]


@pytest.mark.parametrize("method, path, body, said", WRONG)
def test_a_wrong_call_is_refused_and_changes_nothing(client, method, path, body, said):
    watched = ("/state", "/faults", "/clock", "/choices", "/sandboxes/default")
    before = [client.admin("GET", path) for path in watched]
    message = client.admin(method, path, body, 400)["message"]
    sentence = message.removeprefix("Expected a fixture without mistakes, got:\n")
    assert message.startswith("Expected ") and said in message and "\n" not in sentence
    assert [client.admin("GET", path) for path in watched] == before


# The guard

GUARD: list[tuple[dict[str, str], str, int]] = [
    ({"Host": "[::1]:8000"}, "/health", 200),
    ({"Host": "allowed.example"}, "/health", 200),
    ({"Host": "evil.example"}, "/health", 421),
    ({"Host": "127.0.0.1.evil.example"}, "/state", 421),
    ({"Origin": "http://localhost"}, "/state", 200),
    ({"Origin": "http://evil.example"}, "/state", 403),
    ({"Sec-Fetch-Site": "cross-site"}, "/state", 403),
    ({"Sec-Fetch-Site": "same-site"}, "/state", 403),
]


@pytest.mark.parametrize("headers, path, status", GUARD)
def test_the_guard_keeps_pages_of_others_out(headers, path, status):
    with LocalClient(allowed_hosts=["allowed.example"]) as client:
        response = client.request("GET", f"/__admin{path}", headers=headers)
        assert response.status_code == status
        assert client.fetch(LIST, SENT_LIST, headers=headers).status_code == 200
    text = {421: "foreignHost", 403: "foreignOrigin"}.get(status)
    assert response.json().get("statusText") == text


def test_a_link_to_the_console_may_be_anywhere(client):
    click = {"Site": "cross-site", "Mode": "navigate", "Dest": "document"}
    headers = {f"Sec-Fetch-{name}": value for name, value in click.items()}
    assert client.request("GET", "/__admin/", headers=headers).status_code == 200
    assert client.request("GET", "/__admin/state", headers=headers).status_code == 403


TOKENS = [
    ("/health", None, 200),
    ("/", None, 200),
    ("/state", None, 401),
    ("/state", "wrong", 401),
    ("/state", "secret", 200),
]


@pytest.mark.parametrize("path, token, status", TOKENS)
def test_an_admin_token_closes_all_but_health_and_the_console(path, token, status):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with LocalClient(admin_token="secret") as client:
        response = client.request("GET", f"/__admin{path}", headers=headers)
        assert response.status_code == status
        assert ("www-authenticate" in response.headers) is (status == 401)
        assert client.pin().status_code == 200


# Sandboxes


def is_pinned_in_one(client: Client) -> bool:
    return bool(client.admin("GET", f"/sandboxes/one{CHAT}")["top"])


def test_a_sandbox_is_isolated(client):
    made = client.admin("POST", "/sandboxes", {"name": "one", "choices": {"list_order": "name"}})
    key = made["keys"]["owner"]
    assert key.startswith("fastgpt-sbx-") and made["key"].startswith("fastgpt-sbx-")
    assert client.pin(key=key).headers["x-mock-sandbox"] == "one"
    assert not client.is_pinned() and is_pinned_in_one(client)
    client.admin("POST", "/sandboxes/one/faults", {"kind": "error"})
    assert (client.page().status_code, client.page(key=key).status_code) == (200, 503)
    totals = [client.admin("GET", f"{it}/journal")["total"] for it in ("", "/sandboxes/one")]
    assert totals == [1, 2]
    assert client.admin("GET", "/choices")["choices"]["list_order"] == "update_time_desc"


def test_the_keys_of_a_sandbox_have_the_permissions_of_the_declared_ones(client):
    keys = client.admin("POST", "/sandboxes", {})["keys"]
    assert keys.keys() == {"owner", "manage", "write", "read", "none"}
    assert [client.pin(key=keys[it]).status_code for it in ("read", "none")] == [200, 403]


def test_a_restore_brings_back_the_keys_of_its_moment(client):
    keys = client.admin("POST", "/sandboxes", {"name": "one"})["keys"]
    client.admin("PUT", "/sandboxes/one/snapshots/before")
    client.admin("PUT", "/sandboxes/one/state", {"keys": [{"key": "other"}]})
    assert client.page(key=keys["owner"]).status_code == 401
    client.admin("POST", "/sandboxes/one/snapshots/before/restore")
    assert client.pin(key=keys["owner"]).status_code == 200
    assert client.admin("GET", "/sandboxes/one")["keys"] == keys


def test_a_sandbox_begins_with_the_baseline_and_what_it_says(client):
    client.pin()
    client.admin("POST", "/sandboxes", {"name": "one"})
    assert not is_pinned_in_one(client)
    body = {"name": "two", "profile": "deployed", "state": {"datasets": [{"id": "own"}]}}
    client.admin("POST", "/sandboxes", body)
    datasets = client.admin("GET", "/sandboxes/two/datasets")["datasets"]
    assert [it["id"] for it in datasets] == ["own"]
    assert client.admin("GET", "/sandboxes/two/choices")["profile"] == "deployed"


def test_names_of_sandboxes_are_taken_once(client):
    name = "a.b_C-1" + "x" * 57
    client.admin("POST", "/sandboxes", {"name": name}, 201)
    client.admin("POST", "/sandboxes", {"name": name}, 409)
    client.admin("POST", "/sandboxes", {"name": name + "x"}, 400)
    client.admin("POST", "/sandboxes", {"name": "default"}, 409)
    client.admin("DELETE", f"/sandboxes/{name}")
    client.admin("POST", "/sandboxes", {"name": name}, 201)


def test_a_sandbox_that_is_gone_or_idle_is_unknown(client):
    key = client.admin("POST", "/sandboxes", {"name": "one"})["key"]
    client.admin("DELETE", "/sandboxes/one")
    assert client.pin(key=key).status_code == 401
    key = client.admin("POST", "/sandboxes", {"name": "two", "ttl": 0.0001})["key"]
    end = monotonic() + 5
    while client.pin(key=key).status_code != 401 and monotonic() < end:
        pass
    names = [it["name"] for it in client.admin("GET", "/sandboxes")["sandboxes"]]
    assert names == ["default"]


# State, snapshots, clock, choices


@pytest.mark.parametrize("media", [JSON, YAML])
def test_the_state_that_was_read_can_be_put(client, media):
    def state() -> httpx2.Response:
        return client.request("GET", "/__admin/state", headers={"Accept": media})

    client.pin()
    client.admin("PUT", "/datasets/d/collections/new", {"name": "1e3", "parentId": "folder"})
    client.admin("POST", "/clock/advance", {"seconds": 90})
    rows = {"collectionId": "in-a", "data": [{"q": "How?", "a": "So."}]}
    client.fetch("/api/core/dataset/data/pushData", rows)
    before = state()
    headers = {"Content-Type": media}
    assert before.headers["content-type"].startswith(media)
    put = client.request("PUT", "/__admin/state", content=before.content, headers=headers)
    assert put.status_code == 200
    assert yaml.safe_load(state().text) == yaml.safe_load(before.text)


def test_a_state_has_the_fields_of_a_fixture(client):
    rows = {"collectionId": "in-a", "data": [{"q": "How?", "a": "So."}]}
    client.fetch("/api/core/dataset/data/pushData", rows)
    state = client.admin("GET", "/state")
    assert state.keys() <= {"clock", "keys", "users", "apps", "datasets", "faults", "answers"}
    assert not {"rows", "steps"} & state["datasets"][0].keys()


def test_a_put_state_is_the_baseline_and_resets(client):
    client.admin("POST", "/faults", {"kind": "error"})
    generation = client.admin("GET", "/health")["generation"]
    client.admin("PUT", "/state", ACCOUNT | {"datasets": []})
    assert client.admin("GET", "/health")["generation"] == generation + 1
    assert client.admin("GET", "/faults") == {"faults": []}
    client.admin("PUT", "/datasets/own", {"name": "Own"})
    client.admin("POST", "/reset")
    assert client.admin("GET", "/datasets") == {"datasets": []}


@pytest.mark.parametrize("method, path", [("PUT", "/state"), ("POST", "/sandboxes")])
@pytest.mark.parametrize("size, is_taken", [(2 * MAX_BODY, True), (MAX_STATE + 1, False)])
def test_a_state_has_at_most_32_mib(client, method, path, size, is_taken):
    state = json.dumps(ACCOUNT if path == "/state" else {"state": ACCOUNT}).encode()
    headers = {"Content-Type": JSON}
    response = client.request(method, f"/__admin{path}", content=state.ljust(size), headers=headers)
    assert response.is_success if is_taken else response.status_code == 413


def test_a_state_for_a_sandbox_that_is_deleted_meanwhile_is_404():
    async def overtaken() -> list[httpx2.Response]:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http:
            await http.post("/__admin/sandboxes", json={"name": "one"})
            put = http.put("/__admin/sandboxes/one/state", json=ACCOUNT)
            return await asyncio.gather(put, http.delete("/__admin/sandboxes/one"))

    app = create_app(ACCOUNT)
    put, deleted = asyncio.run(overtaken())
    assert (put.status_code, deleted.status_code) == (404, 200)
    assert "fastgpt-sbx-" not in put.text


def test_a_snapshot_keeps_data_clock_and_choices(client):
    client.pin()
    client.choose(list_order="name")
    client.admin("PUT", "/snapshots/one")
    client.admin("POST", "/reset")
    assert not client.is_pinned()
    assert client.admin("GET", "/snapshots")["snapshots"] == [{"name": "one"}]
    client.admin("POST", "/clock/advance", {"seconds": 5})
    generation = client.admin("POST", "/snapshots/one/restore")["generation"]
    assert generation == client.admin("GET", "/health")["generation"]
    assert client.is_pinned()
    assert client.admin("GET", "/choices")["choices"]["list_order"] == "name"
    assert client.admin("GET", "/clock")["now"] == ACCOUNT["clock"]


def test_the_clock_stands_still_moves_and_runs(client):
    assert client.admin("GET", "/clock") == {"now": "2026-01-01T00:00:00.000Z", "frozen": True}
    now = client.admin("POST", "/clock/advance", {"seconds": 1.5})["now"]
    assert now == "2026-01-01T00:00:01.500Z"
    view = client.admin("PUT", "/clock", {"now": "2030-05-01T02:00:00+02:00"})
    assert view == {"now": "2030-05-01T00:00:00.000Z", "frozen": True}
    view = client.admin("PUT", "/clock", {"frozen": False})
    assert not view["frozen"] and view["now"].startswith("2030-05-01T00:00:0")
    assert client.admin("POST", "/clock/advance", {"seconds": 60})["now"] > "2030-05-01T00:01"


END = "9999-12-31T23:59:59.999Z"


@pytest.mark.parametrize("is_frozen", [True, False])
def test_the_clock_stands_still_at_the_end_of_9999(client, is_frozen):
    late = {"now": "9999-12-31T23:59:59.998Z", "frozen": is_frozen}
    client.admin("PUT", "/clock", late)
    for seconds in (1, 1e11):
        view = client.admin("POST", "/clock/advance", {"seconds": seconds})
        assert view == {"now": END, "frozen": is_frozen}
    assert client.pin().status_code == 200
    assert client.admin("GET", "/journal")["entries"][0]["time"] == END
    assert client.admin("GET", CHAT)["updateTime"] == END


def test_choices_are_set_for_a_profile(client):
    body = {"profile": "deployed", "choices": {"training": "instant"}}
    assert client.admin("PUT", "/choices", body)["profile"] == "deployed"
    view = client.admin("PUT", "/choices", {"choices": {"list_order": "name"}})
    assert view["profile"] == "deployed"
    expected = {"list_order": "name", "error_form": "service"}
    assert view["choices"].items() >= expected.items()


# The journal


def test_an_entry_says_what_was_asked_and_answered(client):
    client.pin(pin=1)
    (entry,) = client.admin("GET", "/journal")["entries"]
    assert (entry["operation"], entry["member"]) == ("updateHistory", "member-owner")
    request = entry["request"]
    answer = entry["response"]
    assert (request["method"], request["path"], request["query"]) == ("PUT", PIN, "")
    assert (request["body"], request["truncated"]) == (SENT_PIN | {"pin": 1}, False)
    assert (answer["status"], answer["body"]["code"]) == (200, 200)
    assert [it["name"] for it in entry["violations"]] == ["unknown_fields"]
    assert "Bearer owner" not in json.dumps(entry)
    assert {"seq", "time", "generation", "key", "fault", "durationMs", "hint"} <= entry.keys()


QUERIES = [
    ("", [1, 2, 3, 4]),
    ("operation=listV2", [2, 3]),
    ("status=400", [3]),
    ("key=read", [4]),
    ("since=3", [3, 4]),
    ("since=2&limit=1&operation=updateHistory", [4]),
    ("violations=true", [3]),
]


@pytest.fixture
def called(client: Client) -> Client:
    client.pin()
    client.page()
    client.page(pageSize=0)
    client.pin(key="read", top=False)
    return client


@pytest.mark.parametrize("query, seqs", QUERIES)
def test_the_journal_is_queried(called, query, seqs):
    page = called.admin("GET", f"/journal?{query}")
    assert [it["seq"] for it in page["entries"]] == seqs
    assert (page["total"], page["kept"], page["dropped"]) == (4, 4, 0)


def test_the_pages_of_the_journal_join(called):
    since = called.admin("GET", "/journal?limit=3")["next"]
    assert [it["seq"] for it in called.admin("GET", f"/journal?since={since}")["entries"]] == [4]


PIN_CALL = {"operation": "updateHistory"}
LIST_CALL = {"operation": "listV2"}
ASSERTIONS: list[tuple[Any, bool, int]] = [
    (PIN_CALL, True, 2),
    (PIN_CALL | {"atMost": 1}, False, 2),
    (PIN_CALL | {"atLeast": 3}, False, 2),
    (PIN_CALL | {"body": {"top": False}}, True, 1),
    (LIST_CALL | {"status": 200, "exactly": 1}, True, 1),
    ({"operation": "app.list", "exactly": 0}, True, 0),
    ({"inOrder": [PIN_CALL, LIST_CALL, PIN_CALL]}, True, 3),
    ({"inOrder": [LIST_CALL, PIN_CALL, LIST_CALL]}, False, 2),
]


@pytest.mark.parametrize("criteria, ok, count", ASSERTIONS)
def test_the_journal_is_verified(called, criteria, ok, count):
    answer = called.admin("POST", "/journal/verify", criteria, 200 if ok else 409)
    assert (answer["ok"], answer["count"]) == (ok, count)
    assert ok or "nearest" in answer


def test_a_failed_assertion_shows_the_nearest_call(called):
    criteria = {"operation": "listV2", "body": {"pageSize": 1}}
    nearest = called.admin("POST", "/journal/verify", criteria, 409)["nearest"][0]
    differences = [{"path": "$.body.pageSize", "expected": 1, "got": 0}]
    assert nearest == {"seq": 3, "differences": differences}


# Limits, and reset

LIMITS: list[tuple[str, str, Any, int, str]] = [
    ("POST", "/faults", {"kind": "error"}, 100, "/faults"),
    ("POST", "/faults", {"kind": "answer", "data": 1}, 1000, "/faults"),
    ("POST", "/sandboxes", {}, 1000, "/sandboxes"),
    ("PUT", "/snapshots/s{}", {}, 100, "/snapshots"),
]


@pytest.mark.parametrize("method, path, body, most, listed", LIMITS)
def test_what_is_over_a_limit_is_409_and_changes_nothing(method, path, body, most, listed):
    def names() -> list[str]:
        (items,) = client.admin("GET", listed).values()
        return [it.get("id", it.get("name")) for it in items]

    with LocalClient({}) as client:
        for number in range(most):
            client.admin(method, path.format(number), body, 201)
        before = names()
        message = client.admin(method, path.format("-more"), body, 409)["message"]
        assert str(most) in message and re.fullmatch(
            r"Expected at most [\w ]+, got \w+ ?\w+", message
        )
        assert names() == before


def test_replies_of_apps_are_at_most_1000_in_all(client):
    for id in ("a", "b"):
        client.admin("PUT", f"/apps/{id}", {"replies": ["Hi."] * 400})
    client.admin("PUT", "/apps/b", {"replies": ["Hello."] * 500})
    client.admin("PUT", "/apps/c", {"replies": ["Hi."] * 200}, 409)
    assert client.request("GET", "/__admin/apps/c").status_code == 404


def test_what_was_read_of_an_app_in_a_folder_can_be_put(client):
    folder = {"id": "f", "type": "folder"}
    client.admin(
        "PUT", "/state", {"apps": [folder, {"id": "a", "parentId": "f", "replies": ["Hi."]}]}
    )
    for _ in range(2):
        app = client.admin("GET", "/apps/a")
        assert (app["parentId"], len(app["replies"])) == ("f", 1)
        assert client.admin("PUT", "/apps/a", app) == app


def test_at_most_64_folders_are_above_what_is_put(client):
    for path in ("/apps", "/datasets", "/datasets/d/collections"):
        client.admin("PUT", f"{path}/top", {"name": "x"}, 201)
        client.admin("PUT", f"{path}/in-top", {"name": "x", "parentId": "top"}, 201)
        client.admin("PUT", f"{path}/f0", {"name": "x"}, 201)
        for n in range(64):
            client.admin("PUT", f"{path}/f{n + 1}", {"name": "x", "parentId": f"f{n}"}, 201)
        for id, parent in (("more", "f64"), ("top", "f63")):
            body = {"name": "x", "parentId": parent}
            assert "at most 64" in client.admin("PUT", f"{path}/{id}", body, 400)["message"]


def test_no_app_and_no_dataset_is_in_a_folder_that_is_gone(client):
    client.admin("PUT", "/state", {"apps": [{"id": "f"}, {"id": "a", "parentId": "f"}]})
    for path, parent in (("/apps/f", "a"), ("/apps/b", "nope"), ("/datasets/d", "nope")):
        assert "$.parentId" in client.admin("PUT", path, {"parentId": parent}, 400)["message"]
    assert client.admin("DELETE", "/apps/f") == {"deleted": 2}
    assert client.admin("PUT", "/state", client.admin("GET", "/state"))["generation"] == 3
