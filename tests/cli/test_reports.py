"""Problems of fixtures in the formats of `mock-server check`."""

from __future__ import annotations

import json

from mock_server.cli.reports import REPORTS
from mock_server.fixture.problems import Problem, SourceText

PROBLEM = Problem("a,b.yaml", 12, 5, "50%: no\nway", "  - x: 1")
FILE = Problem("a.yaml", 0, 0, "no such file")


def test_text_shows_the_line_and_a_caret() -> None:
    assert REPORTS["text"]([PROBLEM, FILE]) == (
        "a,b.yaml:12:5: 50%: no\\nway\n"
        "  12 |   - x: 1\n"
        "     |     ^\n"
        "a.yaml: no such file"
    )


def test_a_long_line_is_cut_around_the_caret() -> None:
    source = "x" * 500 + "!" + "y" * 500
    _, line, caret = str(
        REPORTS["text"]([SourceText("f", source).problem_at(500, "m")])
    ).splitlines()
    assert len(line) < 140
    assert line[caret.index("^")] == "!"


def test_a_tab_before_the_caret_does_not_move_it() -> None:
    problem = Problem("f", 1, 3, "m", "\t\tx")
    assert problem.excerpt().splitlines() == ["  1 |   x", "    |   ^"]


def test_json_is_an_array_of_objects() -> None:
    assert json.loads(REPORTS["json"]([PROBLEM])) == [
        {"file": "a,b.yaml", "line": 12, "column": 5, "message": "50%: no\nway"}
    ]


def test_github_escapes_what_its_commands_need() -> None:
    assert REPORTS["github"]([PROBLEM, FILE]).splitlines() == [
        "::error file=a%2Cb.yaml,line=12,col=5::50%25: no%0Away",
        "::error file=a.yaml,line=1,col=1::no such file",
    ]


def test_no_problems_is_an_empty_report() -> None:
    assert json.loads(REPORTS["json"]([])) == []


def test_text_shows_what_fixtures_hold_without_doing_it() -> None:
    name, source = "a\n::error::x.yaml", "k: \x9b31m\u202e\t\x1b[2J # ::x\u2028::y"
    command = Problem("::error::b.yaml", 1, 9, "m\x85", source)
    report = REPORTS["text"]([Problem(name, 0, 0, "no such file"), command])
    assert report.splitlines() == [
        r"a\n::error::x.yaml: no such file",
        r"\x3a:error::b.yaml:1:9: m\x85",
        r"  1 | k: \x9b31m\u202e \x1b[2J # ::x\u2028::y",
        "    |                 ^",
    ]


def test_github_has_one_command_for_each_problem() -> None:
    problem = Problem("a\r\n::set-env::x", 1, 1, "m\x1b[2J\u2028::error::y\r")
    (line,) = REPORTS["github"]([problem]).splitlines()
    file, _, message = line.removeprefix("::error file=").partition(",line=1,col=1::")
    assert file == r"a\r%0A\x3a%3Aset-env%3A%3Ax"
    assert message == r"m\x1b[2J\u2028::error::y\r"
    assert line.isprintable()


def test_json_is_the_same_without_controls() -> None:
    file, message = "##[x]\x9b.yaml", "m\u202e\u2028\x7f"
    report = REPORTS["json"]([Problem(file, 1, 1, message)])
    assert all(line.isprintable() for line in report.splitlines())
    assert "##[" not in report
    assert {file, message} <= set(_texts(json.loads(report)))


def _texts(value: object) -> list[str]:
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return [text for part in parts for text in _texts(part)]
    return [str(value)]
