"""Accounts: logging in, what a login opens, and that no journal tells of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from mock_server.api.request_log import LogRedaction
from mock_server.app import Application
from mock_server.domain.login import digest_of
from tests.api.related.world import (
    ACCOUNT,
    APP,
    DATASET,
    LOGIN,
    OWNER,
    PASSWORD,
    USERS,
    WORLD,
    code_for,
)
from tests.conftest import MakeApi
from tests.in_process import InProcess
from tests.support import LIST, PIN, Api

PINNED = {"appId": APP, "chatId": "one", "top": True}


def served(make_api: MakeApi, **choices: Any) -> Api:
    """The world with two users, as profile `deployed`."""
    return make_api(WORLD | {"users": USERS}, profile="deployed", choices=choices)


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    """The world with two users, as profile `deployed`."""
    return served(make_api)


def log_in(api: Api) -> Any:
    """Log in as root; gives the response. The client keeps no cookie."""
    body = {"username": "root", "password": digest_of(PASSWORD), "code": code_for(api)}
    answer = api.client.post(LOGIN, json=body)
    api.client.cookies.clear()
    return answer


def test_a_login_that_is_json_twice_shows_no_password(api: Api) -> None:
    for body in (json.dumps({"password": PASSWORD}), PASSWORD):
        answer = api.client.post(LOGIN, json=body)
        assert answer.status_code == 400
        assert "got a string" in answer.text
        assert PASSWORD not in answer.text
    kept = "".join(map(repr, api.sandbox.journal.since(0)))
    assert PASSWORD not in kept


@pytest.mark.parametrize("wrong", [{"language": PASSWORD}, {PASSWORD: 1}, {"code": 5}])
def test_no_part_of_a_login_shows_its_password(
    api: Api, wrong: dict[str, object]
) -> None:
    echo = {"kind": "answer", "operation": "loginByPassword"}
    api.admin("POST", "/faults", {**echo, "data": "{{body.password}}", "skip": 1})
    for _ in range(2):
        api.client.post(LOGIN, json={"username": "root", "password": PASSWORD} | wrong)
    entries = api.journal()
    assert [each["answer"]["status"] for each in entries] == [400, 200]
    assert PASSWORD not in json.dumps(entries)


@pytest.mark.parametrize("written", [json.dumps, quote])
def test_no_escapes_in_an_answer_show_a_password_outside_ascii(
    api: Api, written: Callable[[str], str]
) -> None:
    password = "P\u00e4ssw\u00f6rt-geheim77"
    echo = {"kind": "answer", "operation": "loginByPassword"}
    api.admin("POST", "/faults", {**echo, "data": written(password)})
    api.client.post(LOGIN, json={"username": "root", "password": password})
    [entry] = api.journal()
    assert "[redacted]" in json.dumps(entry["answer"])
    assert "geheim" not in json.dumps(entry)


@pytest.mark.parametrize("path", ["/api/support/user/login", "/login", "/api/logins"])
def test_a_misspelt_login_shows_no_password(api: Api, path: str) -> None:
    api.client.post(path, json={"password": PASSWORD})
    assert PASSWORD not in "".join(map(repr, api.sandbox.journal.since(0)))


def token_of(api: Api) -> str:
    return str(log_in(api).json()["data"]["token"])


def cookie(token: str) -> dict[str, str]:
    """The header with the cookie of a login."""
    return {"Cookie": f"theme=dark; fastgpt_token={token}"}


def kept(api: Api) -> str:
    """All that the journal keeps and shows."""
    entries = "".join(map(repr, api.sandbox.journal.since(0)))
    return entries + api.client.get("/__admin/journal").text


@pytest.mark.parametrize("fault", [None, "error", "malformed_json", "dribble"])
def test_a_journal_keeps_neither_password_nor_token(
    api: Api, fault: str | None
) -> None:
    token = token_of(api)
    if fault is not None:
        fields = {"operation": "loginByPassword", "kind": fault, "phase": "after"}
        api.admin("POST", "/faults", fields | ({"ms": 1} if fault == "dribble" else {}))
    log_in(api)
    api.client.put(PIN, json=PINNED, headers=cookie(token))
    api.client.get(f"/x/{token}?token={token}", headers={"token": token})
    answer = api.client.put(PIN, json=PINNED | {"chatId": token, "more": token})
    assert answer.status_code == 403
    everything = kept(api)
    assert token.partition(":")[2] not in everything
    assert digest_of(PASSWORD) not in everything
    assert '"username":"root"' in everything.replace('\\"', '"').replace(": ", ":")


@pytest.mark.parametrize("name", ["Cookie", "Token"])
def test_a_journal_keeps_no_token_of_another_server(api: Api, name: str) -> None:
    token = "eyJhbGciOiJIUzI1NiJ9"
    headers = {"Authorization": f"Bearer {OWNER}", "Referer": f"http://x/?t={token}"}
    headers[name] = token if name == "Token" else f"fastgpt_token={token}"
    body = {"datasetId": DATASET, "offset": 0, "searchText": token}
    answer = api.client.post(LIST, json=body, headers=headers)
    assert answer.status_code == 200
    assert token not in json.dumps(api.journal())


def test_the_query_of_a_login_is_hidden_and_says_that_there_was_one(api: Api) -> None:
    for query in ("?username=root&password=secret", ""):
        api.client.get(f"{LOGIN}{query}")
    refused = api.client.post(f"{LOGIN}?password=secret", content=b"x" * 2**21)
    assert refused.status_code == 413
    queries = [entry["request"]["query"] for entry in api.journal()]
    assert queries == ["[redacted]", "", "[redacted]"]


@pytest.mark.parametrize(
    "path",
    [
        f"{ACCOUNT}/updatePasswordByOld",
        f"{ACCOUNT}/resetExpiredPsw",
        f"{LOGIN}/",
        f"/{LOGIN}",
        f"{LOGIN}%20",
        LOGIN.upper(),
        LOGIN.replace("account/log", "acc/%6cog").replace("Pass", "%2550ass"),
        "/api/proApi/support/user/account/register/emailAndPhone",
        "/api/support/openapi/health/",
    ],
)
def test_a_journal_hides_what_is_sent_to_paths_near_a_login(
    api: Api, path: str
) -> None:
    body = {"username": "root", "newPsw": "s3cret", "code": [["s3cret"]]}
    for _ in range(20):  # a busy machine brings a body later than is waited for
        api.client.post(f"{path}?apiKey=s3cret", json=body)
        if (shown := api.journal()[-1]["request"]["body"]) is not None:
            break
    assert shown == dict.fromkeys(body, "[redacted]") | {"username": "root"}
    assert "s3cret" not in kept(api)


@pytest.mark.parametrize("secret", ["12345678", '"hunter2-a"', '["hunter2-a"]'])
def test_a_journal_hides_a_password_that_is_no_field(api: Api, secret: str) -> None:
    headers = {"Content-Type": "application/json"}
    api.client.post(LOGIN, content=f" {secret} ", headers=headers)
    assert secret.strip('["]') not in kept(api)


@pytest.mark.parametrize(
    "path",
    [
        f"{LOGIN}/hunter2",
        f"{LOGIN}//x/Hunter2/",
        f"{LOGIN}%2fhunte%72%32",
        f"{LOGIN};password=hunter2",
        f"{LOGIN}-hunter2",
        f"{LOGIN}%3Fpassword=hunter2",
        f"{LOGIN}%253fpassword=hunter2",
        f"{LOGIN.replace('Password', '-password')}/hunter2",
        f"{ACCOUNT}/preLogin/hunter2?username=root",
    ],
)
def test_a_journal_hides_what_follows_the_path_of_a_login(api: Api, path: str) -> None:
    answer = api.client.post(path, json={"username": "root"})
    assert answer.status_code == 404
    shown = api.journal()[-1]["request"]["path"]
    assert shown.rstrip("/").endswith(("assword[redacted]", "preLogin[redacted]"))
    assert "hunte" not in kept(api).lower()


def test_a_journal_shows_a_version_behind_the_path_of_a_login(api: Api) -> None:
    api.client.post(f"{LOGIN}-v2", json={})
    assert api.journal()[-1]["request"]["path"] == f"{LOGIN}-v2"


@pytest.mark.parametrize("name", ["Referer", "X-Original-URI"])
def test_a_journal_hides_queries_in_the_headers_of_a_login(api: Api, name: str) -> None:
    url = "http://app.example/login"
    sent = {name: f"{url}?username=root&password=hunter2", "X-Page": f"{url}?"}
    for body in (b"{}", b""):
        api.client.post(LOGIN, content=body, headers=sent)
        shown = api.journal()[-1]["request"]["headers"]
        assert shown[name.lower()] == f"{url}?[redacted]"
        assert shown["x-page"] == f"{url}?"


def test_a_journal_hides_a_password_that_is_sent_to_get_a_code(api: Api) -> None:
    secret = ("username=root&password=hunter2", "hunter2" * 2, "code=hunter2")
    for query in ("username=root", *secret):
        api.client.get(f"{ACCOUNT}/preLogin?{query}")
    queries = [entry["request"]["query"] for entry in api.journal()]
    assert queries == ["username=root", *["[redacted]"] * 3]
    assert "hunter2" not in kept(api)


def test_no_journal_keeps_a_token_that_another_request_tells(api: Api) -> None:
    token = token_of(api)
    key = {"Authorization": f"Bearer {OWNER}"}
    told = {"appId": APP, "chatId": "one", "top": True, "customTitle": token}
    assert api.client.put(PIN, json=told, headers=key).status_code == 200
    assert token.partition(":")[2] not in kept(api)


def test_a_served_request_hides_a_key_in_an_authorization_of_another_form(
    api: Api,
) -> None:
    headers = {"Authorization": "Token unknown-key", "X-Key-Of": "unknown-key"}
    path = "/api/support/user/account/loginout"
    assert api.client.get(path, headers=headers).status_code == 200
    assert "unknown-key" not in kept(api)


SECRETS: list[Any] = [
    {"json": {"username": "root", "password": "hunter2"}},
    {"json": {"username": "root", "passwrod": "hunter2", "code": "x"}},
    {"json": {"username": "root", "password": ["hunter2"], "code": "x"}},
    {"json": {"username": "root", "password": "hunter2" * 1_000, "code": "x"}},
    {"content": b'{"password":"hunter2"', "headers": {"Content-Type": "text/plain"}},
    {
        "content": b'{"password":"hunter2',
        "headers": {"Content-Type": "application/json"},
    },
    {"json": {}, "params": {"password": "hunter2"}},
]


@pytest.mark.parametrize("sent", SECRETS)
@pytest.mark.parametrize("related_routes", ["on", "off"])
def test_no_password_is_told_however_it_is_sent(
    make_api: MakeApi, sent: dict[str, Any], related_routes: str
) -> None:
    api = served(make_api, related_routes=related_routes)
    answer = api.client.post(LOGIN, **sent)
    assert answer.status_code >= 400
    assert "hunter2" not in answer.text
    assert "hunter2" not in kept(api)


def test_no_hint_in_a_header_tells_a_password_outside_ascii(api: Api) -> None:
    password = "p\u00e4ssw\u00f6rtlich\U0001f511"
    fields = {"username": "root", "password": "a", "code": "c", "language": password}
    answer = api.client.post(LOGIN, json=fields)
    assert "\\u00e4ssw\\u00f6rt" in answer.headers["x-mock-hint"]
    assert "rtlich" not in api.client.get("/__admin/journal").text


@pytest.mark.parametrize("face", ["asgi"])
def test_the_request_log_tells_no_token(api: Api) -> None:
    assert isinstance(api.client, InProcess)
    app = api.client.app
    assert isinstance(app, Application)
    token = api.sandbox.tokens.login_token("root")
    scope: dict[str, Any] = {"method": "GET", "path": "/x", "headers": []}
    scope["raw_path"] = f"/x/{token}".encode()
    redaction = LogRedaction(app.sandboxes, app.secrets)
    assert redaction.line(scope) == ("GET", f"/x/{token[:25]}[redacted]")
    keyed = {"method": "GET", "path": "/x", "raw_path": b"/x/unknown-key"}
    keyed["headers"] = [(b"authorization", b"Token unknown-key")]
    assert redaction.line(keyed) == ("GET", "/x/[redacted]")
