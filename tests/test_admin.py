"""The admin API: every route once, its wrong calls, guard, journal and limits."""

import json
from codecs import BOM_UTF8
from typing import Any

import pytest
from account import (
    ACCOUNT,
    BETA,
    LIST,
    PIN,
    SENT_LIST,
    SENT_PIN,
    Client,
    LocalClient,
    error_of,
    mentions,
)

from mock_server.faults.rule_kinds import decode_rule
from mock_server.releases.fastgpt import PROFILES

JSON = "application/json"
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
    ("DELETE", "/snapshots/kept", None, 200, {"name"}),
    ("GET", "/rules", None, 200, {"rules"}),
    ("POST", "/rules", {"kind": "error"}, 201, {"id", "kind", "remaining", "fired"}),
    ("POST", "/rules/", {"kind": "hang"}, 201, {"id"}),  # a slash at the end counts for nothing
    ("POST", "/rules", {"preset": "flaky", "seed": 1}, 201, {"rules"}),
    ("GET", "/rules/d1", None, 200, {"id", "kind", "remaining", "fired"}),
    ("DELETE", "/rules", None, 200, set()),
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
    ("POST", "/datasets/d/collections", {"_id": "link", "name": "Old"}, 200, {"_id", "name"}),
    ("GET", COLLECTION, None, 200, {"_id", "name", "parentId"}),
    ("PUT", COLLECTION, {"name": "Other"}, 200, {"_id", "name", "parentId"}),
    ("PUT", "/datasets/d/collections/new", {"name": "New"}, 201, {"_id", "name", "parentId"}),
]
OF_ALL = [("GET", "/sandboxes", None, 200, {"sandboxes"})]
OF_ALL += [("POST", "/sandboxes", {}, 201, {"name", "key", "keys", "expiresAt"})]
OF_ALL += [("GET", "/sandboxes/default", None, 200, {"name", "key", "keys", "expiresAt"})]
OF_ALL += [("GET", "/openapi.json", None, 200, {"openapi", "paths"})]


CASES = [("", *row) for row in ROUTES + OF_ALL] + [("/sandboxes/one", *row) for row in ROUTES]


@pytest.mark.parametrize("prefix, method, path, body, status, names", CASES)
def test_a_route_answers_in_its_shape(client, prefix, method, path, body, status, names):
    client.admin("POST", "/sandboxes", {"name": "one"})
    client.admin("PUT", f"{prefix}/snapshots/kept")
    client.admin("POST", f"{prefix}/rules", {"kind": "error", "skip": 5})
    client.page(key=client.admin("GET", prefix or "/sandboxes/default")["keys"]["owner"])
    assert names <= client.admin(method, prefix + path, body, status).keys()


def test_what_is_put_or_posted_is_as_a_fixture_has_it(client):
    chat = {"title": "New", "records": [{"obj": "AI", "text": "Hi"}]}
    inside = {"name": "In", "data": [{"q": "?"}], "children": [{"name": "Below"}]}
    for _ in range(2):
        client.admin("POST", "/apps/says/chats", chat)
        client.admin("POST", "/datasets/notes/collections", inside | {"parentId": "x"})
    client.admin("PUT", "/datasets/notes/collections/x", {"name": "X", "type": "folder"})
    folder = {"_id": "x", "name": "X", "type": "folder", "children": [inside] * 2}
    datasets = [{"id": "notes", "collections": [folder]}]
    state = {"apps": [{"id": "says", "chats": [chat] * 2}], "datasets": datasets}
    client.admin("POST", "/sandboxes", {"name": "one", "state": state})
    for path in ("/apps/says/chats", "/datasets/notes/collections"):
        assert client.admin("GET", path) == client.admin("GET", f"/sandboxes/one{path}")


MARKED = [("POST", "/rules", {"kind": "error"}), ("PUT", "/clock", {"frozen": True})]
MARKED += [("PUT", "/state", ACCOUNT), ("POST", "/sandboxes", {"state": ACCOUNT})]


@pytest.mark.parametrize(("method", "path", "body"), MARKED)
def test_json_after_a_byte_order_mark_is_read(client, method, path, body):
    content = BOM_UTF8 + json.dumps(body).encode()
    headers = {"Content-Type": JSON}
    assert client.request(method, f"/__admin{path}", content=content, headers=headers).is_success


def test_health_counts_the_fixture(client):
    fixture = client.admin("GET", "/health")["fixture"]
    assert fixture.items() >= {"datasets": 3, "collections": 125, "chats": 2}.items()
    assert {"files", "sha256"} < fixture.keys()


# Wrong calls

UNKNOWN = [("GET", "/rule", "'/__admin/rule' '/rules'")]
UNKNOWN += [("GET", "/nope", "GET /__admin/openapi.json")]
UNKNOWN += [("GET", "/sandboxes/defualt", "'default'")]
UNKNOWN += [("GET", "/sandboxes/default/sandboxes", "'/__admin/sandboxes/default/sandboxes'")]
UNKNOWN += [("POST", "/snapshots/old/restore", "'old' new")]
UNKNOWN += [("GET", "/rules/f9", "'f9'"), ("GET", "/apps/ap", "'ap' 'app'")]
UNKNOWN += [("GET", "/apps/app/chats/none", "'none'")]
UNKNOWN += [("GET", "/datasets/man/collections", "'man' 'many'")]
UNKNOWN += [("GET", "/datasets/d/collections/none", "'none'")]


@pytest.mark.parametrize("method, path, said", UNKNOWN)
def test_what_is_unknown_is_404_and_guessed(client, method, path, said):
    client.control.snapshot("new")
    client.set_choices(
        error_form="service", error_http_status="always_200"
    )  # not for the admin API
    answer = client.admin(method, path, status=404)
    assert answer["code"] == 404 and mentions(answer["message"], said)


METHODS = [("/state", "GET PUT"), ("/rules", "DELETE GET POST"), ("/journal", "DELETE GET")]
METHODS += [("/snapshots/kept", "DELETE PUT"), (CHAT, "DELETE GET PUT"), ("/reset", "POST")]


@pytest.mark.parametrize("path, methods", METHODS)
def test_a_wrong_method_is_405_and_told_the_right_ones(client, path, methods):
    response = client.request("PATCH", f"/__admin{path}")
    assert error_of(response) == (405, 405, "methodNotAllowed")
    allowed = {it.strip() for it in response.headers["allow"].split(",")} - {"HEAD"}
    assert allowed == set(methods.split())


@pytest.mark.parametrize("media", [None, "text/plain", "application/x-www-form-urlencoded"])
@pytest.mark.parametrize("path", ["/reset", "/rules", "/sandboxes", "/clock/advance"])
def test_a_body_must_say_that_it_is_json(client, path, media):
    headers = {"Content-Type": media} if media else {}
    response = client.request("POST", f"/__admin{path}", content=b"{}", headers=headers)
    assert error_of(response) == (415, 415, "unsupportedMediaType")
    empty = client.request("POST", "/__admin/reset", headers={"Content-Type": JSON})
    assert empty.status_code == 200


WRONG = [
    ("PUT", "/clock", {"now": "soon"}, "'soon' $.now"),
    ("PUT", "/clock", {"frozen": "no"}, "'no' $.frozen"),
    ("PUT", "/clock", {"nwo": "2026-01-01T00:00:00Z"}, "'nwo' $ 'now'"),
    ("PUT", "/clock", {"now": "9999-12-31T23:59:59-12:00"}, "$.now"),
    ("PUT", "/clock", {"now": "0001-01-01T00:00:00+14:00"}, "1 9999 $.now"),
    ("POST", "/clock/advance", {"seconds": "1"}, "'1' $.seconds"),
    ("POST", "/clock/advance", {"hours": 1}, "'hours' $ seconds"),
    ("PUT", "/choices", {"profile": "fastgpt-4.1"}, f"{' '.join(PROFILES)} 'fastgpt-4.1'"),
    ("PUT", "/choices", {"list_order": "name"}, "'list_order' $ choices"),
    ("PUT", "/choices", {"choices": {"list_ordr": "name"}}, "'list_ordr' 'list_order'"),
    ("PUT", "/choices", {"choices": {"list_order": 5}}, "update_time_desc 5"),
    ("PUT", "/state", {"dataset": []}, "'dataset' 'datasets'"),
    ("PUT", CHAT, {"titel": "x"}, "'titel' $ 'title'"),
    ("PUT", CHAT, {"id": "c"}, "'id' $ chatId"),
    ("PUT", CHAT, {"chatId": "other"}, "'c1' 'other' $.chatId"),
    ("PUT", CHAT, {"updateTime": "9999-12-31T23:59:59-12:00"}, "$.updateTime"),
    ("PUT", "/datasets/d", {"collections": [{}]}, "'name' $.collections[0].name"),
    ("PUT", "/datasets/d", {"collections": "x"}, "'x' $.collections"),
    ("PUT", "/datasets/d/collections/folder", {"name": "x", "parentId": "in-a"}, "$.parentId"),
    ("POST", "/datasets/d/collections", {"name": "x", "parentId": "no"}, "folder 'no' $.parentId"),
    ("POST", "/datasets/d/collections", {"name": "x", "children": [BETA]}, "_id 'in-b'"),
    ("POST", "/sandboxes", {"name": "a b"}, "1 64 'a b' $.name"),
    ("POST", "/sandboxes", {"state": {"datasts": []}}, "'datasts' 'datasets'"),
    ("POST", "/journal/verify", {"exactly": 1, "atLeast": 1}, "exactly atLeast"),
    ("POST", "/journal/verify", {"atLeast": 5, "atMost": 1}, "5 1 $.atMost"),
    ("POST", "/journal/verify", {"times": 2}, "'times' $ exactly"),
    ("POST", "/rules", {"kind": "flaky"}, '"flaky" Python {"preset": "flaky"} JSON'),
    ("POST", "/journal/verify", {"inOrder": 5}, "5 $.inOrder"),
    ("POST", "/journal/verify", {"inOrder": [{}, {"operation": "x"}]}, "$.inOrder[1].operation"),
    ("POST", "/journal/verify", {"inOrder": [], "exactly": 7}, "inOrder $.inOrder"),
    ("POST", "/journal/verify", {"inOrder": [], "operation": "listV2"}, "inOrder $.inOrder"),
    ("GET", "/journal?operatoin=x", None, "'operatoin' 'operation'"),
    ("DELETE", "/rules?operation=listV2", None, "query 'operation=listV2'"),
    ("POST", "/rules?operation=listV2", {"kind": "error"}, "query 'operation=listV2'"),
    ("POST", "/reset?sandbox=one", {}, "query 'sandbox=one'"),
    ("GET", "/rules?kind=error", None, "query 'kind=error'"),
    ("POST", "/rules", {"kind": "timeout"}, "'timeout' $.kind 'hang'"),
    ("POST", "/rules", {"kind": "error", "operation": LIST}, "'listV2'"),
    ("GET", f"/journal?operation={PIN}", None, "'updateHistory'"),
]


@pytest.mark.parametrize("method, path, body, said", WRONG)
def test_a_wrong_call_is_refused_and_changes_nothing(client, method, path, body, said):
    watched = ("/state", "/rules", "/clock", "/choices", "/sandboxes/default")
    before = [client.admin("GET", path) for path in watched]
    message = client.admin(method, path, body, 400)["message"]
    # Only the mistakes of a fixture begin in the second line.
    assert mentions(message, said) and message.count("\n") == ("state" in f"{path} {body}")
    assert [client.admin("GET", path) for path in watched] == before


# With If-None-Match

TAKEN = [("POST", "/apps/app/chats", {"chatId": "c1"}, "'c1' $.chatId")]
TAKEN += [("PUT", CHAT, {"title": "New"}, "'c1' $.chatId")]
TAKEN += [("POST", "/datasets/d/collections", {"_id": "link", "name": "x"}, "'link' $._id")]
TAKEN += [("PUT", "/apps/says", {"replies": ["x"]}, "'says' $.id")]
TAKEN += [("PUT", "/datasets/d", {}, "'d' $.id")]
TAKEN += [("PUT", "/snapshots/kept", {}, "'kept' $.name")]


@pytest.mark.parametrize("method, path, body, said", TAKEN)
def test_what_exists_is_not_replaced_if_none_may_match(client, method, path, body, said):
    client.control.snapshot("kept")
    before = client.admin("GET", "/state")
    headers = {"If-None-Match": "*"}
    response = client.request(method, f"/__admin{path}", json=body, headers=headers)
    assert error_of(response) == (412, 412, "idTaken") and mentions(response.text, said)
    assert client.admin("GET", "/state") == before
    assert client.request("PUT", "/__admin/apps/new", json={}, headers=headers).status_code == 201


# The guard

GUARD: list[tuple[dict[str, str], str, int]] = [({"Host": "[::1]:8000"}, "/health", 200)]
GUARD += [({"Host": "allowed.example"}, "/health", 200), ({"Host": "evil.example"}, "/health", 421)]
GUARD += [({"Host": "127.0.0.1.evil.example"}, "/state", 421)]
GUARD += [
    ({"Host": "[::ffff:127.0.0.1]"}, "/health", 200),
    ({"Host": "10.0.0.1:80"}, "/health", 200),
]
GUARD += [({"Host": "10.example"}, "/state", 421), ({"Host": "1.evil2"}, "/state", 421)]
GUARD += [({"Origin": "http://localhost"}, "/state", 200)]
GUARD += [({"Origin": "http://evil.example"}, "/state", 403)]
GUARD += [({"Sec-Fetch-Site": "cross-site"}, "/state", 403)]
GUARD += [({"Sec-Fetch-Site": "same-site"}, "/state", 403)]


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


TOKENS = [("/health", None, 200), ("/", None, 200), ("/state", None, 401), ("/state", "wrong", 401)]
TOKENS += [("/state", "secret", 200)]


@pytest.mark.parametrize("path, token, status", TOKENS)
def test_an_admin_token_closes_all_but_health_and_the_console(path, token, status):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with LocalClient(admin_token="secret") as client:
        response = client.request("GET", f"/__admin{path}", headers=headers)
        assert response.status_code == status
        assert ("www-authenticate" in response.headers) is (status == 401)
        assert client.pin().status_code == 200


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
    assert {"seq", "time", "generation", "key", "rule", "durationMs", "hint"} <= entry.keys()


QUERIES = [("", [1, 2, 3, 4]), ("operation=listV2", [2, 3]), ("status=400", [3]), ("key=read", [4])]
QUERIES += [("since=3", [3, 4]), ("since=2&limit=1&operation=updateHistory", [4])]
QUERIES += [("violations=true", [3])]


@pytest.fixture
def called(client: Client) -> Client:
    client.pin()
    client.page()
    client.page(pageSize=0)
    client.pin(key="read", top=False)
    return client


@pytest.mark.parametrize("query, seqs", QUERIES)
def test_the_journal_is_queried_and_its_pages_join(called, query, seqs):
    page = called.admin("GET", f"/journal?{query}")
    assert [it["seq"] for it in page["entries"]] == seqs
    assert (page["total"], page["kept"], page["dropped"]) == (4, 4, 0)
    rest = called.admin("GET", f"/journal?since={called.admin('GET', '/journal?limit=3')['next']}")
    assert [it["seq"] for it in rest["entries"]] == [4]


PIN_CALL = {"operation": "updateHistory"}
LIST_CALL = {"operation": "listV2"}
K3Y = '"…a49b1287"'
STEPS = "listV2 -> updateHistory -> listV2"
ASSERTIONS: list[tuple[Any, int, str]] = [
    (PIN_CALL, 2, ""),
    (PIN_CALL | {"body": {"top": False}}, 1, ""),
    (LIST_CALL | {"status": 200, "exactly": 1}, 1, ""),
    ({"operation": "app.list", "exactly": 0}, 0, ""),
    ({"inOrder": [PIN_CALL, LIST_CALL, PIN_CALL]}, 3, ""),
    (PIN_CALL | {"atMost": 1}, 2, "0 1 updateHistory 2"),
    (PIN_CALL | {"atLeast": 3}, 2, "3 updateHistory 2"),
    (PIN_CALL | {"body": {"top": True}, "exactly": 0}, 1, 'updateHistory {"top":true} 1'),
    ({"key": "k3y", "cut": False}, 0, f'* {K3Y} cut false \n #4, $.key: {K3Y} "…3316348d"'),
    ({"inOrder": [LIST_CALL, PIN_CALL, LIST_CALL]}, 2, f"{STEPS} listV2 2"),
]


@pytest.mark.parametrize("criteria, count, message", ASSERTIONS)
def test_an_assertion_on_the_journal_holds_or_says_why_not(called, criteria, count, message):
    answer = called.admin("POST", "/journal/verify", criteria, 409 if message else 200)
    assert (answer["ok"], "nearest" in answer) == (not message, bool(message))
    assert answer["count"] == count
    assert mentions(answer.get("message", ""), message)


# Limits, and reset

LIMITS: list[tuple[str, str, Any, int, str]] = [
    ("POST", "/rules", {"kind": "error"}, 100, "/rules"),
    ("POST", "/rules", {"kind": "answer", "data": 1}, 1000, "/rules"),
    ("POST", "/sandboxes", {}, 1000, "/sandboxes"),
    ("PUT", "/snapshots/s{}", {}, 100, "/snapshots"),
]


def fill(client: LocalClient, path: str, body: Any, count: int) -> None:
    """Fill a table as its route does, which would take as many requests."""
    default = client.sandboxes.default
    if path == "/rules":
        default.state.rules.add([decode_rule(body)] * count)
        return
    for number in range(count):
        if path == "/sandboxes":
            client.sandboxes.create(f"s{number}", default.baseline)
        else:
            default.take_snapshot(f"s{number}")


@pytest.mark.parametrize("method, path, body, most, listed", LIMITS)
def test_what_is_over_a_limit_is_409_and_changes_nothing(method, path, body, most, listed):
    def names() -> list[str]:
        (items,) = client.admin("GET", listed).values()
        return [it.get("id", it.get("name")) for it in items]

    with LocalClient({}) as client:
        fill(client, path, body, most - 2)
        for number in (most - 2, most - 1):
            client.admin(method, path.format(number), body, 201)
        before = names()
        message = client.admin(method, path.format("-more"), body, 409)["message"]
        assert mentions(message, str(most))
        assert names() == before


def test_replies_of_apps_are_at_most_1000_in_all(client):
    for id in ("a", "b"):
        client.admin("PUT", f"/apps/{id}", {"replies": ["Hi."] * 400})
    client.admin("PUT", "/apps/b", {"replies": ["Hello."] * 500})
    client.admin("PUT", "/apps/c", {"replies": ["Hi."] * 200}, 409)
    assert client.request("GET", "/__admin/apps/c").status_code == 404


def test_what_was_read_of_an_app_in_a_folder_can_be_put(client):
    folder = {"id": "f", "type": "folder"}
    inside = {"id": "a", "parentId": "f", "replies": ["Hi."]}
    client.admin("PUT", "/state", {"apps": [folder, inside]})
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
            assert mentions(client.admin("PUT", f"{path}/{id}", body, 400)["message"], "64")


def test_no_app_and_no_dataset_is_in_a_folder_that_is_gone(client):
    client.admin("PUT", "/state", {"apps": [{"id": "f"}, {"id": "a", "parentId": "f"}]})
    for path, parent in (("/apps/f", "a"), ("/apps/b", "nope"), ("/datasets/d", "nope")):
        assert "$.parentId" in client.admin("PUT", path, {"parentId": parent}, 400)["message"]
    assert client.admin("DELETE", "/apps/f") == {"deleted": 2}
    assert client.admin("PUT", "/state", client.admin("GET", "/state"))["generation"] == 3
