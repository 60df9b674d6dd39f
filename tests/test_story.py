"""What a request passes, and what the journal says of it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from account import (
    LIST,
    PIN,
    SENT_LIST,
    LocalClient,
    content_of,
    error_of,
    mentions,
    open_connection,
)

from mock_server import Control
from mock_server.application import load_baseline
from mock_server.control import Refused
from mock_server.sandbox import Sandboxes
from mock_server.service.operation import Operation
from mock_server.service_application import Service

DOCUMENT = {"keys": [{"key": "owner"}, {"key": "outsider", "permission": "none"}]}
DOCUMENT |= {"apps": [{"id": "app", "chats": [{"chatId": "c1"}]}]}
DOCUMENT |= {"datasets": [{"id": "d", "collections": [{"_id": "x", "name": "X", "tags": ["t"]}]}]}
pytestmark = pytest.mark.served(fixture=DOCUMENT, choices={"list_filters": "honour"})


HEADER = "header `Authorization: Bearer KEY`, space"
NO_BEARER = ("Bearer  owner", "Basic owner", "Bearer", "Bearer owner x")
OF_HEADERS = [("Authorization", "", "API key `Authorization: Bearer KEY`")]
OF_HEADERS += [*(("Authorization", it, HEADER) for it in NO_BEARER)]
OF_HEADERS += [("Authorization", "Bearer other", "fixture 2 keys")]
OF_HEADERS += [("Authorization", "Bearer fastgpt-sbx-0", "sandbox key deleted")]
OF_HEADERS += [("Authorization", "Bearer outsider", "permission 'none'")]
OF_HEADERS += [("Content-Type", "text/plain", "body `Content-Type: application/json`")]
OF_FIELDS = [({"datasetId": "e"}, "Sandbox 'default' 1 dataset: d.")]
OF_FIELDS += [({"parentId": "y"}, "No folder id")]
OF_FIELDS += [({"parentId": "x"}, "folder 'x' collections")]
OF_FIELDS += [({"searchText": "y"}, "searchText 'y' 1 collection.")]
OF_FIELDS += [({"filterTags": ["u"]}, "filters folders tags 1")]
OF_FIELDS += [({"offset": 1}, "offset 1 1 collection")]


HINTS = [({"headers": {name: value}}, hint) for name, value, hint in OF_HEADERS]
HINTS += [({"body": SENT_LIST | fields}, hint) for fields, hint in OF_FIELDS]


@pytest.mark.parametrize("sent, hint", HINTS)
def test_the_journal_hints_why_a_page_is_empty_or_refused(client, sent, hint):
    client.fetch(**{"path": LIST, "body": SENT_LIST} | sent)
    assert mentions(client.control.journal[-1]["hint"], hint)


AS_THE_SERVICE = [(LIST, {"parentId": "f" * 24}, f"folder '{'f' * 24}' parent_unknown=empty")]
AS_THE_SERVICE += [(LIST, {"searchText": "t"}, "'t' 1 collection. Tags search_fields=name")]
AS_THE_SERVICE += [(PIN, {"appId": "app", "chatId": "c2", "top": True}, "'c2' chat_unknown=ignore")]


@pytest.mark.parametrize("path, fields, hint", AS_THE_SERVICE)
def test_the_journal_hints_at_what_the_service_ignores(client, path, fields, hint):
    client.admin("PUT", "/choices", {"profile": "fastgpt-4.16"})
    response = client.fetch(path=path, body=(SENT_LIST if path == LIST else {}) | fields)
    assert response.status_code == 200
    assert mentions(client.control.journal[-1]["hint"], hint)


def test_the_journal_hints_that_a_route_is_unknown_or_takes_a_login(client):
    client.post("/api/nothing", json={})
    assert mentions(client.control.journal[-1]["hint"], "route; `respond`")
    client.get("/api/core/app/detail?appId=app", headers={"Authorization": "Bearer owner"})
    assert mentions(client.control.journal[-1]["hint"], "token login, API key")


def test_a_page_and_other_refusals_have_no_hint(client):
    for size in (30, 31):
        client.page(pageSize=size)
        assert client.control.journal[-1]["hint"] is None


def test_a_body_that_comes_after_a_reset_counts_for_the_new_state(client):
    request = client.pin_as_bytes()
    with open_connection(client.control.url, request[:-9]) as connection:
        client.control.reset()
        connection.sendall(request[-9:])
        assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    assert client.is_pinned()
    client.control.assert_called("updateHistory", times=1)


def test_a_mistake_of_the_server_is_a_500_in_the_journal():
    @Operation("GET", "/boom", access="public")
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


def test_an_answer_is_given_as_often_as_it_says_though_requests_wait(client):
    client.control.fault("delay", ms=200, times=3)
    client.control.respond("listV2", data="scripted", times=1)
    with ThreadPoolExecutor() as threads:
        calls = [threads.submit(client.page) for _ in range(3)]
    assert [it.result().json()["data"] for it in calls].count("scripted") == 1
    assert client.page().json()["data"]["total"] == 1


def test_a_lost_write_gives_no_id_twice(client):
    client.control.fault("lost_write")
    body = {"type": "dataset", "name": "N", "intro": "", "avatar": ""}
    first = client.data("POST", "/dataset/create", body)
    assert first != client.data("POST", "/dataset/create", body)
    assert client.core("GET", f"/dataset/detail?id={first}").status_code == 404


def test_a_delayed_write_ends_with_a_restore_that_would_lose_it(client):
    name = client.control.snapshot()
    with client.waiting() as pinned:
        client.control.restore(name)
        assert isinstance(pinned.exception(timeout=5), httpx2.TransportError)
    assert not client.is_pinned()


def test_a_new_start_ends_what_waits(client, server):
    with client.waiting(ms=60_000) as pinned:
        baseline = server.sandboxes.default.baseline
        server.run(lambda: server.sandboxes.restart(baseline))
        assert isinstance(pinned.exception(timeout=5), httpx2.TransportError)


def test_a_key_of_a_sandbox_may_name_an_app(client):
    app = "65d8a1f0c3b2a94e7f106a01"
    sandbox = client.control.create_sandbox(state={"apps": [{"id": app, "replies": ["Hi."]}]})
    assert content_of(client.complete(appId=None, key=f"{sandbox.key}-{app}")) == "Hi."


def test_a_misspelled_operation_is_no_operation_that_was_not_called(client):
    with pytest.raises(Refused, match="'updateHistory'"):
        client.control.assert_not_called("updateHistroy")
    client.control.respond("GET /api/x/{id}", json=1)
    client.get("/api/x/7")
    client.control.assert_called("GET /api/x/{id}", times=1)


def test_a_proxy_of_the_environment_is_not_asked(server, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    assert Control.at(server.url).key == "owner"


PREFLIGHT = {"Access-Control-Request-Method": "POST"}


def test_a_stream_is_for_the_pages_that_may_read_it():
    with LocalClient(cors_origins=["http://good.test"]) as client:
        client.headers["Origin"] = "http://evil.test"
        answer = client.complete(stream=True)
        assert answer.status_code == 200 and "access-control-allow-origin" not in answer.headers
        refused = client.options(LIST, headers=PREFLIGHT)
        del client.headers["Origin"]
        assert error_of(refused) == (403, 403, "foreignOrigin")
        assert mentions(refused.json()["message"], "--cors-origin 'http://evil.test'")
        assert client.control.journal[-1]["response"]["body"] == refused.json()


def test_a_page_that_sends_credentials_is_not_served():
    with LocalClient(cors_origins=["http://good.test"]) as client:
        client.headers["Origin"] = "http://good.test"
        for answer in (client.options(LIST, headers=PREFLIGHT), client.complete()):
            assert answer.headers["access-control-allow-origin"] == "http://good.test"
            assert "access-control-allow-credentials" not in answer.headers


def test_numbered_pages_of_any_size_follow_each_other(client):
    client.control.put_collection("d", {"name": "n{n}", "repeat": 50})
    body = {"datasetId": "d", "pageSize": 50, "parentId": ""}
    path = "/dataset/collection/list"
    pages = [client.data("POST", path, body | {"pageNum": n}) for n in (1, 2)]
    assert [len(it["data"]) for it in pages] == [50, 1] and pages[0]["total"] == 51
