"""The store: changes lie over the generation, against an obvious model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.dataset import Dataset, Tree
from mock_server.domain.errors import LimitReached
from mock_server.domain.index import ANYWHERE
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Memory
from mock_server.domain.records import App, Chat, Collection
from mock_server.domain.store import Generation, Store

IDS = ["a", "b", "c", "d"]
CHATS = {each: Chat("app", each) for each in IDS[:2]}
ITEMS = [Collection(each, each.upper()) for each in IDS[:3]]
GENERATION = Generation(
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
            store.remove_chat(APP, chat_id)
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
            store.remove_collections(dataset, {item_id})
    (found,) = store.datasets()
    assert list(found.tree.listing(ANYWHERE, "fixture").items) == list(model.values())
    assert [found.tree.get(each) for each in IDS] == [model.get(each) for each in IDS]


def test_a_generation_is_never_changed() -> None:
    store = Store(GENERATION)
    store.remove_chat(APP, "a")
    store.put_chat(APP, Chat("app", "new"))
    store.remove_collections(GENERATION.datasets["d"], {"a"})
    fresh = Store(GENERATION)
    assert list(fresh.chats(APP)) == list(CHATS.values())
    assert fresh.dataset("d") is GENERATION.datasets["d"]
    assert list(GENERATION.datasets["d"].tree.collections) == ITEMS


def test_a_copy_changes_on_its_own() -> None:
    store = Store(GENERATION)
    store.put_chat(APP, Chat("app", "new"))
    copy = store.copy()
    store.remove_chat(APP, "new")
    store.remove_collections(GENERATION.datasets["d"], {"a"})
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
            store.remove_chat(APP, chat_id)
    for chat in list(store.chats(APP)):
        store.remove_chat(APP, chat.chat_id)
    assert (store.count_chats(APP), charged(memory)) == (0, (0, 0))


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
    store.remove_collections(store.datasets()[0], iter(["a", "b", "a"]))
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
