"""Real sockets: raw requests, several servers, stopping."""

from __future__ import annotations

import socket
from collections.abc import Callable
from urllib.parse import urlsplit

import httpx2
import pytest

from mock_server import MockServer
from mock_server.app import create_app
from mock_server.domain.limits import Limits
from mock_server.fixture.source.files import shipped_path
from mock_server.wire.server import CannotBind, bind, running, url_of
from mock_server.wire.uvicorn_internals import HttpParser, best_parser
from tests.support import LIBRARY, LIST, PIN, SECONDS, Switch, fetch, is_pinned
from tests.wire.battery import chunked
from tests.wire.sockets import answer

BODY = b'{"appId":"app-1","chatId":"chat-1","top":true}'
HEAD = b"Host: x\r\nAuthorization: Bearer k\r\nContent-Type: application/json\r\n"
Live = Callable[[HttpParser], tuple[Switch, str]]


@pytest.fixture(params=["zttp", "h11"])
def address(request: pytest.FixtureRequest, live: Live) -> tuple[str, int]:
    switch, url = live(request.param)
    switch.app = create_app(LIBRARY)
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 0)


def first_answer(address: tuple[str, int], request: bytes) -> bytes:
    """What the server answers first to these bytes."""
    with socket.create_connection(address, timeout=SECONDS) as connection:
        connection.sendall(request)
        return answer(connection)


def exchange(address: tuple[str, int], request: bytes) -> bytes:
    """Everything that the server says to these bytes."""
    with socket.create_connection(address, timeout=SECONDS) as connection:
        connection.sendall(request)
        said = b""
        while part := connection.recv(65_536):
            said += part
    return said


def put(path: str, *, close: bool = True, method: str = "PUT") -> bytes:
    connection = b"Connection: close\r\n" if close else b""
    length = b"Content-Length: %d\r\n\r\n" % len(BODY)
    line = f"{method} {path} HTTP/1.1\r\n".encode()
    return line + HEAD + connection + length + BODY


def test_limits_reach_the_application_and_the_connection() -> None:
    limits = Limits(receipt_seconds=0.2)
    with MockServer(limits=limits) as server:
        assert server.app.sandboxes.limits is limits
        parts = urlsplit(server.url)
        answer = exchange((str(parts.hostname), int(parts.port or 0)), b"PUT ")
    assert b"Expected the whole request within 0.2 s" in answer


def test_too_many_chunks_are_a_body_too_large() -> None:
    with MockServer(limits=Limits(body_pieces=2)) as server:
        parts = urlsplit(server.url)
        request = chunked(*[b" "] * 9, BODY)
        answer = exchange((str(parts.hostname), int(parts.port or 0)), request)
    assert b'"statusText":"bodyTooLarge"' in answer


def test_a_response_has_no_headers_but_those_of_the_service(
    address: tuple[str, int],
) -> None:
    head = first_answer(address, put(PIN)).partition(b"\r\n\r\n")[0]
    lines = head.decode().lower().split("\r\n")[1:]
    names = {line.partition(":")[0] for line in lines}
    own = {"x-mock-sandbox", "x-mock-generation", "access-control-allow-origin"}
    content = {"content-type", "content-length", "cache-control"}
    assert names - own == content | {"date", "connection"}


@pytest.mark.parametrize(
    "path",
    ["/api/core/./chat/history/updateHistory", "/x/.." + PIN, PIN + "/", "/" + PIN],
)
def test_paths_are_taken_as_sent(address: tuple[str, int], path: str) -> None:
    assert exchange(address, put(path)).startswith(b"HTTP/1.1 404 ")


def test_methods_are_case_sensitive(address: tuple[str, int]) -> None:
    assert exchange(address, put(PIN, method="put")).startswith(b"HTTP/1.1 405 ")


def test_pipelined_requests_are_answered_in_order(address: tuple[str, int]) -> None:
    bad = put(PIN, close=False).replace(b"true", b"1   ")
    answer = exchange(address, put(PIN, close=False) + bad + put(PIN))
    statuses = [part[:3] for part in answer.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"200", b"400", b"200"]


def test_an_early_answer_announces_the_close(address: tuple[str, int]) -> None:
    request = b"PUT %b HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"
    said = first_answer(address, request % PIN.encode())
    assert said.startswith(b"HTTP/1.1 401 ")
    assert b"connection: close\r\n" in said


def test_a_length_of_5000_digits_is_read(address: tuple[str, int]) -> None:
    request = b"PUT %b HTTP/1.1\r\nHost: x\r\nContent-Length: %b1\r\n\r\n!"
    answer = exchange(address, request % (PIN.encode(), b"0" * 5000))
    assert answer.startswith((b"HTTP/1.1 401 ", b"HTTP/1.1 400 "))


def test_a_body_held_back_is_not_asked_for_in_vain(address: tuple[str, int]) -> None:
    request = b"PUT %b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n"
    said = first_answer(
        address, request % PIN.encode() + b"Expect: 100-continue\r\n\r\n"
    )
    assert said.startswith(b"HTTP/1.1 401 ")


def test_a_client_that_leaves_changes_nothing(live: Live) -> None:
    switch, url = live(best_parser())
    app = switch.app = create_app(LIBRARY)
    parts = urlsplit(url)
    where = (str(parts.hostname), int(parts.port or 0))
    with socket.create_connection(where) as connection:
        request = put(PIN).replace(b"Content-Length: ", b"Content-Length: 9")
        connection.sendall(request)
    assert fetch("GET", url + "/__admin/health").status_code == 200
    assert is_pinned(app) is False


def test_servers_in_one_process_are_independent() -> None:
    with MockServer(LIBRARY) as first, MockServer(LIBRARY) as second:
        body = {"appId": "app-1", "chatId": "chat-1", "top": True}
        headers = {"Authorization": f"Bearer {first.key}"}
        answer = fetch("PUT", first.url + PIN, json=body, headers=headers)
        assert answer.status_code == 200
        chats = [each.sandbox.chat("app-1", "chat-1") for each in (first, second)]
        assert [chat and chat.top for chat in chats] == [True, False]


def test_a_server_can_run_again() -> None:
    server = MockServer(LIBRARY)
    for _ in range(2):
        with server:
            assert fetch("GET", server.url + "/__admin/health").status_code == 200


def test_without_an_owner_there_is_no_key() -> None:
    server = MockServer({"keys": [{"key": "k", "permission": "read"}]})
    for each in (server, MockServer({}, choices={"unknown_key": "reject"})):
        with each, pytest.raises(LookupError, match="declares no API key of an owner"):
            _ = each.key


def test_the_key_of_a_server_is_an_owners() -> None:
    for fixture in ("permissions", shipped_path("permissions.yaml")):
        with MockServer(fixture) as server:
            assert server.key == "fastgpt-owner"
    assert create_app("permissions").sandbox.key == "fastgpt-owner"
    with MockServer() as server:
        headers = {"Authorization": f"Bearer {server.key}"}
        body = {"offset": 0, "datasetId": "6593e137231a2be9c5603ba7"}
        answer = fetch("POST", server.url + LIST, json=body, headers=headers).json()
        assert answer["data"]["list"][0]["permission"]["isOwner"] is True


def test_a_stopped_server_answers_nobody() -> None:
    with running(create_app(LIBRARY)) as url:
        assert fetch("GET", url + "/__admin/health").status_code == 200
    with pytest.raises(httpx2.ConnectError):
        fetch("GET", url + "/__admin/health")


def test_an_address_in_use_is_named() -> None:
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(
            CannotBind, match=f"127.0.0.1:{port}: .*port=0 takes a free"
        ):
            bind("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("not a host", 0), ("127.0.0.1", 70_000)])
def test_an_impossible_address_is_named(host: str, port: int) -> None:
    with pytest.raises(CannotBind, match=f"cannot listen on {host}:{port}: "):
        bind(host, port)


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_ipv6_addresses_stand_in_brackets() -> None:
    with bind("::1", 0) as listener:
        assert url_of(listener).startswith("http://[::1]:")
