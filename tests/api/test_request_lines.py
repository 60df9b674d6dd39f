"""Request lines say why a request was refused, and which fault fired; never a key."""

from __future__ import annotations

import gc
import json
import re
from itertools import product
from typing import Any
from weakref import ref

import msgspec
import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from mock_server import load_fixture
from mock_server.api.redaction import ESCAPED_KEY_BYTES
from mock_server.api.request_log import Line, LogRedaction, RequestLog, json_line
from mock_server.app import create_app
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.messages import CUT_MARK
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.printable import LogFormat, json_text
from tests.support import CHAT, DATASET, LIBRARY, LIST, PIN

KEY = "fastgpt-declared-key"
SECRET = "fastgpt-another-declared-key"
FIXTURE = LIBRARY | {"keys": [{"key": KEY}, {"key": SECRET}]}
HEADERS = {"Authorization": f"Bearer {KEY}"}
LISTED: dict[str, Any] = {"offset": 0, "datasetId": DATASET}


class Logged:
    """A client of a server in process, and the lines that it has logged."""

    def __init__(
        self,
        log_format: LogFormat = "text",
        *,
        is_coloured: bool = False,
        gives_ids: bool = False,
        **choices: str,
    ) -> None:
        app = create_app(FIXTURE, choices=choices)
        self.lines: list[str] = []
        logged = RequestLog(
            app,
            log_format,
            self.lines.append,
            LogRedaction(app.sandboxes, app.secrets),
            is_coloured=is_coloured,
            gives_ids=gives_ids,
        )
        self.client = TestClient(logged, raise_server_exceptions=False)

    def list_v2(self, **fields: Any) -> str:
        """The line of a list."""
        self.client.post(LIST, json=LISTED | fields, headers=HEADERS)
        return self.lines[-1]

    def fault(self, **fields: Any) -> None:
        added = self.client.post("/__admin/faults", json=fields)
        assert added.status_code == 201, added.text


@pytest.fixture
def logged() -> Logged:
    return Logged()


def test_a_refusal_says_why_behind_the_time_it_took(logged: Logged) -> None:
    head, _, reason = logged.list_v2(pageSize=50).partition(" - ")
    assert head.endswith(" ms")
    assert f" default POST {LIST} 400 " in head
    assert reason.startswith("Expected an integer from 1 to 30, got 50 - at $.pageSize")


def test_a_line_begins_with_the_time_to_the_millisecond() -> None:
    time = r"\d\d:\d\d:\d\d\.\d{3}Z"
    assert re.match(f"{time} default POST ", Logged().list_v2())
    line = json.loads(Logged("json").list_v2())
    assert re.fullmatch(rf"\d{{4}}-\d\d-\d\dT{time}", line["time"])


@pytest.mark.parametrize("between", ["/", ";password=", "-", "%3fpassword="])
def test_what_follows_the_path_of_a_login_is_hidden(
    logged: Logged, between: str
) -> None:
    path = "/api/support/user/account/loginByPassword"
    logged.client.post(f"{path}{between}hunter2", json={})
    assert "loginByPassword" in logged.lines[-1]
    assert "hunter2" not in logged.lines[-1]


@pytest.mark.parametrize(
    "path", ["/api/support/user/account/loginByPassword", "/login"]
)
def test_what_an_answer_repeats_of_a_login_is_hidden(logged: Logged, path: str) -> None:
    envelope = {"code": 400, "statusText": "wrong", "message": "got {{body.password}}"}
    operation = f"POST {path}" if path == "/login" else path.rpartition("/")[2]
    answer = {"kind": "answer", "operation": operation, "status": 400}
    logged.fault(**answer, json=envelope | {"data": None})
    refused = logged.client.post(path, json={"password": "hunter2-secret"})
    assert "got hunter2-secret" in refused.text
    assert logged.lines[-1].endswith(" - [redacted]")


@pytest.mark.parametrize("is_ended", [False, True])
@pytest.mark.parametrize("start", ["/__admin/sandboxes/b%6fx", "/__sandboxes/box"])
def test_keys_of_a_named_sandbox_are_hidden_though_it_ends_meanwhile(
    start: str, is_ended: bool
) -> None:
    app, lines = create_app(LIBRARY), list[str]()
    loaded = load_fixture({"keys": [{"key": SECRET}]})
    app.sandboxes.create("box", baseline=loaded)

    async def interrupted(scope: Scope, receive: Receive, send: Send) -> None:
        if is_ended:
            app.sandboxes.delete("box")
        await app(scope, receive, send)

    redaction = LogRedaction(app.sandboxes, app.secrets)
    logged = RequestLog(interrupted, "text", lines.append, redaction)
    TestClient(logged).get(f"{start}/x/{SECRET}")
    assert [SECRET in each for each in lines] == [False]


@pytest.mark.parametrize("count", range(9))
def test_a_key_is_hidden_whole_though_it_contains_one_of_another_sandbox(
    count: int,
) -> None:
    """Whichever of the two is looked at first."""
    app, lines = create_app({"keys": [{"key": SECRET[:12]}]}), list[str]()
    loaded = [load_fixture({"keys": [{"key": SECRET}]}) for _ in range(count + 1)]
    app.sandboxes.create("box", baseline=loaded[-1])
    redaction = LogRedaction(app.sandboxes, app.secrets)
    client = TestClient(RequestLog(app, "text", lines.append, redaction))
    client.get(f"/__sandboxes/box/x/{SECRET}")
    assert "/x/[redacted] " in lines[0]


@pytest.mark.parametrize("name", ["token", "cookie"])
def test_keys_of_the_sandbox_of_a_login_are_hidden(name: str) -> None:
    app, lines = create_app(LIBRARY), list[str]()
    users = [{"username": "root", "password": "1234"}]
    loaded = load_fixture({"keys": [{"key": SECRET}], "users": users})
    state = app.sandboxes.create("box", baseline=loaded).state
    [token] = state.logins
    value = token if name == "token" else f"fastgpt_token={token}"
    redaction = LogRedaction(app.sandboxes, app.secrets)
    client = TestClient(RequestLog(app, "text", lines.append, redaction))
    client.get(f"/x/{SECRET}", headers={name: value})
    assert [SECRET in each for each in lines] == [False]
    assert " box GET" in lines[0]


def test_an_open_stream_keeps_no_data_that_was_replaced() -> None:
    app = create_app({"keys": [{"key": SECRET}]})
    scope = {"type": "http", "path": "/", "raw_path": b"/", "headers": []}
    LogRedaction(app.sandboxes, app.secrets).begin(scope)
    fixture = ref(app.sandboxes.default.state.store.fixture)
    app.sandboxes.default.put_baseline(FixtureData())
    gc.collect()
    assert fixture() is None


def test_a_success_says_nothing_further(logged: Logged) -> None:
    assert logged.list_v2().endswith(" ms")


@pytest.mark.parametrize("form", ["plain", "service"])
@pytest.mark.parametrize("status", ["mapped", "always_500", "always_200"])
def test_the_reason_is_told_in_every_form_of_errors(form: str, status: str) -> None:
    logged = Logged("json", error_form=form, error_http_status=status)
    line = json.loads(logged.list_v2(datasetId="nope"))
    assert line["reason"] == (
        'Expected the id of a dataset, got the string "nope" - at $.datasetId '
        '(there are "dataset-1", "dataset-2")'
    )


def test_a_fault_is_named_by_id_and_kind(logged: Logged) -> None:
    logged.fault(kind="error", message="Out of order")
    assert logged.list_v2().endswith(" ms fault f1 error - Out of order")
    assert logged.list_v2().endswith(" ms")


def test_a_fault_that_spoils_the_answer_is_named_without_a_reason() -> None:
    logged = Logged("json")
    logged.fault(kind="malformed_json")
    line = json.loads(logged.list_v2(datasetId="nope"))
    assert (line["fault"], line["reason"]) == ("f1 malformed_json", None)


def test_an_answer_that_is_nested_too_deep_has_a_line_without_a_reason() -> None:
    logged = Logged("json")
    logged.fault(
        kind="answer", operation="listV2", text='{"code":500,"x":' + "[" * 2000
    )
    line = json.loads(logged.list_v2())
    assert (line["status"], line["reason"]) == (200, None)


def test_a_success_has_fields_of_json_without_a_reason() -> None:
    line = json.loads(Logged("json").list_v2())
    assert (line["status"], line["fault"], line["reason"]) == (200, None, None)


def test_requests_of_the_admin_api_say_why_too(logged: Logged) -> None:
    logged.client.get("/__admin/faults/f9")
    assert " 404 " in logged.lines[-1]
    assert 'Expected the id of a fault, got the string "f9"' in logged.lines[-1]


@pytest.mark.ci
@pytest.mark.parametrize("log_format", ["text", "json"])
@pytest.mark.parametrize("key", [KEY, SECRET])
def test_no_key_that_a_client_put_into_a_field_is_logged(
    log_format: LogFormat, key: str
) -> None:
    logged = Logged(log_format)
    for sent in (key, f"x{key}", "y" * 45 + key, json.dumps(key)[1:-1]):
        logged.list_v2(datasetId=sent)
        logged.list_v2(**{sent: 1, "offset": sent})
        logged.client.get(f"/{sent}")
        logged.client.get(f"/__admin/apps/{sent}/chats")
    assert "[redacted]" in logged.lines[-1]
    for line in logged.lines:
        assert key[:16] not in line


def test_no_key_of_the_sandbox_in_an_address_of_the_admin_api_is_logged(
    logged: Logged,
) -> None:
    state = {"keys": [{"key": "only-key-of-the-sandbox"}]}
    made = logged.client.post("/__admin/sandboxes", json={"name": "s", "state": state})
    assert made.status_code == 201
    for sent in ("only-key-of-the-sandbox", SECRET):
        for path in ("s", f"s/apps/{sent}/chats", f"s/{sent}", f"s/faults?{sent}=1"):
            logged.client.post(f"/__admin/sandboxes/{path}", json={sent: sent})
            assert sent not in logged.lines[-1]


@pytest.mark.parametrize("name", ["token", "cookie"])
def test_no_login_token_that_a_client_put_into_a_path_is_logged(
    logged: Logged, name: str
) -> None:
    token = "token-of-an-unknown-login"
    sent = token if name == "token" else f"fastgpt_token={token}"
    logged.client.get(f"/{token}", headers={name: sent})
    assert "[redacted]" in logged.lines[-1]
    assert token not in logged.lines[-1]
    assert token not in logged.client.get("/__admin/journal").text


@pytest.mark.parametrize("chars", range(1, len(KEY), 3))
def test_half_a_key_at_the_rough_cut_of_a_path_is_not_logged(
    logged: Logged, chars: int
) -> None:
    key = "".join(f"%{ord(char):02x}" for char in KEY)
    rough = DEFAULT_LIMITS.logged_chars + ESCAPED_KEY_BYTES
    pad = (rough - 3 * chars - 1) % (len(key) + 1)
    logged.client.get(f"/{'-' * pad}{'/'.join([key] * 300)}", headers=HEADERS)
    assert f"{CUT_MARK} 404 " in logged.lines[-1]
    assert "%" not in logged.lines[-1].partition(" 404 ")[0]


def test_keys_of_a_state_that_is_refused_are_not_logged(logged: Logged) -> None:
    twice = {"keys": [{"key": "fresh-key-of-nobody"}] * 2}
    answer = logged.client.put("/__admin/state", json=twice)
    assert "fresh-key-of-nobody" in answer.text
    assert logged.lines[-1].endswith(
        " - Expected a fixture document, got one with problems - at body"
    )


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_line_moves_no_terminal_and_is_no_command(log_format: LogFormat) -> None:
    logged = Logged(log_format)
    line = logged.list_v2(datasetId="\x9b2J\u202e\u2028##[error] ::x")
    assert line.isprintable()
    assert "##[" not in line


def test_a_reason_has_an_end(logged: Logged) -> None:
    logged.client.post(
        "/__admin/faults", json={"x" * 5_000 + str(n): n for n in range(9)}
    )
    logged.fault(kind="error", message="m" * 1_024)
    logged.fault(kind="error", message="n" * 1_024)
    for _ in range(2):
        logged.list_v2()
    assert max(map(len, logged.lines)) < DEFAULT_LIMITS.logged_chars + 200


@pytest.mark.parametrize(
    ("fields", "colour"), [({}, "\x1b[32m200"), ({"pageSize": 50}, "\x1b[33m400")]
)
def test_a_status_has_the_colour_of_its_class(
    fields: dict[str, Any], colour: str
) -> None:
    assert f" {colour}\x1b[0m " in Logged(is_coloured=True).list_v2(**fields)


def test_a_fault_has_a_colour_and_what_clients_send_brings_none() -> None:
    logged = Logged(is_coloured=True)
    logged.fault(kind="error")
    assert "\x1b[35m fault f1 error\x1b[0m - " in logged.list_v2()
    line = logged.list_v2(datasetId="\x1b[31m")
    assert line.count("\x1b") == 4
    assert r"\x1b[31m" in line or r"\u001b[31m" in line


def test_a_time_and_an_id_are_dim() -> None:
    line = Logged(is_coloured=True, gives_ids=True).list_v2()
    assert line.endswith(" ms\x1b[0m\x1b[2m id default-1-1\x1b[0m")


def test_json_has_no_colour() -> None:
    assert "\x1b" not in Logged("json", is_coloured=True).list_v2(pageSize=50)


def test_a_request_is_answered_as_without_a_log(logged: Logged) -> None:
    bare = TestClient(create_app(FIXTURE))
    body = {"appId": "app-1", "chatId": CHAT}
    answers = [
        each.put(PIN, json=body, headers=HEADERS) for each in (bare, logged.client)
    ]
    assert answers[0].content == answers[1].content


def test_a_line_in_json_is_its_fields_made_printable() -> None:
    paths = (LIST, '/"quoted"\\', "/\u202eabc", "/##[a]", "/é")
    times = (0.0, 0.001, 0.1, 12.345, 1234567.891)
    for path, ms, request_id in product(paths, times, (None, "default-1-42")):
        before = "2026-01-01T00:00:00.000Z", "default", None, "POST", path, 200, ms
        line = Line(*before, None, None, request_id)
        written = json_line(line)
        assert written == json_text(msgspec.json.encode(line).decode())
        assert msgspec.json.decode(written, type=Line) == line
