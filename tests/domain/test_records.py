"""Apps and datasets: who may do what, and a dataset with some collections changed."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.access import Caller, Level
from mock_server.domain.dataset import Dataset, Tree
from mock_server.domain.records import App, Collection

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


def test_what_moves_to_another_folder_goes_to_the_end() -> None:
    items = [
        Collection("f", "F", type="folder"),
        Collection("x", "X", parent_id="f"),
        Collection("y", "Y", parent_id="f"),
    ]
    moved = Tree(items).with_collection(Collection("x", "X"))
    assert [each.id for each in moved.collections] == ["f", "y", "x"]
    assert [each.id for each in moved.below("f")] == ["y"]
    assert (moved.depth(None), moved.depth("f")) == (0, 1)


@pytest.mark.parametrize("ids", [["y"], ("y", "none"), {"y"}, iter(["y", "y"])])
def test_collections_are_removed_by_any_ids(ids: Iterable[str]) -> None:
    tree = Tree([Collection("x", "X"), Collection("y", "Y")])
    assert [each.id for each in tree.without(ids)] == ["x"]
    assert len(tree) == 2
