"""The console's page and files, and the way there."""

from __future__ import annotations

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
MODULES = [*FOLDER.rglob("*.js"), *FOLDER.parent.glob("demo/shared/*.js")]
EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|class|const) (\w+)", re.M)
MOST_FILES, MOST_BYTES = 8, 120 * 1024


def files(api: Api) -> list[str]:
    """The paths of the page and of all that it names, once each."""
    text = api.client.get("/__admin/").text
    return [
        "/",
        *sorted({f"/{each}" for each in re.findall('"(console/[^"]+)"', text)}),
    ]


@pytest.mark.parametrize("path", ["/", "/__admin"])
def test_a_browser_is_led_to_the_console(api: Api, path: str) -> None:
    answer = api.client.get(path, headers=BROWSER, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/__admin/")
    assert answer.headers["vary"] == "accept"
    assert api.journal() == []


@pytest.mark.ci
def test_the_page_and_all_its_files_are_served_without_the_token(
    make_api: MakeApi,
) -> None:
    api = make_api(admin_token="s3cret")
    for path in files(api):
        assert api.client.get(f"/__admin{path}").status_code == 200, path
    assert api.client.get("/__admin/console/nothing.js").status_code == 401
    assert api.client.get("/__admin/apps").status_code == 401


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


def test_the_console_is_few_files_that_weigh_little(api: Api) -> None:
    sizes = []
    for path in files(api):
        sent = api.client.get(f"/__admin{path}", headers={"Accept-Encoding": "gzip"})
        plain = api.client.get(f"/__admin{path}", headers={"Accept-Encoding": ""})
        assert sent.headers["content-encoding"] == "gzip"
        assert "content-encoding" not in plain.headers
        assert sent.content == plain.content
        sizes.append(int(sent.headers["content-length"]))
    assert len(sizes) <= MOST_FILES
    assert sum(sizes) <= MOST_BYTES


def test_what_is_named_by_its_content_may_be_kept(api: Api) -> None:
    kept = {
        path.rpartition(".")[2]: api.client.get(f"/__admin{path}").headers
        for path in files(api)[1:]
    }
    assert {kind: "immutable" in it["cache-control"] for kind, it in kept.items()} == {
        "css": True,
        "js": True,
        "svg": False,
    }


def test_the_script_has_every_module_once_and_imports_nothing(api: Api) -> None:
    (path,) = (each for each in files(api) if each.endswith(".js"))
    script = api.client.get(f"/__admin{path}").text
    assert script.count("(() => {\n") >= len(MODULES)
    for module in MODULES:
        for name in EXPORTED.findall(module.read_text(encoding="utf-8")):
            declared = rf"^(?:async )?(?:function\*?|class|const) {name}\b"
            assert re.search(declared, script, re.M), (module.name, name)
    assert re.findall(r"^(?:import|export) .*", script, re.M) == []


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
