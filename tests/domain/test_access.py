"""Permission levels, and the keys that sandboxes issue."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.access import (
    ISSUED_KEY_PREFIX,
    Caller,
    KeyRing,
    Level,
    owner_key,
    prefix_of,
)

levels = st.sampled_from(Level)
RISING = [Level.NONE, Level.READ, Level.WRITE, Level.MANAGE, Level.OWNER]


def test_the_bits_are_the_deployed_services() -> None:
    assert [level.value for level in RISING] == [0, 4, 6, 7, 2**32 - 1]


@given(levels, levels)
def test_a_level_is_at_least_another_if_it_has_all_its_bits(
    one: Level, other: Level
) -> None:
    assert (one >= other) is (one & other == other)


@given(st.lists(st.text(min_size=1), unique=True, max_size=5), st.text())
def test_issued_keys_are_distinct_and_always_the_same(
    declared: list[str], secret: str
) -> None:
    ring = KeyRing(secret)
    keys = [ring.owner, *(ring.issued_key(key) for key in declared)]
    assert len(set(keys)) == len(keys)
    assert keys[1:] == [KeyRing(secret).issued_key(key) for key in declared]
    for key in keys:
        assert prefix_of(key) == ring.prefix
        assert key.startswith(ISSUED_KEY_PREFIX)


def test_issued_keys_lead_to_those_they_stand_for() -> None:
    ring, reader = KeyRing("secret"), Caller("r", "tmb-1", Level.READ)
    callers = ring.callers({"r": reader})
    assert callers[ring.issued_key("r")] is reader
    assert callers[ring.owner].level is Level.OWNER
    assert len(callers) == 2


def test_the_first_declared_owner_has_the_owners_key() -> None:
    keys = {"r": Level.READ, "a": Level.OWNER, "b": Level.OWNER}
    declared = {key: Caller(key, level=level) for key, level in keys.items()}
    assert owner_key(declared, is_any_accepted=True) == "a"
    assert owner_key({"r": declared["r"]}, is_any_accepted=True) is None


@pytest.mark.parametrize(
    ("is_any_accepted", "key"), [(True, "fastgpt-owner"), (False, None)]
)
def test_where_no_key_is_declared_any_may_count(
    is_any_accepted: bool, key: str | None
) -> None:
    assert owner_key({}, is_any_accepted) == key
