"""A text cut into the texts of data rows.

Paragraphs, which blank lines separate, are joined while they fit into a chunk; one that
is longer than a chunk is cut.
"""

from collections.abc import Iterator

CHUNK_CHARS = 512
"""Characters of a chunk, unless a request says otherwise."""
MIN_CHUNK_CHARS = 64
"""Fewer count as these: a text must not become a row for each character."""
_SEPARATOR = "\n\n"


def chunks(text: str, size: int = CHUNK_CHARS) -> list[str]:
    """The chunks of a text, of at most `size` characters; none of a blank text."""
    size = max(size, MIN_CHUNK_CHARS)
    made: list[str] = []
    joined: list[str] = []
    length = 0
    for piece in _pieces(text, size):
        length += len(_SEPARATOR) + len(piece)
        if length - len(_SEPARATOR) > size and joined:
            made.append(_SEPARATOR.join(joined))
            joined, length = [], len(_SEPARATOR) + len(piece)
        joined.append(piece)
    return [*made, _SEPARATOR.join(joined)] if joined else made


def _pieces(text: str, size: int) -> Iterator[str]:
    """The paragraphs of a text, cut where they are longer than a chunk."""
    for paragraph in paragraphs(text):
        for at in range(0, len(paragraph), size):
            yield paragraph[at : at + size]


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a text, without the blanks around them."""
    lines: list[str] = []
    for line in (*text.split("\n"), ""):
        if line.strip():
            lines.append(line)
        elif lines:
            yield "\n".join(lines).strip()
            lines = []
