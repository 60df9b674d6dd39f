"""The console's page and files, and the way there."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

import mock_server
from mock_server.api.pages import INDEX
from tests.conftest import MakeApi
from tests.support import Api

FOLDER = Path(mock_server.__file__).parent / "console"
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
SOURCES = sorted(
    path.relative_to(FOLDER).as_posix()
    for path in FOLDER.rglob("*.*")
    if path.is_file()
)
SHARED = [
    f"/demo/shared/{path.name}" for path in FOLDER.parent.glob("demo/shared/*.js")
]
PATHS = ["/", *(f"/console/{name}" for name in SOURCES if name != INDEX), *SHARED]
MOST_BYTES = 250_000


@pytest.mark.parametrize("path", ["/", "/__admin"])
def test_a_browser_is_led_to_the_console(api: Api, path: str) -> None:
    answer = api.client.get(path, headers=BROWSER, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/__admin/")
    assert answer.headers["vary"] == "accept"
    assert api.journal() == []


@pytest.mark.parametrize(
    ("method", "accept"), [("GET", "*/*"), ("POST", "text/html"), ("HEAD", "text/html")]
)
def test_others_meet_no_page_at_the_root(api: Api, method: str, accept: str) -> None:
    answer = api.client.request(method, "/", headers={"Accept": accept})
    assert answer.status_code == 404
    assert method == "HEAD" or answer.json()["statusText"] == "routeNotFound"
    assert [entry["request"]["path"] for entry in api.journal()] == ["/"]


@pytest.mark.ci
def test_the_page_and_all_its_files_are_served_without_the_token(
    make_api: MakeApi,
) -> None:
    api = make_api(admin_token="s3cret")
    for path in PATHS:
        assert api.client.get(f"/__admin{path}").status_code == 200, path
    assert api.client.get("/__admin/console/nothing.js").status_code == 401
    assert api.client.get("/__admin/demo/shared/nothing.js").status_code == 401
    assert api.client.get("/__admin/apps").status_code == 401


@pytest.mark.parametrize(
    "name", ["..", "..%2fapp.py", "index.html", "APP.JS", "x.js", "page", "page/"]
)
def test_no_other_file_is_served(api: Api, name: str) -> None:
    for folder in ("console", "demo", "demo/shared"):
        assert api.client.get(f"/__admin/{folder}/{name}").status_code == 404


def test_the_policy_of_the_page_allows_its_own_files_only(api: Api) -> None:
    headers = api.client.get("/__admin/").headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert set(re.findall(r"(?:script|style|connect|img)-src ([^;]*)", policy)) == {
        "'self'"
    }
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


def test_console_and_demo_weigh_little(api: Api) -> None:
    for path in ("/", f"/console/{SOURCES[0]}"):
        sent = api.client.get(f"/__admin{path}", headers={"Accept-Encoding": "gzip"})
        plain = api.client.get(f"/__admin{path}", headers={"Accept-Encoding": ""})
        assert sent.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert sent.content == plain.content
    demo = [each for each in (FOLDER.parent / "demo").rglob("*.*") if each.is_file()]
    files = [*(FOLDER / name for name in SOURCES), *demo]
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= MOST_BYTES


def test_no_file_makes_markup_of_text_or_names_another_host() -> None:
    sinks = r"innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|Function\("
    hosts = r"https?://(?!www\.w3\.org/2000/svg)"
    for name in SOURCES:
        text = (FOLDER / name).read_text(encoding="utf-8")
        assert re.findall(f"{sinks}|{hosts}", text) == [], name


def test_every_file_is_used() -> None:
    text = "".join((FOLDER / name).read_text(encoding="utf-8") for name in SOURCES)
    names = {name: name.rpartition("/")[2] for name in SOURCES}
    assert [name for name in SOURCES if f"/{names[name]}" not in text] == [INDEX]
