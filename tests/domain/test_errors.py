"""The words of messages: values, hints, suggestions and what they may cost."""

from __future__ import annotations

import pytest

from mock_server.domain.call import AppNotFound
from mock_server.domain.messages import describe_value, did_you_mean


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


def test_the_nearest_word_is_suggested() -> None:
    assert did_you_mean("titel", ["top", "title"]) == " (did you mean 'title'?)"
    assert did_you_mean("xyz", ["top", "title"]) == ""
    assert did_you_mean("xyz", []) == ""


def test_among_many_only_words_that_begin_alike_count() -> None:
    many = [f"word-{number}" for number in range(51)]
    assert did_you_mean("ord-7", many[:50]) == " (did you mean 'word-7'?)"
    assert did_you_mean("ord-7", many) == ""
    assert did_you_mean("word-x", many).startswith(" (did you mean 'word-")


def test_among_very_many_none_is_looked_for() -> None:
    many = [f"word-{number}" for number in range(5_001)]
    assert did_you_mean("word-x", many[:5_000]) != ""
    assert did_you_mean("word-x", many) == ""
