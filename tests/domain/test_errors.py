"""How values look in messages."""

from __future__ import annotations

import pytest

from mock_server.domain.errors import AppNotFound, describe_value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        (-1, "-1"),
        (0.5, "0.5"),
        ("", 'the string ""'),
        ('a"\n\x00é', 'the string "a\\"\\n\\u0000é"'),
        ("x" * 60, f'the string "{"x" * 60}"'),
        ("x" * 61, f'the string "{"x" * 60}…" of 61 characters'),
        ([1], "an array"),
        ({"a": 1}, "an object"),
        (10**60 - 1, "9" * 60),
        (10**60, "a longer integer"),
        (-(10**5000), "a longer integer"),
    ],
    ids=range(13),
)
def test_values_are_shown_as_json_and_cut(value: object, shown: str) -> None:
    assert describe_value(value) == shown


def test_a_hint_stands_in_brackets_at_the_end() -> None:
    plain, hinted = AppNotFound("x", "y", "$.z"), AppNotFound("x", "y", "$.z", "try")
    assert str(plain) == "Expected x, got y - at $.z"
    assert str(hinted) == "Expected x, got y - at $.z (try)"
