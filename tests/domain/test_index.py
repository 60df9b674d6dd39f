"""Listings and searches in them, against a plain reading of what they ask for."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from functools import partial
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.objects.dataset import Dataset, Tree
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.haystack import (
    Haystack,
    fold,
    fold_in_steps,
    folded_beginning,
)
from mock_server.domain.objects.index import (
    ANYWHERE,
    Listing,
    Scope,
    Search,
    TagIndex,
    is_folder,
)
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import STEP, complete
from tests.domain.ready import ready

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(words)
def test_folding_twice_changes_nothing(word: str) -> None:
    assert fold(fold(word)) == fold(word)


marks = st.text(
    "aé한ᾳİ\u0300\u0301\u0323\u0327\u0344\u0345\u05b0\u0f71\u0f73\u0f75\u0f81\u3099"
)
long_runs = st.text("\u0300\u0301\u0323\u0327\u0344\u0f71\u0f73\u0f81", min_size=29)
syllables = st.text("\u1100\u1161\u11a8가각\u0cc6\u0cc2\u0cd5\u0dd9\u0dcf\u0dca")
texts = st.lists(st.one_of(words, marks, long_runs, syllables), max_size=4).map("".join)


@given(texts)
def test_folds_as_unicode_says_whatever_the_marks(text: str) -> None:
    assert fold(text) == normalize("NFC", normalize("NFC", text).casefold())


@given(texts)
def test_a_beginning_is_folded_as_the_whole_is_where_there_is_room(text: str) -> None:
    assert folded_beginning(text, 32 * len(text) + 1)[0] == fold(text)
    longer = "\u6587" * 1_022 + text  # a part ends in the text
    assert folded_beginning(longer, 32 * len(longer) + 1)[0] == fold(longer)


@pytest.mark.ci
@given(texts)
def test_a_text_that_is_folded_in_steps_is_folded_as_a_whole(text: str) -> None:
    longer = "\u6587" * 8_190 + text  # a step ends in the text, or after it
    folded, _ = complete(fold_in_steps(longer, 32 * len(longer) + 1))
    assert folded == fold(longer)


@pytest.mark.parametrize("syllable", ["\u1100\u1161\u11a8", "\u0cc6\u0cc2\u0cd5"])
@pytest.mark.parametrize("offset", range(3))
def test_no_step_ends_in_a_syllable(syllable: str, offset: int) -> None:
    text = "x" * offset + syllable * 6_000
    folded, _ = complete(fold_in_steps(text, 32 * len(text) + 1))
    assert folded == fold(text)
    assert found([[text]], fold(syllable) * 6_000) == [0]


@pytest.mark.ci
def test_folding_every_character_twice_changes_nothing() -> None:
    points = [*range(0xD800), *range(0xE000, 0x110000)]
    assert [p for p in points if fold(fold(chr(p))) != fold(chr(p))] == []


def found(items: Iterable[Iterable[str]], term: str) -> list[int]:
    """The indices of the items that contain a term."""
    return list(complete(complete(Haystack.from_items(items)).find(term)))


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
    assert found([[name]], term) == [0]


@given(st.lists(st.lists(words, max_size=3), max_size=8), words.filter(bool))
def test_finds_each_item_once_and_in_order(items: list[list[str]], term: str) -> None:
    expected = [
        index
        for index, texts in enumerate(items)
        if any(fold(term) in fold(text) for text in texts)
    ]
    assert found(items, term) == expected


runs = st.tuples(st.integers(0, 5_000), st.integers(1, 40))


@given(st.lists(runs, max_size=4))
def test_hits_are_found_where_they_are_dense_and_sparse(
    runs: list[tuple[int, int]],
) -> None:
    hits = [n % every == 0 for length, every in runs for n in range(length)]
    items = [["a hit" if hit else "none"] for hit in hits]
    assert found(items, "hit") == [n for n, hit in enumerate(hits) if hit]


def test_a_term_never_matches_across_two_texts() -> None:
    for term in ("redblue", "red blue", "db", "bluegreen", "eg"):
        assert not found([["red", "blue"], ["green"]], term)


# Some of them hold what is looked for in names alone.
tags = st.lists(st.sampled_from(["a", "x", "yx"]), max_size=3).map(tuple)
collections = st.lists(
    st.builds(
        lambda name, kind, tags: Collection("id", name, type=kind, tags=tags),
        name=st.text("xy", max_size=3),
        kind=st.sampled_from(["folder", "link"]),
        tags=tags,
    ),
    max_size=8,
)
searches = st.builds(
    Search,
    term=st.text("xy", max_size=2),
    fields=st.just("name"),
    conditions=st.sampled_from([(), (is_folder,)]),
    tags=tags,
).filter(lambda search: search.term or search.conditions or search.tags)


def matches(search: Search, item: Collection) -> bool:
    """Whether a collection is what a search asks for."""
    return (
        search.term in item.name
        and (item.type == "folder" or not search.conditions)
        and (not search.tags or bool({*search.tags} & {*item.tags}))
    )


@given(collections, st.lists(searches, min_size=1, max_size=6))
def test_a_search_finds_what_it_asks_for_in_order(
    items: list[Collection], asked: list[Search]
) -> None:
    listing: Any = Listing(items)
    for search in [*asked, *asked]:
        expected = [item for item in items if matches(search, item)]
        assert list(ready(partial(listing.find, search, 2))) == expected


@pytest.mark.ci
def test_an_index_of_many_tags_makes_no_object_for_each() -> None:
    count = 4 * STEP
    tags = [(f"a{n}", f"b{n}", "all", f"a{n}") for n in range(count)]
    items = [Collection("id", "name", tags=each) for each in tags]
    gc.collect()
    before = len(gc.get_objects())
    index = complete(TagIndex.from_items(items))
    assert len(gc.get_objects()) - before < 100
    for tag, expected in (("b7", [7]), ("a9", [9]), ("all", range(count)), ("c", ())):
        assert list(complete(index.find(tag, items))) == list(expected)


def test_the_latest_results_are_kept() -> None:
    listing = Listing([Collection("x", "X"), Collection("y", "Y")])
    one, two, three = (Search(term) for term in "xyz")
    kept = {search: listing.find(search, 2) for search in (one, two)}
    assert listing.find(one, 2) is kept[one]
    listing.find(three, 2)
    assert listing.find(one, 2) is kept[one]
    assert listing.find(two, 2) is not kept[two]


def test_what_is_large_is_folded_before_the_first_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside = [Collection(f"{n}", f"N{n}", parent_id="f") for n in range(600)]
    tree = Tree([Collection("f", "F"), *inside])
    FixtureData(datasets={"d": Dataset("d", tree=tree)}).prepare("name")
    monkeypatch.setattr(Haystack, "from_items", None)
    parts: list[Scope] = [ANYWHERE, "f"]
    for within in parts:
        assert len(tree.listing(within, "name").find(Search("n59"), 1)) == 11
