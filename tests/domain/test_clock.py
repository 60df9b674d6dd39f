"""The clock: running, shifted, standing; never at a time that cannot be written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.domain.clock import MAX_TIME, MIN_TIME, Clock

times = st.integers(MIN_TIME, MAX_TIME)


class Real:
    """Real time that a test can turn."""

    def __init__(self, now: int = 1_000) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


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


def test_a_copy_is_set_on_its_own() -> None:
    clock = Clock(Real(), frozen_at=3)
    copy = clock.copy()
    clock.advance(10)
    assert (copy.now(), clock.now()) == (3, 13)
