"""The table of kinds lists every module of the folder, and every kind there is."""

from __future__ import annotations

from pathlib import Path

from mock_server.api.faults import table
from mock_server.api.faults.table import KINDS

SHARED = {
    "__init__",
    "answer_checks",
    "answering",
    "context",
    "fault",
    "presets",
    "reader",
    "table",
}


def test_every_module_is_a_kind_of_its_name() -> None:
    modules = {path.stem for path in Path(table.__file__).parent.glob("*.py")}
    assert modules - SHARED == set(KINDS)
