"""What the README says is what the code does: commands, answers, tables, snippets."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from mock_server import MockServer, MockServerFixture
from mock_server.admin.app import table as table_of_routes
from mock_server.admin.stream import Streams
from mock_server.api.errors import ERRORS
from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS, Kind
from mock_server.api.operations import OPERATIONS
from mock_server.cli import cli
from mock_server.domain.choices import table
from mock_server.domain.limits import LIMITS
from mock_server.fixture.load import load_fixture
from mock_server.wire.drain import KEEP_ALIVE_SECONDS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONSOLES = re.findall(r"```console\n\$ (.*?[^\\])\n(.*?)```", README, re.DOTALL)
EXAMPLES = [path.read_text() for path in (ROOT / ".github" / "examples").iterdir()]
# Containers need a daemon: that snippet is run where there is one, tests/shipping.
PYTHON = [
    each
    for each in re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    if "testcontainers" not in each
]
ROUTES = table_of_routes(Streams())
COMMANDS = re.findall(r"```sh\n(.*?)\n```", README, re.DOTALL)


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer() as running:
        yield running


def row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize(("command", "answer"), CONSOLES)
def test_curl_lines_answer_as_printed(
    server: MockServer, command: str, answer: str
) -> None:
    here = command.replace("localhost:8000", server.url.removeprefix("http://"))
    done = subprocess.run(["bash", "-c", here], capture_output=True, text=True)
    assert done.stdout == answer.strip()


@pytest.mark.parametrize("snippet", PYTHON)
def test_python_snippets_print_what_they_say(server: MockServer, snippet: str) -> None:
    code = snippet.replace("http://localhost:8000", server.url)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    expected = re.findall(r"print\(.*\)  # (.*)", snippet)
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1:] == expected


def test_test_snippets_pass(pytester: pytest.Pytester) -> None:
    (snippet,) = (each for each in PYTHON if "\ndef test_" in each)
    pytester.makepyfile(snippet)
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "rows", re.findall(r"\| of `mock_server` .*?\n\n", README, re.S)
)
def test_the_table_of_the_fixture_names_what_there_is(rows: str) -> None:
    names = set(re.findall(r"`\.(\w+)", rows))
    public = {name for name in vars(MockServerFixture) if not name.startswith("_")}
    assert names == public | {"url", "keys", "clock", "choices"}


def test_there_is_something_to_check() -> None:
    assert (len(CONSOLES), len(PYTHON), len(COMMANDS)) == (8, 5, 2)


def test_ci_runs_the_test_command_of_the_readme() -> None:
    run, test = COMMANDS
    assert test in (ROOT / ".ci" / "run").read_text().splitlines()
    assert run.endswith("/mock-server")


@pytest.mark.parametrize("name", table())
def test_the_table_of_choices_is_the_codes(name: str) -> None:
    choice = table()[name]
    values = " · ".join(f"`{value}`" for value in choice.values)
    if isinstance(choice.documented, int):
        values = f"`{choice.values[0]}` – `{choice.values[-1]}`"
    profiles = f"`{choice.documented}`", f"`{choice.deployed}`"
    expected = row(f"`{name}`", choice.section, values, *profiles, choice.sentence)
    assert expected in README


def test_the_table_of_errors_is_the_codes() -> None:
    for plain, service in ERRORS.values():
        expected = row(
            f"`{plain.status_text}`",
            plain.code,
            f"`{service.status_text}`",
            service.code,
            service.http,
        )
        assert expected in README


def test_the_table_of_options_is_the_commands() -> None:
    serve = cli.get_command(click.Context(cli), "serve")
    assert serve is not None
    for option in serve.params:
        if isinstance(option, click.Option):
            default = option.default
            if isinstance(default, tuple):
                default = ", ".join(default)
            shown = f"`{default}`" if isinstance(default, str | int) else ""
            assert isinstance(option.help, str)
            cells = f"`{option.opts[0]}`", f"`{option.envvar}`", shown, option.help
            assert row(*cells) in README


def test_commands_and_routes_are_named() -> None:
    for name in cli.list_commands(click.Context(cli)):
        assert f"`mock-server {name}" in README or f"`mock-server [{name}]" in README
    for each in OPERATIONS.values():
        assert f"| `{each.name}` | `{each.method} {each.path}` |" in README


@pytest.mark.parametrize("path", [p for p in ROUTES if "{sandbox}/" not in p])
def test_the_table_of_admin_routes_is_the_codes(path: str) -> None:
    for method, route in ROUTES[path].items():
        assert row(f"`{method} /__admin{path}`", route.summary) in README


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
def test_the_table_of_faults_is_the_codes(kind: Kind) -> None:
    fields = " · ".join(
        f"`{name}` {default}" if isinstance(default, int | float | str) else f"`{name}`"
        for name, default in kind.fields.items()
    )
    assert row(f"`{kind.name}`", fields, kind.sentence) in README


def test_the_table_of_presets_is_the_codes() -> None:
    for name, preset in PRESETS.items():
        assert row(f"`{name}`", preset.sentence) in README


def test_the_fixture_of_the_readme_loads(tmp_path: Path) -> None:
    found = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    (text,) = (each for each in found if each not in EXAMPLES)
    path = tmp_path / "readme.yaml"
    path.write_text(text)
    assert load_fixture(path).counts() == {
        "datasets": 1,
        "collections": 254,
        "chats": 2,
    }


def test_limits_in_the_text_are_true() -> None:
    limits = {
        "items of a page": LIMITS.page_size,
        "characters of an id, of `searchText`": (
            f"{LIMITS.id_chars}, {LIMITS.search_chars}"
        ),
        "bytes of a request body": f"{LIMITS.body_bytes // 2**20} MiB",
        "header fields of a request, bytes of its head": (
            f"{LIMITS.headers}, {LIMITS.header_bytes // 2**10} KiB"
        ),
        "bytes of a request line, of a header field, of a chunk's line": (
            f"{LIMITS.head_line_bytes:,}"
        ),
        "chunks of a request body": f"{LIMITS.body_pieces:,}",
        "nesting of JSON, arrays and objects, integers in it": (
            f"{LIMITS.json_depth} levels, {LIMITS.json_containers:,}, "
            f"{LIMITS.integer:,}"
        ),
        "time from the first to the last byte of a request": (
            f"{LIMITS.receipt_seconds:g} s"
        ),
        "time for which a client may take nothing of an answer": (
            f"{LIMITS.unread_seconds:g} s"
        ),
        "idle time of a connection between requests": f"{KEEP_ALIVE_SECONDS} s",
        "chats that pins may create (`chat_unknown=create`)": (
            f"{LIMITS.created_chats:,}"
        ),
        "size of a fixture file, collections of all files": (
            f"{LIMITS.fixture_bytes // 2**20} MiB, {LIMITS.fixture_collections:,}"
        ),
        "folders above a collection": LIMITS.folder_depth,
        "keys that fixtures declare, characters of a key": (
            f"{LIMITS.keys:,}, {LIMITS.key_chars:,}"
        ),
        "memory of all data (`--memory`)": f"{LIMITS.memory_bytes // 2**30} GiB",
        f"documents over {LIMITS.inline_load_bytes // 2**10} KiB that are loaded at "
        "the same time, time for one": f"{LIMITS.loads}, {LIMITS.load_seconds:g} s",
        "sandboxes, snapshots of each": f"{LIMITS.sandboxes:,}, {LIMITS.snapshots}",
        "entries of a journal, bytes of them, bytes of a body kept": (
            f"{LIMITS.journal_entries:,}, {LIMITS.journal_bytes // 2**20} MiB, "
            f"{LIMITS.journal_body_bytes // 2**10} KiB"
        ),
        "faults that can still fire, delay of one answer": (
            f"{LIMITS.faults}, {LIMITS.fault_ms // 1000} s"
        ),
        "bytes that a fault wants in a body, sets on an item, removes from it": (
            f"{LIMITS.matched_bytes // 2**10} KiB, "
            f"{LIMITS.altered_bytes // 2**10} KiB, {LIMITS.altered_bytes // 2**10} KiB"
        ),
        "bytes of JSON that one answer of the journal lists, about": (
            f"{LIMITS.journal_page_bytes // 2**20} MiB"
        ),
        "streams of journals at the same time": LIMITS.journal_streams,
        "chats, and collections of a dataset, added by single admin calls": (
            f"{LIMITS.created_chats:,} each"
        ),
    }
    for name, value in limits.items():
        assert row(name, value) in README


def test_counts_in_the_text_are_true() -> None:
    assert "1,176 collections" in README
    assert (
        load_fixture(ROOT / "fixtures" / "paging.yaml").counts()["collections"] == 1176
    )
