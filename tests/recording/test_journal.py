"""What has passed is in the journal: with departures from the spec, without keys."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from mock_server.app import create_app
from mock_server.server import running
from tests.recording.fronted import Answering, fronted, says, scripted
from tests.support import DATASET, LIBRARY, LIST, PIN, fetch

KEY = "fastgpt-0123456789abcdefghijABCD"
OTHER = "fastgpt-zyxwvutsrqponmlkjihgfedcba"
TOKEN = "a-login-token-of-a-real-service"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJ1c2VySWQiOiIxIn0.c2lnbmF0dXJl"
LOGIN = "/api/support/user/account/loginByPassword"
MODEL_KEY = "sk-ant-api03-AAAA_bbbb-CCCCdddd0123-x"
SECRETS = (KEY, OTHER, TOKEN, JWT, MODEL_KEY, "password-of-root")


def ok(body: bytes, *headers: bytes) -> Answering:
    lines = [b"HTTP/1.1 200 OK", *headers, b"Content-Length: %d" % len(body)]
    return says(b"\r\n".join(lines) + b"\r\n\r\n" + body)


def entries(url: str) -> list[dict[str, Any]]:
    found = fetch("GET", f"{url}/__admin/journal").json()["entries"]
    return list(found)


def test_departures_are_noted_with_what_became_of_them() -> None:
    listing = {"offset": 0, "datasetId": DATASET, "pageSize": 50, "extra": 1}
    headers = {"Authorization": f"Bearer {KEY}"}
    app = create_app(LIBRARY, profile="deployed")
    with running(app) as target, fronted(target) as (url, _):
        fetch("POST", url + LIST, json=listing, headers=headers)
        fetch("PUT", url + PIN, json={"appId": 1}, headers=headers)
        fetch("GET", f"{url}/elsewhere")
        found = entries(url)
    assert [each["operation"] for each in found] == ["listV2", "updateHistory", None]
    noted = [
        sorted({(one["name"], one["effect"]) for one in each["violations"]})
        for each in found
    ]
    served = [("page_size_over_limit", "served"), ("unknown_fields", "served")]
    assert noted[0] == served
    assert {effect for _, effect in noted[1]} == {"refused"}
    assert noted[2] == [("unknown_route", "refused")]


def test_the_preflight_of_a_browser_is_no_departure_of_a_client() -> None:
    asked = {"Origin": "http://a.example", "Access-Control-Request-Method": "POST"}
    with scripted(ok(b"")) as target, fronted(target.url) as (url, _):
        fetch("OPTIONS", url + LIST, headers=asked)
        (entry,) = entries(url)
    assert (entry["operation"], entry["violations"]) == ("listV2", [])


def test_an_entry_shows_the_answer_of_the_target_unpacked() -> None:
    body = gzip.compress(b'{"code":200}')
    with (
        scripted(ok(body, b"Content-Encoding: gzip", b"X-A: 1")) as target,
        fronted(target.url) as (url, _),
    ):
        fetch("POST", url + LIST, content=b"{}")
        (entry,) = entries(url)
    assert entry["answer"]["body"] == {"code": 200}
    assert entry["answer"]["headers"]["x-a"] == "1"


def test_of_a_long_body_the_beginning_is_kept() -> None:
    with (
        scripted(ok(b"y" * 50_000)) as target,
        fronted(target.url, recorded_bytes=20_000) as (url, _),
    ):
        fetch("POST", url + LIST, content=b'{"x":"' + b"x" * 50_000 + b'"}')
        (entry,) = entries(url)
    assert (len(entry["request"]["body"]), entry["request"]["truncated"]) == (
        8192,
        True,
    )
    assert (len(entry["answer"]["body"]), entry["answer"]["truncated"]) == (8192, True)
    # Nothing is said of a body that was not read to its end.
    names = {each["name"] for each in entry["violations"]}
    assert names == {"missing_authorization", "content_type_missing"}


PLACES: dict[str, dict[str, Any]] = {
    "header": {"headers": {"Authorization": f"Bearer {KEY}"}},
    "scheme": {"headers": {"Authorization": f"Token {TOKEN}"}},
    "own_header": {"headers": {"token": TOKEN, "X-Again": TOKEN}},
    "cookie": {"headers": {"Cookie": f"fastgpt_token={JWT}; b={TOKEN}"}},
    "query": {"params": {"key": KEY, "t": JWT}},
    "body": {"json": {"key": OTHER, "text": f"use {KEY} or {JWT}"}},
    "known": {"json": {"text": TOKEN}, "headers": {"token": TOKEN}},
    "login": {"json": {"username": "root", "password": "password-of-root"}},
    "new_password": {"json": {"oldPsw": "password-of-root", "newPsw": TOKEN}},
    "hyphens": {"json": {"searchText": MODEL_KEY}},
    "other_header": {"headers": {"X-Auth-Token": TOKEN, "X-A": f"Bearer {TOKEN}"}},
}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("name", "path"),
    [
        *((name, LIST) for name in PLACES if name not in ("login", "new_password")),
        ("login", LOGIN),
        ("new_password", "/api/support/user/account/updatePasswordByOld"),
        ("cookie", LOGIN),
        ("header", f"/else/{KEY}"),
        ("body", "/else"),
    ],
)
def test_no_key_is_kept(name: str, path: str) -> None:
    answer = json.dumps({"data": {"key": OTHER, "token": JWT, "again": KEY}}).encode()
    cookie = f"Set-Cookie: fastgpt_token={TOKEN}".encode()
    with (
        scripted(ok(answer, cookie)) as target,
        fronted(target.url, is_kept=True) as (url, own),
    ):
        passed = fetch("POST", url + path, **PLACES[name])
        kept = json.dumps(entries(url))
    assert own.record is not None
    kept += json.dumps(own.record.document())
    assert OTHER in passed.text
    assert [each for each in SECRETS if each in kept] == []
