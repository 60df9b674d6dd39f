"""What a server has loaded its collector of garbage passes over from then on."""

from __future__ import annotations

import gc
from weakref import ref

import pytest

from mock_server.cli.serving import freeze_objects


class Ring:
    """Refers to itself, so that only the collector can free it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.ci
def test_what_stays_is_passed_over() -> None:
    kept = [Ring()]
    freeze_objects()
    assert gc.get_freeze_count() > 0
    assert not any(each is kept[0] for each in gc.get_objects())


def test_garbage_is_freed_and_not_passed_over_for_ever() -> None:
    gone = ref(Ring())
    freeze_objects()
    assert gone() is None
