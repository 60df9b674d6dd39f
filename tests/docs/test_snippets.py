"""What the documentation shows can be copied: it runs, and answers as printed."""

from __future__ import annotations

import configparser
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import click
import pytest
import yaml

from tests.docs.pages import (
    DOCS,
    OTHERS,
    PAGES,
    ROOT,
    Block,
    blocks,
    links,
    name_of,
    patient,
)
from tests.docs.tables import MockServer, cli, load_fixture, words_left

EXAMPLES = ROOT / ".github" / "examples"
FILES = sorted(path for path in EXAMPLES.iterdir() if path.is_file())
MIGRATING = DOCS / "examples" / "migrating"
GENERATORS = {"npx", "openapi-generator-cli"}
HERE = "localhost:8000"
LANGUAGES = {"console", "ini", "json", "nginx", "python", "sh", "text", "yaml", *OTHERS}
WORDS = {
    *("docker", "mitmdump", "mock-server", "pip", "pipx", "pre-commit", "pytest"),
    *("python", "python3", "uvx"),
    *GENERATORS,
}
# The conftest.py of tests that pages show, where they name no timeout.
PATIENCE = """
from httpx2._config import DEFAULT_TIMEOUT_CONFIG as default

default.connect = default.read = default.write = default.pool = 60
"""


def is_theirs(block: Block) -> bool:
    """Whether it shows another tool: `test_migrating.py` runs these with that tool."""
    return block.file.startswith("their_")


def is_test(block: Block) -> bool:
    has_test = re.search("^ *def test_", block.text, re.MULTILINE) is not None
    return has_test and not is_theirs(block)


def is_script(block: Block) -> bool:
    # Containers need a daemon: tests/e2e/shipping runs that example if there is one.
    aside = is_test(block) or is_theirs(block)
    return not aside and "testcontainers" not in block.text


def those(*languages: str) -> list[Path]:
    """The pages that have blocks in one of these languages."""
    return [page for page in PAGES if blocks(page, *languages)]


SCRIPTS = [page for page in PAGES if any(map(is_script, blocks(page, "python")))]


@pytest.fixture
def server() -> Iterator[MockServer]:
    with MockServer() as running:
        yield running


@pytest.fixture
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with the files that a page shows."""
    for block in blocks(request.getfixturevalue("page")):
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    return tmp_path


def parted(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what it prints."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        end = next(n for n, line in enumerate(lines) if not line.endswith("\\")) + 1
        yield "\n".join(lines[:end]), "\n".join(lines[end:])


def agrees(shown: str, printed: str) -> bool:
    """Whether it was printed as shown, where `...` stands for anything."""
    parts = map(re.escape, shown.split("..."))
    return re.fullmatch(".*?".join(parts), printed, re.DOTALL) is not None


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
@pytest.mark.parametrize("page", those("console"), ids=name_of)
@pytest.mark.ci
def test_commands_print_what_is_shown(
    page: Path, folder: Path, server: MockServer
) -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    settings = {**os.environ, "PATH": path, "MOCK_SERVER_URL": server.url}
    for block in blocks(page, "console"):
        for command, shown in parted(block):
            here = command.replace(HERE, server.url.removeprefix("http://"))
            done = subprocess.run(
                ["bash", "-c", here],
                cwd=folder,
                env=settings,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=60,
            )
            printed = done.stdout.strip("\n")
            assert agrees(shown, printed), f"{command}\n{printed}"


@pytest.mark.parametrize("page", SCRIPTS, ids=name_of)
def test_scripts_print_what_they_say(page: Path, server: MockServer) -> None:
    for block in filter(is_script, blocks(page, "python")):
        code = block.text.replace(f"http://{HERE}", server.url)
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, name_of(page), "exec"), {"__name__": "__main__"})
        shown = re.findall(r"print\(.*\)  # (.*)", code)
        assert printed.getvalue().splitlines()[-len(shown) :] == shown


@pytest.mark.ci
def test_tests_pass(pytester: pytest.Pytester) -> None:
    examples = [it for it in MIGRATING.glob("*.py") if not it.name.startswith("their_")]
    shown = 0
    for path in examples:
        text = patient(path.read_text(encoding="utf-8"))
        (pytester.path / path.name).write_text(text, encoding="utf-8")
        shown += len(re.findall("^def test_", text, re.MULTILINE))
    assert shown >= 20
    for page in those("python"):
        for block in blocks(page, "python"):
            if block.file and not is_theirs(block):  # modules of tests too
                text = patient(block.text)
                (pytester.path / block.file).write_text(text, encoding="utf-8")
        for block in filter(is_test, blocks(page, "python")):
            assert block.file.startswith("test_"), name_of(page)
            shown += len(re.findall("^ *def test_", block.text, re.MULTILINE))
    pytester.makeconftest(PATIENCE)
    done = pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "-p", "no:schemathesis"
    )
    done.assert_outcomes(passed=shown)
    assert shown >= 29


def lines_of(page: Path) -> Iterator[str]:
    for block in blocks(page, "sh"):
        for line in block.text.replace("\\\n", " ").splitlines():
            yield from filter(None, (part.strip(" &") for part in line.split("&&")))


@pytest.mark.parametrize("page", those("sh"), ids=name_of)
def test_commands_exist_and_take_what_they_are_given(page: Path) -> None:
    for line in lines_of(page):
        command, *given = shlex.split(line.partition(" > ")[0])
        assert Path(command).name in WORDS or (ROOT / command).exists(), line
        if Path(command).name == "mock-server":
            with cli.make_context("mock-server", given) as context:
                words = words_left(context)
                _, found, rest = cli.resolve_command(context, words)
                assert found is not None
                parsed(found, rest)


def parsed(command: click.Command, given: list[str]) -> None:
    """Raises what click raises where the command does not take these."""
    with command.make_context(command.name, given) as context:
        if isinstance(command, click.Group):
            words = words_left(context)
            _, found, rest = command.resolve_command(context, words)
            assert found is not None
            parsed(found, rest)


@pytest.mark.parametrize("page", those("yaml"), ids=name_of)
def test_fixtures_load(page: Path, folder: Path) -> None:
    examples = {path.read_text() for path in FILES}
    for block in blocks(page, "yaml"):
        assert all(yaml.safe_load_all(block.text))
        if block.text not in examples and block.file != "broken.yaml":
            path = folder / "fixture.yaml"
            path.write_text(block.text)
            assert load_fixture(path).counts()


@cache
def linked() -> set[Path]:
    """The files and folders to which pages link."""
    return {(page.parent / link).resolve() for page in PAGES for link in links(page)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_example_is_shown_as_it_is_or_linked(path: Path) -> None:
    shown = [block.text for page in PAGES for block in blocks(page)]
    assert path.read_text() in shown or path in linked()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_block_is_in_a_language_that_is_looked_at(page: Path) -> None:
    for block in blocks(page):
        assert block.language in LANGUAGES
        if block.language == "json":
            json.loads(block.text)
        if block.language == "ini":
            configparser.ConfigParser().read_string(block.text)
    fences = re.findall(r"^\s*(?:```|~~~)", page.read_text(), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(page))


def test_there_is_something_to_run() -> None:
    consoles = [block for page in PAGES for block in blocks(page, "console")]
    assert all(block.text.startswith("$ ") for block in consoles)
    assert len([command for block in consoles for command in parted(block)]) >= 25
    assert len(SCRIPTS) >= 5
