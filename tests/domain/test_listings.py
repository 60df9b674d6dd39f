"""Searches in a listing against a plain reading of what they ask for."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.index import Listing, Search
from mock_server.domain.records import Collection

tags = st.lists(st.sampled_from("abc"), max_size=3).map(tuple)
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
    folders_only=st.booleans(),
    tags=tags,
).filter(lambda search: search.term or search.folders_only or search.tags)


def matches(search: Search, item: Collection) -> bool:
    """Whether a collection is what a search asks for."""
    return (
        search.term in item.name
        and (item.type == "folder" or not search.folders_only)
        and (not search.tags or bool({*search.tags} & {*item.tags}))
    )


@given(collections, st.lists(searches, min_size=1, max_size=6))
def test_a_search_finds_what_it_asks_for_in_order(
    items: list[Collection], asked: list[Search]
) -> None:
    listing: Any = Listing(items)
    for search in [*asked, *asked]:
        expected = [item for item in items if matches(search, item)]
        assert list(listing.find(search, 2)[:]) == expected
