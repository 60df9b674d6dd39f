"""Folding and the haystack."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.index import Haystack, fold

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(words)
def test_folding_twice_changes_nothing(word: str) -> None:
    assert fold(fold(word)) == fold(word)


def test_folding_every_character_twice_changes_nothing() -> None:
    points = [*range(0xD800), *range(0xE000, 0x110000)]
    assert [p for p in points if fold(fold(chr(p))) != fold(chr(p))] == []


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("STRASSE", "straße"),
        ("café", "CAFE\u0301"),
        ("cafe\u0301", "CAFÉ"),
        ("ΣΑΣ", "σας"),
        ("ﬁne", "FI"),
        ("K", "\u212a"),
        ("ſ", "S"),
        ("测试的", "试"),
        ("a😀b", "😀"),
        ("nul\x00led", "\x00"),
    ],
)
def test_case_and_composition_do_not_matter(name: str, term: str) -> None:
    assert list(Haystack([[name]]).find(term)) == [0]


@given(st.lists(st.lists(words, max_size=3), max_size=8), words.filter(bool))
def test_finds_each_item_once_and_in_order(items: list[list[str]], term: str) -> None:
    expected = [
        index
        for index, texts in enumerate(items)
        if any(fold(term) in fold(text) for text in texts)
    ]
    assert list(Haystack(items).find(term)) == expected


runs = st.tuples(st.integers(0, 5_000), st.integers(1, 40))


@given(st.lists(runs, max_size=4))
def test_hits_are_found_where_they_are_dense_and_sparse(
    runs: list[tuple[int, int]],
) -> None:
    hits = [n % every == 0 for length, every in runs for n in range(length)]
    haystack = Haystack([["a hit" if hit else "none"] for hit in hits])
    assert list(haystack.find("hit")) == [n for n, hit in enumerate(hits) if hit]


def test_a_term_never_matches_across_two_texts() -> None:
    haystack = Haystack([["red", "blue"], ["green"]])
    for term in ("redblue", "red blue", "db", "bluegreen", "eg"):
        assert not haystack.find(term)
