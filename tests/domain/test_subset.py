"""Whether a JSON value holds another one, and where it does not; how deep it is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.validation.json_match import (
    MISSING,
    Difference,
    deeper_than,
    differences,
    is_match,
)

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(values)
def test_every_value_holds_itself(value: Any) -> None:
    assert is_match(value, value)


@given(values, values)
def test_holding_is_having_no_difference(wanted: Any, value: Any) -> None:
    assert is_match(wanted, value) is (not list(differences(wanted, value)))


@given(st.dictionaries(st.text(max_size=2), values), st.data())
def test_an_object_holds_a_part_of_itself(value: dict[str, Any], data: Any) -> None:
    names = data.draw(st.sets(st.sampled_from(sorted(value)))) if value else ()
    assert is_match({name: value[name] for name in names}, value)


@pytest.mark.parametrize(
    ("wanted", "value", "found"),
    [
        (1, 1.0, []),
        (1, True, [("$", 1, True)]),
        (True, 1, [("$", True, 1)]),
        (None, False, [("$", None, False)]),
        ({}, {"a": 1}, []),
        ({}, [], [("$", {}, [])]),
        ({"a": 1}, {}, [("$.a", 1, MISSING)]),
        ({"a": {"b": 1}}, {"a": {"b": 2, "c": 3}}, [("$.a.b", 1, 2)]),
        ([{"a": 1}], [{"a": 1, "b": 2}], []),
        ([1, 2], [1], [("$", [1, 2], [1])]),
        ([1, 2], [1, 3], [("$[1]", 2, 3)]),
        ({"a": 1, "b": 2}, {"a": 0, "b": 0}, [("$.a", 1, 0), ("$.b", 2, 0)]),
    ],
)
def test_every_difference_has_its_place(
    wanted: Any, value: Any, found: list[tuple[str, Any, Any]]
) -> None:
    expected = [Difference(path, want, got) for path, want, got in found]
    assert list(differences(wanted, value)) == expected
    assert is_match(wanted, value) is not bool(found)


@pytest.mark.parametrize(
    ("value", "depth"),
    [
        (1, 0),
        ([], 1),
        ([1], 1),
        ({}, 1),
        ({"a": "b"}, 1),
        ([[], {"a": [1, 2]}], 3),
        ([1, {"a": {"b": {}}}], 4),
    ],
)
def test_the_depth_is_that_of_the_innermost(value: object, depth: int) -> None:
    assert not deeper_than(value, depth)
    assert depth == 0 or deeper_than(value, depth - 1)
