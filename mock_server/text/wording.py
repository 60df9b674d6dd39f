"""Values, counts and names in the words of messages."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice

MAX_QUOTED = 100
"""The most characters of a value that a message quotes."""
MAX_WORDS = 2_000
"""The most words among which a similar one is sought, which takes some 50 µs each."""

_LETTERS = re.compile("[a-z]{3,}")


def value_in_words(value: object) -> str:
    """`null`, `an object`, `a list of length 2`; else as Python writes it, cut if it is long."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dict():
            return "an object"
        case list() | tuple():
            return f"a list of length {len(value)}"
    text = repr(value)
    if len(text) > MAX_QUOTED:
        text = text[:MAX_QUOTED] + "…"
    return text


def count_in_words(number: int, noun: str) -> str:
    """A number of things: `1 chat`, `2 chats`."""
    plural = "" if number == 1 else "s"
    return f"{number} {noun}{plural}"


def closest_word(word: str, words: Iterable[str]) -> str | None:
    """The word most similar to a word, of the first MAX_WORDS; None if all differ too much."""
    # Long words, such as paths, must be as near as short ones: they differ in about six letters.
    least_similarity = max(0.6, 1 - 3 / max(1, len(word)))
    closest = get_close_matches(word, islice(words, MAX_WORDS), 1, least_similarity)
    return next(iter(closest), None)


def did_you_mean(word: object, words: Iterable[str]) -> str:
    """` (did you mean 'WORD'?)` for the end of a message; empty if all words are too different.

    Another number is no typo.
    """
    closest = closest_word(str(word), words)
    if closest is None or str(word).isdecimal():
        return ""
    return f" (did you mean {closest!r}?)"


def check_names(names: Iterable[object], known: Sequence[str]) -> None:
    """Raises ValueError for an unknown name."""
    for name in names:
        if name not in known:
            suggestion = did_you_mean(name, known)
            raise ValueError(f"Expected {', '.join(known)}, got {name!r}{suggestion}")


def typo_of(word: str, words: Iterable[str]) -> str | None:
    """The word of which this one is a typo: they differ in case, or in one letter or its place.

    None if it may be meant: numbers and single letters tell ids apart, `tmb-1` from `tmb-2`.
    """
    known = {it.casefold(): it for it in islice(words, MAX_WORDS)}
    # One letter more lowers the similarity less than this, two letters more.
    least_similarity = 1 - 1 / len(word) if len(word) > 3 else 1
    for closest in get_close_matches(word.casefold(), known, 1, least_similarity):
        is_other_name = _LETTERS.findall(known[closest]) == _LETTERS.findall(word)
        if closest[:1] == word[:1].casefold() and not is_other_name:
            return known[closest]
    return None
