"""How deep data nests."""

from __future__ import annotations

import pytest

from mock_server.domain.matching import deeper_than


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
