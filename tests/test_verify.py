"""`mock-server verify` tells servers apart, shows where they drift, and changes nothing."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from account import OLD_PIN, LocalClient
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json
from test_model import lenient, requests

from mock_server.choices import choice_table, profile_choices
from mock_server.releases.fastgpt import PROFILES
from mock_server.tools.account_reader import NotReadable
from mock_server.tools.real_responses import ServiceError, UnexpectedResponse
from mock_server.tools.verify import (
    Report,
    profile_document,
    shortened_json,
    text_report,
    verify_server,
)
from mock_server.tools.verify_requests import UNKNOWN_ID

NOW = "2026-01-01T00:00:00.000Z"
DATASET = "d" * 24
APP = "a" * 24
ALPHA: dict[str, Any] = {"name": "Alpha", "type": "folder"}
ALPHA |= {"children": [{"name": "Beta", "data": [{"q": "Q"}]}]}
ZETA = {"name": "Zeta", "tags": ["setup", {"tag": "year", "value": 2026}]}
GUIDES: dict[str, Any] = {"name": "Guides", "type": "folder", "children": [ZETA, ALPHA]}
GUIDES |= {"updateTime": "2024-01-15T00:00:00.000Z"}
TIMES = [f"2024-01-{n * 11 % 29 + 1:02}T00:00:00.000Z" for n in range(37)]
ITEMS = [
    {"name": f"Item {n * 17 % 37:02}", "updateTime": it, "tags": ["odd"] * (n % 2)}
    for n, it in enumerate(TIMES)
]
TREE = [GUIDES, *ITEMS]
CHATS = [{"chatId": "c1", "updateTime": NOW}, {"chatId": "c2", "top": True, "updateTime": NOW}]
ACCOUNT: dict[str, Any] = {"clock": NOW, "apps": [{"id": APP, "name": "Support", "chats": CHATS}]}
ACCOUNT |= {"datasets": [{"id": DATASET, "name": "Handbook", "collections": TREE}]}
KEYS = {"keys": [{"key": "owner"}]}
SECRET = "fastgpt-secret-of-the-owner"
HIDDEN = {"credentials", "training", "rows_visible", "chat_owner", "app_missing", "key_app"}
SERVICE = "fastgpt-4.16"
NOTHING = "nothing is observed with the key in MOCK_SERVER_VERIFY_KEY: "


def mixture(seed: int) -> dict[str, Any]:
    """A value for each choice, drawn by lot."""
    lot = random.Random(seed)
    return {name: lot.choice(it.values) for name, it in choice_table().items()}


# Those of the other profiles are in tests/longer.
SERVERS = [(SERVICE, {}, True)]


def report_on(client: LocalClient, may_write: bool = False) -> Report:
    return verify_server(client, may_write=may_write, log=lambda line: None, pause=0)


@pytest.fixture
def check(run: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """Runs `verify` of an address, with a key, which it does not show."""
    monkeypatch.setenv("MOCK_SERVER_VERIFY_KEY", SECRET)

    def check_it(*args: Any) -> tuple[int, str, str]:
        code, out, err = run("verify", "--base-url", *args)
        assert SECRET not in out + err and "Traceback" not in err
        return code, out, err

    return check_it


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
        dataset = DATASET if right.related_routes == "off" else None
        report = verify_server(client, dataset=dataset, may_write=may_write, log=print, pause=0)
        assert kept(client) == before
    assert report.observed == {it: getattr(right, it) for it in report.observed}
    assert report.drift == []
    unseen = HIDDEN | (set() if may_write and right.related_routes == "on" else {"chat_unknown"})
    unseen |= {"unknown_key"} if right.unknown_key == "reject" else set()
    unseen |= {"lone_offset"} if right.related_routes == "off" else set()
    unseen |= {"tag_form"} if right.tag_form == "names" else set()
    # FastGPT 4.14 takes a missing offset, any number and a long searchText in any case.
    taken = {"search_text", "offset_missing", "numeric_strings"}
    unseen |= taken if name == "fastgpt-4.14" else set()
    assert {*report.not_observed} == unseen
    assert all(getattr(right, it) in report.not_observed[it] for it in unseen)


ONE = {"body": {"pageSize": 7}}
"""Only one request of `verify` has this size of pages."""
DRIFTS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "wrong_total", "match": ONE}, "total is 39, in the mock 38"),
    ({"kind": "duplicate_item", "match": {"body": {"unknownField": 1}}}, "ids is ["),
    (
        {"kind": "alter", "set": {"forbid": "no"}, "match": {"body": {"filterTags": [UNKNOWN_ID]}}},
        'list.forbid is "a text", in the mock "t',
    ),
    (
        {"kind": "answer", "text": "<p>", "match": {"body": {"searchText": ".*"}}},
        'body is "<p>", in the mock ',
    ),
    (
        {"kind": "lost_write", "match": {"body": {"chatId": "c2"}}},
        "list.top is true, in the mock f",
    ),
]


def test_drift_is_shown():
    with LocalClient(ACCOUNT) as client:
        for row, _ in DRIFTS:
            client.add(times=None, **row)
        report = report_on(client, may_write=True)
    assert report.profile == "documented" and report.differing == {}
    shown = text_report(report)
    assert [it for _, it in DRIFTS if f"  {it}" not in shown] == []


def test_drift_alone_is_a_success_and_a_500_is_an_answer(check, serve):
    server = serve(ACCOUNT, profile=SERVICE)
    server.fault("error", status=500, times=None, match=ONE)
    code, out, err = check(server.url, "--format", "json")
    report = json.decode(out)
    assert (code, report["profile"], report["differing"]) == (0, SERVICE, {})
    (drift,) = report["drift"]
    assert drift["request"].startswith(f'curl -i -X POST "{server.url}/api/core/dataset/')
    assert """ --data-raw '{"offset":1,"pageSize":7,""" in drift["request"]
    assert drift["differences"]["status"] == {"server": 500, "mock": 200}
    assert report["observed"]["list_order"] == "update_time_desc"
    assert report["not_observed"]["credentials"] == ["bearer", "login_too"]
    sizes = [it["request"]["body"].get("pageSize") for it in server.calls("listV2")]
    assert sizes.count(7) == 1
    assert "\nsending " in err and "\ncomparing " in err


UNREADABLE: list[tuple[str, dict[str, Any], type[Exception]]] = [
    ("error", {"status": 500}, NotReadable),
    ("error", {"status": 503}, ServiceError),
    ("answer", {"operation": "*", "status": 404, "json": {"detail": "Not Found"}}, NotReadable),
    ("answer", {"operation": "*", "json": {}}, UnexpectedResponse),
    ("answer", {"operation": "*", "json": []}, UnexpectedResponse),
    ("answer", {"operation": "*", "data": None}, UnexpectedResponse),
    ("answer", {"operation": "*", "data": [{"_id": 5}]}, UnexpectedResponse),
    ("alter", {"remove": ["_id"]}, UnexpectedResponse),
    ("alter", {"set": {"dataAmount": "3"}}, UnexpectedResponse),
]


@pytest.mark.parametrize(("kind", "fields", "error"), UNREADABLE)
def test_an_account_that_cannot_be_read_is_no_success(kind, fields, error):
    with LocalClient(ACCOUNT) as client:
        client.add(kind, times=None, **fields)
        with pytest.raises(error):
            report_on(client)


def test_what_is_not_put_back_is_said(check, serve):
    server = serve(ACCOUNT)
    # Two requests that change nothing, and three pins.
    server.fault("error", operation="updateHistory", status=500, skip=5, times=None)
    code, out, err = check(server.url, "--write")
    assert code == 0 and "\ndrift         curl -i -X PUT " in out
    assert "              status is 500, in the mock 200\n" in out
    assert "not put back: the updateTime of chat c2\n" in err
    assert "not put back: the pin of chat c2\n" in err
    assert "not put back: the chat " not in err


def test_the_nearest_profile_is_written_and_said(check, serve, tmp_path):
    server = serve(ACCOUNT | {"apps": []}, profile=SERVICE, choices={"page_size_max": 30})
    code, out, err = check(server.url, "--write-profile", tmp_path / "a.yaml")
    written = yaml.safe_load((tmp_path / "a.yaml").read_text("utf-8"))
    assert code == 1 and written == {"profile": SERVICE, "choices": {"page_size_max": 30}}
    assert out.endswith(
        f"\nnearest profile: {SERVICE}; choices that differ from {SERVICE}: page_size_max\n"
    )
    assert f"chat_unknown: not_found or create or ignore fit, {SERVICE} has ignore\n" in out
    assert "no chats are looked at: no app is listed\n" in err


@given(st.lists(st.text("0123456789abcdef", min_size=24, max_size=24)))
def test_a_long_value_is_cut_between_its_items(ids):
    shown = shortened_json(ids)
    whole = json.encode(ids).decode()
    assert shown == whole or whole.startswith(f"{shown.removesuffix('...')},")
    assert len(shown) <= 83


# A baseline

ALTERED = {"kind": "alter", "operation": "listV2", "set": {"nickname": "Bob"}, "times": None}
MORE = {"kind": "wrong_total", "operation": "listV2", "times": None}
INVALID = {"method": "PUT", "path": OLD_PIN, "status": 404}
CHANGES: list[tuple[dict[str, Any], dict[str, Any], list[str], str]] = [
    (
        {"page_size_over_limit": "reject"},
        {"answers": [INVALID]},
        ["status is 400, in", "status is 404, in the mock"],
        "page_size_over_limit, legacy_paths",
    ),
    (
        {},
        {"faults": [MORE | {"match": ONE}, ALTERED]},
        ["total is 39, in the mock 38", 'list.nickname is "a text", in the mock "absent"'],
        "none",
    ),
]


@pytest.fixture
def hold(check: Any, serve: Any, tmp_path: Path) -> Callable[..., tuple[int, str, str]]:
    """Holds a server, ours by default as the service, to a baseline, or writes one."""

    def hold_it(account: Any, *args: Any, name: str = SERVICE, **choices: Any) -> Any:
        url = serve(account, profile=name, choices=choices).url
        return check(url, "--baseline", tmp_path / "baseline.json", *args)

    return hold_it


@pytest.mark.parametrize(("name", "code"), [(SERVICE, 0), ("fastgpt-4.14", 1), ("fastgpt-9", 2)])
def test_a_server_is_held_to_a_profile_of_ones_choice(check, serve, tmp_path, name, code):
    url = serve(ACCOUNT, profile=SERVICE).url
    ended, out, err = check(url, "--profile", name)
    assert ended == code
    assert (" requests with drift" in out, " 0 of " in out) == (code < 2, code == 0)
    assert (name in err) == (code == 2)
    assert check(url, "--profile", name, "--baseline", tmp_path / "b.json")[0] == 1


@pytest.mark.parametrize(("choices", "rules", "named", "differing"), CHANGES)
def test_a_change_is_named_once_and_fails(hold, tmp_path, choices, rules, named, differing):
    (tmp_path / "baseline.json").write_text(f'{{"profile": "{SERVICE}"}}', "utf-8-sig")
    code, out, _ = hold(ACCOUNT | rules, **choices)
    assert code == 1 and [out.count(it) for it in named] == [1, 1]
    assert out.endswith(f"choices that differ from {SERVICE}: {differing}\n")


BASELINES = [
    ("profile: odd", "baseline.json:1:"),
    ('{"profile":\n<<<<<<< HEAD', "baseline.json:2:7: Expected a file without conflicts"),
    ('{"differences": {"a": 5}}', "baseline.json:1:23: Expected a list, got 5"),
    ('{"diferences": {}}', "(did you mean 'differences'?)"),
    (None, "No such file or directory (--write-baseline writes a baseline)"),
]


@pytest.mark.parametrize(("text", "message"), BASELINES)
def test_a_broken_baseline_exits_with_2(hold, tmp_path, text, message):
    if text is not None:
        (tmp_path / "baseline.json").write_text(text, "utf-8")
    code, out, err = hold(ACCOUNT)
    assert (code, out) == (2, "") and message in err


def test_a_baseline_needs_a_file_and_something_to_look_at(check, hold, serve, tmp_path):
    code, _, err = check(serve(ACCOUNT).url, "--write-baseline")
    assert (code, err) == (1, "Expected --baseline FILE, got none - at --write-baseline\n")
    assert hold({}, "--write-baseline")[0] == 1 and not (tmp_path / "baseline.json").exists()
    (tmp_path / "baseline.json").write_text(f'{{"dataset": "{DATASET}"}}', "utf-8")
    code, _, err = hold({})
    assert code == 1 and err.endswith("(the baseline names it)\n")


def test_a_file_that_is_named_so_is_json_and_the_baseline_is_not_overwritten(hold, tmp_path):
    profile, baseline = tmp_path / "a.json", tmp_path / "baseline.json"
    assert hold(ACCOUNT, "--write-baseline", "--write-profile", profile)[0] == 0
    kept = baseline.read_bytes()
    assert json.decode(profile.read_bytes())["profile"] == json.decode(kept)["profile"] == SERVICE
    code, _, err = hold(ACCOUNT, "--write-profile", baseline)
    assert code == 1 and err.endswith(f"got {baseline} - at --write-profile\n")
    assert baseline.read_bytes() == kept


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


@pytest.fixture(params=[SERVICE, 1])
def twins(request: Any, tmp_path: Path) -> Iterator[list[LocalClient]]:
    """A server with a profile or a mixture of choices, and one with what `verify` wrote of it.

    Without --write a pin of an unknown chat is not seen: the nearest profile tells it.
    """
    drawn = mixture(request.param) if isinstance(request.param, int) else {}
    choices = {name: value for name, value in drawn.items() if name in SEEN}
    name = "documented" if drawn else request.param
    with LocalClient(SHOWN, profile=name, choices=choices) as client:
        file = tmp_path / "a.yaml"
        file.write_bytes(json.encode(profile_document(report_on(client, may_write=bool(drawn)))))
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


def test_the_dataset_and_the_app_that_show_most_are_looked_at(check, serve):
    flat = {"id": "flat", "collections": [{"repeat": 99, "name": "Item {n:02}"}]}
    hollow = {"id": "hollow", "collections": [{"name": "Folder", "type": "folder"}]}
    small = {"id": "small", "collections": [{"name": "One"}]}
    datasets = [flat, small, *ACCOUNT["datasets"], hollow]
    apps = [{"id": "b" * 24, "chats": []}, *ACCOUNT["apps"]]
    _, out, err = check(serve({"datasets": datasets, "apps": apps}).url)
    assert err.startswith(f"looking at dataset {DATASET}, the one of 4 that shows most\n")
    assert f"looking at app {APP}, with 2 chats\n" in err
    assert "search_scope = folder" in out and "page_size_default = 10" in out


# An unknown app has an empty list of chats in FastGPT 4.14.
UNKNOWN = [("--dataset", it) for it in PROFILES]
UNKNOWN += [("--app", it) for it in PROFILES if it != "fastgpt-4.14"]


@pytest.mark.parametrize("option, name", UNKNOWN)
def test_an_id_that_does_not_exist_is_refused(check, serve, option, name):
    code, out, err = check(serve(ACCOUNT, profile=name).url, option, "nope")
    thing = f"{option.removeprefix('--')} nope"
    expected = f"{NOTHING}cannot read {thing}: Expected the data of FastGPT, got status "
    assert (code, out) == (1, "") and expected in err


def test_an_empty_account_shows_nothing(check, serve):
    assert check(serve({}).url) == (1, "", f"{NOTHING}no dataset is listed\n")
    empty = {"datasets": [{"id": "empty"}]}
    assert check(serve(empty).url)[2].endswith(f"{NOTHING}dataset empty has no collections\n")


def test_a_refused_key_shows_nothing(check, serve, tmp_path):
    file = tmp_path / "a.yaml"
    code, out, err = check(serve(KEYS).url, "--write-profile", file)
    message = f"{NOTHING}the server does not know this API key\n"
    assert (code, out, err) == (1, "", message) and not file.exists()


def test_a_proxy_of_the_environment_is_asked(check, serve, monkeypatch):
    server = serve({})
    monkeypatch.setenv("HTTP_PROXY", server.url)
    check("http://fastgpt.test")
    assert server.journal[0]["request"]["headers"]["host"] == "fastgpt.test"


def test_no_key_is_wrong_usage(run):
    code, _, err = run("verify", "--base-url", "http://127.0.0.1:1", "--key-env", "NO_SUCH_KEY")
    assert code == 1 and "NO_SUCH_KEY" in err


def test_what_is_no_service_is_no_success(check, serve):
    server = serve({})
    server.respond("*", status=501, text="<p>Unsupported method</p>")
    assert check(server.url)[0] == 5
    assert check("http://127.0.0.1:1")[0] == 3


WRONG = [
    ("profile: odd", f"f.yaml:1:10: Expected {' or '.join(PROFILES)}, got 'odd'"),
    ("choice: {}", "f.yaml:1:1: Expected no field 'choice' (did you mean 'choices'?)"),
    ("choices: {list_order: size}", "f.yaml:1:10: Expected update_time_desc or name or fixture"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_broken_profile_file_exits_with_2(run, tmp_path, text, message):
    (tmp_path / "f.yaml").write_text(text, "utf-8")
    code, _, err = run("--profile", tmp_path / "f.yaml")
    assert code == 2 and message in err
    assert run("--profile", tmp_path / "no.yaml")[0] == 2


def test_two_collections_show_how_large_pages_are_and_not_their_order():
    two = [{"_id": "a", "name": "A"}, {"_id": "b", "name": "B"}]
    account = {"datasets": [{"id": DATASET, "collections": two}]}
    with LocalClient(account, choices={"list_order": "fixture", "page_size_max": 100}) as client:
        report = report_on(client)
    assert report.observed["page_size_max"] == 100
    # They have their order by chance.
    assert report.not_observed["list_order"] == ["update_time_desc", "name", "fixture"]
