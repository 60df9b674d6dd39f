"""The tables of the documentation are those of the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.command_line import HELP, SETTINGS, help_text, settings_text
from tests.docs.pages import (
    PAGES,
    Table,
    cells,
    markdown,
    name_of,
    renewed,
    tables,
    text_of,
)
from tests.docs.tables import COMMANDS, TABLES, made

SHOWN = [(page, name, old) for page in PAGES for name, old in tables(page)]
IDS = [f"{page.stem}-{name}" for page, name, _ in SHOWN]


@pytest.mark.parametrize(("page", "name", "old"), SHOWN, ids=IDS)
def test_a_table_is_the_codes(page: Path, name: str, old: str) -> None:
    stale = f"{name_of(page)}: the table `{name}` is stale; renew it by "
    assert old == markdown(made(name), old), f"{stale}`python -m tests.docs`"


@pytest.mark.parametrize(("page", "name", "old"), SHOWN, ids=IDS)
def test_no_meaning_is_missing(page: Path, name: str, old: str) -> None:
    if made(name).meaning:
        silent = [row[:-1] for row in cells(old) if not row[-1]]
        assert silent == [], f"{name_of(page)}: write what these of `{name}` mean"


def test_the_help_is_the_commands() -> None:
    stale = f"{name_of(HELP)} is stale; renew it by `python -m tests.docs`"
    assert text_of(HELP) == help_text(), stale


def test_the_settings_are_those_of_the_commands() -> None:
    stale = f"{name_of(SETTINGS)} is stale; renew it by `python -m tests.docs`"
    assert text_of(SETTINGS) == settings_text(COMMANDS), stale


def test_every_table_is_shown() -> None:
    assert {name.split()[0] for _, name, _ in SHOWN} == set(TABLES)


def test_meanings_stay_when_a_table_is_renewed() -> None:
    old = "<!-- table: x -->\n| a |\n|---|\n| 1 | one |\n| 2 | two |\n<!-- end -->\n"
    new = renewed(old, {"x": Table(["a"], [["2"], ["3"]], "meaning")})
    assert cells(new.partition("\n")[2].partition("<!--")[0]) == [
        ["2", "two"],
        ["3", ""],
    ]
