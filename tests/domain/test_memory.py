"""The budget of memory: what is charged, what gives way, what is refused."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from itertools import product
from weakref import getweakrefcount, ref

import pytest

from mock_server import Fault, load_fixture
from mock_server.api.faults.error import Error
from mock_server.api.faults.rate_limit import RateLimited
from mock_server.domain.errors import InvalidField, LimitReached
from mock_server.domain.faults.definition import Match
from mock_server.domain.faults.faults import Faults
from mock_server.domain.faults.firing import RateLimit, Request
from mock_server.domain.limits import DEFAULT_LIMITS, Limits, Published
from mock_server.domain.memory import Memory, size_of
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.pending import STEP

MIB = 1024 * 1024


def budget(size: int) -> Memory:
    """A memory of so many bytes."""
    return Memory(Limits(memory_bytes=size))


def test_what_holds_a_mebibyte_is_named() -> None:
    memory = budget(2 * MIB)
    held = memory.charge("states", MIB, "path")
    with pytest.raises(LimitReached, match=r"\(held: states 1\.0 MiB; "):
        memory.check_room(2 * MIB, "path")
    assert held.size == MIB


def test_a_state_is_charged_once_and_as_long_as_it_is_held() -> None:
    memory, state = budget(10 * MIB), FixtureData(size=6 * MIB)
    memory.charge_shared(state)
    memory.charge_shared(state)
    assert memory.usage()["states"] == memory.used == 6 * MIB
    del state
    assert memory.used == 0


def test_a_budget_goes_though_what_it_charged_is_kept_by_others() -> None:
    memory, state = Memory(), FixtureData(size=9 * MIB)
    memory.charge_shared(state)
    gone = ref(memory)
    del memory
    gc.collect()
    assert gone() is None
    assert getweakrefcount(state) == 0  # nor does anything wait for the data


@pytest.mark.ci
def test_large_data_free_what_holds_their_objects_first() -> None:
    memory, freeing = Memory(), list[Iterator[None]]()
    state = load_fixture(
        {"datasets": [{"id": "d", "collections": [{"name": "a{n}", "repeat": 20_000}]}]}
    )
    tree = ref(state.datasets["d"].tree)
    memory.run_soon = freeing.append
    memory.charge_shared(state)
    del state
    (steps,) = freeing
    without_tree = sum(tree() is None for _ in steps)
    assert without_tree > 20_000 / STEP  # steps that free the collections


def test_what_is_over_the_budget_is_refused_with_what_is_held() -> None:
    memory, state = budget(10 * MIB), FixtureData(size=6 * MIB)
    memory.charge_shared(state)
    with pytest.raises(LimitReached) as refused:
        memory.charge("snapshots", 5 * MIB, "path")
    assert refused.value.message.startswith(
        "Expected at most 10.0 MiB of memory in use, got 11.0 MiB - at path "
        "(held: states 6.0 MiB; start with more --memory"
    )
    assert memory.used == 6 * MIB


def test_caches_give_way_to_what_is_kept() -> None:
    memory, state = budget(10 * MIB), FixtureData()
    cache = memory.cache_of(state, "choices")
    cache.put("page", b"x" * (MIB - 1024))
    assert memory.used > MIB - 1024
    memory.charge_shared(large := FixtureData(size=9 * MIB + MIB // 2))
    assert (memory.used, cache.get("page")) == (large.size, None)


def test_a_cache_goes_with_its_state() -> None:
    memory, state = Memory(), FixtureData()
    cache = memory.cache_of(state, "choices")
    cache.put("page", b"x")
    assert memory.cache_of(state, "choices").get("page") == b"x"
    assert memory.cache_of(state, "others").get("page") is None
    del state, cache
    assert memory.used == 0


def test_texts_are_kept_by_the_byte_not_by_the_number() -> None:
    memory, state = budget(80 * MIB), FixtureData()
    cache = memory.cache_of(state, "choices")
    for number in range(100):
        cache.put(number, b"x" * (MIB // 4))
        assert memory.usage()["caches"] <= 10 * MIB
    assert cache.get(99) is not None
    cache.put("large", b"x" * (DEFAULT_LIMITS.cached_text_bytes + 1))
    assert cache.get("large") is None


def test_journals_and_caches_have_a_part_of_a_small_budget() -> None:
    memory = budget(8 * MIB)
    assert memory.has_room_for("journals", 2 * MIB)
    assert not memory.has_room_for("journals", 2 * MIB + 1)
    assert memory.has_room_for("caches", MIB)
    assert not memory.has_room_for("caches", MIB + 1)


def test_each_part_of_the_budget_has_a_limit_of_its_own() -> None:
    limits = Limits(journals_bytes=MIB, caches_bytes=MIB, cached_text_bytes=1_000)
    memory, state = Memory(limits), FixtureData()
    assert memory.has_room_for("journals", MIB)
    assert not memory.has_room_for("journals", MIB + 1)
    assert not memory.has_room_for("caches", MIB + 1)
    cache = memory.cache_of(state, "choices")
    cache.put("small", b"x" * 100)
    cache.put("large", b"x" * 1_000)
    assert dict(cache) == {"small": b"x" * 100}


def faults(memory: Memory) -> Faults:
    """Faults whose time stands still."""
    return Faults(lambda: 0.0, memory, memory.limits)


def wanting(size: int) -> Fault:
    """A fault that wants a text of so many characters in the body."""
    return Error(match=Match(body={"x": "y" * size}))


def test_faults_are_charged_while_they_are_known() -> None:
    memory = Memory()
    added = faults(memory)
    fault = added.add(wanting(1_000))
    assert 2_000 < memory.usage()["faults"] < 5_000
    added.remove(fault)
    del fault
    assert memory.used == 0


def test_of_several_faults_that_are_too_many_none_is_added() -> None:
    added = faults(budget(8_000))
    with pytest.raises(LimitReached):
        added.add_all([wanting(1_000)] * 8)
    assert added.all() == []


def test_a_fault_that_wants_a_large_body_is_refused() -> None:
    name = "x" * (Published.matched_bytes - len('{"x":""}'))
    Error(match=Match(body={"x": name})).check()
    with pytest.raises(InvalidField, match=r"at most 4096 bytes, .* at \$.match.body"):
        Error(match=Match(body={"x": name + "x"})).check()


def test_the_windows_of_a_rate_limit_keep_to_the_budget() -> None:
    memory = budget(32 * 1024)
    added = faults(memory)
    added.add(RateLimited(requests=1, window=10))
    for number in range(1_000):
        added.decide(Request(("listV2",), (f"key-{number}",), {}), 0)
    assert 8 * 1024 < memory.used <= memory.limit


def test_plain_data_is_sized_whole() -> None:
    assert size_of({"a": ["x" * 1_000] * 3, "b": {"c": "y" * 500}}) > 3_500


def test_the_windows_of_rate_limits_are_freed_in_steps() -> None:
    memory, begun = Memory(), list[Iterator[None]]()
    memory.run_soon = begun.append
    limits = [RateLimit(1, 1, memory.charge("faults"), 1_000) for _ in range(9)]
    for limit, number in product(limits, range(1_000)):
        limit.count(f"{number}", 0)
    del limit, limits
    assert sum(1 for steps in begun for _ in steps) >= 2
