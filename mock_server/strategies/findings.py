"""What is wrong with the requests of a call, whatever the call was for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from mock_server.control.report import violation_lines

Entry = Mapping[str, Any]

_TOLERANCE_SECONDS = 0.1
"""What clients may round off."""


def off_contract(entries: Sequence[Entry], allowed: Collection[str]) -> list[str]:
    """A line for each departure from the interface description."""
    return [line for entry in entries for line in violation_lines(entry, allowed)]


def most_attempts(entries: Sequence[Entry]) -> int:
    """How often the same request came in a row."""
    most = in_a_row = 0
    last: Entry | None = None
    for entry in entries:
        in_a_row = in_a_row + 1 if last and _is_same(last, entry) else 1
        most, last = max(most, in_a_row), entry
    return most


def too_early(entries: Sequence[Entry]) -> Iterator[tuple[float, float]]:
    """Seconds that were to be waited, and were, for each repetition before its time."""
    for first, second in pairwise(entries):
        asked = first["answer"]["headers"].get("retry-after", "")
        if asked.isdigit() and _is_same(first, second):
            waited = (_time(second) - _time(first)).total_seconds()
            if waited < float(asked) - _TOLERANCE_SECONDS:
                yield float(asked), max(0.0, waited)


def _is_same(one: Entry, other: Entry) -> bool:
    names = "method", "path", "query", "body"
    return all(one["request"][name] == other["request"][name] for name in names)


def _time(entry: Entry) -> datetime:
    return datetime.fromisoformat(entry["time"])
