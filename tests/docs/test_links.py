"""Links in the documentation lead somewhere; nothing is asked of the network."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import DOCS, INTERFACE, PAGES, anchors, links, name_of

pages = pytest.mark.parametrize("page", PAGES, ids=map(name_of, PAGES))


@pages
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if link.startswith(("https://", "http://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)}: {link}"
        if anchor:
            assert anchor in anchors(target), f"{name_of(page)}: {link}"


def test_every_page_is_in_the_table_of_contents() -> None:
    start = DOCS / "README.md"
    targets = {(start.parent / link).resolve() for link in links(start)}
    pages = {page for page in PAGES if DOCS in page.parents}
    assert pages - targets - {start} == set()


def test_the_sections_of_the_interface_are_all_there() -> None:
    numbers = [
        heading.split()[0].rstrip(".") for heading in anchors(INTERFACE).values()
    ]
    wanted = ["1", "2", "2.1", "2.2", "2.3", "3", "4", "4.1", "4.2", *"56789"]
    assert [number for number in numbers if number[0].isdigit()] == wanted
