"""The order of chats, kept while they change, next to one that is sorted anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.objects.chat_order import LoadedChats
from mock_server.domain.objects.fixture_data import Generation
from mock_server.domain.objects.models import App, Chat
from mock_server.domain.storage.store import Store

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
    store = Store(Generation(apps={"app": app}))
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


def test_who_reads_an_order_is_not_disturbed() -> None:
    app = App("app", chats=LOADED)
    store = Store(Generation(apps={"app": app}))
    before = store.chats_in_order(app)
    first = before[0]
    store.remove_chats(app, first.chat_id)
    assert first not in store.chats_in_order(app)
    assert before[0] is first
