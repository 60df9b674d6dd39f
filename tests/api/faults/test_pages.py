"""Pages that are not true, against what a changed list would really have shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mock_server.api.faults.duplicate_item import with_repeated_item
from mock_server.api.faults.page_drift import drifted_page
from mock_server.api.faults.wrong_total import with_wrong_total
from mock_server.domain.access import Level
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.models import Collection

ITEMS = [Collection(str(number), "x") for number in range(12)]
sizes = st.integers(1, 5)
offsets = st.integers(0, 14)


def page(offset: int, size: int) -> Page[Collection]:
    items = ITEMS[offset : offset + size]
    return Page(items, len(ITEMS), Level.READ, ITEMS, offset, size)


def ids(page: Page[Collection]) -> list[str]:
    return [item.id for item in page.items]


@given(offsets, sizes, st.integers(0, 14), st.integers(1, 3))
def test_items_that_vanish_shift_what_comes_after(
    offset: int, size: int, at: int, remove: int
) -> None:
    before = page(offset, size)
    after = drifted_page(before, at, [], remove)
    left = [item.id for item in ITEMS[:at] + ITEMS[at + remove :]]
    assert ids(after) == left[offset : offset + size]
    assert after.total == len(left)


@given(offsets, sizes, st.integers(0, 14), st.integers(1, 3))
def test_items_that_appear_shift_what_comes_after(
    offset: int, size: int, at: int, insert: int
) -> None:
    before = page(offset, size)
    new = [Collection(f"appeared-{number}", "x") for number in range(insert)]
    after = drifted_page(before, at, new, 0)
    assert after.total == len(ITEMS) + insert
    assert len(after.items) <= size
    old = [each for each in ids(after) if not each.startswith("appeared")]
    assert old == [each for each in old if each in {item.id for item in ITEMS}]
    if offset >= at + insert:
        assert ids(after) == [item.id for item in ITEMS][offset - insert :][:size]


@given(st.integers(1, 11), sizes)
def test_a_doubled_item_is_the_last_of_the_page_before(offset: int, size: int) -> None:
    before = page(offset, size)
    after = with_repeated_item(before)
    assert after.items[0] is ITEMS[offset - 1]
    assert len(after.items) <= size
    assert after.total == len(ITEMS)


def test_a_first_page_doubles_its_own_first_item() -> None:
    assert ids(with_repeated_item(page(0, 3))) == ["0", "0", "1"]


def test_an_empty_page_stays_empty() -> None:
    assert ids(with_repeated_item(page(20, 3))) == []


def test_a_total_is_never_negative() -> None:
    assert with_wrong_total(page(0, 3), -5).total == 7
    assert with_wrong_total(page(0, 3), -99).total == 0


def test_a_page_of_any_list_drifts_without_a_look_at_all_of_it() -> None:
    many = range(10**12)
    before = Page(many[5:8], len(many), Level.READ, many, 5, 3)
    after = drifted_page(before, 6, [-1], 0)
    assert (after.items, after.total) == ([5, -1, 6], 10**12 + 1)
