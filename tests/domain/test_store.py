"""The store: changes lie over the generation, against an obvious model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice, pairwise
from sys import getrefcount
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mock_server.domain.datasets.contents import put_with_content
from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Limits, Published
from mock_server.domain.memory import GONE_BYTES, Memory
from mock_server.domain.objects.chat_order import LoadedChats
from mock_server.domain.objects.dataset import Dataset, Tree
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.index import ANYWHERE, Search
from mock_server.domain.objects.models import App, Chat, ChatRecord, Collection, Row
from mock_server.domain.objects.pending import STEP, NotReady, Pending, complete
from mock_server.domain.objects.rows import sort_rows
from mock_server.domain.storage import training
from mock_server.domain.storage.store import Store
from tests.domain.ready import ready

IDS = ["a", "b", "c", "d"]
CHATS = LoadedChats((each, Chat("app", each)) for each in IDS[:2])
ITEMS = [Collection(each, each.upper()) for each in IDS[:3]]
GENERATION = FixtureData(
    apps={"app": App("app", chats=CHATS)},
    datasets={"d": Dataset("d", tree=Tree(ITEMS))},
)
APP = GENERATION.apps["app"]
steps = st.lists(st.tuples(st.sampled_from(IDS), st.none() | st.booleans()))


@given(steps)
def test_chats_are_as_they_were_last_put(steps: list[tuple[str, bool | None]]) -> None:
    store, model = Store(GENERATION), dict(CHATS)
    for chat_id, top in steps:
        if top is not None:
            model[chat_id] = Chat("app", chat_id, top=top)
            store.put_chat(APP, model[chat_id])
        elif chat_id in model:
            del model[chat_id]
            store.remove_chats(APP, chat_id)
    assert {chat.chat_id: chat for chat in store.chats(APP)} == model
    assert [store.chat(APP, each) for each in IDS] == [model.get(each) for each in IDS]
    assert store.created_chats == len(set(model) - set(CHATS))


@given(steps)
def test_collections_are_as_they_were_last_put(
    steps: list[tuple[str, bool | None]],
) -> None:
    store, model = Store(GENERATION), {item.id: item for item in ITEMS}
    for item_id, forbid in steps:
        dataset = store.dataset("d")
        assert dataset is not None
        if forbid is not None:
            model[item_id] = Collection(item_id, "x", forbid=forbid)
            store.put_collection(dataset, model[item_id])
        else:
            model.pop(item_id, None)
            store.remove_collections((dataset, {item_id}))
    (found,) = store.datasets()
    assert list(found.tree.listing(ANYWHERE, "fixture").items) == list(model.values())
    assert [found.tree.get(each) for each in IDS] == [model.get(each) for each in IDS]


def test_a_generation_is_never_changed() -> None:
    store = Store(GENERATION)
    store.remove_chats(APP, "a")
    store.put_chat(APP, Chat("app", "new"))
    store.remove_collections((GENERATION.datasets["d"], {"a"}))
    fresh = Store(GENERATION)
    assert list(fresh.chats(APP)) == list(CHATS.values())
    assert fresh.dataset("d") is GENERATION.datasets["d"]
    assert list(GENERATION.datasets["d"].tree.collections) == ITEMS


def test_a_copy_changes_on_its_own() -> None:
    store = Store(GENERATION)
    store.put_chat(APP, Chat("app", "new"))
    copy = store.copy()
    store.remove_chats(APP, "new")
    store.remove_collections((GENERATION.datasets["d"], {"a"}))
    assert copy.chat(APP, "new") is not None
    assert (copy.created_chats, store.created_chats) == (1, 0)
    assert copy.dataset("d") is GENERATION.datasets["d"]


def charged(memory: Memory) -> tuple[int, int]:
    usage = memory.usage()
    return usage["changes"], usage["snapshots"]


def test_a_chat_is_charged_when_it_is_first_changed() -> None:
    memory = Memory()
    store = Store(GENERATION, memory)
    store.put_chat(APP, Chat("app", "a", top=True))
    once, _ = charged(memory)
    store.put_chat(APP, Chat("app", "a", top=False))
    assert charged(memory) == (once, 0)
    store.put_chat(APP, Chat("app", "a", title="x" * 1_000))
    assert charged(memory) == (once + 1_000, 0)
    assert 400 < once < 800


@given(steps)
def test_what_is_removed_is_no_longer_charged(
    steps: list[tuple[str, bool | None]],
) -> None:
    memory = Memory()
    store = Store(GENERATION, memory)
    for chat_id, top in steps:
        if top is not None:
            store.put_chat(APP, Chat("app", chat_id, title=chat_id * 50))
        elif store.chat(APP, chat_id) is not None:
            store.remove_chats(APP, chat_id)
    for chat in list(store.chats(APP)):
        store.remove_chats(APP, chat.chat_id)
    # It has to be known of those of the generation that they are gone.
    gone = GONE_BYTES * len(CHATS)
    assert (store.count_chats(APP), charged(memory)) == (0, (gone, 0))


def test_a_dataset_is_charged_by_its_collections() -> None:
    memory = Memory()
    store = Store(GENERATION, memory)
    dataset = GENERATION.datasets["d"]
    store.put_collection(dataset, Collection("a", "x" * 5_000))
    once, _ = charged(memory)
    assert once > 5_000
    for name in ("y", "x" * 5_000):
        store.put_collection(store.datasets()[0], Collection("a", name))
    assert charged(memory) == (once, 0)
    store.remove_collections((store.datasets()[0], iter(["a", "b", "a"])))
    assert 0 < charged(memory)[0] < 2_500


def test_a_copy_is_charged_until_it_is_gone() -> None:
    memory = Memory()
    store = Store(GENERATION, memory)
    store.put_chat(APP, Chat("app", "new"))
    copy = store.copy("snapshots")
    assert charged(memory)[1] > store.size
    del copy
    assert charged(memory) == (store.size, 0)
    del store
    assert memory.used == 0


def test_nothing_changes_beyond_the_budget() -> None:
    memory = Memory(Limits(memory_bytes=900))
    store = Store(GENERATION, memory)
    store.put_chat(APP, Chat("app", "a", top=True))
    with pytest.raises(LimitReached):
        store.put_chat(APP, Chat("app", "c"))
    with pytest.raises(LimitReached):
        store.put_collection(GENERATION.datasets["d"], Collection("z", "z"))
    with pytest.raises(LimitReached):
        store.copy("snapshots")
    assert [each.chat_id for each in store.chats(APP)] == IDS[:2]
    assert (store.created_chats, store.count_chats(APP)) == (0, 2)
    assert len(store.datasets()[0].tree) == 3
    store.put_chat(APP, Chat("app", "a", top=False))


def test_of_several_datasets_all_or_nothing_is_removed() -> None:
    items = [Collection(f"{at}", "a") for at in range(10)]
    pair = {each: Dataset(each, tree=Tree(items)) for each in "de"}
    store = Store(FixtureData(datasets=pair), Memory(Limits(memory_bytes=5_500)))
    wanted = [(pair["d"], ["1"]), (pair["e"], [each.id for each in items])]
    with pytest.raises(LimitReached):
        store.remove_collections(*wanted)
    assert [len(each.tree) for each in store.datasets()] == [10, 10]
    assert store.remove_collections(*wanted[:1]) == 1


def test_changes_in_all_datasets_of_a_removal_count_together() -> None:
    half = Published.deleted_changes // 2
    items = [Collection(f"{at}", "a", parent_id="p") for at in range(half + 1)]
    tree = Tree([Collection("p", "p"), *items])
    pair = {each: Dataset(each, tree=tree) for each in "de"}
    store = Store(FixtureData(datasets=pair))
    store.put_collections(pair["d"], [replace(each, name="b") for each in items])
    store.put_collections(pair["e"], [replace(each, name="b") for each in items[1:]])
    with pytest.raises(LimitReached, match="at most 10000 changed collections"):
        store.remove_collections(*((each, ["p"]) for each in pair.values()))
    assert [len(each.tree) for each in store.datasets()] == [half + 2] * 2
    assert store.remove_collections((pair["d"], ["p"])) == half + 2


def test_collections_of_too_many_datasets_are_not_removed_together() -> None:
    tree = Tree([Collection("a", "a")])
    count = Published.deleted_from + 1
    datasets = {f"{n}": Dataset(f"{n}", tree=tree) for n in range(count)}
    store = Store(FixtureData(datasets=datasets))
    wanted = [(each, ["a"]) for each in datasets.values()]
    with pytest.raises(LimitReached, match="at most 100 datasets, got 101 datasets"):
        store.remove_collections(*wanted)
    removed = ready(partial(store.remove_collections, *wanted[1:]))
    assert removed == Published.deleted_from


def test_a_changed_collection_shares_what_was_sorted_and_searched() -> None:
    store = Store(GENERATION)
    base = GENERATION.datasets["d"].tree.listing(None, "name")
    hits = base.find(Search("a"), 4)
    store.put_collection(GENERATION.datasets["d"], Collection("z", "a"))
    listing = store.datasets()[0].tree.listing(None, "name")
    assert [item.id for item in listing.find(Search("a"), 4)] == ["a", "z"]
    assert base.find(Search("a"), 4) is hits


def row(row_id: str, chunk_index: int = 0, text: str = "q") -> Row:
    return Row(row_id, text, chunk_index=chunk_index)


ROWS = {"a": (row("2"), row("1")), "b": (row("3"),)}
WITH_ROWS = FixtureData(datasets={"d": Dataset("d", tree=Tree(ITEMS), rows=ROWS)})
D = WITH_ROWS.datasets["d"]
DROPS: list[Callable[[Store], object]] = [
    lambda store: store.remove_datasets({"d"}),
    lambda store: store.put_whole_dataset(D, WITH_ROWS),
    lambda store: store.remove_collections((store.datasets()[0], ["a"])),
    Store.copy,
]
row_steps = st.lists(
    st.tuples(
        st.sampled_from(IDS[:3]),
        st.none() | st.lists(st.sampled_from("123456"), max_size=4, unique=True),
    )
)


def check_rows(store: Store, model: dict[str, tuple[Row, ...]]) -> None:
    """Each collection has its rows, and they are found."""
    assert {at: tuple(store.rows.get(D, at)) for at in model} == model
    places = {it.id: (at, it) for at, rows in model.items() for it in rows}
    for row_id in "123456":
        found = store.find_row(row_id)
        place = None if found is None else (found[1].id, found[2])
        assert place == places.get(row_id)


def store_and_freeing_steps(
    data: FixtureData = WITH_ROWS,
) -> tuple[Store, list[Iterator[None]], str]:
    """A store, the list of what it begins to free, and a text that nothing holds."""
    memory, begun = Memory(), list[Iterator[None]]()
    memory.run_soon = begun.append
    return Store(data, memory), begun, "".join(["a ", "text"])


def check_freed(begun: list[Iterator[None]], text: str, most: int = 1_024) -> None:
    """All references to a text are freed in steps, few of them by each step."""
    counts = [getrefcount(text) for steps in begun for _ in steps]
    assert max(before - after for before, after in pairwise(counts)) <= most
    assert getrefcount(text) < 9


@pytest.mark.parametrize("drop", DROPS)
def test_dropped_rows_are_gone_at_once_and_freed_block_by_block(
    drop: Callable[[Store], object],
) -> None:
    store, begun, text = store_and_freeing_steps()
    store.rows.change(D, "a", new=[row(f"n{n}", n, text) for n in range(9_000)])
    if drop is Store.copy:
        store.rows.remove(D, ["a"])
    kept = drop(store)
    assert store.find_row("n7") is None
    del store, kept
    check_freed(begun, text)


def test_the_rows_of_a_dropped_store_are_freed_block_by_block() -> None:
    store, begun, text = store_and_freeing_steps()
    store.rows.change(D, "a", new=[row(f"n{n}", n, text) for n in range(9_000)])
    del store
    check_freed(begun, text)


def hide(store: Store) -> None:
    store.put_collections(D, [Collection(f"{n}", "x") for n in range(300)])


@pytest.mark.parametrize("drop", [hide, lambda store: store.remove_datasets({"d"})])
def test_changed_collections_and_their_lists_are_freed_in_steps(
    drop: Callable[[Store], object],
) -> None:
    store, begun, text = store_and_freeing_steps()
    store.put_collections(D, [Collection(f"{n}", text) for n in range(9_000)])
    search = store.datasets()[0].tree.search
    ready(partial(search, ANYWHERE, "name", Search("text"), 2))
    drop(store)
    del search, store
    check_freed(begun, text, 2 * STEP)


def test_many_small_changes_are_freed_in_steps_too() -> None:
    names = [f"{n}" for n in range(90)]
    data = FixtureData(datasets={each: Dataset(each, tree=Tree([])) for each in names})
    store, begun, text = store_and_freeing_steps(data)
    for each in store.datasets():
        store.put_collections(each, [Collection(f"{n}", text) for n in range(100)])
    del store, each
    check_freed(begun, text, 2 * STEP)


def test_what_was_dropped_is_freed_though_the_steps_before_were_not_run() -> None:
    store, begun, text = store_and_freeing_steps()
    copy = store.copy()
    store.put_collections(D, [Collection(f"{n}", text) for n in range(9_000)])
    copy.put_collections(D, [Collection(f"{n}", text) for n in range(9_000)])
    del store
    begun.clear()  # as a loop that is closed does with its tasks
    del copy
    check_freed(begun, text, 2 * STEP)


def test_rows_are_freed_though_the_steps_before_were_not_run() -> None:
    store, begun, text = store_and_freeing_steps()
    for _ in range(2):
        begun.clear()  # as a loop that is closed does with its tasks
        store.rows.change(D, "a", new=[row(f"n{n}", n, text) for n in range(9_000)])
        store.rows.remove(D, ["a"])
    check_freed(begun, text)


def test_no_new_id_is_that_of_a_collection_that_was_put_again() -> None:
    ids = Store(WITH_ROWS).new_ids(3)
    store = Store(WITH_ROWS)
    store.put_collection(D, Collection(ids[1], "kept"))
    assert store.copy().new_ids(2) == store.new_ids(2) == [ids[0], ids[2]]


def test_copies_of_copies_are_not_charged_more_and_more() -> None:
    chats = LoadedChats({f"{n}": Chat("a", f"{n}") for n in range(100)})
    app, sizes = App("a", "a", chats=chats), list[int]()
    store = Store(FixtureData(apps={"a": app}))
    for _ in range(4):
        store.put_chat(app, Chat("a", "1", top=True))
        ready(partial(store.chats_in_order, app))
        store = store.copy()
        sizes.append(store.size)
    assert sizes == sizes[:1] * 4


def test_a_row_that_comes_again_and_again_is_charged_once() -> None:
    store, sizes = Store(WITH_ROWS), list[int]()
    for _ in range(3):
        store.rows.change(D, "a", new=[row("new")])
        assert store.rows.has_texts(D, "a", "q", "")
        store.rows.change(D, "a", removed=list(store.rows.get(D, "a"))[:1])
        sizes.append(store.size)
    assert sizes == sizes[:1] * 3


def test_others_are_served_while_many_ids_are_looked_up() -> None:
    trees = {f"d{n}": Tree([Collection("7", f"{n}")]) for n in range(100)}
    datasets = {each: Dataset(each, tree=tree) for each, tree in trees.items()}
    store = Store(FixtureData(datasets=datasets))
    find = partial(store.find_collections, {f"{n}" for n in range(1_000)})
    with pytest.raises(NotReady):
        find()
    store.remove_collections((datasets["d0"], ["7"]))
    store.put_collection(datasets["d1"], Collection("8", "new"))
    assert {each.name for _, each in ready(find).values()} == {"1", "new"}


def test_others_are_served_while_the_folders_of_many_datasets_are_found() -> None:
    names = [f"{n}" for n in range(20)]
    inside = [Collection("f", "f"), Collection("a", "a", parent_id="f")]
    datasets = {each: Dataset(each, tree=Tree([*inside])) for each in names}
    store = Store(FixtureData(datasets=datasets))
    removals = [(each, ["f"]) for each in datasets.values()]
    with pytest.raises(NotReady):
        store.remove_collections(*removals)
    assert ready(lambda: store.remove_collections(*removals)) == 2 * len(names)


@given(row_steps)
def test_rows_are_as_they_were_last_put(
    steps: list[tuple[str, list[str] | None]],
) -> None:
    memory = Memory()
    store = Store(WITH_ROWS, memory)
    model = {"c": (), **ROWS}
    for collection_id, ids in steps:
        if ids is None:
            store.remove_collections((D, [collection_id]))
            store.put_collection(D, Collection(collection_id, "x"))
            model[collection_id] = ()
            continue
        others = (rows for at, rows in model.items() if at != collection_id)
        elsewhere = {each.id for rows in others for each in rows}
        own = {each.id: each for each in model[collection_id]}
        kept = [own.get(each, row(each)) for each in ids if each not in elsewhere]
        gone = [each for each in own.values() if each not in kept]
        new = [each for each in kept if each.id not in own]
        store.rows.change(D, collection_id, gone, new)
        model[collection_id] = sort_rows(kept)
        for text in ("q", "other"):
            found = any(each.q == text for each in kept)
            assert store.rows.has_texts(D, collection_id, text, "") is found
    check_rows(store, model)
    check_rows(store.copy(), model)
    store.remove_datasets({"d"})
    assert charged(memory) == (GONE_BYTES, 0)


def test_rows_are_charged_by_what_is_new() -> None:
    rows = sort_rows(row(f"{n}", text="x" * 1_000) for n in range(100))
    dataset = Dataset("d", tree=Tree(ITEMS), rows={"a": rows})
    store = Store(FixtureData(datasets={"d": dataset}))
    store.rows.change(dataset, "a", rows[50:51], [row("new")])
    assert 400 < store.size < 3_000
    assert store.find_row(rows[50].id) is None
    assert store.find_row("new") is not None


def test_records_go_with_their_chat() -> None:
    record = ChatRecord("r", "AI", "x" * 500)
    app = App("app", chats=CHATS, records={"a": (record,)})
    memory = Memory()
    store = Store(FixtureData(apps={"app": app}), memory)
    assert store.records(app, "a") == (record,)
    assert (store.records(app, "b"), store.records(app, "no")) == ((), ())
    store.add_records(app, "b", (record, record))
    assert charged(memory)[0] > 1_000
    copy = store.copy()
    for chat_id in ("a", "b"):
        store.remove_chats(app, chat_id)
        store.put_chat(app, Chat("app", chat_id))
        assert (store.records(app, chat_id), len(copy.records(app, chat_id)) > 0) == (
            (),
            True,
        )


def test_datasets_come_and_go() -> None:
    memory = Memory()
    store = Store(GENERATION, memory)
    new = Dataset("new", "New")
    store.put_dataset(new)
    store.put_collection(new, Collection("x", "X"))
    store.rows.change(new, "x", new=[row("r")])
    training.begin(store, new, Collection("x", "X"), [row("s")], now=0)
    # What a caller still holds of a dataset says nothing of what is in it now.
    store.put_dataset(Dataset("new", "Renamed"))
    store.put_dataset(Dataset("d", "Too"))
    assert [(it.name, len(it.tree)) for it in store.datasets()] == [
        ("Too", 3),
        ("Renamed", 1),
    ]
    found = store.find_row("r")
    assert found is not None
    assert found[0].tree.created == 1
    assert (found[0].name, found[1].training_amount) == ("Renamed", 1)
    store.remove_datasets({"new"})
    assert (store.find_row("r"), store.find_collection("x")) == (None, None)
    assert (len(store.jobs), store.dataset("new")) == (0, None)
    store.remove_datasets({"d"})
    assert (store.datasets(), charged(memory)[0]) == ([], GONE_BYTES)


def test_to_clear_chats_takes_the_same_however_many_there_are() -> None:
    chats = {f"{n}": Chat("app", f"{n}") for n in range(1_000)}
    store = Store(FixtureData(apps={"app": App("app", chats=LoadedChats(chats))}))
    store.put_chat(store.apps()[0], Chat("app", "new", title="x" * 10_000))
    store.clear_chats(store.apps()[0])
    (app,) = store.apps()
    assert (store.count_chats(app), store.chat(app, "1")) == (0, None)
    assert store.created_chats == 0
    assert 0 < store.size < 2_000


def test_what_is_removed_as_one_leaves_nothing_behind() -> None:
    held = {f"{n}": Dataset(f"{n}", tree=Tree(ITEMS)) for n in range(3)}
    store = Store(FixtureData(datasets=held))
    for dataset in held.values():
        store.put_collection(dataset, Collection("x", "X"))
        training.begin(store, dataset, Collection("x", "X"), [row("r")], now=0)
    store.remove_datasets({"0", "2"})
    assert [each.id for each in store.datasets()] == ["1"]
    assert [*store.jobs] == [("1", "x")]
    store.remove_datasets({"1"})
    assert store.size == 3 * GONE_BYTES


def test_a_copy_of_collections_changes_on_its_own() -> None:
    store = Store(GENERATION)
    d = GENERATION.datasets["d"]
    store.put_collection(d, Collection("e", "E"))
    store.datasets()[0].tree.listing(None, "name")
    copy = store.copy()
    store.put_collection(d, Collection("f", "F"))
    copy.remove_collections((d, ["e", "a"]))
    names = [
        [item.name for item in each.datasets()[0].tree.listing(None, "name").items]
        for each in (store, copy)
    ]
    assert names == [["A", "B", "C", "E", "F"], ["B", "C"]]


def test_a_copy_shares_changed_collections_until_one_store_changes_them() -> None:
    store, d = Store(GENERATION), GENERATION.datasets["d"]
    store.put_collection(d, Collection("e", "E"))
    copy = store.copy()
    shared = store.datasets()[0].tree
    assert copy.datasets()[0].tree is shared
    store.put_collection(d, Collection("f", "F"))
    store.put_collection(d, Collection("g", "G"))
    assert copy.datasets()[0].tree is shared
    assert ("g" in shared, "g" in store.datasets()[0].tree) == (False, True)


def test_a_store_that_is_gone_charges_nothing_though_a_copy_shares_its_data() -> None:
    memory = Memory()
    store = Store(GENERATION, memory)
    store.put_collection(GENERATION.datasets["d"], Collection("e", "E"))
    copy = store.copy("snapshots")
    del store
    assert (memory.usage()["changes"], memory.used) == (0, copy.size)


def test_new_ids_are_the_same_after_a_reset_and_never_taken() -> None:
    store = Store(GENERATION)
    made = [store.new_id() for _ in range(6)]
    assert [Store(GENERATION).new_id(), len(set(made))] == [made[0], 6]
    assert {len(each) for each in made} == {24}
    assert store.copy().new_id() == store.new_id() not in made
    loaded = Collection(made[1], "x", file_id=made[4])
    dataset = Dataset(made[0], tree=Tree([loaded]), rows={"x": (row(made[2]),)})
    app = App("app", records={"x": (ChatRecord(made[3], "AI", "x"),)})
    other = Store(FixtureData(apps={"app": app}, datasets={made[0]: dataset}))
    assert other.new_id() == made[5]


def test_only_ids_that_would_be_made_are_kept_when_they_are_gone() -> None:
    store = Store(FixtureData(datasets={"d": Dataset("d")}))
    made = Store(FixtureData()).new_ids(9)
    others = "x", f"ffffffff{'0' * 16}", f"{made[8]}x", "ffgggggg" * 3
    sizes = []
    for own_id in (*others, made[8]):
        store.put_collection(store.datasets()[0], Collection(own_id, "x"))
        store.remove_collections((store.datasets()[0], [own_id]))
        sizes.append(store.size)
    assert len(set(sizes[:4])) == 1
    assert sizes[4] > sizes[3]
    assert made[8] not in store.new_ids(20)


def of_rows(dataset_id: str, *ids: str) -> FixtureData:
    """A dataset with rows of these ids."""
    rows = {"c": sort_rows(Row(each, "q") for each in ids)}
    dataset = Dataset(dataset_id, tree=Tree([Collection("c", "C")]), rows=rows)
    return FixtureData(datasets={dataset_id: dataset})


def test_a_removed_row_does_not_hide_another_of_its_id() -> None:
    store = Store(GENERATION)
    for own_id in ("d", "e"):
        part = of_rows(own_id, "r")
        store.put_whole_dataset(part.datasets[own_id], part)
        if own_id == "d":
            dataset = store.dataset("d")
            assert dataset is not None
            store.rows.change(dataset, "c", removed=store.rows.get(dataset, "c"))
    found = store.find_row("r")
    assert found is not None
    assert found[0].id == "e"


@pytest.mark.ci
def test_rows_elsewhere_are_those_of_the_store_that_is_asked() -> None:
    ids = [f"r{n}" for n in range(20_000)]
    fixture, part = of_rows("d", *ids), of_rows("e", *ids)
    before, after = Store(fixture), Store(fixture)
    before.remove_collections((before.datasets()[0], ["c"]))
    kept: list[Pending[Any]] = []
    while len(kept) < 3:
        with pytest.raises(NotReady) as not_ready:
            before.places_elsewhere(part, "e", 3)
        kept.append(not_ready.value.pending)
        deque(kept[-1], maxlen=0)
    assert before.places_elsewhere(part, "e", 3) == []
    assert len(ready(lambda: after.places_elsewhere(part, "e", 3))) == 3


def test_a_folder_is_disabled_with_what_is_left_in_it() -> None:
    inside = [Collection(f"{n}", "a", parent_id="p") for n in range(3_000)]
    d = Dataset("d", tree=Tree([folder := Collection("p", "p"), *inside]))
    store = Store(FixtureData(datasets={"d": d}))
    ids = [each.id for each in inside]
    folder = replace(folder, forbid=True)
    changing = put_with_content(store, lambda: (d, folder), ids)
    for _ in islice(changing, 9):  # the first of them are changed
        pass
    store.remove_collections((d, ["1", "2999"]))
    complete(changing)
    tree = store.datasets()[0].tree
    assert (len(tree), all(each.forbid for each in tree)) == (2_999, True)
    assert ("1" in tree, "2999" in tree) == (False, False)
