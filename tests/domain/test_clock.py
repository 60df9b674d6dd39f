"""The clock: running, shifted, frozen; times in milliseconds and in writing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.clock import MAX_TIME, MIN_TIME, Clock, format_time, parse_time

times = st.integers(MIN_TIME, MAX_TIME)


class Real:
    """Real time that a test can turn: kept in milliseconds, given in nanoseconds."""

    def __init__(self, now: int = 1_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now * 1_000_000


@given(times, times)
def test_a_set_clock_tells_that_time_and_goes_on(now: int, wanted: int) -> None:
    real = Real(now)
    clock = Clock(real)
    clock.set(wanted)
    assert clock.now() == wanted
    real.now += 5
    assert clock.now() == min(wanted + 5, MAX_TIME)


@given(times, times)
def test_a_frozen_clock_stands_whatever_real_time_does(now: int, wanted: int) -> None:
    real = Real(now)
    clock = Clock(real)
    clock.set(wanted, frozen=True)
    real.now += 5
    assert (clock.now(), clock.is_frozen) == (wanted, True)


def test_a_clock_runs_on_from_where_it_stood() -> None:
    real = Real()
    clock = Clock(real, frozen_at=50)
    clock.set(frozen=False)
    real.now += 7
    assert (clock.now(), clock.is_frozen) == (57, False)


@pytest.mark.parametrize("frozen_at", [None, 1_000])
def test_time_advances_running_or_not(frozen_at: int | None) -> None:
    clock = Clock(Real(), frozen_at)
    clock.advance(250)
    assert clock.now() == 1_250
    assert clock.is_frozen is (frozen_at is not None)


@pytest.mark.parametrize("wanted", [MIN_TIME - 1, MAX_TIME + 1])
def test_a_time_that_cannot_be_written_is_refused(wanted: int) -> None:
    clock = Clock(Real(), frozen_at=3)
    with pytest.raises(ValueError, match="a year outside 1 to 9999"):
        clock.set(wanted)
    assert clock.now() == 3


def test_a_running_clock_stops_at_the_last_time() -> None:
    real = Real()
    clock = Clock(real)
    clock.set(MAX_TIME)
    real.now += 1
    assert clock.now() == MAX_TIME


def test_a_running_clock_goes_back_to_the_first_time_only() -> None:
    real = Real(1_000)
    clock = Clock(real)
    clock.set(MIN_TIME)
    real.now -= 5
    assert clock.now() == MIN_TIME


def test_a_copy_is_set_on_its_own() -> None:
    clock = Clock(Real(), frozen_at=3)
    copy = clock.copy()
    clock.advance(10)
    assert (copy.now(), clock.now()) == (3, 13)


@given(times)
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
