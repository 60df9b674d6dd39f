"""The table of planted bugs, by subject, as `bugs.txt` has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.docs.cells import code
from tests.docs.pages import Table
from tests.planted.bug import Bug


def _subjects() -> Iterator[tuple[str, tuple[Bug, ...]]]:
    text = Path(__file__).with_name("bugs.txt").read_text(encoding="utf-8")
    for part in text.split("\n== ")[1:]:
        subject, *bugs = part.rstrip("\n").split("\n\n")
        yield subject, tuple(_bug(each.split("\n")) for each in bugs)


def _bug(lines: list[str]) -> Bug:
    """The bug that is written as a name, a module, a difference and a test."""
    name, file, *changed, caught_by = lines
    old, new = (
        "\n".join(line[2:] for line in changed if line[0] == sign) for sign in "-+"
    )
    return Bug(name, file, old, new, caught_by)


BUGS: Mapping[str, tuple[Bug, ...]] = dict(_subjects())
ALL = tuple(bug for bugs in BUGS.values() for bug in bugs)


def planted_table() -> Table:
    """What is planted where, and which test catches it."""
    rows = [
        (subject, bug.name, code(bug.file), _caught_by(bug))
        for subject, bugs in BUGS.items()
        for bug in bugs
    ]
    return Table(
        ("of", "planted bug", "in `mock_server/`", "caught in `tests/` by"), rows
    )


def _caught_by(bug: Bug) -> str:
    """The test, or the text and the title of a story."""
    _, is_story, story = bug.caught_by.partition("stories.py::test_a_story")
    if not is_story:
        return code(bug.test.removeprefix("tests/"))
    name, _, title = story.partition("asgi-")[2].removesuffix("]").partition(": ")
    return f"{code(f'stories/{name}.txt')}: {title}"
