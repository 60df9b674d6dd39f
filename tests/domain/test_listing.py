"""Pages, orders and searches over any tree."""

from __future__ import annotations

from random import Random
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET, UnsetType

from mock_server.domain.access import Caller, Level
from mock_server.domain.call import (
    Call,
)
from mock_server.domain.choices.choosing import choose
from mock_server.domain.clock import Environment
from mock_server.domain.listing.list_v2 import Page, list_v2
from mock_server.domain.listing.request import ListV2
from mock_server.domain.objects.dataset import Dataset, Tree
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import Collection
from mock_server.domain.sandboxes.sandbox import Sandbox

OWNER, NOBODY = Caller("any"), Caller("nobody", level=Level.NONE)
texts = st.text(st.sampled_from("aAbßéeſ\u0301 .*"), max_size=6)

OUTSIDE = Environment(lambda: 0, lambda: 0.0, lambda: "secret")


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """Collections under each other, with few names, times and tags, so with ties."""
    collections: list[Collection] = []
    for number in range(draw(st.integers(0, 40))):
        above = [None, *(each.id for each in collections)]
        collections.append(
            Collection(
                id=f"{draw(st.integers(0, 9))}-{number}",
                name=draw(texts),
                parent_id=draw(st.sampled_from(above)),
                update_time=draw(st.integers(0, 3)),
                tags=tuple(draw(st.lists(texts, max_size=2))),
            )
        )
    return Dataset("d", tree=Tree(collections))


def listed(
    dataset: Dataset,
    order: str = "update_time_desc",
    parent: str | UnsetType | None = UNSET,
    search: str = "",
    offset: int = 0,
    size: int = 2**53,
) -> Page[Collection]:
    generation = FixtureData(datasets={"d": dataset})
    sandbox = Sandbox(
        generation, "documented", choose(choices={"list_order": order}), OUTSIDE
    )
    request = ListV2("d", offset, size, parent, search)
    return list_v2(Call.for_caller(sandbox.state, OWNER), request)


def test_a_key_that_may_only_read_may_list() -> None:
    generation = FixtureData(datasets={"d": Dataset("d")})
    state = Sandbox(generation, "documented", choose(), OUTSIDE).state
    reader = Caller("reader", level=Level.READ)
    page = list_v2(Call.for_caller(state, reader), ListV2("d", 0, 10))
    assert (page.total, page.level) == (0, Level.READ)


@given(datasets(), st.integers(1, 30))
def test_pages_joined_are_the_whole_list(dataset: Dataset, size: int) -> None:
    whole = listed(dataset)
    pages = [
        listed(dataset, offset=offset, size=size)
        for offset in range(0, whole.total + size, size)
    ]
    joined = [item for page in pages for item in page.items]
    assert joined == list(whole.items)
    assert all(page.total == whole.total == len(joined) for page in pages)


@given(datasets(), st.sampled_from(["update_time_desc", "name", "fixture"]))
def test_folders_joined_are_the_whole_list(dataset: Dataset, order: str) -> None:
    parents = [None, *(each.id for each in dataset.tree.collections)]
    found = [
        item for parent in parents for item in listed(dataset, order, parent).items
    ]
    assert sorted(each.id for each in found) == sorted(
        each.id for each in listed(dataset, order).items
    )


@pytest.mark.ci
@given(datasets(), st.randoms(use_true_random=False))
def test_order_does_not_depend_on_the_document(
    dataset: Dataset, random: Random
) -> None:
    shuffled = list(dataset.tree.collections)
    random.shuffle(shuffled)
    other = Dataset("d", tree=Tree(shuffled))
    for order in ("update_time_desc", "name"):
        assert listed(dataset, order).items == listed(other, order).items


@given(datasets(), texts)
def test_search_finds_what_a_plain_loop_finds(dataset: Dataset, term: str) -> None:
    def fold(text: str) -> str:
        return normalize("NFC", normalize("NFC", text).casefold())

    expected = [
        item
        for item in listed(dataset).items
        if any(fold(term) in fold(text) for text in (item.name, *item.tags))
    ]
    assert list(listed(dataset, search=term).items) == expected
