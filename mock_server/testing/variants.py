"""The choices that a test can be run under, one other than the baseline's at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mock_server.domain.choices import Choices, Value, table

_ENDS = ("page_size_default",)
"""Choices of which only the first and the last value say anything new."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One choice that differs from the baseline; its text is its id."""

    name: str
    value: Value

    def __str__(self) -> str:
        return f"{self.name}={self.value}"

    def differs_from(self, choices: Choices) -> bool:
        """Whether it is another value than the one in force."""
        return bool(getattr(choices, self.name) != self.value)


def variants(baseline: Choices, fixed: Iterable[str] = ()) -> Iterator[Variant]:
    """Every other value of every choice that is not fixed."""
    for choice in table().values():
        values = choice.values
        if choice.name in _ENDS:
            values = values[0], values[-1]
        for value in values:
            variant = Variant(choice.name, value)
            if choice.name not in fixed and variant.differs_from(baseline):
                yield variant


def dependences(
    passed: Iterable[tuple[str, str]], failed: Iterable[tuple[str, str]]
) -> Mapping[str, list[str]]:
    """What tests depend on: by variant, those that pass under the baseline only.

    Outcomes are pairs of a test and its variant, which is empty under the baseline.
    """
    fine = {test for test, variant in passed if not variant}
    found: dict[str, list[str]] = defaultdict(list)
    for test, variant in failed:
        if variant and test in fine:
            found[variant].append(test)
    return found
