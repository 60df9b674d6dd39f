"""Texts of data rows: cut out of longer ones, and compared with questions.

Paragraphs, which blank lines separate, are joined while they fit into a chunk; one that
is longer than a chunk is cut.

The parts of a question are the pairs of neighbouring characters in its words, case
folded; a word of one character is a part itself. The score of a text is the share of
these parts that it contains, from 0 to 1: a text that contains all of the question has
1. It needs no words, so that it serves Chinese as well, and no model, so that it is the
same everywhere.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from mock_server.domain.limits import Published
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.pending import STEP, Steps

CHUNK_CHARS = 512
"""Characters of a chunk, unless a request says otherwise."""
MIN_CHUNK_CHARS = 64
"""Fewer count as these: a text must not become a row for each character."""
_SEPARATOR = "\n\n"
_BLANK_LINES = re.compile(r"\n\s*\n")
_PART_CHARS = 65_536


def chunks(text: str, most: int, size: int = CHUNK_CHARS) -> Steps[list[str]]:
    """The chunks of a text, of at most `size` characters; none of a blank text.

    If there are more than `most`, that is one more of them.
    """
    size = min(max(size, MIN_CHUNK_CHARS), Published.text_chars)
    # Nothing else is served meanwhile. To add up the lengths of 118,000 paragraphs, as
    # a MiB may have, took 21 ms; to find separators, which stand nowhere else, takes 6.
    text = text.replace("\n\r\n", _SEPARATOR)  # a blank line either way
    parts: list[str] = []
    room = (most + 1) * (size + len(_SEPARATOR))
    for part in map(_separated, _parts(text)):
        yield
        if part:
            parts.append(part)
        room -= len(part)
        if room < 0:
            break
    text = _SEPARATOR.join(parts)
    yield
    made: list[str] = []
    start = 0
    while len(text) - start > size and len(made) <= most:
        end = text.rfind(_SEPARATOR, start, start + size + len(_SEPARATOR))
        if end < 0:
            made.append(text[start : start + size])
            start += size
        else:
            made.append(text[start:end])
            start = end + len(_SEPARATOR)
        if not len(made) % STEP:
            yield
    return [*made, text[start:]][: most + 1] if text else made


def _parts(text: str) -> Iterator[str]:
    """A text in parts of some size, each of which ends where a paragraph does.

    What is made of one is freed before the next, and so stays in the cache of the
    processor: that halves the time for a MiB.
    """
    start = 0
    while start < len(text):
        end = text.find(_SEPARATOR, start + _PART_CHARS)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end


def _separated(text: str) -> str:
    """The paragraphs of a text, without the blanks around them, and separators."""
    paragraphs = _stripped(text.split(_SEPARATOR))
    if _BLANK_LINES.search("".join(paragraphs)):  # lines of spaces
        paragraphs = _stripped(_BLANK_LINES.split(text))
    return _SEPARATOR.join(paragraphs)


def _stripped(texts: Iterable[str]) -> list[str]:
    """Texts without the blanks around them; those that are blank are left out."""
    return [*filter(None, map(str.strip, texts))]


_MOST_PARTS = 64
"""Parts of a question that are compared, its first ones: a long question takes no
longer than this many."""


def parts_of(question: str) -> tuple[str, ...]:
    """The parts of a question by which texts are compared; none if it has no words."""
    parts: dict[str, None] = {}
    for word in _words(fold(question[:_PART_CHARS])):
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
