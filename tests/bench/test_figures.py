"""The benchmarks' table, and that what they measure still runs."""

from __future__ import annotations

import pytest

from tests.bench import checkouts, growth, writes
from tests.bench.figures import Figure


@pytest.mark.parametrize(
    ("figure", "is_met"),
    [
        (Figure("a", 1.0, "×"), None),
        (Figure("a", 1.0, "×", most=1.0), True),
        (Figure("a", 1.1, "×", most=1.0), False),
        (Figure("a", 0.9, "×", least=0.88), True),
        (Figure("a", 0.8, "×", least=0.88), False),
    ],
)
def test_a_figure_knows_whether_it_is_met(figure: Figure, is_met: bool | None) -> None:
    assert figure.is_met is is_met
    assert figure.as_json()["met"] is is_met
    assert ("**missed**" in figure.row()) is (is_met is False)


def test_a_row_tells_figure_note_and_target() -> None:
    figure = Figure("reset", 3.4567, "µs", most=100, note="10^2: 3 µs")
    assert figure.row() == "| reset | 3.46 µs (10^2: 3 µs) | ≤ 100 µs |"


@pytest.mark.ci
def test_every_call_that_is_timed_is_answered() -> None:
    found = growth.seconds_at(growth.SIZES[0])
    assert set(growth.TARGETS) < set(found)
    assert all(value > 0 for value in found.values())


@pytest.mark.ci
def test_every_write_that_is_timed_succeeds() -> None:
    app = writes.application(writes.SIZES[0])
    for writing in writes.WRITES[::4]:
        assert all(took > 0 for took in writes.seconds(app, writing))


@pytest.mark.parametrize(
    ("count", "low", "high"), [(5, 0, 4), (6, 0, 5), (20, 5, 14), (25, 7, 17)]
)
def test_the_interval_of_a_median_is_by_order(count: int, low: int, high: int) -> None:
    assert checkouts.interval(range(count)) == (low, high)


@pytest.mark.ci
def test_a_checkout_is_measured_beside_another() -> None:
    found = list(checkouts.figures(checkouts.HERE, pairs=1))
    assert len(found) == 5
    assert all(0.2 < each.value < 5 for each in found[:4])
