"""Large states are written while they are sent, from what there was at the start."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from mock_server import MockServer, create_app
from mock_server.fixture.dump import document_as_yaml, to_document
from mock_server.wire.server import running
from mock_server.wire.uvicorn_internals import HttpParser
from tests.large import put
from tests.process import serving
from tests.support import fetch, wait


def holding(chats: int) -> dict[str, Any]:
    """A document of so many chats with long titles, and a little beside them."""
    found = [{"chatId": f"{n}", "title": "ä" * 1_000} for n in range(chats)]
    datasets = [{"id": "d", "collections": [{"name": "N {n}", "repeat": 900}]}]
    return {"apps": [{"id": "a", "chats": found}], "datasets": [*datasets, {"id": "e"}]}


MANY = holding(6_000)
REQUEST = b"GET /__admin/state HTTP/%b\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(MANY) as running:
        yield running


def expected(server: MockServer) -> bytes:
    return msgspec.json.encode(to_document(server.sandbox.store))


def connect(url: str, version: bytes = b"1.1") -> socket.socket:
    """A client that takes little at a time."""
    address = urlsplit(url)
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8_192)
    client.settimeout(30)
    client.connect((address.hostname, address.port))
    client.sendall(REQUEST % version)
    return client


def rest(client: socket.socket) -> bytes:
    found = bytearray()
    while part := client.recv(65_536):
        found += part
    return bytes(found)


def streams(server: MockServer) -> int:
    answer = fetch("GET", f"{server.url}/__admin/health").json()
    return int(answer["memory"]["streams"])


@pytest.mark.ci
def test_a_large_state_is_what_a_document_says() -> None:
    with MockServer(holding(100)) as server:
        path, asked = f"{server.url}/__admin/state", {"Accept": "application/yaml"}
        assert fetch("GET", path).content == expected(server)
        answer = fetch("GET", path, headers=asked)
        assert answer.headers["content-type"] == "application/yaml"
        assert answer.text == document_as_yaml(to_document(server.sandbox.store))


@pytest.mark.ci
def test_the_head_of_a_large_state_has_no_body(server: MockServer) -> None:
    answer = fetch("HEAD", f"{server.url}/__admin/state")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.ci
def test_changes_meanwhile_are_not_in_it() -> None:
    with MockServer(MANY) as server:
        before = expected(server)
        with connect(server.url) as client:
            begin = client.recv(1_024)
            new = f"{server.url}/__admin/datasets/e/collections/new"
            assert fetch("PUT", new, json={"name": "new"}).status_code == 201
            assert put(server.url, b"{}").status_code == 200
            got = begin + rest(client)
    assert joined(got.partition(b"\r\n\r\n")[2]) == before


def joined(chunks: bytes) -> bytes:
    """A body without its chunks."""
    found = bytearray()
    while chunks:
        length, _, chunks = chunks.partition(b"\r\n")
        size = int(length, 16)
        found += chunks[:size]
        chunks = chunks[size + 2 :]
    return bytes(found)


@pytest.mark.ci
def test_it_ends_with_its_client(server: MockServer) -> None:
    with connect(server.url) as client:
        client.recv(1_024)
        assert streams(server) > 0
    wait(lambda: streams(server) == 0)


@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_a_client_of_http_1_0_gets_no_chunks(http: HttpParser) -> None:
    app = create_app(holding(100))
    with running(app, http=http) as url, connect(url, b"1.0") as client:
        got = rest(client).partition(b"\r\n\r\n")[2]
    assert got == msgspec.json.encode(to_document(app.sandbox.store))


@pytest.mark.ci
def test_a_small_state_says_its_length(server: MockServer) -> None:
    fetch("POST", f"{server.url}/__admin/sandboxes", json={"name": "s", "state": {}})
    answer = fetch("GET", f"{server.url}/__admin/sandboxes/s/state")
    assert answer.headers["content-length"] == str(len(answer.content))


@pytest.mark.ci
@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_a_stop_cuts_large_states_off(tmp_path: Path, http: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(msgspec.json.encode(MANY))
    with serving("--port=0", f"--http={http}", str(path)) as (url, process):
        clients = [connect(url) for _ in range(6)]
        begun = [client.recv(1_024) for client in clients]
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=30)
        assert (process.returncode, "Traceback" in err) == (0, False), err
        for client, begin in zip(clients, begun, strict=True):
            assert begin.startswith(b"HTTP/1.1 200 ")
            assert not cut_short(client).endswith(b"0\r\n\r\n")


def cut_short(client: socket.socket) -> bytes:
    with client:
        try:
            return rest(client)
        except ConnectionError:
            return b""


@pytest.mark.ci
@pytest.mark.parametrize("accept", ["application/json", "application/yaml"])
def test_a_round_trip_of_a_large_state_changes_nothing(accept: str) -> None:
    with MockServer(MANY) as server:
        path, asked = f"{server.url}/__admin/state", {"Accept": accept}
        before = fetch("GET", path, headers=asked).content
        sent = {"Content-Type": accept}
        assert fetch("PUT", path, content=before, headers=sent).status_code == 200
        assert fetch("GET", path, headers=asked).content == before
