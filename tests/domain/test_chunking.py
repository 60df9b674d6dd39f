"""Texts cut into chunks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.datasets.texts import MAX_ROW_CHARS, ChunkRules, chunks
from mock_server.domain.limits import Published
from mock_server.domain.objects.pending import complete

SMALL = ChunkRules(size=100, overlap=20, min_chars=0)


def cut(text: str, cutting: ChunkRules = SMALL, most: int = 10**6) -> list[str]:
    return complete(chunks(text, most, cutting))


def test_a_short_text_is_one_row_as_it_is() -> None:
    text = "  # A\r\n\n\n\nb  "
    assert cut(text, ChunkRules()) == [text]
    assert cut(" \n\n", ChunkRules()) == cut(" \n\n") == []


@pytest.mark.ci
def test_lines_end_alike_wherever_a_step_ends() -> None:
    for size in (1_048_574, 1_048_575, 1_048_576):
        assert "\r" not in "".join(cut("a" * size + "\r\nb"))


def test_each_heading_begins_a_row_with_those_above_it() -> None:
    text = "Before\n# A\nintro\n## B\n### C\none\n## D\ntwo\n# E\nthree\n# F\n"
    assert cut(text) == [
        "Before",
        "# A\nintro",
        "# A\n## B\n### C\none",
        "# A\n## D\ntwo",
        "# E\nthree",
        "# F",
    ]
    levels = ChunkRules(size=100, heading_levels=1, min_chars=0)
    assert cut("# A\n## B\none\n## C\ntwo\n", levels) == ["# A\n## B\none\n## C\ntwo"]


def test_a_heading_in_code_is_none_and_code_stays_whole() -> None:
    code = "```\n# no heading\n" + "line of code\n" * 30 + "```"
    assert cut(f"# A\nsaid\n{code}\n") == [f"# A\nsaid\n{code}"]


def test_pieces_are_joined_up_to_the_size_and_a_little_more() -> None:
    assert cut("a" * 60 + "\n\n" + "b" * 40) == ["a" * 60 + "\n\n" + "b" * 40]
    assert cut("a" * 60 + "\n\n" + "b" * 59) == ["a" * 60 + "\n\n" + "b" * 59]
    assert cut("a" * 90 + "\n\n" + "b" * 90) == ["a" * 90, "b" * 90]


def test_only_sentences_overlap() -> None:
    sentences = "".join(f"{each * 15}。" for each in "abcdefghij")
    found = cut(sentences)
    assert len(found) > 1
    assert found[1].startswith(found[0][-32:])
    lines = "".join(f"{each * 15}\n" for each in "abcdefghij")
    assert "".join(cut(lines)).replace("\n", "") == lines.replace("\n", "")
    none = ChunkRules(size=100, overlap=0, min_chars=0)
    assert "".join(cut(sentences, none)) == sentences


def test_separators_cut_everywhere_and_go() -> None:
    own = ChunkRules(size=100, overlap=20, separators=("##", "\n-"), min_chars=0)
    assert cut("a##b\n-c ## \n##" + "d" * 300, own) == ["a", "b", "c", "d" * 300]
    assert len(cut("e" * 2 * MAX_ROW_CHARS, own)) > 1


def test_what_has_no_break_is_cut_where_a_row_is_full() -> None:
    assert cut("x" * (MAX_ROW_CHARS - 1)) == ["x" * (MAX_ROW_CHARS - 1)]
    found = cut("x" * 2 * MAX_ROW_CHARS)
    assert {len(each) for each in found[:-1]} == {100}


@pytest.mark.ci
def test_blanks_make_no_row_longer_than_a_state_takes() -> None:
    blank = " " * 2 * Published.text_chars
    assert cut(f"a{blank}", ChunkRules()) == cut(f"{blank}a") == ["a"]
    for text in (f"a{' ' * 9_000}\n" * 300, f"a{' ' * 60}. " * 9_000):
        found = cut(text, ChunkRules(overlap=0))
        assert max(map(len, found)) < 10 * ChunkRules().size
        assert "".join("".join(found).split()) == "".join(text.split())


def test_more_than_so_many_are_not_made() -> None:
    assert len(cut("# A\nb\n" * 50, most=10)) == 11


PIECES = [
    "a\r\nb",
    "word " * 20,
    "x" * 129,
    "一句话。",
    "Yes, it is. ",
    "\n",
    "\n\n",
    "# A\n",
]
TEXTS = st.lists(st.sampled_from([*PIECES, "```\n", "## B\nc\n"]), max_size=60)


@given(TEXTS.map("".join), st.sampled_from([64, 100, 1_000]))
def test_nothing_is_lost_but_blanks(text: str, size: int) -> None:
    found = cut(text, ChunkRules(size=size, overlap=0, heading_levels=0, min_chars=0))
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(each == each.strip() and each for each in found)
    assert all(len("".join(each.split())) < MAX_ROW_CHARS + size for each in found)


@pytest.mark.ci
@given(TEXTS.map("".join))
def test_large_texts_are_cut_like_small_ones(text: str) -> None:
    part = f"{text}\n\n# End\nof it\n"
    once = cut(part * 2)[:-1]
    many = cut(part * (60_000 // len(part) + 2))
    assert many[: len(once)] == once
