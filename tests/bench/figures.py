"""What a benchmark finds: figures in one table, some of them with a target."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Figure:
    """One measure. `most` or `least` is the target, `note` what it is compared to."""

    measure: str
    value: float
    unit: str
    most: float | None = None
    least: float | None = None
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """Whether the target is met; None without one."""
        if self.most is None and self.least is None:
            return None
        above = self.least is None or self.value >= self.least
        return above and (self.most is None or self.value <= self.most)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Figure:
        """Return the figure that `as_json` has written."""
        return cls(**{name: value for name, value in data.items() if name != "met"})

    def as_json(self) -> dict[str, Any]:
        """The figure and how it stands to its target."""
        return asdict(self) | {"met": self.is_met}

    def shown(self) -> str:
        """Return the value with its unit."""
        return shown(self.value, self.unit)

    def target(self) -> str:
        """Return the target, or nothing."""
        bound, sign = (self.most, "≤") if self.least is None else (self.least, "≥")
        return "" if bound is None else f"{sign} {shown(bound, self.unit)}"

    def result(self) -> str:
        """Return whether the target is met; nothing without one."""
        return {None: "", True: "met", False: "**missed**"}[self.is_met]

    def row(self) -> str:
        """The figure as a row of a Markdown table."""
        missed = f" {self.result()}" if self.is_met is False else ""
        value = self.shown() + (f" ({self.note})" if self.note else "")
        return f"| {self.measure} | {value} | {self.target()}{missed} |"


MOST_GROWTH = 1.3


def growth(name: str, own: float, bare: float) -> Figure:
    """How something grows, in ratio to how it does at the bare server."""
    title, note = (
        f"{name}: growth to the bare server's",
        f"{own:.2f}×, bare {bare:.2f}×",
    )
    return Figure(title, own / bare, "×", MOST_GROWTH, note=note)


HEAD = "| measure | figure | target |\n|---|---|---|"


def shown(value: float, unit: str) -> str:
    """A number with three digits that count, and its unit."""
    digits = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return digits + ("" if unit in "×" else " ") + unit if unit else digits


def shown_time(value: float) -> str:
    """A time with its unit."""
    return shown(value * 1e3, "ms") if value >= 1e-3 else shown(value * 1e6, "µs")


def seconds(work: Callable[[], object]) -> float:
    """How long the work takes once."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def median(work: Callable[[], object], times: int) -> float:
    """The median of how long the work takes, in seconds."""
    return statistics.median(seconds(work) for _ in range(times))
