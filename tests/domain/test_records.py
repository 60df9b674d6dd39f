"""Apps and datasets: who may do what."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.access import Caller, Level
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import App, Collection

levels = st.sampled_from(Level)


@given(levels, st.dictionaries(st.sampled_from("abc"), levels))
def test_a_permission_of_the_key_overrides_its_level(
    own: Level, permissions: dict[str, Level]
) -> None:
    caller, expected = Caller("a", level=own), permissions.get("a", own)
    assert App("x", permissions=permissions).level_of(caller) is expected
    assert Dataset("x", permissions=permissions).level_of(caller) is expected


def test_collections_with_the_same_fields_are_not_the_same() -> None:
    one, other = Collection("x", "X"), Collection("x", "X")
    assert one != other
    assert len({one, other, one}) == 2
