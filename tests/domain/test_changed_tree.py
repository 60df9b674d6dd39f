"""A changed tree, against trees that are made anew from a plain list."""

from __future__ import annotations

import tracemalloc
from collections import deque
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from mock_server.domain.errors import LimitReached
from mock_server.domain.memory import Memory, MemoryCharge
from mock_server.domain.objects.dataset import Tree
from mock_server.domain.objects.folder_tree import FolderTree
from mock_server.domain.objects.index import (
    ANYWHERE,
    SORT_KEYS,
    Order,
    Scope,
    Search,
    is_folder,
)
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import NotReady, Pending, complete
from mock_server.domain.storage.changed_listing import ORDERS
from mock_server.domain.storage.changed_tree import ChangedTree
from mock_server.domain.storage.merged import MAX_MOVED_PLACES, ChangeLog, Differences
from tests.domain.ready import ready

IDS = list("abcdefgh")
FOLDERS: list[str | None] = [None, *"abcde"]
WITHIN: list[Scope] = [ANYWHERE, *FOLDERS]
SEARCHES = [
    Search("x"),
    Search("X", "name"),
    Search("ß"),
    Search(conditions=(is_folder,), fields="name"),
    Search(tags=("x", "t")),
    Search("y", tags=("t",), conditions=(is_folder,)),
    Search(value=("name", "x"), conditions=(is_folder,)),
]
KEPT = 3
PartOf = tuple[Order, Scope]


def in_no_circle(item: Collection) -> Collection:
    """The collection, in a folder whose id comes before its own."""
    return item if (item.parent_id or "") < item.id else replace(item, parent_id=None)


collections = st.builds(
    Collection,
    id=st.sampled_from(IDS),
    name=st.sampled_from(["x", "XY", "y", "ssy", "z"]),
    parent_id=st.sampled_from(FOLDERS),
    type=st.sampled_from(["folder", "virtual"]),
    update_time=st.integers(0, 3),
    tags=st.lists(st.sampled_from(["x", "t", "ß"]), max_size=2).map(tuple),
).map(in_no_circle)
trees = st.lists(collections, max_size=8, unique_by=lambda item: item.id)
parts = st.tuples(st.sampled_from(ORDERS), st.sampled_from(WITHIN))


class HidingTree(ChangedTree):
    """One to which any folder is a large one."""

    max_single_removals = 0


def without(items: list[Collection], ids: Iterable[str]) -> list[Collection]:
    """The list without some collections, and without what is below them."""
    gone = {item.id for item in items if item.id in set(ids)}
    while more := {it.id for it in items if it.parent_id in gone} - gone:
        gone |= more
    return [item for item in items if item.id not in gone]


def levels_below(items: list[Collection], folder: str) -> int:
    """The number of levels of collections below a folder."""
    count, level = 0, {folder}
    while level := {item.id for item in items if item.parent_id in level}:
        count += 1
    return count


def new_charge() -> MemoryCharge:
    return Memory().charge("changes")


def changed(base: Tree) -> ChangedTree:
    return ChangedTree(base, new_charge())


def with_collection(items: list[Collection], new: Collection) -> list[Collection]:
    """The list with a collection in place of the one of its id, or at the end."""
    old = next((item for item in items if item.id == new.id), None)
    if old is not None and old.parent_id == new.parent_id:
        return [new if item is old else item for item in items]
    return [*(item for item in items if item is not old), new]


def check_part(
    tree: FolderTree, plain: FolderTree, part: PartOf, page: slice, kept: int = 2
) -> None:
    """What a part shows is what a tree that is made anew shows."""
    order, within = part
    found, expected = tree.listing(within, order), plain.listing(within, order)
    assert list(found.items) == list(expected.items)
    assert list(found.items[page]) == list(expected.items[page])
    assert len(found.items) == len(expected.items)
    for search in SEARCHES:
        hits = ready(partial(found.find, search, kept))
        wanted = ready(partial(expected.find, search, kept))
        assert (len(hits), list(hits[page])) == (len(wanted), list(wanted[page]))
        assert [hits[at] for at in range(len(hits))] == list(wanted[:])


class Changes(RuleBasedStateMachine):
    """Puts, moves, removals and copies, with parts looked at in between."""

    kind: type[ChangedTree] = ChangedTree

    @initialize(items=trees)
    def begin(self, items: list[Collection]) -> None:
        self.loaded = items
        self.base = Tree(items)
        charge = new_charge()
        tree = self.kind(self.base, charge)
        self.trees, self.charges = [(tree, list(items))], {tree: charge}

    @rule(new=collections, at=st.integers(0, 5))
    def put(self, new: Collection, at: int) -> None:
        tree, items = self.trees[at % len(self.trees)]
        loaded, present = {it.id for it in self.loaded}, {it.id for it in items}
        if new.parent_id in loaded - present:
            return  # nothing is put into a folder that was removed
        tree.put(new)
        items[:] = with_collection(items, new)

    @rule(ids=st.lists(st.sampled_from(IDS), max_size=3), at=st.integers(0, 5))
    def remove(self, ids: list[str], at: int) -> None:
        tree, items = self.trees[at % len(self.trees)]
        tree.remove(ids)
        items[:] = without(items, ids)

    @rule(at=st.integers(0, 5), takes_listings=st.booleans())
    def copy(self, at: int, takes_listings: bool) -> None:
        if len(self.trees) < 3:
            tree, items = self.trees[at % len(self.trees)]
            charge = self.charges[tree] if takes_listings else new_charge()
            copy = tree.copy(charge)
            self.charges[copy] = charge
            self.trees.append((copy, list(items)))

    @rule(
        part=parts,
        at=st.integers(0, 5),
        start=st.integers(-2, 9),
        size=st.integers(0, 9),
        step=st.sampled_from([None, 1, 2, -1]),
        # All are kept for the next look, or most are found anew.
        kept=st.sampled_from([2, len(SEARCHES), len(SEARCHES)]),
    )
    def look(
        self,
        part: PartOf,
        at: int,
        start: int,
        size: int,
        step: int | None,
        kept: int,
    ) -> None:
        tree, items = self.trees[at % len(self.trees)]
        check_part(tree, Tree(items), part, slice(start, start + size, step), kept)

    @invariant()
    def the_base_is_as_it_was(self) -> None:
        if hasattr(self, "base"):
            assert list(self.base) == self.loaded

    def teardown(self) -> None:
        for tree, items in getattr(self, "trees", []):
            plain = Tree(items)
            assert (len(tree), list(tree)) == (len(plain), items)
            assert [tree.get(each) for each in IDS] == [*map(plain.get, IDS)]
            assert [each in tree for each in IDS] == [each in plain for each in IDS]
            assert list(tree.collections) == items
            loaded = {item.id for item in self.loaded}
            assert tree.created == len({item.id for item in items} - loaded)
            for name in ("x", "z"):
                search = Search(value=("name", name))
                assert tree.first(search) == plain.first(search)
            for own_id in IDS:
                count = levels_below(items, own_id)
                wanted_levels = [level <= count for level in range(len(IDS))]
                inner = {each.id for each in plain.descendants(own_id)}
                assert {each.id for each in tree.descendants(own_id)} == inner
                assert complete(tree.ids_below(own_id, len(inner))) == inner
                assert complete(tree.ids_below(own_id, len(inner) - 1)) is None
                found = [plain.has_level(own_id, at) for at in range(len(IDS))]
                assert found == wanted_levels
                assert all(tree.has_level(own_id, at) for at in range(count + 1))
            for folder in FOLDERS:
                wanted = plain.listing(folder, "fixture").items
                assert set(tree.children(folder)) == set(wanted)
            for order in ORDERS:
                for within in WITHIN:
                    page = slice(1, 4)
                    check_part(tree, plain, (order, within), page, len(SEARCHES))


class HidingChanges(Changes):
    """The same, with folders hidden as a whole."""

    kind = HidingTree


TestChanges, TestHidingChanges = Changes.TestCase, HidingChanges.TestCase
TestChanges.settings = TestHidingChanges.settings = settings(stateful_step_count=25)


@pytest.mark.ci
@pytest.mark.parametrize("order", ORDERS)
def test_many_removals_at_once_and_one_by_one_are_the_same(order: Order) -> None:
    items = [
        Collection(f"{n:04}", f"{n % 7}x", update_time=n % 5) for n in range(2_000)
    ]
    gone = [item.id for item in items if int(item.id) % 3]
    tree, other = changed(Tree(items)), changed(Tree(items))
    tree.listing(ANYWHERE, order)
    tree.remove(gone)
    for each in gone[:300]:
        other.remove([each])
    other.remove(gone[300:])
    plain = Tree([item for item in items if item.id not in gone])
    for left in (tree, other):
        check_part(left, plain, (order, ANYWHERE), slice(300, 340))
        check_part(left, plain, (order, None), slice(0, 5))


def between_steps(work: Callable[[], Any], changes: Iterable[Callable[[], Any]]) -> Any:
    """Return the result of the work if each step of it is followed by a change."""
    ahead = iter(changes)
    while True:
        try:
            return work()
        except NotReady as error:
            pending = error.pending
        for _ in pending:
            next(ahead, int)()


def large_tree() -> ChangedTree:
    """Make a tree with many replaced collections and a hidden folder.

    The base is sorted and searched, so that only the changes take steps.
    """
    items = [Collection("f", "F", type="folder")]
    items += [Collection(f"h{n:04}", "x", parent_id="f") for n in range(300)]
    items += [
        Collection(f"{n:04}", f"x{n % 7}y", update_time=n % 5) for n in range(9_000)
    ]
    tree = changed(Tree(items))
    for order in ORDERS:
        listing = ready(partial(tree.loaded.listing, ANYWHERE, order))
        ready(partial(listing.find, Search("y"), KEPT))
    tree.put_all(
        [replace(each, name=f"y, long since {each.id}") for each in items[301:9_301:2]]
    )
    tree.remove(["f"])
    return tree


ids = st.integers(0, 8_999).map("{:04}".format)
renamed = st.builds(Collection, ids, st.sampled_from(["x", "y", "z"]))
new = st.builds(Collection, st.sampled_from(["n1", "n2"]), st.just("y"))
single_changes = st.lists(
    st.one_of(
        st.tuples(st.just("put"), st.one_of(renamed, new)),
        st.tuples(
            st.just("remove"), st.one_of(ids, st.just("n1")).map(lambda it: [it])
        ),
    ),
    max_size=30,
)


def in_order(tree: ChangedTree, order: Order) -> list[Collection]:
    items = list(tree)
    return items if order == "fixture" else sorted(items, key=SORT_KEYS[order])


@pytest.mark.ci
@settings(max_examples=20, deadline=None)
@given(st.sampled_from(ORDERS), single_changes, single_changes)
def test_what_changes_between_steps_is_shown(
    order: Order,
    while_listed: list[tuple[str, Any]],
    while_searched: list[tuple[str, Any]],
) -> None:
    tree = large_tree()
    made = [
        [partial(getattr(tree, method), value) for method, value in changes]
        for changes in (while_listed, while_searched)
    ]
    listing = between_steps(lambda: tree.listing(ANYWHERE, order), made[0])
    found = between_steps(lambda: listing.find(Search("y"), KEPT), made[1])
    wanted = in_order(tree, order)
    assert list(tree.listing(ANYWHERE, order).items) == list(wanted)
    assert list(found) == [each for each in wanted if "y" in each.name]


@pytest.mark.ci
@pytest.mark.parametrize("is_searched", [False, True], ids=["listed", "searched"])
def test_more_changes_than_are_noted_between_steps_are_shown(is_searched: bool) -> None:
    tree = large_tree()

    def change() -> None:
        for n in range(2_001):
            tree.put(Collection(f"{2 * n + 1:04}", "y"))

    if is_searched:
        ready(lambda: tree.listing(ANYWHERE, "name"))
    found = between_steps(
        lambda: tree.listing(ANYWHERE, "name").find(Search("y"), KEPT), [change]
    )
    wanted = in_order(tree, "name")
    assert list(found) == [each for each in wanted if "y" in each.name]


def test_a_copy_that_replaces_a_tree_takes_the_listings_over() -> None:
    charge = new_charge()
    tree = ChangedTree(Tree([Collection("a", "a")]), charge)
    tree.put(Collection("b", "b"))
    listing = tree.listing(ANYWHERE, "name")
    copy = tree.copy(charge)
    copy.put(Collection("c", "c"))
    assert copy.listing(ANYWHERE, "name") is listing
    assert [each.id for each in listing.items] == ["a", "b", "c"]
    assert [each.id for each in tree.listing(ANYWHERE, "name").items] == ["a", "b"]


@pytest.mark.parametrize("count", [1, 2_001])  # as many as are noted, or more
def test_a_listing_that_is_being_built_goes_with_the_copy(count: int) -> None:
    charge = new_charge()
    tree = large_tree().copy(charge)
    wanted = in_order(tree, "name")
    with pytest.raises(NotReady) as begun:
        tree.listing(ANYWHERE, "name")
    copy = tree.copy(charge)
    for n in range(count):
        copy.put(Collection(f"new {n}", "y"))
    with pytest.raises(NotReady) as waiting:
        copy.listing(ANYWHERE, "name")
    assert waiting.value.pending is begun.value.pending
    for each, expected in ((copy, in_order(copy, "name")), (tree, wanted)):
        listing = ready(partial(each.listing, ANYWHERE, "name"))
        assert list(listing.items) == expected


@pytest.mark.parametrize("kind", [ChangedTree, HidingTree])
def test_what_moved_into_an_empty_folder_goes_with_it(kind: type[ChangedTree]) -> None:
    pairs = ("p", None), ("x", "p"), ("a", None), ("b", "a")
    items = [Collection(own_id, "n", parent_id=parent) for own_id, parent in pairs]
    tree = kind(Tree(items), Memory().charge("changes"))
    tree.put(replace(items[2], parent_id="x"))
    assert [each.id for each in tree.descendants("p")] == ["x", "a", "b"]
    assert [tree.has_level("p", level) for level in (3, 4)] == [True, False]
    tree.remove(["p"])
    assert (len(tree), list(tree)) == (0, [])


def test_a_removal_of_too_many_changed_collections_is_refused() -> None:
    items = [Collection("p", "n"), *(Collection(it, "n", parent_id="p") for it in "ab")]
    tree = changed(Tree(items))
    tree.put_all([replace(each, name="m") for each in items[1:]])
    with pytest.raises(LimitReached, match="changed collections in a deletion"):
        tree.plan_removal(["p"], max_changes=1)
    assert tree.plan_removal(["p"], max_changes=2).changes == 2


def test_levels_that_lost_their_content_still_count() -> None:
    items = [Collection("a", "n"), Collection("b", "n", parent_id="a")]
    tree = changed(Tree([*items, Collection("c", "n", parent_id="b")]))
    tree.remove(["c"])
    assert [tree.has_level("a", level) for level in (2, 3)] == [True, False]
    tree.remove(["b"])
    assert [tree.has_level("a", level) for level in (0, 1)] == [True, False]


def test_more_searches_than_are_cached_all_end() -> None:
    tree = changed(Tree([Collection("a", "a")]))
    for n in range(100):
        tree.put(Collection(f"n{n}", f"{n} " + "é" * 1_000))
    listing = ready(lambda: tree.listing(ANYWHERE, "name"))
    searches = [Search(f"{n} ") for n in range(4)]
    kept: dict[Hashable, Pending[Any]] = {}
    found: list[list[Collection]] = []
    for _ in range(20):  # a request keeps the last value of each kind
        try:
            found = [[*listing.find(each, 2)] for each in searches]
            break
        except NotReady as error:
            pending = error.take()
            kept[pending.key] = pending
            deque(pending, maxlen=0)
    assert [len(each) for each in found] == [10] * 4


@pytest.mark.ci
def test_folders_that_came_and_went_leave_nothing() -> None:
    tree, count = changed(Tree(())), 300

    def bring_and_remove(start: int) -> None:
        for number in range(start, start + count):
            tree.put(Collection(f"f{number}", "f", type="folder"))
            tree.put(Collection(f"c{number}", "c", parent_id=f"f{number}"))
            assert len(tree.listing(f"f{number}", "name").items) == 1
            tree.remove([f"f{number}"])

    bring_and_remove(0)
    tracemalloc.start()
    try:
        bring_and_remove(count)
        assert tracemalloc.get_traced_memory()[0] < 100 * count
    finally:
        tracemalloc.stop()


def test_folders_may_be_nested_deeper_than_python_calls() -> None:
    last = 2_000
    tree = changed(Tree([Collection("0", "n"), Collection("x", "n")]))
    for at in range(1, last + 1):
        tree.put(Collection(f"{at}", "n", parent_id=f"{at - 1}"))
    assert [tree.has_level("0", level) for level in (last, last + 1)] == [True, False]
    tree.remove(["0"])
    assert [each.id for each in tree] == ["x"]


def test_changes_to_a_long_list_are_applied_one_by_one() -> None:
    log, computed = ChangeLog(), Differences()
    for place in (5, 3):
        log.remove(place)
    steps = log.apply_in_steps(computed, MAX_MOVED_PLACES)
    next(steps)
    assert [*computed.removed] == [5]
    log.remove(8)
    assert complete(steps)
    assert [*computed.removed] == [3, 5, 8]


@pytest.mark.parametrize("others", ["", "abc"], ids=["kept", "evicted"])
def test_kept_results_follow_each_change(others: str) -> None:
    items = [Collection(f"{n}", "xy"[n % 2]) for n in range(10)]
    tree = changed(Tree(items))
    changes: tuple[Callable[[], object], ...] = (
        lambda: tree.put(Collection("new", "x")),
        lambda: tree.remove(["1"]),
        lambda: tree.remove(["4"]),
        lambda: tree.put(Collection("2", "y")),
        lambda: tree.put(Collection("3", "x")),
        lambda: tree.put(Collection("new", "y")),
    )
    for change in changes:
        change()
        plain = Tree(list(tree))
        for term in ("x", *others):
            found = tree.listing(None, "update_time_desc").find(Search(term), 2)
            wanted = plain.listing(None, "update_time_desc").find(Search(term), 2)
            assert list(found) == list(wanted)


def test_a_search_of_the_base_is_made_once() -> None:
    base = Tree([Collection(f"{n}", "x") for n in range(50)])
    tree, search = changed(base), Search("x")
    hits = base.listing(None, "name").find(search, KEPT)
    for n in range(5):
        tree.put(Collection(f"new {n}", "x"))
        assert len(tree.listing(None, "name").find(search, KEPT)) == 51 + n
        assert base.listing(None, "name").find(search, KEPT) is hits


def test_what_moves_to_another_folder_goes_to_the_end() -> None:
    items = [
        Collection("f", "F", type="folder"),
        Collection("x", "X", parent_id="f"),
        Collection("y", "Y", parent_id="f"),
    ]
    moved = changed(Tree(items))
    moved.put(Collection("x", "X"))
    assert [each.id for each in moved.collections] == ["f", "y", "x"]
    assert [each.id for each in moved.descendants("f")] == ["y"]
    assert (moved.depth(None), moved.depth("f")) == (0, 1)


def test_what_is_replaced_stays_in_its_place_and_is_sorted_anew() -> None:
    items = [Collection(f"{n}", "x", update_time=n) for n in range(10)]
    new, tree = Collection("3", "y", update_time=8), changed(Tree(items))
    tree.put(items[0])
    for order in ORDERS:
        tree.listing(ANYWHERE, order)
    tree.put(new)
    plain = Tree(with_collection(items, new))
    for order in ORDERS:
        check_part(tree, plain, (order, ANYWHERE), slice(0, 5))


def test_what_has_left_a_large_folder_leaves_its_neighbours_in_place() -> None:
    items = [Collection(f"{n:03}", "x") for n in range(100)]
    gone = Collection("040", "x", parent_id="000")
    moved = changed(Tree(items))
    moved.put(gone)
    plain = Tree([*items[:40], *items[41:], gone])
    for within in (ANYWHERE, None, "000"):
        check_part(moved, plain, ("fixture", within), slice(38, 43))


@pytest.mark.parametrize("ids", [["y"], ("y", "none"), {"y"}, iter(["y", "y"])])
def test_collections_are_removed_by_any_ids(ids: Iterable[str]) -> None:
    tree = Tree([Collection("x", "X"), Collection("y", "Y")])
    left = changed(tree)
    left.remove(ids)
    assert [each.id for each in left] == ["x"]
    assert len(tree) == 2


@given(trees, st.lists(collections, max_size=8))
def test_what_is_taken_back_is_no_longer_charged(
    items: list[Collection], puts: list[Collection]
) -> None:
    memory = Memory()
    tree = ChangedTree(Tree(items), memory.charge("changes"))
    for each in puts:
        tree.put(each)
        assert tree.size == memory.used > 0
    tree.remove(IDS)
    loaded = {item.id for item in items}
    assert tree.size == memory.used == 150 * len(loaded)


@pytest.mark.parametrize("kind", [ChangedTree, HidingTree])
def test_a_large_folder_takes_along_what_moved_in_and_spares_what_moved_out(
    kind: type[ChangedTree],
) -> None:
    folders = [
        Collection("x", "X"),
        Collection("y", "Y"),
        Collection("z", "Z", parent_id="x"),
    ]
    inside = [Collection(f"{at}{n}", at, parent_id=at) for at in "xyz" for n in "12"]
    base = Tree([*folders, *inside])
    tree = kind(base, Memory().charge("changes"))
    tree.put(Collection("z", "Z"))  # out of the folder that goes
    tree.put(Collection("y", "Y", parent_id="x"))  # into it
    assert len(tree) - (tree.remove(["x"]), len(tree))[1] == 6
    assert {each.id for each in tree} == {"z", "z1", "z2"}
    tree.put(Collection("x", "again"))
    tree.put(Collection("x1", "again", parent_id="x"))
    assert [each.id for each in tree] == ["z1", "z2", "z", "x", "x1"]
