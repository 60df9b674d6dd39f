"""Words about what a listing asks for."""

from __future__ import annotations

import pytest

from mock_server.domain.listing.empty_page import join_words, tags_words


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a or b"),
        (["a", "b", "c"], "a, b or c"),
    ],
)
def test_parts_are_joined_as_a_sentence_has_them(parts: list[str], text: str) -> None:
    assert join_words(parts, "or") == text


def test_of_many_tags_the_first_are_told() -> None:
    assert tags_words(["a", "b", "c"]) == 'filterTags ["a", "b", "c"]'
    assert tags_words(["a", "b", "c", "d"]) == 'filterTags ["a", "b", "c", …]'
