"""The store: changes lie over the generation, against an obvious model."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.chats import App, Chat
from mock_server.domain.collection import Collection
from mock_server.domain.datasets import Dataset
from mock_server.domain.listings import ANYWHERE
from mock_server.domain.store import Generation, Store

IDS = ["a", "b", "c", "d"]
CHATS = {each: Chat("app", each) for each in IDS[:2]}
ITEMS = [Collection(each, each.upper()) for each in IDS[:3]]
GENERATION = Generation(
    apps={"app": App("app", chats=CHATS)}, datasets={"d": Dataset("d", ITEMS)}
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
    assert list(found.listing(ANYWHERE, "fixture").items) == list(model.values())
    assert [found.get(each) for each in IDS] == [model.get(each) for each in IDS]


def test_a_generation_is_never_changed() -> None:
    store = Store(GENERATION)
    store.remove_chat(APP, "a")
    store.put_chat(APP, Chat("app", "new"))
    store.remove_collections(GENERATION.datasets["d"], {"a"})
    fresh = Store(GENERATION)
    assert list(fresh.chats(APP)) == list(CHATS.values())
    assert fresh.dataset("d") is GENERATION.datasets["d"]
    assert list(GENERATION.datasets["d"].collections) == ITEMS


def test_a_copy_changes_on_its_own() -> None:
    store = Store(GENERATION)
    store.put_chat(APP, Chat("app", "new"))
    copy = store.copy()
    store.remove_chat(APP, "new")
    store.remove_collections(GENERATION.datasets["d"], {"a"})
    assert copy.chat(APP, "new") is not None
    assert (copy.created_chats, store.created_chats) == (1, 0)
    assert copy.dataset("d") is GENERATION.datasets["d"]


def test_what_moves_to_another_folder_goes_to_the_end() -> None:
    items = [
        Collection("f", "F", type="folder"),
        Collection("x", "X", parent_id="f"),
        Collection("y", "Y", parent_id="f"),
    ]
    moved = Dataset("d", items).with_collection(Collection("x", "X"))
    assert [each.id for each in moved.collections] == ["f", "y", "x"]
    assert [each.id for each in moved.below("f")] == ["y"]
    assert (moved.depth(None), moved.depth("f")) == (0, 1)
