"""The words of the console: whatever it says, it can say in Chinese too."""

from __future__ import annotations

import json
import re
from pathlib import Path

import mock_server
from tests.docs.untranslated import untranslated
from tests.support import Api

FOLDER = Path(mock_server.__file__).parent / "console"
TABLE = FOLDER / "words" / "chinese.js"
TEXT = r'"(?:[^"\\]|\\.)*"'
CALLS = rf"\bt\(\s*({TEXT})|\bcounted\([^;]*?,\s*{TEXT},\s*({TEXT})\s*\)"
"""What counts has one form in Chinese: that of many."""
PAGE = r'>([^<>]*[A-Za-z][^<>]*)<|aria-label="([^"]+)"'


def chinese() -> dict[str, str]:
    """The table; each entry is a line of it, as JSON has it."""
    lines = re.findall(
        rf"^  ({TEXT}: {TEXT}),$", TABLE.read_text("utf-8"), re.MULTILINE
    )
    pairs = [json.loads(f"{{{line}}}") for line in lines]
    found = {key: value for pair in pairs for key, value in pair.items()}
    assert len(found) == len(pairs), "a text stands there twice"
    return found


def said() -> set[str]:
    """All texts that scripts and page ask for."""
    found = set()
    for path in FOLDER.rglob("*.js"):
        for match in re.findall(CALLS, path.read_text("utf-8")):
            found |= {json.loads(text) for text in match if text}
    for match in re.findall(PAGE, (FOLDER / "index.html").read_text("utf-8")):
        found |= {text.strip() for text in match if text.strip()}
    return found


def test_every_text_is_there_in_chinese() -> None:
    assert sorted(said() - chinese().keys()) == []


def test_the_values_in_a_text_are_the_same_in_chinese() -> None:
    holes = {
        text: (re.findall(r"\{\w+\}", text), re.findall(r"\{\w+\}", other))
        for text, other in chinese().items()
    }
    assert {
        text for text, (own, other) in holes.items() if set(own) != set(other)
    } == set()


def test_no_line_is_there_that_nothing_says() -> None:
    assert sorted(chinese().keys() - said()) == []


def test_sentences_without_chinese_are_listed_by_a_command() -> None:
    said = ("kind told", "Said.", "说了。"), ("kind new", "Not said yet.", "")
    assert untranslated(iter(said)) == ["kind new: Not said yet."]


def test_rows_send_their_chinese_along(api: Api) -> None:
    (row, *_) = api.admin("GET", "/choices").json()["table"]
    assert row["chinese"].startswith("省略")
    document = api.admin("GET", "/openapi.json").json()
    assert document["components"]["schemas"]["Hang"]["x-chinese"].startswith("没有")
