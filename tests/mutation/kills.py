"""Mutants and the tests that kill them."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate
from math import sqrt
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from tests.mutation.mutants import Mutant, Source
from tests.planted.copies import Copy

SUITES = (
    *("tests/validation", "tests/domain", "tests/fixture", "tests/api", "tests/admin"),
    *("tests/stories", "tests/har", "tests/consistency", "tests/model"),
    *("tests/openapi/test_examples.py", "tests/e2e/workflows"),
    *("tests/wire/test_connection_faults.py", "tests/wire/test_unread.py"),
)
"""What mutants are run against: tests of their floors, and of those that use them."""
QUICK, LONG = "not ci and not full", "ci"
"""The tiers of tests, as pytest selects them."""
NEAR_SECONDS, MOST_SECONDS, AGAIN_SECONDS = 2.0, 60.0, 300.0
"""A mutant meets first so many seconds of the nearest tests, then so many of others:
what is in every request is run by nearly all. A survivor may so be none, and meets more
when it is tried again.
"""
_GRACE_SECONDS = 120
_Z = 1.96  # of a 95 % interval

Outcome = Literal["killed", "timeout", "survived"]


class Trace(Struct):
    """Tests with their seconds; by file and function, the numbers of its tests."""

    tests: list[tuple[str, float]]
    functions: dict[str, dict[int, list[int]]]

    def of(self, mutant: Mutant) -> list[tuple[str, float]]:
        """The tests that run what a mutant changes, the nearest first.

        What no test is seen to run is run at import, or in another process: then those
        of the module, else all.
        """
        functions = self.functions.get(mutant.file, {})
        numbers: Collection[int] = functions.get(mutant.function, ())
        numbers = numbers or set().union(*functions.values())
        numbers = numbers or range(len(self.tests))
        tests = [self.tests[each] for each in numbers]
        return sorted(tests, key=lambda test: (*_distance(test[0], mutant.file), test))


def _distance(test: str, file: str) -> tuple[bool, bool, str]:
    """How far a test is from a module, by their names; a file stays together."""
    path = Path(test.partition("::")[0])
    is_of_it = path.stem.removeprefix("test_") == Path(file).stem
    is_of_floor = path.parts[1] == Path(file).parts[0]
    return not is_of_it, not is_of_floor, str(path)


class Tried(Struct, frozen=True):
    """What became of a mutant, and by which test."""

    file: str
    number: int
    function: int
    difference: str
    outcome: Outcome
    by: str = ""

    @property
    def is_killed(self) -> bool:
        """Whether the tests noticed it."""
        return self.outcome in ("killed", "timeout")


def traced(copy: Copy, tier: str) -> Trace:
    """What the tests of a tier run of the package as it is."""
    result = copy.run(
        *("-p", "tests.mutation.tracing", "--maxfail=99", "-m", tier, *SUITES),
        cpu=9_999,
        wall=9_999,
    )
    if result.broken:
        raise RuntimeError(f"the tests cannot be run: {copy.output[-2_000:]}")
    content = (copy.folder / "trace.json").read_bytes()
    return msgspec.json.decode(content, type=Trace, strict=False)


def tried(
    copy: Copy, mutant: Mutant, source: Source, trace: Trace, most: float
) -> Tried:
    """What becomes of a mutant: the nearest tests are run, then `most` seconds more."""
    difference = source.difference(mutant.number)
    outcome: Outcome = "survived"
    by = ""
    with copy.changed(mutant.file, source.mutated(mutant.number)):
        for tests in _stages(trace.of(mutant), most):
            outcome, by = _run(copy, tests)
            if outcome != "survived":
                break
    return Tried(mutant.file, mutant.number, mutant.function, difference, outcome, by)


def _stages(
    tests: Sequence[tuple[str, float]], most: float
) -> Iterator[Sequence[tuple[str, float]]]:
    """The nearest tests, then the quickest of the others."""
    near = max(1, _count(tests, NEAR_SECONDS))
    others = sorted(tests[near:], key=lambda test: test[1])
    return filter(None, (tests[:near], others[: _count(others, most)]))


def _count(tests: Sequence[tuple[str, float]], seconds: float) -> int:
    """How many of the first tests take so long together."""
    return bisect_right(list(accumulate(each for _, each in tests)), seconds)


def _run(copy: Copy, tests: Sequence[tuple[str, float]]) -> tuple[Outcome, str]:
    names = [name for name, _ in tests]
    (copy.folder / "selected.json").write_text(json.dumps(names))
    files = dict.fromkeys(name.partition("::")[0] for name in names)
    seconds = sum(each for _, each in tests)
    result = copy.run(
        *("-p", "tests.mutation.selecting", "-m", "not full", *files),
        cpu=20 + int(5 * seconds),
        wall=_GRACE_SECONDS + int(10 * seconds),
    )
    if result.failed:
        return "killed", result.failed[0]
    if not result.broken:
        return "survived", ""
    is_ended = result.broken[0].startswith("status")
    return ("timeout" if is_ended else "killed"), result.broken[0]


def interval(killed: int, size: int) -> tuple[float, float]:
    """The 95 % interval of a share that a sample shows (Wilson)."""
    share, spread = killed / size, _Z * _Z / size
    middle = (share + spread / 2) / (1 + spread)
    half = _Z / (1 + spread) * sqrt(share * (1 - share) / size + spread / 4 / size)
    return middle - half, middle + half


def read(path: Path) -> list[Tried]:
    """What a file of results holds, a line each; of a mutant the last one counts."""
    if not path.exists():
        return []
    lines = path.read_bytes().splitlines()
    found = [msgspec.json.decode(line, type=Tried) for line in lines]
    latest: Mapping[tuple[str, int], Tried] = {(it.file, it.number): it for it in found}
    return list(latest.values())
