"""The changelog keeps its form, and what it takes to release a version is checked."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from datetime import date
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs import stable
from tests.docs.pages import DOCS, ROOT, text_of
from tests.docs.tables import VERSION

CHANGELOG = ROOT / ".github" / "CHANGELOG.md"
KINDS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
ADDRESS = "https://example.invalid/owner/name"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def parts(text: str, mark: str) -> dict[str, str]:
    """The parts of a text by their headings."""
    _, *found = re.split(rf"^{mark} (.*)\n", text, flags=re.MULTILINE)
    assert len(set(found[::2])) == len(found[::2])
    return dict(zip(found[::2], found[1::2], strict=True))


VERSIONS = parts(text_of(CHANGELOG), "##")


def released() -> list[tuple[list[int], date]]:
    """The released versions with their dates, as they stand."""
    _, *headings = VERSIONS
    split = [heading.partition(" - ")[::2] for heading in headings]
    return [
        ([*map(int, number.split("."))], date.fromisoformat(day))
        for number, day in split
    ]


def test_the_changelog_begins_with_what_is_not_released() -> None:
    first, *headings = VERSIONS
    assert first == "Unreleased"
    assert headings[0].startswith(f"{VERSION} - ")
    assert (
        "versions.md#versions-of-this-server)" in text_of(CHANGELOG).partition("##")[0]
    )


def test_versions_are_dated_and_the_latest_comes_first() -> None:
    for (later, day), (earlier, before) in pairwise(released()):
        assert later > earlier
        assert day >= before


@pytest.mark.parametrize("version", VERSIONS)
def test_changes_are_of_a_kind_each_and_in_order(version: str) -> None:
    kinds = parts(VERSIONS[version], "###")
    assert list(kinds) == [kind for kind in KINDS if kind in kinds]
    for text in kinds.values():
        items = re.split(r"^- ", text.strip(), flags=re.MULTILINE)
        assert items[0] == ""
        assert all(item.strip() and "\n\n" not in item.strip() for item in items[1:])
        assert all(re.match("  |- ", line) for line in text.split("\n") if line)


def test_the_page_about_versions_says_which_python() -> None:
    page = text_of(DOCS / "reference" / "versions.md")
    assert f"`{PROJECT['requires-python']}`" in page


@pytest.mark.ci
def test_what_was_stable_is_there_or_told_to_be_gone() -> None:
    kinds = parts(VERSIONS["Unreleased"], "###")
    told = " ".join(kinds.get(kind, "") for kind in ("Changed", "Removed", "Security"))
    lost = set(stable.recorded()) - set(stable.names())
    # A command that is gone takes its options with it.
    gone = sorted(each for each in lost if stable.command_of(each) not in lost)
    # By `GET /__admin/health` of a route; of `alter set` or `--host` by the last word.
    names = {each: (each.partition(": ")[2], each.split()[-1]) for each in gone}
    silent = [each for each in gone if not any(f"`{n}" in told for n in names[each])]
    assert silent == []


@pytest.mark.ci
def test_what_is_stable_is_found_in_all_places() -> None:
    places = {name.partition(": ")[0] for name in stable.names()}
    assert places >= {"choices", "commands", "faults", "routes", "settings", "python"}
    assert {"plugin, fixture: mock_server", "python: mock_server.MockServer"} <= set(
        stable.recorded()
    )


def notes(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / ".ci" / "release-notes"), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """What a release looks at, as it is when all is done."""
    for name in (".ci/release-notes", "mock_server/__init__.py"):
        (tmp_path / name).parent.mkdir()
        shutil.copy(ROOT / name, tmp_path / name)
    log = tmp_path / ".github" / "CHANGELOG.md"
    log.parent.mkdir(parents=True)
    log.write_text(
        f"## Unreleased\n\n## {VERSION} - 2026-01-31\n\n### Fixed\n\n- It.\n"
    )
    (tmp_path / "pyproject.toml").write_text(f'[project.urls]\nSource = "{ADDRESS}"\n')
    return tmp_path


def test_a_release_is_told_what_the_changelog_says(ready: Path) -> None:
    done = notes(ready, f"v{VERSION}", ADDRESS)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "### Fixed\n\n- It.\n"


def test_a_release_that_is_not_ready_is_told_all_that_is_missing(ready: Path) -> None:
    log = ready / ".github" / "CHANGELOG.md"
    log.write_text(log.read_text().replace("Unreleased\n", "Unreleased\n\n- More.\n"))
    done = notes(ready, "v99.0.0", "https://elsewhere.invalid")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"Expected the tag v{VERSION}, got v99.0.0 - at mock_server/__init__.py",
        "Expected a heading `## 99.0.0 - YYYY-MM-DD`, "
        f"got Unreleased, {VERSION} - 2026-01-31 - at .github/CHANGELOG.md",
        "Expected nothing under Unreleased, got changes - at .github/CHANGELOG.md",
        f"Expected https://elsewhere.invalid, got {ADDRESS} "
        "- at pyproject.toml, [project.urls]",
    ]
