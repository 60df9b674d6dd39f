"""Times in milliseconds and in writing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.clock import MAX_TIME, format_time, parse_time


@given(st.integers(-62135596800000, MAX_TIME))
def test_what_is_written_reads_back(ms: int) -> None:
    assert parse_time(format_time(ms)) == ms


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-01t00:00:00.0019z", 1),
        ("2024-01-01T00:00:00.000Z", 1704067200000),
        ("9999-12-31T23:59:59.999Z", MAX_TIME),
    ],
)
def test_rfc_3339_is_read(text: str, ms: int) -> None:
    assert parse_time(text) == ms


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2024-01-01",
        "2024-01-01T00:00:00",
        "2024-01-01 00:00:00Z",
        "2024-13-01T00:00:00Z",
        "2024-01-01T25:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00",
        "20240101T000000Z",
        "٢٠٢٤-01-01T00:00:00Z",
    ],
)
def test_all_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any text will do
        parse_time(text)
