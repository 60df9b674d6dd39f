"""How near a text is to another, by the characters that they share.

The parts of a question are the pairs of neighbouring characters in its words, case
folded; a word of one character is a part itself. The score of a text is the share of
these parts that it contains, from 0 to 1: a text that contains all of the question has
1. It needs no words, so that it serves Chinese as well, and no model, so that it is the
same everywhere.
"""

from itertools import pairwise

from mock_server.domain.haystack import fold

_MOST_PARTS = 64
"""Parts of a question that are compared, its first ones: a long question takes no
longer than this many."""


def parts_of(question: str) -> tuple[str, ...]:
    """The parts of a question by which texts are compared; none if it has no words."""
    parts: dict[str, None] = {}
    for word in _words(fold(question)):
        pairs = [word] if len(word) == 1 else map("".join, pairwise(word))
        for part in pairs:
            parts[part] = None
            if len(parts) == _MOST_PARTS:
                return tuple(parts)
    return tuple(parts)


def score(parts: tuple[str, ...], text: str) -> float:
    """The share of a question's parts that a text contains, to four digits."""
    if not parts:
        return 0.0
    folded = fold(text)
    return round(sum(map(folded.__contains__, parts)) / len(parts), 4)


def tokens_of(text: str) -> int:
    """About how many tokens a text counts: one for every four bytes of UTF-8."""
    return (len(text.encode()) + 3) // 4


def _words(text: str) -> list[str]:
    return "".join(each if each.isalnum() else " " for each in text).split()
