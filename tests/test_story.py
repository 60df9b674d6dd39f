"""What a request passes, and what the journal says of it."""

import asyncio
import json
import socket
from urllib.parse import urlsplit

import httpx2
import pytest

from mock_server import MockServer
from mock_server.application import load_baseline
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


@pytest.mark.parametrize(
    ("path", "body", "headers", "hint"),
    [
        (LIST, PAGE, {"Authorization": ""}, "The client sends no API key"),
        (LIST, PAGE, {"Authorization": "Bearer other"}, "The fixture declares 2 keys"),
        (LIST, PAGE, {"Authorization": "Bearer fastgpt-sbx-0"}, "The sandbox of this key"),
        (LIST, PAGE, {"Authorization": "Bearer outsider"}, "The key has permission 'none'"),
        (LIST, PAGE, {"Content-Type": "text/plain"}, "The client sends its body without"),
        (LIST, PAGE | {"datasetId": "e"}, {}, "Sandbox 'default' has 1 dataset: d."),
        (LIST, PAGE | {"parentId": "y"}, {}, "No collection of the dataset has this id"),
        ("/api/nothing", {}, {}, "The server has no such route; `respond` can answer it."),
        (LIST, PAGE | {"parentId": "x"}, {}, "The folder 'x' has no collections"),
        (LIST, PAGE | {"searchText": "y"}, {}, "The searchText 'y' is in none of 1 collections."),
        (LIST, PAGE | {"filterTags": ["u"]}, {}, "selectFolder and filterTags leave none of 1"),
        (LIST, PAGE | {"offset": 1}, {}, "The offset 1 is past the end: 1 collections match."),
    ],
)
def test_the_journal_hints_why(server, path, body, headers, hint):
    headers = {"Authorization": "Bearer owner", "Content-Type": "application/json"} | headers
    httpx2.post(server.url + path, content=json.dumps(body), headers=headers)
    assert server.journal[-1]["hint"].startswith(hint)


def test_a_page_and_other_refusals_have_no_hint(server):
    headers = {"Authorization": "Bearer owner"}
    for body in (PAGE, PAGE | {"pageSize": 31}):
        httpx2.post(server.url + LIST, json=body, headers=headers)
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
    path = f"{server.url}/api/support/user/account/loginByPassword?token=q5ery"
    httpx2.post(path, json=secrets | {"more": "x" * 9000}, headers=headers)
    shown = json.dumps(server.journal[-1])
    for secret in ("p4ssw0rd", "t0k3n", "k3y", "owner-secret", "c00kie", "q5ery"):
        assert secret not in shown
    assert server.journal[-1]["request"]["truncated"]
