"""Pins in the domain: what the wire does not show."""

from __future__ import annotations

from collections import deque

import pytest
from msgspec.structs import replace

from mock_server.domain.access import Caller, Level
from mock_server.domain.call import AppForbidden, Call
from mock_server.domain.choices.choosing import choose
from mock_server.domain.clock import Environment
from mock_server.domain.limits import Limits
from mock_server.domain.objects.chat_order import LoadedChats
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import App, Chat
from mock_server.domain.objects.pending import NotReady, Steps
from mock_server.domain.pinning import ChatNotFound, UpdateHistory, update_history
from mock_server.domain.sandboxes.sandbox import Sandbox
from tests.domain.ready import ready

OWNER, NOBODY = Caller("owner"), Caller("nobody", level=Level.NONE)
LIMITS = Limits(created_chats=3)
OUTSIDE = Environment(lambda: 7_000_000, lambda: 0.0, lambda: "secret", LIMITS)
CHATS = LoadedChats(c=Chat("a", "c", title="T", update_time=1))
APPS = {"a": App("a", chats=CHATS)}


def sandbox(frozen_at: int | None = None, **choices: str) -> Sandbox:
    generation = FixtureData(apps=APPS, frozen_at=frozen_at)
    return Sandbox(generation, "documented", choose(choices=choices), OUTSIDE)


def test_a_pin_keeps_the_rest_and_tells_the_real_time() -> None:
    there = sandbox()
    update_history(
        Call.for_caller(there.state, OWNER), UpdateHistory("a", "c", top=True)
    )
    assert there.chat("a", "c") == Chat("a", "c", "T", "", top=True, update_time=7)


def test_frozen_time_stands_still() -> None:
    there = sandbox(frozen_at=5)
    update_history(
        Call.for_caller(there.state, OWNER), UpdateHistory("a", "c", top=False)
    )
    chat = there.chat("a", "c")
    assert chat is not None
    assert chat.update_time == 5


def test_there_is_no_chat_without_its_app() -> None:
    assert sandbox().chat("x", "c") is None
    assert sandbox().chat("a", "x") is None


@pytest.mark.parametrize("unknown", ["create", "ignore"])
def test_permission_comes_before_the_effect(unknown: str) -> None:
    there = sandbox(chat_unknown=unknown)
    for chat_id in ("c", "x"):
        with pytest.raises(AppForbidden):
            update_history(
                Call.for_caller(there.state, NOBODY),
                UpdateHistory("a", chat_id, top=True),
            )
    assert [*there.store.chats(APPS["a"])] == [*APPS["a"].chats.values()]


def test_created_chats_are_bounded_and_come_last() -> None:
    there = sandbox(chat_unknown="create")
    for number in range(3):
        update_history(
            Call.for_caller(there.state, OWNER),
            UpdateHistory("a", f"new-{number}", top=True),
        )
    with pytest.raises(ChatNotFound) as error:
        update_history(
            Call.for_caller(there.state, OWNER),
            UpdateHistory("a", "one more", top=True),
        )
    assert error.value.message == (
        "Expected at most 3 created chats, got one more - at $.chatId "
        "(served with the choice chat_unknown=ignore)"
    )
    update_history(
        Call.for_caller(there.state, OWNER), UpdateHistory("a", "new-0", top=False)
    )
    ids = [chat.chat_id for chat in there.store.chats(APPS["a"])]
    assert ids == ["c", "new-0", "new-1", "new-2"]


def test_a_repeated_request_gets_the_value_for_the_data_it_first_met() -> None:
    call = Call.for_caller(sandbox().state, OWNER, {})

    def steps(value: int) -> Steps[int]:
        for _ in range(100):
            yield
        return value

    with pytest.raises(NotReady) as waiting:
        call.compute("search", steps(1))
    deque(waiting.value.pending)
    assert call.compute("search", steps(2)) == 1
    other = replace(call, results={})
    assert ready(lambda: other.compute("search", steps(2))) == 2
