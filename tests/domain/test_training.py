"""Training under way: what is shown of it at which time."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mock_server.domain.choices.choosing import choose
from mock_server.domain.clock import Environment
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Memory
from mock_server.domain.objects.dataset import Dataset, Tree
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import Collection, Row
from mock_server.domain.objects.pending import NotReady
from mock_server.domain.objects.rows import Job
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.storage import training
from mock_server.domain.storage.store import Store

SINCE = 1_000_000
LOADED = Collection("c", "C", data_amount=1, training_amount=5, update_time=7)
DATASET = Dataset(
    "d", tree=Tree([LOADED]), rows={"c": (Row("old", "q", chunk_index=-1),)}
)
GENERATION = FixtureData(datasets={"d": DATASET})


def rows(count: int, start: int = 0) -> list[Row]:
    return [Row(f"{n:03}", "q", chunk_index=n) for n in range(start, start + count)]


def begun(store: Store, count: int, *, is_parsed: bool, start: int = 0) -> Collection:
    _, now = store.find_collection("c") or (DATASET, LOADED)
    return training.begin(
        store, DATASET, now, rows(count, start), now=SINCE, is_parsed=is_parsed
    )


def shown(store: Store, after: int = 0) -> tuple[int, int, int]:
    """Training amount, data amount and rows, so many milliseconds after the start."""
    training.train_due_rows(store, SINCE + after)
    found = store.find_collection("c")
    assert found is not None
    dataset, collection = found
    assert collection.update_time == 7
    count = len(store.rows.get(dataset, "c"))
    return collection.training_amount - 5, collection.data_amount, count


TEXT = [(0, 1, 1), (1_999, 1, 1), (2_000, 45, 1), (2_999, 45, 1), (3_000, 25, 21)]
TEXT += [(3_999, 25, 21), (4_000, 5, 41), (5_000, 0, 46), (10**9, 0, 46)]
PUSHED = [(0, 45, 1), (1_999, 45, 1), (2_000, 25, 21), (3_000, 5, 41), (4_000, 0, 46)]


@pytest.mark.parametrize(("is_parsed", "steps"), [(False, TEXT), (True, PUSHED)])
def test_rows_are_trained_by_the_second(
    is_parsed: bool, steps: list[tuple[int, int, int]]
) -> None:
    store = Store(GENERATION)
    begun(store, 45, is_parsed=is_parsed)
    for after, waiting, there in steps:
        assert shown(store, after) == (waiting, there, there)
        # Whoever looks for the first time then sees the same.
        other = Store(GENERATION)
        begun(other, 45, is_parsed=is_parsed)
        assert shown(other, after) == (waiting, there, there)
    assert (store.due_time, len(store.jobs)) == (None, 0)


@given(st.lists(st.integers(0, 9_000)), st.integers(0, 100), st.booleans())
def test_looking_in_between_changes_nothing(
    looks: list[int], count: int, is_parsed: bool
) -> None:
    store, other = Store(GENERATION), Store(GENERATION)
    for each in (store, other):
        begun(each, count, is_parsed=is_parsed)
    for after in sorted(looks):
        shown(store, after)
    assert shown(store, 9_000) == shown(other, 9_000)
    assert [*store.rows.get(DATASET, "c")] == [*other.rows.get(DATASET, "c")]


def test_jobs_on_one_collection_add_up() -> None:
    store = Store(GENERATION)
    begun(store, 30, is_parsed=True)
    assert begun(store, 10, is_parsed=False, start=30).training_amount == 5 + 31
    assert shown(store, 2_000) == (20, 21, 21)
    assert shown(store, 3_000) == (0, 41, 41)
    numbers = [row.chunk_index for row in store.rows.get(DATASET, "c")]
    assert numbers == [-1, *range(40)]


def test_instant_rows_are_there_at_once() -> None:
    store = Store(GENERATION)
    made = training.begin(
        store, DATASET, LOADED, rows(45), now=SINCE, is_parsed=False, is_stepped=False
    )
    assert (made.data_amount, made.training_amount) == (46, 5)
    assert shown(store) == (0, 46, 46)
    assert store.due_time is None


def test_a_text_without_rows_is_parsed_and_no_more() -> None:
    store = Store(GENERATION)
    begun(store, 0, is_parsed=False)
    assert shown(store, 1_999) == (1, 1, 1)
    assert shown(store, 2_000) == (0, 1, 1)


def test_a_removed_collection_is_trained_no_more() -> None:
    store = Store(GENERATION)
    begun(store, 3, is_parsed=True)
    store.remove_collections((DATASET, ["c"]))
    training.train_due_rows(store, SINCE + 10_000)
    assert (len(store.jobs), store.find_row("000"), store.due_time) == (0, None, None)


def test_a_copy_is_trained_on_its_own() -> None:
    store = Store(GENERATION)
    begun(store, 3, is_parsed=True)
    copy = store.copy()
    assert shown(store, 5_000) == (0, 4, 4)
    assert shown(copy) == (3, 1, 1)
    assert shown(copy, 5_000) == (0, 4, 4)


def test_training_waits_while_memory_is_used_up() -> None:
    memory = Memory(Limits(memory_bytes=100_000))
    store = Store(GENERATION, memory)
    begun(store, 3, is_parsed=True)
    full = memory.charge("faults", memory.limit - memory.used)
    assert shown(store, 9_000) == (3, 1, 1)
    full.release()
    assert shown(store, 9_000) == (0, 4, 4)


def test_rows_that_do_not_fit_beside_many_loaded_ones_are_not_lost() -> None:
    loaded = tuple(Row(f"old-{n}", "q", chunk_index=-1) for n in range(2_000))
    dataset = replace(DATASET, rows={"c": loaded})
    memory = Memory(Limits(memory_bytes=100_000))
    store = Store(FixtureData(datasets={"d": dataset}), memory)
    begun(store, 3, is_parsed=True)
    full = memory.charge("faults", memory.limit - memory.used - 9_000)
    assert shown(store, 9_000)[0] == 3
    full.release()
    assert shown(store, 9_000) == (0, 4, 2_003)


def test_many_collections_are_trained_while_others_are_served() -> None:
    ids = [f"{n}" for n in range(200)]
    tree = Tree([Collection(each, each) for each in ids])
    jobs = tuple(Job("d", each, SINCE, rows=(Row(each, "q"),)) for each in ids)
    datasets = {"d": Dataset("d", tree=tree)}
    store = Store(FixtureData(datasets=datasets, jobs=jobs))
    with pytest.raises(NotReady) as raised:
        training.train_due_rows(store, SINCE + 10_000)
    assert 0 < len(store.jobs) < 200
    deque(raised.value.pending, maxlen=0)
    training.train_due_rows(store, SINCE + 10_000)
    found = store.find_row("199")
    assert (len(store.jobs), store.due_time) == (0, None)
    assert found is not None
    assert found[1].data_amount == 1


def test_rows_wait_if_others_take_the_memory_while_they_are_trained() -> None:
    loaded = tuple(Row(f"{n:06}", "q", chunk_index=n) for n in range(60_000))
    dataset = replace(DATASET, rows={"c": loaded})
    memory = Memory(Limits(memory_bytes=10_000_000))
    store = Store(FixtureData(datasets={"d": dataset}), memory)
    new = tuple(Row(f"x{n}", "q", chunk_index=400 * n) for n in range(150))
    training.begin(store, dataset, LOADED, new, now=SINCE)
    with pytest.raises(NotReady) as raised:
        training.train_due_rows(store, SINCE + 10_000)
    full = memory.charge("faults", memory.limit - memory.used - 50_000)
    deque(raised.value.pending, maxlen=0)
    assert shown(store, 10_000) == (150, 1, 60_000)
    full.release()
    with pytest.raises(NotReady) as raised:
        training.train_due_rows(store, SINCE + 10_001)
    deque(raised.value.pending, maxlen=0)
    assert shown(store, 10_001) == (0, 151, 60_150)


@pytest.mark.parametrize("is_kept", [True, False])
def test_rows_that_change_while_others_are_trained_among_them_stay(
    is_kept: bool,
) -> None:
    loaded = tuple(Row(f"{n:06}", "q", chunk_index=n) for n in range(60_000))
    new = tuple(Row(f"x{n}", "q", chunk_index=400 * n) for n in range(150))
    dataset = Dataset("d", tree=Tree([LOADED]), rows={"c": loaded})
    jobs = (Job("d", "c", SINCE, rows=new),)
    store = Store(FixtureData(datasets={"d": dataset}, jobs=jobs))
    with pytest.raises(NotReady) as raised:
        training.train_due_rows(store, SINCE + 10_000)
    if is_kept:
        store.rows.change(dataset, "c", new=[Row("meanwhile", "q")])
    else:
        store.remove_collections((dataset, ["c"]))
    deque(raised.value.pending, maxlen=0)
    training.train_due_rows(store, SINCE + 10_000)
    ids = {each.id for each in store.rows.get(store.datasets()[0], "c")}
    expected = {each.id for each in (*loaded, *new)} | {"meanwhile"}
    assert ids == (expected if is_kept else set())


def test_loaded_training_goes_on() -> None:
    job = Job("d", "c", SINCE, rows=tuple(rows(5)))
    generation = FixtureData(datasets={"d": DATASET}, jobs=(job,))
    store = Store(generation)
    assert shown(store, 2_000) == (-5, 6, 6)
    assert Store(generation).due_time == SINCE + 2_000


def test_a_sandbox_trains_by_its_own_clock() -> None:
    environment = Environment(lambda: 0, lambda: 0.0, lambda: "secret")
    sandbox = Sandbox(GENERATION, "documented", choose(), environment)
    sandbox.clock.set(SINCE, frozen=True)
    begun(sandbox.store, 3, is_parsed=True)
    sandbox.take_snapshot("queued")
    sandbox.clock.advance(2_000)
    assert len(sandbox.store.rows.get(DATASET, "c")) == 4
    sandbox.restore("queued")
    assert len(sandbox.store.rows.get(DATASET, "c")) == 1
