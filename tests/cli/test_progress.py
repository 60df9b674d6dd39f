"""What a start says while it loads for more than a moment."""

from __future__ import annotations

import re
from threading import Event

import pytest

from mock_server.api.fixture_loading import load_fixture
from mock_server.cli.progress import load_with_progress
from mock_server.domain.objects.fixture_data import FixtureData
from tests.support import SECONDS

GENERATION = load_fixture({"datasets": [{"id": "d"}]})


@pytest.mark.ci
def test_a_load_that_takes_long_is_told_at_its_beginning_and_its_end() -> None:
    lines, has_begun = list[str](), Event()

    def log(line: str) -> None:
        lines.append(line)
        has_begun.set()

    def load() -> FixtureData:
        assert has_begun.wait(SECONDS)
        return GENERATION

    assert load_with_progress(["a.yaml"], load, log) is GENERATION
    begun, *_, ended = lines  # a slow machine may tell it once more
    assert re.fullmatch(r"loading a.yaml \(0 bytes\) \.\.\. \d+ s", begun)
    assert re.fullmatch(r"loaded 0 collections in \d+\.\d s", ended)


def test_what_is_loaded_at_once_is_not_told() -> None:
    lines = list[str]()
    load_with_progress(["a.yaml"], lambda: GENERATION, lines.append)
    assert lines == []
