"""Chats that a visitor clears, while other requests change them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from mock_server.domain.access import Caller, Level, Share, Visitor
from mock_server.domain.call import Call
from mock_server.domain.chats import remove_listed_chats
from mock_server.domain.choices.choosing import choose
from mock_server.domain.clock import Environment
from mock_server.domain.limits import Limits
from mock_server.domain.objects.chat_order import LoadedChats
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import App, Chat
from mock_server.domain.objects.pending import STEP, complete
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.storage.store import Store

FIRST, LAST, NEW = "0", f"{3 * STEP - 1}", "new"
OUTSIDE = Environment(lambda: 0, lambda: 0.0, lambda: "secret", Limits())
SHARE = Share("s", "a")
VISITOR = Caller("", level=Level.NONE, visitor=Visitor("u", SHARE))


def of_visitor(chat_id: str) -> Chat:
    return Chat("a", chat_id, share_id="s", out_link_uid="u")


def call(*others: Chat) -> Call:
    """A visitor's call to an app with three steps of own chats, and some others."""
    own = map(of_visitor, map(str, range(3 * STEP)))
    chats = LoadedChats((each.chat_id, each) for each in (*own, *others))
    fixture = FixtureData(apps={"a": App("a", chats=chats)}, shares={"s": SHARE})
    sandbox = Sandbox(fixture, "documented", choose(), OUTSIDE)
    return Call.for_caller(sandbox.state, VISITOR)


def ids(store: Store) -> list[str]:
    return [each.chat_id for app in store.apps() for each in store.chats(app)]


def test_a_visitor_clears_own_chats_alone() -> None:
    of_another = replace(of_visitor("other"), out_link_uid="v")
    clear = call(Chat("a", "no visitor's"), of_another)
    store, (app,) = clear.store, clear.store.apps()
    store.put_chat(app, of_visitor(NEW))
    store.remove_chats(app, LAST)
    complete(remove_listed_chats(clear, app))
    assert ids(store) == ["no visitor's", "other"]
    assert store.count_chats(app) == 2
    complete(remove_listed_chats(clear, app))
    assert ids(store) == ["no visitor's", "other"]


def taken_over(store: Store, app: App) -> None:
    store.put_chat(app, replace(of_visitor(LAST), out_link_uid="v"))


def renamed(store: Store, app: App) -> None:
    store.put_app(replace(app, name="Renamed"))


def replaced(store: Store, _: App) -> None:
    chats = LoadedChats({LAST: of_visitor(LAST)})
    store.put_whole_app(App("a", chats=chats), FixtureData())


def cleared(store: Store, app: App) -> None:
    store.clear_chats(app)
    store.put_chat(store.apps()[0], of_visitor(NEW))


@pytest.mark.parametrize(
    ("change", "remaining"),
    [
        (lambda store, app: store.remove_chats(app, f"{2 * STEP}", LAST), []),
        (taken_over, [LAST]),
        (renamed, []),
        (replaced, [LAST]),
        (cleared, [NEW]),
        (lambda store, _: store.remove_apps({"a"}), []),
    ],
)
def test_what_others_change_between_two_steps_counts(
    change: Callable[[Store, App], None], remaining: list[str]
) -> None:
    clear = call()
    store, (app,) = clear.store, clear.store.apps()
    steps = remove_listed_chats(clear, app)
    next(steps)
    assert FIRST not in ids(store)
    assert LAST in ids(store)
    change(store, app)
    deque(steps, maxlen=0)
    assert ids(store) == remaining
