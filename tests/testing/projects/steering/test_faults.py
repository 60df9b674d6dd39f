"""Faults: added, told, taken away; and time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from mock_server import MockServerFixture

Pin = Callable[..., int]


def test_a_fault_fires_and_is_spent(server: MockServerFixture, pin: Pin) -> None:
    added = server.fault("error", status=502)
    assert (pin(), pin(), added.fired) == (502, 200, 1)
    assert server.faults == []
    assert server.faults.all_fired()


def test_a_fault_lasts_as_long_as_its_block(
    server: MockServerFixture, pin: Pin
) -> None:
    with server.fault("error", status=500) as fault:
        assert [pin(), pin()] == [500, 500]
        assert fault.fired == 2
    assert (pin(), fault.fired) == (200, 2)
    assert server.faults == []
    with server.fault("error", times=1), server.fault("rate_limit", limit=1, window=9):
        assert [pin(), pin(), pin()] == [503, 200, 429]
    assert server.faults == []


def test_a_block_whose_fault_never_fires_fails(
    server: MockServerFixture, pin: Pin
) -> None:
    with (
        pytest.raises(AssertionError, match=r"\(error of listV2\) matched no request"),
        server.fault("error", operation="listV2"),
    ):
        pin()
    with pytest.raises(ZeroDivisionError), server.fault("error"):
        _ = 1 / 0
    assert server.faults == []


def test_faults_are_removed_one_by_one_or_all(
    server: MockServerFixture, pin: Pin
) -> None:
    first, second = server.fault("error"), server.fault("error", status=500)
    server.faults.remove(first.id)
    assert [each["id"] for each in server.faults] == [second.id]
    server.faults.clear()
    assert (pin(), len(server.faults)) == (200, 0)
    with pytest.raises(Exception, match="f1"):
        server.faults.remove("f1")


@pytest.mark.parametrize("status", [500, 502])
def test_a_fault_that_a_reset_has_removed_is_no_other_one(
    server: MockServerFixture, pin: Pin, status: int
) -> None:
    before, answer = server.fault("error", status=500), server.reply("Hello")
    with server.fault("error", status=501, operation="listV2"):
        server.reset()
        server.fault("error", status=status)
        server.fault("error", status=503)
        assert pin() == status
    uses: list[Callable[[], object]] = [before.__enter__, before.remove, answer.remove]
    uses += [lambda: answer.fired, lambda: before.fired]
    uses.append(lambda: server.faults.remove(before))
    for use in uses:
        with pytest.raises(Exception, match="which a reset has removed"):
            use()
    assert pin() == 503


def test_what_never_fired_is_known(server: MockServerFixture, pin: Pin) -> None:
    server.fault("error", operation="listV2")
    server.fault("error")
    pin()
    faults = server.faults
    assert not faults.all_fired()
    assert [each["id"] for each in faults.unfired()] == ["f1"]
    faults.clear()


def test_a_preset_is_a_list_of_faults(server: MockServerFixture, pin: Pin) -> None:
    assert len(server.preset("flaky", seed=7)) == len(server.faults) == 3
    other = server.fault("error")
    faults = server.faults
    faults.clear(preset="flaky")
    assert [each["id"] for each in faults] == [other.id]
    assert [each["id"] for each in server.faults] == [other.id]
    server.faults.clear()
    assert pin() == 200


def test_durations_are_numbers_or_timedeltas(server: MockServerFixture) -> None:
    late = timedelta(seconds=1.5)
    server.fault("delay", ms=late, ttl=timedelta(minutes=2))
    server.fault("error", retry_after=timedelta(seconds=3))
    delay, error = server.faults
    assert (delay["ms"], delay["ttl"], error["retryAfter"]) == (1500, 120, 3)
    server.faults.clear()
    with pytest.raises(Exception, match="did you mean 'status'"):
        server.fault("error", statsu=500)


def test_time_stands_still_and_goes_on(server: MockServerFixture, pin: Pin) -> None:
    server.clock.freeze(datetime(2026, 1, 1, tzinfo=UTC))
    server.clock.advance(timedelta(hours=1))
    server.clock.advance(0.5)
    pin()
    assert server.chat("app-1", "chat-1").update_time == "2026-01-01T01:00:00.500Z"
    with pytest.raises(ValueError, match="a datetime with a time zone"):
        server.clock.freeze(datetime(2026, 1, 1))  # noqa: DTZ001
    with pytest.raises(TypeError, match=r"seconds or a timedelta, got '5'"):
        server.clock.advance("5")  # type: ignore[arg-type]
