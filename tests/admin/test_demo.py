"""The demo front end as it is served: its files, the way there, what it passes by."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import mock_server
from mock_server import MockServer
from mock_server.api.pages import INDEX, Page
from tests.conftest import MakeApi
from tests.support import LIBRARY, Api, fetch

FOLDER = Path(mock_server.__file__).parent / "demo"
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SOURCES = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.*"))
PATHS = ["/demo/", *(f"/demo/{name}" for name in {*Page("demo", ()).names} - {INDEX})]
TEXT = r'"(?:[^"\\]|\\.)*"'
CALLS = rf"\bt\(\s*({TEXT})|\bcounted\([^;]*?,\s*{TEXT},\s*({TEXT})\s*\)"


@pytest.fixture
def shown(make_api: MakeApi) -> Api:
    """The library, and the demo beside it."""
    return make_api(demo=True)


def test_without_the_option_it_is_not_there(api: Api) -> None:
    for path in ("/demo", *PATHS):
        answer = api.client.get(path, headers=BROWSER)
        assert (answer.status_code, answer.json()["statusText"]) == (
            404,
            "routeNotFound",
        )
    assert len(api.journal()) == 1 + len(PATHS)
    assert api.client.get("/__admin/health").json()["demo"] is None


def test_all_its_files_are_served_and_journalled_nowhere(shown: Api) -> None:
    for path in PATHS:
        answer = shown.client.get(path)
        assert answer.status_code == 200, path
        assert answer.content
        head = shown.client.head(path)
        assert head.headers["content-length"] == answer.headers["content-length"]
        assert head.content == b""
    assert shown.journal() == []
    assert shown.client.get("/__admin/health").json()["demo"] == "/demo/"


def test_a_browser_is_led_there_and_others_meet_the_service(shown: Api) -> None:
    answer = shown.client.get("/demo", headers=BROWSER, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/demo/")
    assert shown.journal() == []
    assert shown.client.get("/demo").status_code == 404
    assert [entry["request"]["path"] for entry in shown.journal()] == ["/demo"]


@pytest.mark.parametrize(
    "name", ["..", "..%2fapp.py", "index.html", "APP.JS", "x.js", "%2e%2e", "app.js/"]
)
def test_no_other_file_is_served(shown: Api, name: str) -> None:
    assert shown.client.get(f"/demo/{name}").status_code == 404


def test_it_can_only_be_read(shown: Api) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        answer = shown.client.request(method, "/demo/icon.svg")
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
    assert shown.journal() == []


def test_no_fault_meets_it(shown: Api) -> None:
    shown.admin("POST", "/faults", {"kind": "error"})
    assert shown.client.get("/demo/").status_code == 200
    assert shown.list_v2().status_code == 503


def test_it_goes_before_declared_responses(make_api: MakeApi) -> None:
    responses = [
        {"method": "GET", "path": path, "text": "declared"}
        for path in ("/demo/", "/demo/{name}")
    ]
    fixture = {**LIBRARY, "responses": responses}
    assert make_api(fixture).client.get("/demo/icon.svg").text == "declared"
    shown = make_api(fixture, demo=True)
    assert "declared" not in shown.client.get("/demo/").text
    assert "declared" not in shown.client.get("/demo/icon.svg").text


def test_the_policy_of_the_page_is_strict_but_for_the_server_it_calls(
    shown: Api,
) -> None:
    headers = shown.client.get("/demo/").headers
    policy = dict(
        part.split(" ", 1)
        for part in headers["content-security-policy"].split("; ")
        if " " in part
    )
    assert policy["default-src"] == "'none'"
    assert {policy[f"{kind}-src"] for kind in ("script", "style", "img")} == {"'self'"}
    assert (policy["connect-src"], policy["frame-ancestors"]) == ("*", "'self'")
    assert policy["require-trusted-types-for"] == "'script'"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"


def test_a_server_in_a_program_has_it_too() -> None:
    with MockServer(demo=True, profile="deployed") as server:
        health = fetch("GET", f"{server.url}/__admin/health").json()
    assert health["demo"] == "/demo/"
    with pytest.raises(TypeError, match="Expected demo to be True or False, got 1"):
        MockServer(demo=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", SOURCES)
def test_no_file_makes_markup_of_text_or_names_another_host(name: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    sinks = r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\("
    assert re.findall(sinks, text) == []
    hosts = r"https?://(?!www\.w3\.org/2000/svg|localhost:8000&)"
    assert re.findall(hosts, text) == []


def test_it_knows_operations_and_nothing_of_the_admin_api() -> None:
    """But for the one question whether the console is there."""
    texts = {name: (FOLDER / name).read_text(encoding="utf-8") for name in SOURCES}
    assert [name for name, text in texts.items() if "__admin" in text] == ["app.js"]
    paths = "|".join(re.findall(r'"(/api/[\w/]+)', "".join(texts.values())))
    assert "/api/core/dataset/collection/listV2" in paths


def test_it_weighs_little_and_every_file_is_used() -> None:
    texts = {name: (FOLDER / name).read_text(encoding="utf-8") for name in SOURCES}
    assert sum(len(text.encode()) for text in texts.values()) <= 60 * 1024
    text = "".join(texts.values())
    names = {name: name.rpartition("/")[2] for name in SOURCES}
    assert [name for name in SOURCES if f'{names[name]}"' not in text] == [INDEX]


def test_every_text_is_there_in_chinese() -> None:
    table = (FOLDER / "words.js").read_text(encoding="utf-8")
    lines = re.findall(rf"^  ({TEXT}: {TEXT}),$", table, re.MULTILINE)
    chinese = json.loads(f"{{{','.join(lines)}}}")
    assert len(chinese) == len(lines), "a text stands there twice"
    said = {
        json.loads(text)
        for path in FOLDER.rglob("*.js")
        for match in re.findall(CALLS, path.read_text("utf-8"))
        for text in match
        if text
    }
    assert sorted(said - chinese.keys()) == []
    holes = re.compile(r"\{\w+\}")
    for text, other in chinese.items():
        assert sorted(holes.findall(text)) == sorted(holes.findall(other)), text
