"""Addresses bound to a sandbox: as on a server of its own, whatever the key."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from mock_server.api.bound import BOUND, bind
from mock_server.api.request_log import LogRedaction
from mock_server.app import Application
from mock_server.fixture.source.files import shipped_path
from tests.conftest import MakeApi
from tests.in_process import InProcess
from tests.support import APP, CHAT, LEGACY_PIN, LIBRARY, LIST, PIN, Api

TEAM = f"{BOUND}team"
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


def top(api: Api, name: str = "team") -> bool:
    chat = api.admin("GET", f"/sandboxes/{name}/apps/{APP}/chats/{CHAT}").json()
    return bool(chat["top"])


def journal(api: Api, name: str = "team") -> list[dict[str, Any]]:
    found = api.admin("GET", f"/sandboxes/{name}/journal").json()["entries"]
    return list(found)


def test_a_request_lands_in_the_sandbox_of_its_address(make_team: Make) -> None:
    api, _ = make_team()
    answer = api.send("PUT", TEAM + PIN, PIN_BODY, "any-key-will-do")
    assert (answer.status_code, answer.headers["x-mock-sandbox"]) == (200, "team")
    assert (top(api), api.top()) == (True, False)
    (entry,) = journal(api)
    assert entry["request"]["path"] == PIN
    assert api.journal() == []


def test_declared_and_issued_keys_count_side_by_side(make_team: Make) -> None:
    api, team = make_team(KEYED)
    declared = "fastgpt-reader-only"
    for key in (declared, team["keys"][declared], team["key"]):
        answer = api.send("PUT", TEAM + PIN, PIN_BODY, key)
        assert answer.status_code == 200, answer.text
    for key in ("fastgpt-owner-of-all", team["keys"]["fastgpt-owner-of-all"]):
        api.send("PUT", TEAM + PIN, PIN_BODY, key)
    members = [entry["member"] for entry in journal(api)[-2:]]
    assert members == ["ann", "ann"]


@pytest.mark.parametrize("key", ["fastgpt-wrong-key", None])
def test_a_wrong_key_or_none_is_401_and_journalled_there(
    make_team: Make, key: str | None
) -> None:
    api, _ = make_team(KEYED)
    answer = api.send("PUT", TEAM + PIN, PIN_BODY, key)
    assert (answer.status_code, answer.headers["x-mock-sandbox"]) == (401, "team")
    (entry,) = journal(api)
    assert (entry["answer"]["status"], entry["hint"]) == (401, answer.json()["message"])
    assert api.journal() == []


def test_a_key_of_another_sandbox_is_401_and_leads_nowhere(make_team: Make) -> None:
    api, team = make_team()
    other = api.admin("POST", "/sandboxes", {"name": "other"}).json()
    answer = api.send("PUT", TEAM + PIN, PIN_BODY, other["key"])
    assert answer.status_code == 401
    assert answer.json()["message"] == (
        'Expected a key of sandbox "team", to which the address is bound, got one that '
        "it has not issued - at header Authorization"
    )
    assert (
        api.send("PUT", f"{BOUND}default{PIN}", PIN_BODY, team["key"]).status_code
        == 401
    )
    assert [len(journal(api, name)) for name in ("team", "other")] == [1, 0]


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


@pytest.mark.fresh
def test_choice_unknown_key_holds_where_none_is_declared(make_team: Make) -> None:
    api, _ = make_team(choices={"unknown_key": "reject"})
    answer = api.send("PUT", TEAM + PIN, PIN_BODY)
    assert answer.status_code == 401
    assert "unknown_key=accept" in answer.json()["message"]


@pytest.mark.parametrize(
    "path",
    [
        f"{BOUND}nope{PIN}",
        BOUND,
        f"{BOUND}/team{PIN}",
        f"{BOUND}te%61m{PIN}",
        f"{BOUND}team%2F..{PIN}",
        f"{BOUND}{'x' * 5_000}{PIN}",
        f"{BOUND}%F0%9F%92%A9/",
        f"{BOUND}t\"e'am{PIN}",
    ],
)
def test_an_unknown_sandbox_is_404_and_in_no_journal(
    make_team: Make, path: str
) -> None:
    api, _ = make_team()
    answer = api.send("PUT", path, PIN_BODY)
    name = path.removeprefix(BOUND).partition("/")[0]
    assert (answer.status_code, answer.json()["statusText"]) == (404, "sandboxNotFound")
    assert len(answer.json()["message"]) < 300
    assert name[:4] in answer.json()["message"].replace("\\", "").replace("%22", '"')
    assert journal(api) == api.journal() == []


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "/",
        f"/{PIN}",
        f"{PIN}/",
        PIN.replace("core", "%63ore"),
        "/__admin/reset",
        f"{BOUND}default{PIN}",
        "/..%2F..",
    ],
)
def test_other_paths_below_it_are_404_and_journalled_without_it(
    make_team: Make, rest: str
) -> None:
    api, _ = make_team()
    answer = api.send("PUT", TEAM + rest, PIN_BODY)
    assert (answer.status_code, answer.json()["statusText"]) == (404, "routeNotFound")
    (entry,) = journal(api)
    assert entry["request"]["path"] == rest
    assert entry["hint"] == answer.json()["message"]
    assert TEAM not in entry["hint"]
    assert (answer.headers["x-mock-generation"], api.journal()) == ("1", [])


def test_an_ended_sandbox_is_404(make_team: Make) -> None:
    api, _ = make_team()
    api.admin("DELETE", "/sandboxes/team")
    answer = api.send("PUT", TEAM + PIN, PIN_BODY)
    assert answer.status_code == 404
    assert answer.json()["message"] == (
        f'Expected {BOUND} and the name of a sandbox, got the string "team" - at path '
        "(it has ended, or never was; GET /__admin/sandboxes lists those there are)"
    )


def test_choices_faults_and_older_paths_are_the_sandboxs(make_team: Make) -> None:
    api, _ = make_team()
    mine = "/sandboxes/team"
    api.admin("PUT", f"{mine}/choices", {"choices": {"legacy_paths": "off"}})
    api.admin("POST", f"{mine}/faults", {"kind": "error", "status": 502})
    answers = [
        api.send("PUT", base + path, PIN_BODY).status_code
        for base in (TEAM, "")
        for path in (LEGACY_PIN, PIN)
    ]
    assert answers == [404, 502, 200, 200]


def test_pages_may_call_it(make_team: Make) -> None:
    api, _ = make_team()
    page = {"origin": "https://app.example"}
    asked = page | {"access-control-request-method": "PUT"}
    preflight = api.client.options(TEAM + PIN, headers=asked)
    assert preflight.status_code == 204
    assert preflight.headers["access-control-allow-methods"] == "PUT"
    for base in (TEAM, f"{BOUND}nope"):
        answer = api.client.put(base + PIN, json=PIN_BODY, headers=page)
        assert answer.headers["access-control-allow-origin"] == "*"
    assert len(journal(api)) == 1


@pytest.mark.fresh
def test_a_login_is_the_sandboxs(make_team: Make) -> None:
    api, _ = make_team(KEYED, profile="deployed")
    code = api.client.get(
        f"{TEAM}/api/support/user/account/preLogin?username=root"
    ).json()["data"]["code"]
    digest = hashlib.sha256(b"1234").hexdigest()
    login = {"username": "root", "password": digest, "code": code}
    path = f"{TEAM}/api/support/user/account/loginByPassword"
    token = api.send("POST", path, login, None).json()["data"]["token"]
    api.client.cookies.clear()
    headers = {"token": token}
    answer = api.client.put(TEAM + PIN, json=PIN_BODY, headers=headers)
    assert (answer.status_code, answer.headers["x-mock-sandbox"]) == (200, "team")
    elsewhere = api.client.put(f"{BOUND}default{PIN}", json=PIN_BODY, headers=headers)
    assert elsewhere.status_code != 200
    assert api.admin("GET", "/journal").json()["total"] == 1


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
