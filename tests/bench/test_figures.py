"""The benchmarks' table, and that what they measure still runs."""

from __future__ import annotations

import pytest

from tests.bench import growth, writes
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


def test_every_write_that_is_timed_succeeds() -> None:
    app = writes.application(writes.SIZES[0])
    for writing in writes.WRITES[::4]:
        assert all(took > 0 for took in writes.seconds(app, writing))
