"""The records of a chat, next to lists."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mock_server.domain.access import Caller
from mock_server.domain.call import Call
from mock_server.domain.chats import delete_records, find_reply, records_around
from mock_server.domain.choices.choosing import choose
from mock_server.domain.clock import Environment
from mock_server.domain.objects.chat_order import LoadedChats
from mock_server.domain.objects.chat_records import (
    ChatRecords,
    indexes_among,
    visible_records,
)
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import App, Chat, ChatRecord
from mock_server.domain.objects.pending import FIRST_STEPS, STEP, NotReady, complete
from mock_server.domain.sandboxes.sandbox import Sandbox
from tests.domain.ready import ready

indexes = st.sets(st.integers(0, 1_099))
MANY = (FIRST_STEPS + 1) * STEP


@given(indexes, st.lists(st.tuples(indexes, st.booleans())))
def test_records_are_changed_deleted_and_added_as_in_a_list(
    loaded: set[int], changes: list[tuple[set[int], bool]]
) -> None:
    model = [record(f"{n}", n in loaded) for n in range(1_100)]
    first = ChatRecords.loaded(tuple(model))
    steps = ChatRecords.from_visible(first)
    records = first if isinstance(first, ChatRecords) else complete(steps)
    for places, is_deletion in changes:
        new = {at: replace(model[at], text="new") for at in sorted(places)[::-1]}
        if is_deletion:
            new = {at: replace(each, delete_time=1) for at, each in new.items()}
        for at, each in new.items():
            model[at] = each
        model.append(record("more"))
        records = records.with_records(new).with_added(model[-1:])
    visible = [each for each in model if each.delete_time is None]
    assert list(records) == model
    assert list(records.visible) == visible
    assert records.visible[50:90] == visible[50:90]
    assert [
        records.visible[at] for at in indexes_among(records.visible, range(len(model)))
    ] == visible


def test_a_change_copies_few_bytes_of_each_deleted_record() -> None:
    count = 50_000
    deleted = [record("x", is_deleted=True)] * count
    records = ChatRecords.loaded((*deleted, record("y"), record("z")))
    assert isinstance(records, ChatRecords)
    tracemalloc.start()
    try:
        rated = records.with_records({count: record("rated")})
        assert tracemalloc.get_traced_memory()[1] < count
        rated.with_records({count + 1: record("z", is_deleted=True)})
        assert tracemalloc.get_traced_memory()[1] < 20 * count
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("is_deleted", [False, True])
def test_a_record_is_found_although_another_is_deleted_meanwhile(
    is_deleted: bool,
) -> None:
    chats = LoadedChats(c=Chat("a", "c"))
    records = ChatRecords.loaded(
        tuple(record(f"{n}", is_deleted and n < 2) for n in range(MANY))
    )
    app = App("a", chats=chats, records={"c": records})
    environment = Environment(lambda: 0, lambda: 0.0, lambda: "secret")
    fixture = FixtureData(apps={"a": app})
    sandbox = Sandbox(fixture, "deployed", choose(), environment)
    reading, deleting, other = (
        Call.for_caller(sandbox.state, Caller("owner"), {}) for _ in range(3)
    )

    def start() -> int:
        visible = visible_records(reading.store.records(app, "c"))
        return records_around(reading, visible, 1, f"{MANY - 1}")[0]

    with pytest.raises(NotReady) as begun:
        start()
    ready(lambda: delete_records(deleting, app, "c", {"5"}))
    assert begun.value.pending is not None
    assert ready(start) == MANY - 2 - 2 * is_deleted
    assert ready(lambda: find_reply(other, app, "c", "5")) is not None


def record(data_id: str, is_deleted: bool = False) -> ChatRecord:
    return ChatRecord(data_id, "AI", "x", delete_time=0 if is_deleted else None)
