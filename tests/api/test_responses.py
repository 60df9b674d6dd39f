"""What fixtures declare for further paths is answered, journalled, spoiled, reset."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message, Scope

from mock_server.app import create_app
from tests.conftest import MakeApi
from tests.support import LIBRARY, LIST, Api, wait

DECLARED: list[dict[str, Any]] = [
    {"method": "GET", "path": "/api/x/{id}", "json": {"id": 1}},
    {"method": "GET", "path": "/api/x/one", "text": "eins", "status": 203},
    {"method": "POST", "path": "/api/x/{id}", "json": [], "headers": {"X-A": "b"}},
    {"method": "DELETE", "path": "/api/x/{id}", "status": 204},
    {
        "method": "GET",
        "path": "/app.js",
        "base64": "YWxlcnQoKQ==",
        "headers": {"Content-Type": "text/javascript", "Cache-Control": "max-age=9"},
    },
    {"method": "GET", "path": "/late", "text": "late", "delayMs": 60_000},
    {"method": "GET", "path": "/soon", "text": "soon", "delayMs": 1},
]
WITH: dict[str, Any] = LIBRARY | {"responses": DECLARED}


@pytest.fixture
def declared(make_api: MakeApi) -> Api:
    return make_api(WITH)


@pytest.mark.parametrize(
    ("method", "path", "status", "content_type", "body"),
    [
        ("GET", "/api/x/7", 200, "application/json", b'{"id":1}'),
        ("GET", "/api/x/7?a=b", 200, "application/json", b'{"id":1}'),
        ("GET", "/api/x/one", 203, "text/plain; charset=utf-8", b"eins"),
        ("POST", "/api/x/one", 200, "application/json", b"[]"),
        ("DELETE", "/api/x/7", 204, None, b""),
        ("GET", "/app.js", 200, "text/javascript", b"alert()"),
        ("GET", "/soon", 200, "text/plain; charset=utf-8", b"soon"),
    ],
)
def test_a_declared_path_answers_without_a_key(
    *,
    declared: Api,
    method: str,
    path: str,
    status: int,
    content_type: str | None,
    body: bytes,
) -> None:
    answer = declared.client.request(method, path)
    assert (answer.status_code, answer.content) == (status, body)
    assert answer.headers.get("content-type") == content_type
    has_length = "content-length" in answer.headers
    assert has_length == (status != 204)
    assert answer.headers["x-mock-sandbox"] == "default"
    assert len(answer.headers.get_list("cache-control")) == 1
    (entry,) = declared.journal()
    path = path.partition("?")[0]
    assert entry["request"]["path"] == path
    assert (entry["violations"], entry["answer"]["status"]) == ([], status)
    assert entry["operation"].startswith(f"{method} /")


def test_head_is_answered_as_get_is(declared: Api, face: str) -> None:
    answer = declared.client.head("/api/x/one")
    assert answer.status_code == 203
    assert answer.headers["content-length"] == "4"
    assert face == "asgi" or answer.content == b""


@pytest.mark.sampled
@pytest.mark.parametrize("kind", ["delay", "dribble", "malformed_json", "rate_limit"])
@pytest.mark.parametrize("path", ["/api/x/7", "/app.js"])
def test_faults_of_the_answer_work_with_any_body(
    declared: Api, kind: str, path: str
) -> None:
    own = {"delay": {"ms": 1}, "dribble": {"ms": 1}, "rate_limit": _RATE}.get(kind, {})
    declared.admin("POST", "/faults", {"kind": kind, **own})
    for method in ("GET", "DELETE"):
        answer = declared.client.request(method, path)
        assert answer.status_code in (200, 204, 405, 429)


_RATE = {"limit": 1, "window": 60, "times": 1}


def test_a_reset_ends_the_delay(make_api: MakeApi, face: str) -> None:
    if face == "asgi":
        pytest.skip("in process there is no connection to end")
    api = make_api(WITH)
    address = api.client.base_url.host, api.client.base_url.port
    with socket.create_connection(address) as connection:
        connection.sendall(b"GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n")
        wait(lambda: api.sandbox.state.waits)
        threading.Thread(target=api.sandbox.reset).start()
        assert connection.recv(1) == b""


def test_the_openapi_document_describes_those_of_the_sandbox(declared: Api) -> None:
    described = declared.client.get("/openapi.json").json()["paths"]
    assert set(described["/api/x/{id}"]) == {"get", "post", "delete"}
    (parameter,) = described["/api/x/{id}"]["get"]["parameters"]
    assert parameter == {
        "name": "id",
        "in": "path",
        "required": True,
        "schema": {"type": "string"},
    }
    answers = [*described["/api/x/{id}"]["get"]["responses"].values()]
    assert [each["description"] for each in answers] == ["As the fixture declares it."]
    assert LIST in described
    declared.admin("POST", "/sandboxes", {"name": "team", "state": {}})
    own = declared.client.get("/__sandboxes/team/openapi.json").json()["paths"]
    assert "/soon" not in own


@pytest.mark.fresh
def test_large_bodies_are_sent_whole_and_journalled_cut(
    make_api: MakeApi, tmp_path: Path
) -> None:
    (tmp_path / "large.bin").write_bytes(b"\xff" * 1_000_000)
    path = tmp_path / "x.yaml"
    path.write_text("responses: [{method: GET, path: /l, file: large.bin}]")
    api = make_api(path)
    assert api.client.get("/l").content == b"\xff" * 1_000_000
    assert api.journal()[0]["answer"]["truncated"]


@pytest.mark.parametrize("path", ["/large", "/openapi.json", "/__admin/openapi.json"])
def test_a_response_is_charged_until_the_server_is_rid_of_it(path: str) -> None:
    large = {"method": "GET", "path": "/large", "text": "x" * 400_000}
    app = create_app({"responses": [large]})
    taken, sizes = asyncio.Event(), []

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            sizes.append(len(message["body"]))
            if len(sizes) == 2:  # a server waits before it takes more
                await taken.wait()

    async def asked() -> None:
        call = asyncio.create_task(app(get(path), nothing, send))
        while len(sizes) < 2:
            assert not call.done(), "all of it was handed over at once"
            await asyncio.sleep(0)
        assert app.sandboxes.memory.usage()["requests"] == 3 * sizes[0]
        taken.set()
        await call
        assert app.sandboxes.memory.usage()["requests"] == 0

    asyncio.run(asked())


async def nothing() -> Message:
    return {"type": "http.request", "body": b""}


def get(path: str) -> Scope:
    """A GET of a local client."""
    return {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"localhost")],
    }
