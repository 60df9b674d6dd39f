"""`mock-server verify` tells servers apart, finds broken ones, and changes nothing."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from account import LocalClient
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json
from test_model import lenient, requests

from mock_server.choices import choice_table, profile_choices
from mock_server.tools.choice_probes import ChoiceProbe, probe_of
from mock_server.tools.verify import Finding, profile_document, text_report, verify_server

NOW = "2026-01-01T00:00:00.000Z"
DATASET = "d" * 24
APP = "a" * 24
ALPHA: dict[str, Any] = {"name": "Alpha", "type": "folder"}
ALPHA |= {"children": [{"name": "Beta", "data": [{"q": "Q"}]}]}
ZETA = {"name": "Zeta", "tags": ["setup", {"tag": "year", "value": 2026}]}
GUIDES: dict[str, Any] = {"name": "Guides", "type": "folder", "children": [ZETA, ALPHA]}
GUIDES |= {"updateTime": "2024-01-15T00:00:00.000Z"}
ITEMS = [
    {
        "name": f"Item {n * 17 % 37:02}",
        "updateTime": f"2024-01-{n * 11 % 29 + 1:02}T00:00:00.000Z",
        "tags": ["odd"] * (n % 2),
    }
    for n in range(37)
]
TREE = [GUIDES, *ITEMS]
CHATS = [{"chatId": "c1", "updateTime": NOW}, {"chatId": "c2", "top": True, "updateTime": NOW}]
ACCOUNT: dict[str, Any] = {
    "clock": NOW,  # so that a pin leaves the updateTime of a chat as it was
    "apps": [{"id": APP, "name": "Support", "chats": CHATS}],
    "datasets": [{"id": DATASET, "name": "Handbook", "collections": TREE}],
}
KEYS = {"keys": [{"key": "owner"}]}
HIDDEN = {"credentials", "training", "rows_visible", "chat_owner", "app_missing"}
BY_WRITING = {"chat_unknown", "pin"}


def mixture(seed: int) -> dict[str, Any]:
    """A value for each choice, drawn by lot."""
    lot = random.Random(seed)
    return {name: lot.choice(it.values) for name, it in choice_table().items()}


NAMES = ("documented", "fastgpt-4.16", "fastgpt-4.17")
PROFILES = [(name, {}, may_write) for name in NAMES for may_write in (0, 1)]
PROFILES += [("documented", {"chat_unknown": "create"}, 1)]
SERVERS = [*PROFILES, *(("documented", mixture(n), n % 2) for n in range(10))]


def found(client: LocalClient, may_write: bool) -> dict[str, Finding]:
    probe = ChoiceProbe(client, DATASET, APP, may_write)
    return {it.name: it for it in verify_server(probe)}


def written(client: LocalClient, file: Path, **settings: Any) -> Path:
    """The file, with a profile of what is seen."""
    file.write_text(profile_document(verify_server(ChoiceProbe(client, **settings))))
    return file


NOTHING = "nothing is observed with the key in MOCK_SERVER_VERIFY_KEY: "


@pytest.fixture
def check(run: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """Runs `verify` of an address, with a key."""
    monkeypatch.setenv("MOCK_SERVER_VERIFY_KEY", "owner")
    return partial(run, "verify", "--base-url")


def kept(client: LocalClient) -> Any:
    """The state of a server, without chats that clients have deleted."""
    state = client.admin("GET", "/state")
    for app in state["apps"]:
        app["chats"] = [it for it in app["chats"] if not it["deleted"]]
    return state


@pytest.mark.parametrize(("name", "choices", "may_write"), SERVERS)
def test_servers_are_told_apart_and_left_as_they_were(name, choices, may_write):
    right = profile_choices(name, **choices)
    account = ACCOUNT | (KEYS if right.unknown_key == "reject" else {})
    with LocalClient(account, profile=name, choices=choices) as client:
        before = kept(client)
        findings = found(client, may_write)
        assert kept(client) == before
    seen = {it.name: it.value for it in findings.values() if it.value is not None}
    assert seen == {name: getattr(right, name) for name in seen}
    assert "differs" not in {it.status for it in findings.values()}
    unseen = HIDDEN | (set() if may_write and right.related_routes == "on" else BY_WRITING)
    unseen |= {"unknown_key"} if right.unknown_key == "reject" else set()
    unseen |= {"lone_offset"} if right.related_routes == "off" else set()
    unseen |= {"tag_form"} if right.tag_form == "names" else set()
    assert {name for name, it in findings.items() if it.status == "not observable"} == unseen
    assert all(findings[name].reason for name in unseen)


def test_every_choice_has_a_probe_or_a_reason():
    reasons = {name for name in choice_table() if isinstance(probe_of(name), str)}
    assert reasons == HIDDEN
    with pytest.raises(NotImplementedError, match="no probe and no reason for choice new in "):
        probe_of("new")


WRONG_BODY = {"code": 200, "statusText": "", "data": {"list": [], "total": 0}}
BREAKS: list[tuple[str, dict[str, Any], str]] = [
    ("wrong_total", {}, "pages"),
    ("duplicate_item", {}, "pages"),
    ("alter", {"remove": ["_id"]}, "fields"),
    ("alter", {"set": {"dataAmount": "3"}}, "fields"),
    ("alter", {"set": {"parentId": None}}, "folders"),
    ("alter", {"set": {"name": "Other"}}, "search"),
    ("answer", {"operation": "listV2", "json": WRONG_BODY}, "envelope"),
    ("answer", {"operation": "listV2", "json": []}, "envelope"),
    ("answer", {"operation": "listV2", "data": {"list": None, "total": 0}}, "envelope"),
    ("answer", {"operation": "updateHistory", "data": {}}, "pin"),
    ("lost_write", {"operation": "updateHistory"}, "pin"),
]


@pytest.mark.parametrize(("kind", "fields", "rule"), BREAKS)
def test_a_broken_server_is_caught(kind, fields, rule):
    with LocalClient(ACCOUNT) as client:
        client.add(kind, times=None, **fields)
        report = text_report([*found(client, may_write=True).values()])
    assert f"differs         {rule} " in report
    assert not any(word in report for word in ("Error", "None", "True", "False"))


def test_what_is_not_put_back_is_said(check, serve):
    server = serve(ACCOUNT)
    server.fault("error", operation="updateHistory", status=500, skip=3, times=None)
    code, out, err = check(server.url, "--write")
    assert code == 1 and "differs         pin " in out
    assert "not put back: the pin of chat c2\n" in err
    assert "not put back: the updateTime of chat c2\n" in err


@pytest.mark.parametrize("seed", [3, 4])
def test_a_written_profile_serves_the_same(tmp_path, seed):
    choices = mixture(seed) | {"unknown_key": "accept"}
    with LocalClient(ACCOUNT, choices=choices) as client:
        file = written(client, tmp_path / "a.yaml", dataset_option=DATASET)
    with LocalClient(ACCOUNT, profile=file) as client:
        again = written(client, tmp_path / "b.yaml", dataset_option=DATASET)
        assert client.control.choices["list_order"] == choices["list_order"]
    assert again.read_text() == file.read_text() and "choices:" in file.read_text()


def test_the_nearest_profile_is_written_and_said(check, serve, tmp_path):
    server = serve(ACCOUNT, profile="fastgpt-4.16", choices={"page_size_max": 30})
    code, out, _ = check(server.url, "--write-profile", tmp_path / "a.yaml")
    written = yaml.safe_load((tmp_path / "a.yaml").read_text())
    assert code == 0 and written == {"profile": "fastgpt-4.16", "choices": {"page_size_max": 30}}
    assert out.endswith("\nnearest profile: fastgpt-4.16; choices that differ: page_size_max\n")
    assert "chat_unknown (spec 4.1): it needs --write; fastgpt-4.16 has ignore\n" in out


# The choices that are seen by --write, with the ids of the requests of test_model.
SEEN = {*choice_table()} - HIDDEN - {"unknown_key", "related_routes"}
SHOWN: dict[str, Any] = {
    "clock": NOW,
    "keys": [{"key": "owner"}, {"key": "key-m"}],
    "apps": [{"id": "a", "chats": [{"chatId": "k0"}, {"chatId": "k1", "top": True}]}],
    "datasets": [
        {"id": "d", "collections": [TREE[0] | {"_id": "c0"}, *TREE[1:]]},
        {"id": "e", "collections": [{"_id": "other", "name": "Other"}]},
    ],
}


@pytest.fixture(params=[*NAMES, 1, 2, 3])
def twins(request: Any, tmp_path: Path) -> Iterator[list[LocalClient]]:
    """A server with a profile or a mixture of choices, and one with what `verify` wrote of it.

    Without --write a pin of an unknown chat is not seen: the nearest profile tells it.
    """
    drawn = mixture(request.param) if isinstance(request.param, int) else {}
    choices = {name: value for name, value in drawn.items() if name in SEEN}
    name = "documented" if drawn else request.param
    with LocalClient(SHOWN, profile=name, choices=choices) as client:
        file = written(client, tmp_path / "a.yaml", may_write=bool(drawn))
        with LocalClient(SHOWN, profile=file) as other:
            yield [client, other]


@settings(lenient, max_examples=6)
@given(sent=st.lists(requests(), min_size=10, max_size=10))
def test_a_written_profile_responds_like_its_server(twins, sent):
    for request in sent:
        # Whether a login is accepted is a choice that nobody sees.
        headers = {name: it for name, it in request.headers.items() if name != "token"}
        call = (request.method, request.path)
        got = [it.request(*call, headers=headers, content=request.body) for it in twins]
        assert got[0].status_code == got[1].status_code, request
        assert got[0].text == got[1].text, request


def test_the_dataset_that_shows_most_is_looked_at(check, serve):
    flat = {"id": "flat", "collections": [{"repeat": 99, "name": "Item {n:02}"}]}
    hollow = {"id": "hollow", "collections": [{"name": "Folder", "type": "folder"}]}
    small = {"id": "small", "collections": [{"name": "One"}]}
    datasets = [flat, small, *ACCOUNT["datasets"], hollow]
    _, out, err = check(serve({"datasets": datasets}).url)
    assert err == f"looked at dataset {DATASET}, the one of 4 that shows most\n"
    assert "search_scope = folder" in out and "page_size_default = 10" in out


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("option", ["--dataset", "--app"])
def test_an_id_that_does_not_exist_is_named(check, serve, option, name):
    code, out, err = check(serve(ACCOUNT, profile=name).url, option, "nope")
    assert (code, out) == (1, "")
    assert err.startswith(f"{NOTHING}{option} nope is refused with code ")


def test_json_and_junit_have_all_findings(check, serve):
    server = serve(ACCOUNT)
    findings = json.decode(check(server.url, "--format", "json")[1])
    suite = ElementTree.fromstring(check(server.url, "--format", "junit")[1])
    hidden = [it["name"] for it in findings if it["status"] == "not observable"]
    assert {"status": "ok", "name": "list_order"}.items() <= findings[11].items()
    assert len(suite.findall("testcase")) == len(findings) == len(choice_table()) + 6
    assert [it.get("name") for it in suite.findall("testcase[skipped]")] == hidden
    reason = "it needs a login; documented has bearer"
    assert reason in {it["reason"] for it in findings}
    assert reason in {it.get("message") for it in suite.findall("testcase/skipped")}


@pytest.mark.parametrize(
    "response",
    [
        {"status": 404, "json": {"detail": "Not Found"}},
        {"data": None},
        {"json": {}},
        {"json": []},
        {"data": [{"_id": 5}]},
    ],
)
def test_a_server_that_shows_no_rule_is_no_success(check, serve, tmp_path, response):
    server = serve(ACCOUNT)
    server.fault("answer", operation="*", times=None, **response)
    code, out, err = check(server.url, "--write-profile", tmp_path / "a.yaml")
    assert (code, out, err.count("\n")) == (1, "", 1) and err.startswith(NOTHING)
    assert "Error" not in err and not (tmp_path / "a.yaml").exists()


def test_an_empty_account_shows_no_rule(check, serve):
    code, _, err = check(serve({}).url)
    assert code == 1
    shown = "no id is given, and /api/core/dataset/list shows none to this key\n"
    assert err == NOTHING + shown


def test_a_refused_key_shows_nothing_and_is_not_shown(check, serve):
    code, out, err = check(serve({"keys": [{"key": "other"}]}).url)
    assert (code, out) == (1, "") and err.startswith(f"{NOTHING}the key is refused")
    assert "owner" not in err


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_that_always_fails_shows_nothing(check, serve, status):
    server = serve(ACCOUNT)
    server.fault("error", status=status, times=None)
    code, out, _ = check(server.url, "--write")
    assert code == 1 and "ok " not in out and "differs" not in out


def test_a_proxy_of_the_environment_is_asked(check, serve, monkeypatch):
    server = serve(ACCOUNT)
    monkeypatch.setenv("HTTP_PROXY", server.url)
    check("http://fastgpt.test")
    assert server.journal[0]["request"]["path"].startswith("http://fastgpt.test/")


def test_no_key_is_wrong_usage(run):
    code, _, err = run("verify", "--base-url", "http://127.0.0.1:1", "--key-env", "NO_SUCH_KEY")
    assert code == 1 and "NO_SUCH_KEY" in err


@contextmanager
def website() -> Iterator[str]:
    """The address of a server that answers without JSON."""
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_what_is_no_service_is_no_success(check):
    with website() as url:
        assert check(url)[0] == 5
    assert check(url)[0] == 3


WRONG = [
    ("profile: odd", "f.yaml:1:10: Expected documented or fastgpt-4.16 or fastgpt-4.17, got 'odd'"),
    ("choice: {}", "f.yaml:1:1: Expected no field 'choice' (did you mean 'choices'?)"),
    ("choices: {list_order: size}", "f.yaml:1:10: Expected update_time_desc or name or fixture"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_broken_profile_file_exits_with_2(run, tmp_path, text, message):
    (tmp_path / "f.yaml").write_text(text)
    code, _, err = run("--profile", tmp_path / "f.yaml")
    assert code == 2 and message in err
    assert run("--profile", tmp_path / "no.yaml")[0] == 2


def test_a_larger_page_is_seen_of_a_small_account():
    with LocalClient("demo", choices={"page_size_max": 100}) as client:
        (finding,) = [it for it in verify_server(ChoiceProbe(client)) if it.name == "page_size_max"]
    assert (finding.status, finding.value) == ("ok", 100)
