"""What is shown of other languages stands in projects that the long tests run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import DOCS, OTHERS, PAGES, Block, blocks, links, name_of

PROJECTS = DOCS / "examples"
GENERATED = {"admin.d.ts", "admin", "node_modules", "test-results", "target"}
SHOWING = [page for page in PAGES if blocks(page, *OTHERS)]
FILES = [
    path
    for path in sorted(PROJECTS.rglob("*"))
    if path.is_file() and not GENERATED.intersection(path.parts)
]


def is_text(page: Path, block: Block) -> bool:
    """Whether a block is a part of a file, or of a language that is said not to run."""
    is_marked = "have not been run" in " ".join(page.read_text().split())
    if block.language in ("csharp", "rust"):
        return is_marked
    return any(block.text in path.read_text() for path in near(page))


@pytest.mark.parametrize("page", SHOWING, ids=name_of)
def test_a_file_of_a_project_is_shown_as_it_is(page: Path) -> None:
    for block in blocks(page, *OTHERS):
        if block.file:
            (path,) = (each for each in near(page) if each.name == block.file)
            assert block.text == path.read_text()
        else:
            assert is_text(page, block), block.text


def near(page: Path) -> list[Path]:
    """The files of the projects to which a page links."""
    folders = {(page.parent / link).resolve() for link in links(page)}
    return [each for each in FILES if not folders.isdisjoint(each.parents)]


def test_each_project_is_linked() -> None:
    linked = [each for page in PAGES for each in near(page)]
    assert sorted(linked) == FILES
