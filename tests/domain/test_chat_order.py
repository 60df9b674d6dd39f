"""The order of chats, kept while they change, next to one that is sorted anew."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mock_server.domain.objects.chat_order import LoadedChats
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import App, Chat
from mock_server.domain.objects.pending import NotReady
from mock_server.domain.storage.store import Store
from tests.domain.ready import ready

ids = st.sampled_from([f"chat-{number}" for number in range(8)])
chats = st.builds(
    Chat, st.just("app"), ids, top=st.booleans(), update_time=st.integers(0, 3)
)
steps = st.lists(st.tuples(ids, st.none() | chats, st.booleans()), max_size=30)
LOADED = LoadedChats(
    (f"chat-{n}", Chat("app", f"chat-{n}", update_time=n % 3)) for n in range(200)
)


@given(steps)
def test_the_order_is_that_of_sorting_all(
    steps: list[tuple[str, Chat | None, bool]],
) -> None:
    app = App("app", chats=LOADED)
    store = Store(FixtureData(apps={"app": app}))
    for chat_id, chat, is_listed in steps:
        if chat is not None:
            store.put_chat(app, chat)
        elif store.chat(app, chat_id) is not None:
            store.remove_chats(app, chat_id)
        if is_listed:
            store.chats_in_order(app)
    wanted = sorted(store.chats(app), key=lambda it: it.chat_id)
    wanted.sort(key=lambda it: (it.top, it.update_time), reverse=True)
    assert list(store.chats_in_order(app)) == wanted
    assert list(store.copy().chats_in_order(app)) == wanted


def test_a_change_while_a_list_waits_is_in_the_next_list() -> None:
    chats = LoadedChats((f"c{n}", Chat("app", f"c{n}")) for n in range(20_000))
    app = App("app", chats=chats)
    store = Store(FixtureData(apps={"app": app}))
    ready(lambda: store.chats_in_order(app))
    for chat in list(chats.values())[:5_000]:
        store.put_chat(app, replace(chat, top=True))
    with pytest.raises(NotReady) as waiting:
        store.chats_in_order(app)
    deque(waiting.value.pending)
    store.remove_chats(app, "c1")
    listed = ready(lambda: store.chats_in_order(app))
    assert "c1" not in {each.chat_id for each in listed}
    assert [each.top for each in listed[4_998:5_000]] == [True, False]


@pytest.mark.ci
@pytest.mark.parametrize("is_first", [True, False])
def test_changes_amid_the_steps_of_a_list_count_once(is_first: bool) -> None:
    chats = LoadedChats((f"c{n}", Chat("app", f"c{n}")) for n in range(12_000))
    app = App("app", chats=chats)
    store = Store(FixtureData(apps={"app": app}))
    ready(lambda: chats.in_order if is_first else store.chats_in_order(app))
    for chat in list(chats.values())[:10_000]:
        store.put_chat(app, replace(chat, top=True))
    with pytest.raises(NotReady) as waiting:
        store.chats_in_order(app)
    for n in range(0, 12_000, 500):  # some have been collected, others not
        store.put_chat(app, replace(chats[f"c{n}"], update_time=n))
        store.remove_chats(app, f"c{n + 1}")
    deque(waiting.value.pending)
    listed = ready(lambda: store.chats_in_order(app))
    wanted = sorted(store.chats(app), key=lambda it: it.chat_id)
    wanted.sort(key=lambda it: (it.top, it.update_time), reverse=True)
    assert list(listed) == wanted


def test_who_reads_an_order_is_not_disturbed() -> None:
    app = App("app", chats=LOADED)
    store = Store(FixtureData(apps={"app": app}))
    before = store.chats_in_order(app)
    first = before[0]
    store.remove_chats(app, first.chat_id)
    assert first not in store.chats_in_order(app)
    assert before[0] is first
