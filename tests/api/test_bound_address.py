"""Addresses bound to a sandbox: as on a server of its own, whatever the key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mock_server.api.bound_address import BOUND_PREFIX, bind
from mock_server.api.request_log import LogRedaction
from mock_server.app import Application
from mock_server.fixture.source.files import shipped_path
from tests.conftest import MakeApi
from tests.in_process import InProcess
from tests.support import APP, CHAT, LEGACY_PIN, LIBRARY, LIST, PIN, Api

TEAM = f"{BOUND_PREFIX}team"
PIN_BODY = {"appId": APP, "chatId": CHAT, "top": True}
KEYED: dict[str, Any] = LIBRARY | {
    "keys": [
        {"key": "fastgpt-owner-of-all", "member": "ann"},
        {"key": "fastgpt-reader-only", "permission": "read"},
    ],
    "users": [{"username": "root", "password": "1234"}],
}
Make = Callable[..., tuple[Api, dict[str, Any]]]


@pytest.fixture
def make_team(make_api: MakeApi) -> Make:
    """A server with a sandbox `team`, and what the admin API says of that."""

    def make(fixture: Any = LIBRARY, **options: Any) -> tuple[Api, dict[str, Any]]:
        api = make_api(fixture, **options)
        made = api.admin("POST", "/sandboxes", {"name": "team"})
        assert made.status_code == 201
        return api, made.json()

    return make


def journal(api: Api, name: str = "team") -> list[dict[str, Any]]:
    found = api.admin("GET", f"/sandboxes/{name}/journal").json()["entries"]
    return list(found)


def test_that_any_key_counts_is_told_once_as_on_a_server_of_its_own(
    make_team: Make,
) -> None:
    api, team = make_team()
    api.send("PUT", PIN, PIN_BODY, team["key"])
    for path in (PIN, TEAM + PIN, TEAM + PIN):
        api.send("PUT", path, PIN_BODY, "any-key-will-do")
    hints = [entry["hint"] for entry in journal(api)]
    # By its issued key alone: another would lead elsewhere.
    assert hints == [None, api.journal()[0]["hint"], None]
    assert "any key counts" in hints[1]


@pytest.mark.parametrize(
    "options", [{"fixture": KEYED}, {"choices": {"unknown_key": "reject"}}]
)
@pytest.mark.fresh
def test_where_not_any_key_counts_none_is_told_so(
    make_team: Make, options: dict[str, Any]
) -> None:
    api, team = make_team(**options)
    assert api.send("PUT", TEAM + PIN, PIN_BODY, team["key"]).status_code == 200
    assert [entry["hint"] for entry in journal(api)] == [None]


def test_it_has_the_description(make_team: Make) -> None:
    api, _ = make_team()
    assert api.client.get(f"{TEAM}/openapi.json").json() == (
        api.client.get("/openapi.json").json()
    )


@pytest.mark.parametrize("face", ["asgi"])
def test_the_request_log_shows_no_declared_key_of_it(make_team: Make) -> None:
    api, _ = make_team()
    assert isinstance(api.client, InProcess)
    app = api.client.app
    assert isinstance(app, Application)
    secret = "fastgpt-declared-elsewhere"
    state = {"keys": [{"key": secret}]}
    api.admin("PUT", "/sandboxes/team/state", state)
    path = f"{TEAM}/x/{secret}/%2F"
    scope = {"method": "GET", "path": path, "raw_path": path.encode(), "headers": []}
    bind(scope, path, app.sandboxes)
    redaction = LogRedaction(app.sandboxes, app.secrets)
    assert redaction.line(scope) == ("GET", "/x/[redacted]/%2F")


CALLS: list[tuple[str, str, object, str | None]] = [
    ("PUT", PIN, PIN_BODY, "fastgpt-owner"),
    ("PUT", PIN, PIN_BODY, "fastgpt-nobody"),
    ("PUT", PIN, PIN_BODY, "fastgpt-sbx-0123456789abc"),
    ("PUT", PIN, PIN_BODY, None),
    ("POST", PIN, {}, "fastgpt-owner"),
    ("PUT", PIN, {"appId": "65e000000000000000000002"}, "fastgpt-reader"),
    ("PUT", LEGACY_PIN, PIN_BODY, "fastgpt-owner"),
    ("GET", "/api/core/dataset/list", {}, "fastgpt-owner"),
    ("PUT", "/api/core/chat/history/updatehistory", {}, "fastgpt-owner"),
    *(
        ("POST", LIST, {"offset": 0, "pageSize": size, "datasetId": dataset}, key)
        for size in (1, 50)
        for dataset in ("65e0000000000000000000d1", "65e0000000000000000000d2")
        for key in ("fastgpt-owner", "fastgpt-reader", "fastgpt-outsider")
    ),
]


@pytest.mark.parametrize("profile", ["documented", "deployed"])
@pytest.mark.fresh
def test_it_answers_and_journals_as_a_server_of_its_own(
    make_team: Make, profile: str
) -> None:
    fixture = shipped_path("permissions.yaml")
    alone, _ = make_team(fixture, profile=profile)
    own = [seen(alone.send(*call)) for call in CALLS]
    entries = [comparable(entry) for entry in alone.journal()]
    api, _ = make_team(fixture, profile=profile)
    method_paths = [(method, TEAM + path, *rest) for method, path, *rest in CALLS]
    assert [seen(api.send(*call)) for call in method_paths] == own  # type: ignore[arg-type]
    assert [comparable(entry) for entry in journal(api)] == entries


def seen(answer: Any) -> tuple[int, object]:
    body = answer.json()
    # Whose issued key it is not, only a bound address can say.
    if "it has not issued" in body["message"] or "leads to none" in body["message"]:
        body["message"] = ""
    return answer.status_code, body


def comparable(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry without times and what names the server or the sandbox."""
    hint = entry["hint"] or ""
    is_foreign = "it has not issued" in hint or "leads to none" in hint
    return {
        "operation": entry["operation"],
        "member": entry["member"],
        "key": entry["key"],
        "path": entry["request"]["path"],
        "status": entry["answer"]["status"],
        "violations": entry["violations"],
        "hint": None if is_foreign else entry["hint"],
    }
