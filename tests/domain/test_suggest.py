"""Suggestions, and what they may cost."""

from __future__ import annotations

from mock_server.domain.errors import did_you_mean


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
