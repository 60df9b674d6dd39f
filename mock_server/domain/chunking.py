"""A text cut into the texts of data rows.

Paragraphs, which blank lines separate, are joined while they fit into a chunk; one that
is longer than a chunk is cut.
"""

import re
from collections.abc import Iterator

CHUNK_CHARS = 512
"""Characters of a chunk, unless a request says otherwise."""
MIN_CHUNK_CHARS = 64
"""Fewer count as these: a text must not become a row for each character."""
_SEPARATOR = "\n\n"
_BLANK_LINES = re.compile(r"\n\s*\n")


def chunks(text: str, size: int = CHUNK_CHARS) -> list[str]:
    """The chunks of a text, of at most `size` characters; none of a blank text."""
    size = max(size, MIN_CHUNK_CHARS)
    made: list[str] = []
    joined: list[str] = []
    length = 0
    for paragraph in paragraphs(text):
        # Nothing else is served meanwhile, and a MiB may have 260,000 of them: not to
        # cut the short ones takes a third of the time.
        is_short = len(paragraph) <= size
        for piece in (paragraph,) if is_short else _pieces(paragraph, size):
            length += len(_SEPARATOR) + len(piece)
            if length - len(_SEPARATOR) > size and joined:
                made.append(_SEPARATOR.join(joined))
                joined, length = [], len(_SEPARATOR) + len(piece)
            joined.append(piece)
    return [*made, _SEPARATOR.join(joined)] if joined else made


def _pieces(paragraph: str, size: int) -> Iterator[str]:
    return (paragraph[at : at + size] for at in range(0, len(paragraph), size))


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text, without the blanks around them."""
    return filter(None, map(str.strip, _BLANK_LINES.split(text)))
