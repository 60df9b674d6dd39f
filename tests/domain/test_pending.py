"""What is made in steps, next to what is made at once."""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.objects.dataset import Tree
from mock_server.domain.objects.index import ANYWHERE, Order, Search, is_folder
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import (
    FIRST_STEPS,
    STEP,
    NotReady,
    Pending,
    Steps,
    complete,
    compute,
    sort_in_steps,
)
from tests.domain.ready import ready

SLOW = 4 * STEP
LARGE = [
    Collection(
        f"{n * 7_919 % SLOW:05}",
        f"Name {n * 31 % 997}",
        parent_id=None if n % 3 else "folder",
        type="link" if n % 5 else "folder",
        tags=("red",) if n % 2 else ("blue", "blue", f"{n % 11}"),
        update_time=n * 13 % 101,
    )
    for n in range(SLOW)
]
SEARCHES = [
    Search("9"),
    Search("name"),
    Search("re"),
    Search("re", "name"),
    Search(conditions=(is_folder,)),
    Search(tags=("blue",)),
    Search(tags=("3", "red", "none")),
    Search(tags=("none",)),
    Search("99", conditions=(is_folder,), tags=("3", "4")),
]
ORDERS: list[Order] = ["update_time_desc", "name", "fixture"]


@given(st.lists(st.integers(0, 99)), st.integers(1, 300))
def test_sorting_in_steps_sorts(numbers: list[int], times: int) -> None:
    items = [(number, at) for at, number in enumerate(numbers * times)]
    assert complete(sort_in_steps(items, lambda it: it)) == sorted(items)


@pytest.mark.ci
def test_no_step_of_a_sort_takes_long_whatever_the_order() -> None:
    calls, most = 0, 0

    def key(number: int) -> tuple[bool, int]:
        nonlocal calls
        calls += 1
        return number % 256 > 0, number

    for _ in Pending(sort_in_steps(range(50 * STEP), key)):
        calls, most = 0, max(most, calls)
    assert 0 < most <= 2 * STEP


@pytest.mark.ci
def test_the_collector_passes_over_little_of_what_is_sorted() -> None:
    numbers, passed = list(range(50 * STEP)), [0]

    def look(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] < 2:
            ages = range(info["generation"] + 1)
            young = [each for age in ages for each in gc.get_objects(age)]
            passed.append(sum(len(each) for each in young if type(each) is list))

    gc.collect()
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)  # as in a server
    gc.callbacks.append(look)
    try:
        complete(sort_in_steps(numbers, lambda it: (it, "")))
    finally:
        gc.callbacks.remove(look)
        gc.set_threshold(*before)
    assert 0 < max(passed) < len(numbers) / 4


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("folder", [None, "folder", ANYWHERE])
def test_an_order_made_in_steps_is_that_made_at_once(order: Order, folder: Any) -> None:
    at_once, tree = Tree(LARGE), Tree(LARGE)
    at_once.large(order)
    wanted = ready(lambda: at_once.listing(folder, order)).items
    assert list(ready(lambda: tree.listing(folder, order)).items) == list(wanted)


@pytest.mark.parametrize("order", ORDERS)
def test_a_sorted_dataset_knows_the_numbers_of_all(order: Order) -> None:
    tree = Tree(LARGE)
    tree.large(order)
    assert [*map(tree.number, LARGE)] == [*range(len(LARGE))]
    assert list(tree.listing(ANYWHERE, "fixture").items) == LARGE


@pytest.fixture(scope="module", params=ORDERS)
def ordered(request: pytest.FixtureRequest) -> tuple[Tree, Order]:
    """A tree of which only the names are folded, and an order."""
    tree = Tree(LARGE)
    tree.large("name")
    return tree, request.param


@pytest.mark.parametrize("search", SEARCHES)
def test_a_search_in_steps_finds_what_matches(
    ordered: tuple[Tree, Order], search: Search
) -> None:
    tree, order = ordered
    found = ready(lambda: tree.search(ANYWHERE, order, search, 1)[1])
    everything = ready(lambda: tree.listing(ANYWHERE, order)).items
    wanted = [
        it for it in everything if search.matches(it, [it.name.lower(), *it.tags])
    ]
    assert list(found) == wanted


def test_what_is_large_is_not_made_at_once() -> None:
    tree = Tree(LARGE)
    with pytest.raises(NotReady):
        tree.listing(ANYWHERE, "name")
    tree.large("name")
    with pytest.raises(NotReady):
        tree.search(ANYWHERE, "name", Search("9"), 4)


UPTO = FIRST_STEPS + 5


def counting(upto: int) -> Steps[int]:
    for _ in range(upto):
        yield
    return upto


def test_a_value_is_made_once_for_all_who_wait() -> None:
    owner = Owner()
    one, other = (waiting(owner) for _ in range(2))
    assert one is other
    assert len([*islice(one, 3)]) == 3
    assert len([*other]) == UPTO + 1 - FIRST_STEPS - 3
    assert compute(owner, "sum", counting(UPTO)) == UPTO


class Owner:
    """Has a value that takes steps."""


def waiting(
    owner: Owner, steps: Callable[[int], Steps[int]] = counting
) -> Pending[Any]:
    try:
        compute(owner, "sum", steps(UPTO))
    except NotReady as error:
        return error.pending
    raise AssertionError


def test_what_nobody_waits_for_is_let_go() -> None:
    owner, steps = Owner(), counting(UPTO)
    with suppress(NotReady):
        compute(owner, "sum", steps)
    let_go = ref(steps)
    del steps
    assert let_go() is None


def failing(upto: int) -> Steps[int]:
    yield from counting(upto)
    raise MemoryError


def test_what_fails_is_told_once_and_made_again() -> None:
    owner = Owner()
    pending = waiting(owner, failing)
    deque(pending)
    with pytest.raises(MemoryError):
        compute(owner, "sum", counting(UPTO))
    assert ready(lambda: compute(owner, "sum", counting(UPTO))) == UPTO


def test_threads_that_want_the_same_all_get_it() -> None:
    at_once, tree = Tree(LARGE), Tree(LARGE)

    def items_of(tree: Tree, order: Order) -> list[Collection]:
        return [*ready(lambda: tree.listing(ANYWHERE, order)).items]

    wanted = {order: items_of(at_once, order) for order in ORDERS}
    orders = ORDERS * 4
    with ThreadPoolExecutor(len(orders)) as threads:
        for order, items in zip(
            orders, threads.map(partial(items_of, tree), orders), strict=True
        ):
            assert items == wanted[order]
