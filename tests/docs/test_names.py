"""Whatever a user can name is named in the documentation; numbers in it are true."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from mock_server.domain.limits import DEFAULT_LIMITS, Published
from tests.docs import tables
from tests.docs.command_line import PROGRAM, options_of, settings
from tests.docs.pages import CONTRIBUTING, DOCS, README, ROOT, blocks, text_of
from tests.docs.tables import COMMANDS, MockServer, load_fixture

REFERENCE, GUIDE = DOCS / "reference", CONTRIBUTING


PIN, LIST = (
    "/api/core/chat/history/updateHistory",
    "/api/core/dataset/collection/listV2",
)
GOOD_HEADERS = {"Authorization": "Bearer any", "Content-Type": "application/json"}
OFF_CONTRACT = [
    ("PUT", "/api/core/chat/updateHistory", b"{}"),
    ("PUT", PIN, b'{"appId": 1}'),
    ("POST", LIST, b'{"datasetId": "a", "parentId": "", "pageSize": "31", "x": 1}'),
    ("GET", "/api/nothing", None),
    ("GET", LIST, None),
    ("DELETE", "/api/core/chat/history/delHistory", None),
]
CHOSEN = (
    {"legacy_paths": "off", "related_routes": "off"},
    {"query_delete": "needs_json_type"},
)


def unnamed(page: Path, names: Iterable[str]) -> list[str]:
    """The names that a page does not have as code."""
    text = text_of(page)
    return [name for name in names if not re.search(rf"`{re.escape(name)}[`= ]", text)]


def test_every_choice_is_documented() -> None:
    assert unnamed(REFERENCE / "choices.md", tables.choices()) == []


def test_every_fault_and_preset_is_documented() -> None:
    names = [*tables.KINDS, *tables.PRESETS]
    assert unnamed(REFERENCE / "faults.md", names) == []
    assert unnamed(DOCS / "guides" / "faults.md", tables.PRESETS) == []


def test_every_command_and_option_is_documented() -> None:
    page = REFERENCE / "cli.md"
    assert unnamed(page, (f"{PROGRAM} {name}" for name in COMMANDS)) == []
    for command in COMMANDS.values():
        for option in options_of(command):
            assert re.search(rf"`{option.opts[0]}[` /]", text_of(page)), option.opts


def test_every_setting_is_documented() -> None:
    assert unnamed(REFERENCE / "cli.md", settings(COMMANDS)) == []


def test_every_admin_route_is_documented() -> None:
    names = [name for name, _ in tables.routes()]
    assert unnamed(REFERENCE / "admin-api.md", names) == []


def test_every_error_is_documented() -> None:
    forms = [it for row in (each.row for each in tables.refusals()) for it in row]
    names = {form.status_text for form in forms}
    assert unnamed(REFERENCE / "errors.md", names) == []


def test_every_violation_is_documented() -> None:
    found = set[str]()
    for choices in CHOSEN:
        with MockServer(choices=choices) as server:
            for method, path, body in OFF_CONTRACT:
                headers = GOOD_HEADERS if body else {}
                request = Request(server.url + path, body, headers, method=method)
                with pytest.raises(HTTPError):
                    urlopen(request)
            with urlopen(f"{server.url}/__admin/journal") as response:
                entries = json.load(response)["entries"]
        found |= {each["name"] for entry in entries for each in entry["violations"]}
    rows = re.findall(r"^\| `(\w+)` \| [a-z]", text_of(REFERENCE / "journal.md"), re.M)
    assert found == set(rows)


@pytest.mark.ci
def test_the_plugins_options_are_documented(pytester: pytest.Pytester) -> None:
    shown = pytester.runpytest_inprocess(
        "--help", "-p", "no:cacheprovider"
    ).stdout.str()
    names = set(re.findall(r"--mock-server-\w+|\bmock_server_\w+", shown))
    assert names >= {"--mock-server-url", "mock_server_strict"}
    for page in (REFERENCE / "python.md", DOCS / "guides" / "pytest.md"):
        assert [name for name in names if name not in text_of(page)] == []


def test_the_public_names_are_documented() -> None:
    page = REFERENCE / "python.md"
    assert unnamed(page, tables.PUBLIC_NAMES) == []
    assert all(f"`{each}" in text_of(page) for each in tables.STRATEGIES)


def test_commands_of_the_readme_are_those_of_ci() -> None:
    run, *_, test = (block.text.strip() for block in blocks(README, "sh"))
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert test in map(str.strip, lines)
    assert run.endswith("/mock-server")
    assert run == blocks(DOCS / "quickstart.md", "sh")[0].text.strip()


def test_the_readme_is_a_page() -> None:
    text = re.sub("```.*?```", "", README.read_text(), flags=re.DOTALL)
    assert len(text.split()) <= 400
    assert text.count("](") <= 20


FACTS = [
    ("guides/fixtures.md", "1,176 collections"),
    ("reference/journal.md", f"latest {DEFAULT_LIMITS.journal_entries:,} entries"),
    ("reference/journal.md", f"{DEFAULT_LIMITS.journal_bytes // 2**20} MiB"),
    (
        "reference/journal.md",
        f"cut at {DEFAULT_LIMITS.journal_body_bytes // 2**10} KiB",
    ),
    ("guides/isolation.md", f"{DEFAULT_LIMITS.sandbox_ttl:,g} by default"),
    ("reference/cli.md", f"more than {Published.waiting_lines:,} lines"),
    ("reference/faults.md", f"at most {Published.matched_bytes // 2**10} KiB"),
    ("reference/faults.md", f"holds {DEFAULT_LIMITS.faults} faults"),
    ("reference/faults.md", f"and {DEFAULT_LIMITS.answers:,} answers"),
    ("reference/journal.md", f"lists {Published.violations} at most"),
    ("reference/journal.md", f"{DEFAULT_LIMITS.journals_bytes // 2**20} MiB at most"),
    ("reference/limits.md", f"closed after {tables.KEEP_ALIVE_SECONDS} s"),
    ("reference/limits.md", f"over {DEFAULT_LIMITS.inline_load_bytes // 2**10} KiB"),
    (
        "reference/limits.md",
        f"than {DEFAULT_LIMITS.inline_load_collections:,} collections",
    ),
    ("reference/operations.md", f"from 1 to {Published.id_chars} characters"),
    ("reference/operations.md", f"holds {Published.page_size} items"),
]


@pytest.mark.parametrize(("page", "fact"), FACTS)
def test_a_number_in_the_text_is_true(page: str, fact: str) -> None:
    assert fact in " ".join(text_of(DOCS / page).split())


def test_the_shipped_fixtures_are_named() -> None:
    names = {path.stem for path in (ROOT / "fixtures").iterdir()}
    assert unnamed(DOCS / "guides" / "fixtures.md", names) == []
    paging = load_fixture(ROOT / "fixtures" / "paging.yaml")
    assert paging.counts()["collections"] == 1_176


def test_what_contributors_are_sent_to_is_there() -> None:
    named = re.findall(
        r"`((?:mock_server|tests)/[\w./]+|test_[a-z_]+)`", text_of(GUIDE)
    )
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    for name in named:
        path = ROOT / name
        if name.startswith("test_"):
            assert f"def {name}(" in tests, name
        elif not path.stem.isupper() and path.parent.is_dir():
            assert path.exists(), name
    assert len(named) >= 20
