"""What a request passes, and what the journal says of it."""

import asyncio
import json
import socket
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx2
import pytest

from mock_server import Control, MockServer, create_app
from mock_server.application import load_baseline
from mock_server.control import Refused
from mock_server.control.http import InProcess
from mock_server.sandbox import Sandboxes
from mock_server.service.app import Service
from mock_server.service.operation import Operation

LIST, PIN = "/api/core/dataset/collection/listV2", "/api/core/chat/history/updateHistory"
PAGE = {"offset": 0, "datasetId": "d"}
DOCUMENT = {
    "keys": [{"key": "owner"}, {"key": "outsider", "permission": "none"}],
    "apps": [{"id": "a", "chats": [{"chatId": "c"}]}],
    "datasets": [{"id": "d", "collections": [{"_id": "x", "name": "X", "tags": ["t"]}]}],
}


@pytest.fixture(scope="module")
def server():
    with MockServer(DOCUMENT, choices={"list_filters": "honour"}) as server:
        yield server


HEADER = "The header is `Authorization: Bearer KEY`, with one space"


@pytest.mark.parametrize(
    ("path", "body", "headers", "hint"),
    [
        (LIST, PAGE, {"Authorization": ""}, "The client sends no API key"),
        (LIST, PAGE, {"Authorization": "Bearer  owner"}, HEADER),
        (LIST, PAGE, {"Authorization": "Basic owner"}, HEADER),
        (LIST, PAGE, {"Authorization": "Bearer"}, HEADER),
        (LIST, PAGE, {"Authorization": "Bearer owner x"}, HEADER),
        (LIST, PAGE, {"Authorization": "Bearer other"}, "The fixture declares 2 keys"),
        (LIST, PAGE, {"Authorization": "Bearer fastgpt-sbx-0"}, "The sandbox of this key"),
        (LIST, PAGE, {"Authorization": "Bearer outsider"}, "The key has permission 'none'"),
        (LIST, PAGE, {"Content-Type": "text/plain"}, "The client sends its body without"),
        (LIST, PAGE | {"datasetId": "e"}, {}, "Sandbox 'default' has 1 dataset: d."),
        (LIST, PAGE | {"parentId": "y"}, {}, "No collection of the dataset has this id"),
        ("/api/nothing", {}, {}, "The server has no such route; `respond` can answer it."),
        (LIST, PAGE | {"parentId": "x"}, {}, "The folder 'x' has no collections"),
        (LIST, PAGE | {"searchText": "y"}, {}, "The searchText 'y' is in none of 1 collections."),
        (LIST, PAGE | {"filterTags": ["u"]}, {}, "The filters of folders and tags leave none of 1"),
        (LIST, PAGE | {"offset": 1}, {}, "The offset 1 is past the end: 1 collections match."),
    ],
)
def test_the_journal_hints_why(server, path, body, headers, hint):
    headers = {"Authorization": "Bearer owner", "Content-Type": "application/json"} | headers
    server.http.post(path, content=json.dumps(body), headers=headers)
    assert server.journal[-1]["hint"].startswith(hint)


def test_a_page_and_other_refusals_have_no_hint(server):
    headers = {"Authorization": "Bearer owner"}
    for body in (PAGE, PAGE | {"pageSize": 31}):
        server.http.post(LIST, json=body, headers=headers)
        assert server.journal[-1]["hint"] is None


def test_a_body_that_comes_after_a_reset_counts_for_the_new_state(server):
    body = b'{"appId":"a","chatId":"c","top":true}'
    head = f"PUT {PIN} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer owner\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port), timeout=5) as client:
        client.sendall(head.encode() + body[:9])
        server.reset()
        client.sendall(body[9:])
        assert client.recv(1000).startswith(b"HTTP/1.1 200")
    assert server.chat("a", "c").top
    server.assert_called("updateHistory", times=1)


def test_a_mistake_of_the_server_is_a_500_in_the_journal():
    @Operation("GET", "/boom", access="anyone")
    def boom(call):
        """Fail."""
        raise ZeroDivisionError

    sandboxes = Sandboxes(load_baseline({}))
    transport = httpx2.ASGITransport(app=Service(sandboxes, [boom]))

    async def call():
        async with httpx2.AsyncClient(transport=transport, base_url="http://a") as client:
            return await client.get("/boom")

    response = asyncio.run(call())
    assert (response.status_code, response.json()["statusText"]) == (500, "serverError")
    assert [it.status for it in sandboxes.default.state.journal.exchanges] == [500]


def test_secrets_are_shown_as_fingerprints(server):
    secrets = {"password": "p4ssw0rd", "token": "t0k3n", "nested": [{"apiKey": "k3y"}]}
    headers = {"Authorization": "Bearer owner-secret", "Cookie": "fastgpt_token=c00kie"}
    path = "/api/support/user/account/loginByPassword?token=q5ery"
    server.http.post(path, json=secrets | {"more": "x" * 9000}, headers=headers)
    shown = json.dumps(server.journal[-1])
    for secret in ("p4ssw0rd", "t0k3n", "k3y", "owner-secret", "c00kie", "q5ery"):
        assert secret not in shown
    assert server.journal[-1]["request"]["truncated"]


def send(server, path, body, key="owner", method="POST"):
    headers = {"Authorization": f"Bearer {key}"}
    return server.http.request(method, path, json=body, headers=headers)


@pytest.fixture
def fresh(server):
    server.reset()
    return server


def test_an_answer_is_given_as_often_as_it_says_though_requests_wait(fresh):
    fresh.fault("delay", ms=200, times=3)
    fresh.respond("listV2", data="scripted", times=1)
    with ThreadPoolExecutor() as threads:
        calls = [threads.submit(send, fresh, LIST, PAGE) for _ in range(3)]
    assert [it.result().json()["data"] for it in calls].count("scripted") == 1
    assert send(fresh, LIST, PAGE).json()["data"]["total"] == 1


def test_an_answer_keeps_what_was_noted_of_the_request(fresh):
    fresh.respond("updateHistory", data=None)
    send(fresh, "/api/core/chat/updateHistory", {"appId": "a"}, method="PUT")
    assert [it["name"] for it in fresh.journal[-1]["violations"]] == ["legacy_path"]


def test_a_fault_keeps_what_was_noted_of_the_request(fresh):
    fresh.fault("error")
    send(fresh, "/api/core/chat/updateHistory", {"appId": "a"}, method="PUT")
    assert [it["name"] for it in fresh.journal[-1]["violations"]] == ["legacy_path"]


def test_a_lost_write_gives_no_id_twice(fresh):
    fresh.fault("lost_write")
    body = {"type": "dataset", "name": "N", "intro": "", "avatar": ""}
    first, second = (send(fresh, "/api/core/dataset/create", body).json() for _ in range(2))
    assert first["data"] != second["data"]
    detail = f"/api/core/dataset/detail?id={first['data']}"
    assert send(fresh, detail, None, method="GET").status_code == 404


def test_a_request_that_a_restore_overtakes_changes_nothing_after_it(fresh):
    name = fresh.snapshot()
    fault = fresh.fault("delay", ms=300)
    with ThreadPoolExecutor() as threads:
        pin = {"appId": "a", "chatId": "c", "top": True}
        call = threads.submit(send, fresh, PIN, pin, method="PUT")
        while not fault.fired:
            pass
        fresh.restore(name)
        assert call.result().status_code == 200
    assert not fresh.chat("a", "c").top


def test_a_new_start_ends_what_waits(fresh):
    fault = fresh.fault("hang")
    with ThreadPoolExecutor() as threads:
        call = threads.submit(send, fresh, LIST, PAGE)
        while not fault.fired:
            pass
        baseline = fresh.sandboxes.default.baseline
        fresh.run(lambda: fresh.sandboxes.restart(baseline))
        assert isinstance(call.exception(timeout=5), httpx2.TransportError)


def test_a_key_of_a_sandbox_may_name_an_app(fresh):
    app = "65d8a1f0c3b2a94e7f106a01"
    sandbox = fresh.create_sandbox(state={"apps": [{"id": app, "replies": ["Hi."]}]})
    body = {"messages": [{"role": "user", "content": "x"}]}
    answer = send(fresh, "/api/v1/chat/completions", body, key=f"{sandbox.key}-{app}").json()
    assert answer["choices"][0]["message"]["content"] == "Hi."
    sandbox.remove_sandbox()


def test_a_misspelled_operation_is_no_operation_that_was_not_called(fresh):
    with pytest.raises(Refused, match="did you mean 'updateHistory'"):
        fresh.assert_not_called("updateHistroy")
    fresh.respond("GET /api/x/{id}", json=1)
    send(fresh, "/api/x/7", None, method="GET")
    fresh.assert_called("GET /api/x/{id}", times=1)


def test_a_proxy_of_the_environment_is_not_asked(fresh, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert Control.at(fresh.url).key == "owner"


def test_a_stream_is_for_the_pages_that_may_read_it():
    app = create_app({"apps": [{"id": "a"}]}, cors_origins=["http://good.test"])
    body = {"messages": [{"role": "user", "content": "x"}], "stream": True}
    headers = {"Authorization": "Bearer k", "Origin": "http://evil.test"}
    with httpx2.Client(transport=InProcess(app), base_url="http://localhost") as client:
        answer = client.post("/api/v1/chat/completions", json=body, headers=headers)
        assert answer.status_code == 200 and "access-control-allow-origin" not in answer.headers


def test_numbered_pages_of_any_size_follow_each_other(fresh):
    fresh.put_collection("d", {"name": "n{n}", "repeat": 50})
    body = {"datasetId": "d", "pageSize": 50, "parentId": ""}
    path = "/api/core/dataset/collection/list"
    pages = [send(fresh, path, body | {"pageNum": n}).json()["data"] for n in (1, 2)]
    assert [len(it["data"]) for it in pages] == [50, 1] and pages[0]["total"] == 51
