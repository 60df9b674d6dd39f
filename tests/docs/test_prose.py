"""Sentences become no harder to read: see "Words" in CONTRIBUTING."""

from __future__ import annotations

import pytest

from tests.docs.pages import DOCS, PAGES, prose, tables
from tests.docs.prose import PATTERNS, counted, recorded

MOST_PAGES, MOST_WORDS = 32, 35_000
MOST_IN_CHANGELOG = 2_500


@pytest.mark.ci
def test_no_pattern_becomes_more_frequent() -> None:
    kept = recorded()
    grown = [f"{key}: {n}" for key, n in counted().items() if n > kept.get(key, 0)]
    assert grown == [], "write these in another way: python -m tests.docs.prose"


def test_each_pattern_is_looked_for() -> None:
    found = {key.rpartition(" ")[2] for key in recorded()}
    assert found <= {*PATTERNS, "definition"}


def test_the_documentation_stays_within_its_bounds() -> None:
    pages = [page for page in PAGES if DOCS in page.parents]
    assert len(pages) <= MOST_PAGES
    assert sum(len(page.read_text().split()) for page in pages) <= MOST_WORDS


def test_the_changelog_of_what_is_not_released_is_short() -> None:
    (page,) = (it for it in PAGES if it.name == "CHANGELOG.md")
    unreleased = prose(page).partition("## Unreleased")[2].partition("\n## ")[0]
    assert len(unreleased.split()) <= MOST_IN_CHANGELOG
    assert not list(tables(page))
