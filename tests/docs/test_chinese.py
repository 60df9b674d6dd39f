"""The first tier in Chinese says what the English pages say, part by part."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.chinese import CHINESE, TRANSLATED, original, shape, with_blocks
from tests.docs.pages import DOCS, anchors, links, name_of, text_of

pages = pytest.mark.parametrize("page", TRANSLATED, ids=name_of)


def first_tier() -> set[Path]:
    """The pages that the table of contents puts first."""
    first = text_of(DOCS / "README.md").partition("## Guides")[0]
    found = {DOCS / link for link in re.findall(r"^\d\. \[.*?\]\((.*?)\)", first, re.M)}
    assert len(found) == 8
    return found


def test_the_first_tier_is_translated() -> None:
    assert {original(page) for page in TRANSLATED} == first_tier()


@pages
def test_a_page_has_the_parts_of_the_english_one(page: Path) -> None:
    assert shape(page) == shape(original(page))
    renew = f"renew the blocks of {name_of(page)} by `python -m tests.docs`"
    assert text_of(page) == with_blocks(page), renew


@pytest.mark.parametrize("page", sorted(CHINESE.rglob("*.md")), ids=name_of)
def test_links_of_chinese_pages_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if not link.startswith(("https://", "http://")):
            path, _, anchor = link.partition("#")
            target = (page.parent / path).resolve() if path else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link
