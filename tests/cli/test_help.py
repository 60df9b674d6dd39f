"""What commands say of themselves, and of what they were given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run


def test_a_fixture_that_is_named_twice_is_told_once() -> None:
    done = run("demo", "demo")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "demo: Expected each file once, got this one twice" in done.err


def test_an_empty_fixture_is_called_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.touch()
    assert "(an empty fixture: `mock-server init`" in run("check", str(path)).out


@pytest.mark.parametrize("group", ["fault", "snapshot", "clock", "sandbox", "import"])
def test_help_cuts_no_sentence(group: str) -> None:
    assert "..." not in run(group, "--help").out.partition("Commands:")[2]
