"""What fixtures declare for further paths is answered, journalled, spoiled, reset."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message, Scope

from mock_server.app import create_app
from mock_server.domain.limits import Limits
from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY, LIST, Api, wait

PAGE = {"Origin": "http://page.example"}
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


def test_another_method_is_refused_and_another_path_not_found(declared: Api) -> None:
    answer = declared.client.put("/api/x/one", json={})
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST, DELETE")
    assert 'got the string "PUT" - at method' in answer.json()["message"]
    for path in ("/api/x/", "/api/x", "/api/x/7/", "/API/x/7"):
        assert declared.client.get(path).status_code == 404, path


def test_operations_and_related_routes_keep_their_way(declared: Api) -> None:
    path = "/api/core/chat/history/getHistories"
    pattern = {"method": "GET", "path": "/api/core/chat/history/{name}"}
    declared.admin("PUT", "/state", {"responses": [pattern]})
    assert declared.client.get("/api/core/chat/history/x").status_code == 200
    for related_routes, status in (("off", 404), ("on", 401)):
        declared.admin(
            "PUT", "/choices", {"choices": {"related_routes": related_routes}}
        )
        assert declared.client.post(path, json={}).status_code == status, related_routes


def test_the_journal_knows_it_by_its_name(declared: Api) -> None:
    name = "POST /api/x/{id}"
    declared.client.post("/api/x/7", content=b"\xff no JSON", headers={"a": "b"})
    declared.send("POST", "/api/x/8", {"a": 1})
    assert [e["request"]["path"] for e in declared.journal(operation=name)] == [
        "/api/x/7",
        "/api/x/8",
    ]
    asked = {"operation": name, "body": {"a": 1}, "exactly": 1}
    assert declared.admin("POST", "/journal/verify", asked).json()["ok"]
    refused = declared.admin("POST", "/journal/verify", {"operation": "POST /api/x"})
    assert "did you mean 'POST /api/x/{id}'?" in refused.json()["message"]


def test_a_key_in_capitals_in_a_body_is_not_journalled(make_api: MakeApi) -> None:
    api, key = make_api(LIBRARY), "my-own-secret-key"
    bearer = {"Authorization": f"Bearer {key}"}
    body = {"offset": 0, "datasetId": DATASET, "x": key.upper()}
    assert api.client.post(LIST, json=body, headers=bearer).status_code == 200
    (entry,) = api.admin("GET", "/journal").json()["entries"]
    assert key.upper() not in json.dumps(entry)


def test_keys_in_answers_are_not_journalled(make_api: MakeApi) -> None:
    secret = "fastgpt-a-long-secret-key"
    told = {"method": "GET", "path": "/key", "json": {"key": secret}}
    api = make_api(LIBRARY | {"keys": [{"key": secret}], "responses": [told]})
    assert api.client.get("/key").json() == {"key": secret}
    assert secret not in str(api.journal())


@pytest.mark.parametrize(
    ("key", "status", "member"),
    [("owner-key", 200, "ann"), ("nobody", 200, None), ("fastgpt-sbx-gone", 401, None)],
)
def test_a_key_says_who_but_is_not_needed(
    make_api: MakeApi, key: str, status: int, member: str | None
) -> None:
    api = make_api(WITH | {"keys": [{"key": "owner-key", "member": "ann"}]})
    headers = {"Authorization": f"Bearer {key}"}
    assert api.client.get("/api/x/7", headers=headers).status_code == status
    assert api.journal()[0]["member"] == member


def test_sandboxes_have_responses_of_their_own(declared: Api) -> None:
    own = {"responses": [{"method": "GET", "path": "/own", "text": "own"}]}
    made = declared.admin("POST", "/sandboxes", {"name": "team", "state": own}).json()
    key = {"Authorization": f"Bearer {made['key']}"}
    assert declared.client.get("/own", headers=key).text == "own"
    assert declared.client.get("/__sandboxes/team/own").text == "own"
    assert declared.client.get("/own").status_code == 404
    assert declared.client.get("/soon", headers=key).status_code == 404
    listed = declared.admin("GET", "/sandboxes/team/responses").json()["responses"]
    assert [each["operation"] for each in listed] == ["GET /own"]


def test_put_restore_and_reset_bring_back_what_was_declared(declared: Api) -> None:
    was = declared.admin("GET", "/state").json()
    declared.admin("PUT", "/snapshots/before")
    assert declared.admin("PUT", "/state", {}).status_code == 200
    assert declared.client.get("/soon").status_code == 404
    declared.admin("POST", "/snapshots/before/restore")
    assert declared.client.get("/soon").status_code == 200
    declared.admin("POST", "/reset")
    assert declared.client.get("/soon").status_code == 404
    declared.admin("PUT", "/state", was)
    assert declared.admin("GET", "/state").json() == was
    assert declared.client.get("/soon").status_code == 200


def test_a_state_that_is_put_names_no_files(declared: Api) -> None:
    bad = {"method": "GET", "path": "/x", "file": "README.md"}
    answer = declared.admin("PUT", "/state", {"responses": [bad]})
    assert answer.status_code == 400
    assert "only fixture files can name files" in answer.json()["message"]


def test_a_page_may_call_it_by_its_methods(declared: Api) -> None:
    for method in ("DELETE", "GET", "POST"):
        asked = PAGE | {"Access-Control-Request-Method": method}
        headers = declared.client.options("/api/x/7", headers=asked).headers
        assert headers["access-control-allow-methods"] == method
    answer = declared.client.get("/api/x/7", headers=PAGE)
    assert answer.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("operation", ["GET /api/x/{id}", "*"])
def test_faults_meet_it(declared: Api, operation: str) -> None:
    fault = {"kind": "error", "status": 502, "operation": operation}
    assert declared.admin("POST", "/faults", fault).status_code == 201
    assert declared.client.get("/api/x/7").status_code == 502
    assert declared.client.get("/api/x/7").status_code == 200
    (entry, _) = declared.journal()
    assert entry["fault"]["kind"] == "error"


def test_a_fault_may_match_what_was_sent_to_it(declared: Api) -> None:
    fault = {
        "kind": "error",
        "operation": "POST /api/x/{id}",
        "match": {"body": {"a": 1}},
    }
    declared.admin("POST", "/faults", fault)
    assert declared.client.post("/api/x/7", content=b"no JSON").status_code == 200
    assert declared.client.post("/api/x/7", json={"a": 2}).status_code == 200
    assert declared.client.post("/api/x/7", json={"a": 1}).status_code == 503


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


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("GET /api/x/{i}", "did you mean 'GET /api/x/{id}'?"),
        ("GET /api/x/7", "or one of the 7 of GET /__admin/responses"),
    ],
)
def test_a_fault_for_what_is_not_declared_is_refused(
    declared: Api, operation: str, message: str
) -> None:
    answer = declared.admin(
        "POST", "/faults", {"kind": "error", "operation": operation}
    )
    assert answer.status_code == 400
    assert message in answer.json()["message"]


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


def test_the_list_says_what_is_answered(declared: Api) -> None:
    rows = declared.admin("GET", "/responses").json()["responses"]
    assert rows[1] == {
        "operation": "GET /api/x/one",
        "method": "GET",
        "path": "/api/x/one",
        "status": 203,
        "contentType": "text/plain; charset=utf-8",
        "bytes": 4,
        "delayMs": 0,
        "times": None,
    }
    assert rows[3]["contentType"] is None


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


def test_a_response_that_no_memory_is_left_for_is_refused(make_api: MakeApi) -> None:
    rows = [{"q": "x" * 1_000_000}] * 4
    data = [{"_id": "c", "name": "Item", "data": rows}]
    state = {"datasets": [{"id": DATASET, "collections": data}]}
    api = make_api(state, limits=Limits(memory_bytes=25_000_000))
    path = "/api/core/dataset/data/v2/list"
    answer = api.send("POST", path, {"collectionId": "c"})
    assert (answer.status_code, answer.json()["statusText"]) == (409, "limitReached")
    asked = {"collectionId": "c", "pageSize": 1}
    assert api.send("POST", path, asked).status_code == 200
