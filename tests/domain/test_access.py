"""Permission levels."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.access import Caller, Level

levels = st.sampled_from(Level)
RISING = [Level.NONE, Level.READ, Level.WRITE, Level.MANAGE, Level.OWNER]


def test_the_bits_are_the_deployed_services() -> None:
    assert [level.value for level in RISING] == [0, 4, 6, 7, 2**32 - 1]


def test_each_level_includes_those_below_and_no_other() -> None:
    for lower, higher in pairwise(RISING):
        assert higher.includes(lower)
        assert not lower.includes(higher)


@given(levels, levels, levels)
def test_including_is_an_order(one: Level, two: Level, three: Level) -> None:
    assert one.includes(one)
    assert not (one.includes(two) and two.includes(three)) or one.includes(three)


@given(levels, st.dictionaries(st.sampled_from("abc"), levels))
def test_a_permission_of_the_key_overrides_its_level(
    own: Level, permissions: dict[str, Level]
) -> None:
    expected = permissions.get("a", own)
    assert Caller("a", level=own).level_on(permissions) is expected
