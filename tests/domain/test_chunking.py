"""Texts cut into chunks."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.datasets.texts import chunks
from mock_server.domain.objects.pending import complete

PIECES = [
    "a\r\nb",
    "word " * 20,
    "x" * 64,
    "x" * 129,
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "\n \n",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)


def added_up(text: str, size: int) -> list[str]:
    """The chunks of a text, paragraph by paragraph."""
    made: list[str] = []
    for paragraph in filter(None, map(str.strip, re.split(r"\n\s*\n", text))):
        starts = range(0, len(paragraph), size)
        for index, piece in enumerate(paragraph[at : at + size] for at in starts):
            if made and not index and len(made[-1]) + 2 + len(piece) <= size:
                made[-1] += f"\n\n{piece}"
            else:
                made.append(piece)
    return made


SIZES = st.sampled_from([64, 65, 66, 129, 130, 131, 200])


@given(TEXTS, SIZES)
def test_chunks_are_those_of_adding_paragraphs_up(text: str, size: int) -> None:
    assert complete(chunks(text, 10**6, size)) == added_up(text, size)


@given(TEXTS)
def test_large_texts_are_cut_like_small_ones(text: str) -> None:
    large = f"{text}\n\n" * (150_000 // (len(text) + 2) + 1)
    assert complete(chunks(large, 10**6, 64)) == added_up(large, 64)
