"""Many requests, each of which has to be answered to the byte as in its first run."""

import http.client
import json
from urllib.parse import urlsplit

import pytest

PIN = "PUT /api/core/chat/history/updateHistory"
LIST = "POST /api/core/dataset/collection/listV2"
PINNED = {"appId": "app", "chatId": "chat", "top": True}
PAGE = {"datasetId": "set", "offset": 0}
ON = pytest.mark.mock_server(choices={"related_routes": "on"})
DEPLOYED = pytest.mark.mock_server(profile="deployed")
SEEN: dict[tuple[str, str], object] = {}


@pytest.fixture(scope="session")
def mock_server_fixture():
    inner = {"_id": "inner", "name": "Help", "tags": ["top"]}
    folder = {"_id": "folder", "name": "Folder", "children": [inner]}
    top = {"_id": "top", "name": "Top", "updateTime": "2024-02-01T00:00:00.000Z"}
    many = {"name": "Article {n}", "repeat": 40}
    return {
        "clock": "2026-01-01T00:00:00Z",
        "users": [{"username": "root", "password": "1234"}],
        "apps": [{"id": "app", "chats": [{"chatId": "chat", "title": "Chat"}]}],
        "datasets": [{"id": "set", "collections": [folder, top, many]}],
    }


@pytest.fixture
def send(mock_server):
    """Sends a request; gives the status and the body of the answer."""

    def send(route, body=None, headers=None, content_type="application/json"):
        method, path = route.split(" ")
        address = urlsplit(mock_server.url)
        headers = dict(headers or {"Authorization": f"Bearer {mock_server.key}"})
        if content_type:
            headers["Content-Type"] = content_type
        connection = http.client.HTTPConnection(address.hostname, address.port)
        content = None if body is None else json.dumps(body)
        connection.request(method, address.path + path, content, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        return answer.status, text

    return send


@pytest.fixture
def same(request):
    """Asserts that what a test saw is what it saw in its first run."""

    def same(*seen):
        # The first run of a test is its baseline, which differs in nothing.
        call = getattr(request.node, "callspec", None)
        case = None if call is None else call.params.get("case")
        name = request.node.originalname, str(case)
        assert SEEN.setdefault(name, seen) == seen

    return same


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"top": False, "title": "T", "customTitle": "C"},
        {"top": None},
        {"top": 1},
        {"chatId": "nope"},
        {"appId": "nope"},
        {"chatId": ""},
        {"more": 1},
    ],
)
def test_pins(send, same, mock_server, case):
    answer = send(PIN, PINNED | case)
    chats = [each.chat_id for each in mock_server.chats("app")]
    same(answer, chats, mock_server.chat("app", "chat"))


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"pageSize": 5},
        {"pageSize": 50},
        {"pageSize": 500},
        {"pageSize": 0},
        {"pageSize": "5", "offset": "1"},
        {"offset": 99},
        {"parentId": None},
        {"parentId": ""},
        {"parentId": "folder"},
        {"parentId": "nope"},
        {"searchText": "top"},
        {"searchText": "top", "parentId": None},
        {"searchText": "top", "parentId": "nope"},
        {"selectFolder": True},
        {"filterTags": ["top"]},
        {"filterTags": "top"},
        {"pageNum": 2},
        {"datasetId": "nope"},
        {"datasetId": 5},
    ],
)
def test_lists(send, same, case):
    same(send(LIST, PAGE | case))


def test_an_offset_is_left_out(send, same):
    same(
        send(LIST, {"datasetId": "set"}), send(LIST, {"datasetId": "set", "pageNum": 2})
    )


@pytest.mark.parametrize("case", [PIN, LIST])
def test_envelopes(send, same, case):
    body, (method, path) = PINNED if case == PIN else PAGE, case.split(" ")
    other = {"PUT": "POST", "POST": "PUT"}[method]
    same(send(f"{other} {path}", body), send(case, body, content_type=None))


def test_credentials(send, same):
    same(send(LIST, PAGE, {"X": "y"}), send(LIST, PAGE, {"Authorization": "Basic x"}))


def test_any_key(send, same):
    same(send(LIST, PAGE, {"Authorization": "Bearer some-key"}))


def test_older_paths(send, same):
    same(send("PUT /api/core/chat/updateHistory", PINNED))


def test_routes_that_there_are_not(send, same):
    same(send("POST /api/core/nothing", {}), send("POST /api/core/dataset/list", {}))


@ON
def test_related_routes(send, same):
    found = send("POST /api/core/dataset/collection/list", PAGE | {"pageNum": 1})
    scrolled = send("POST /api/core/dataset/collection/scrollList", PAGE)
    same(found, scrolled, send("DELETE /api/core/dataset/collection/delete?id=top"))


@ON
def test_a_delete_by_query(send, same):
    path = "DELETE /api/core/dataset/collection/delete?id=top"
    same(send(path, content_type=None)[0])


@ON
def test_training(send, same, mock_server):
    body = {"datasetId": "set", "name": "New", "text": "one two", "parentId": None}
    made = send("POST /api/core/dataset/collection/create/text", body)
    same(made, mock_server.collections("set")[0].training_amount, send(LIST, PAGE))


@DEPLOYED
def test_the_deployed_profile(send, same):
    same(send(LIST, PAGE | {"pageSize": "50"}), send(PIN, PINNED | {"top": None}))


def test_what_is_told_of_departures(send, same, mock_server):
    send(LIST, PAGE | {"pageSize": 50, "more": 1, "parentId": ""})
    send(PIN, PINNED | {"title": "T"})
    same([each["violations"] for each in mock_server.journal])


def test_hints_of_empty_pages(send, same, mock_server):
    send(LIST, PAGE | {"searchText": "help", "parentId": None})
    same([each["hint"] for each in mock_server.journal])


def test_why(same, mock_server):
    same(str(mock_server.why("set", "inner", parentId=None)))


def test_state_is_read(same, mock_server):
    same([each.id for each in mock_server.collections("set")])


def test_a_reset_and_a_snapshot(send, same, mock_server):
    name = mock_server.snapshot()
    mock_server.reset()
    mock_server.restore(name)
    same(send(LIST, PAGE | {"parentId": "folder"}))


def test_a_reset(send, same, mock_server):
    mock_server.reset()
    same(send(LIST, PAGE | {"pageSize": 50}))


def test_a_choice_is_set(send, same, mock_server):
    mock_server.choices["list_order"] = "name"
    same(send(LIST, PAGE), send(LIST, PAGE | {"pageSize": 50}))


def test_a_choice_is_read(same, mock_server):
    same(mock_server.choices["search_scope"])


def test_faults(send, same, mock_server):
    mock_server.fault("error", status=502)
    mock_server.fault("duplicate_item", operation="listV2")
    same(send(PIN, PINNED), send(LIST, PAGE))


def test_in_process(same, mock_server_app):
    control = mock_server_app.control
    same([each.id for each in control.collections("set")], control.key)


def test_both_show_the_same(send, same, mock_server_app, mock_server):
    same(send(LIST, PAGE), len(mock_server_app.control.journal), mock_server.key)


def test_nothing_is_sent(mock_server):
    mock_server.assert_not_called("listV2")
