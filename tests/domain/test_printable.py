"""Texts of others, as terminals and build logs may show them."""

from __future__ import annotations

import json
import unicodedata

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.printable import (
    coloured,
    glimpse,
    json_text,
    one_line,
    safe_lines,
    wants_colour,
    yaml_text,
)
from mock_server.fixture.dump import document_as_yaml

HARM = [
    *map(chr, (*range(10), *range(11, 32), *range(127, 160))),
    *"\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff\U000e0041",
]


def test_what_moves_a_terminal_is_shown_as_an_escape() -> None:
    for char in HARM:
        text = f"a{char}b"
        for shown in (one_line(text), safe_lines(text), glimpse(text)):
            assert (shown.isascii(), "\\" in shown) == (True, True), ascii(char)


@pytest.mark.parametrize(
    ("char", "escape"),
    [("\x9b", r"\x9b"), ("\u202e", r"\u202e"), ("\U000e0041", r"\U000e0041")],
)
def test_an_escape_is_that_of_python(char: str, escape: str) -> None:
    assert one_line(f"a{char}b") == f"a{escape}b"


def test_json_and_yaml_say_the_same_in_ascii() -> None:
    for char in (*HARM, "\n", "##[", "\ud800"):
        value = {"name": f"a{char}b"}
        text = json_text(json.dumps(value, ensure_ascii=False))
        assert (json.loads(text), text.isascii()) == (value, True)
        assert "##[" not in text, ascii(char)
        if char != "\ud800":
            assert yaml.safe_load(yaml_text(document_as_yaml(value))) == value


def test_what_others_write_stays_as_it_is() -> None:
    text = "Grüße, 你好\u3000世界 👩\u200d💻 a::b #[x]"
    assert one_line(text) == json_text(text) == safe_lines(text) == text


@pytest.mark.parametrize("text", ["::error::x", " \t::error::x", "a\n::x", "a ##[x]"])
def test_no_line_is_a_command_of_a_runner(text: str) -> None:
    for line in (one_line(text), *safe_lines(text).split("\n")):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line


def test_one_line_is_one_line() -> None:
    assert one_line("a\r\nb\tc") == r"a\r\nb\tc"
    assert safe_lines("a\r\nb") == "a\\r\nb"


@given(st.text())
def test_nothing_that_is_printed_controls_anything(text: str) -> None:
    for char in one_line(text):
        assert unicodedata.category(char) not in ("Cc", "Zl", "Zp", "Cs")
        assert unicodedata.bidirectional(char) not in ("RLO", "LRO", "RLI", "LRI")


@pytest.mark.parametrize(
    ("status", "code"), [(200, 32), (302, 36), (404, 33), (503, 31), (0, 31)]
)
def test_the_class_of_a_status_has_a_colour(status: int, code: int) -> None:
    assert coloured("text", status) == f"\x1b[{code}mtext\x1b[0m"


def test_a_colour_has_a_name_too() -> None:
    assert coloured("text", "green") == coloured("text", 200)


@pytest.mark.parametrize(
    ("is_terminal", "variables", "wanted"),
    [
        (True, {}, True),
        (True, {"NO_COLOR": ""}, True),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {}, False),
    ],
)
def test_colour_is_for_terminals_whose_user_has_not_declined(
    is_terminal: bool, variables: dict[str, str], wanted: bool
) -> None:
    assert wants_colour(is_terminal, variables) is wanted
