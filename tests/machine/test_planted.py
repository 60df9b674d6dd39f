"""Each bug that is planted in a client is found, and told in a short story."""

from __future__ import annotations

import re

import pytest
from hypothesis import settings

from tests.machine import planted
from tests.machine.careful import Careful, CarefulMachine

FEW = settings(
    CarefulMachine.TestCase.settings,
    max_examples=100,
    derandomize=True,
    database=None,
)
"""As many examples as Hypothesis has by default, and always the same."""


def story_of(make: type[Careful]) -> tuple[str, list[str]]:
    """What is said of a client, and the steps that lead to it."""
    machine = type("Machine", (CarefulMachine,), {"make": make})
    with pytest.raises(AssertionError) as found:
        machine.run(settings=FEW)
    story = "\n".join(getattr(found.value, "__notes__", []))
    return str(found.value), re.findall(r"^state\.(.+)$", story, re.M)


def test_zz():
    import time

    for name, make in vars(planted).items():
        if isinstance(make, type) and issubclass(make, Careful) and make is not Careful:
            t = time.process_time()
            w = time.time()
            try:
                said, story = story_of(make)
            except BaseException as e:
                print("=====", name, "NOT", repr(e)[:300])
                continue
            print("=====", name, time.process_time() - t, time.time() - w)
            print(said.splitlines()[0])
            print("\n".join(story))
