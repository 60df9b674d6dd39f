"""What a start says while it loads for more than a moment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import pytest

from mock_server.cli.progress import Loading
from mock_server.fixture.load import load_fixture
from tests.support import wait

GENERATION = load_fixture({"datasets": [{"id": "d"}]})


def said(stream: TextIO, read: Callable[[], str], quiet: float, lines: int) -> str:
    """What has been written once there are so many lines, and loading has ended."""
    text = ""

    def has_come() -> bool:
        nonlocal text
        text += read()
        return text.count("\n") >= lines

    with Loading(["a.yaml"], stream, quiet, "xterm") as loading:
        wait(has_come)
        loading.done(GENERATION)
    return text + read()


def test_a_log_gets_a_line_at_the_beginning_and_one_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("w") as stream, path.open() as log:
        text = said(stream, log.read, 0, 1)
    begun, ended = text.splitlines()
    assert begun == "loading a.yaml (0 bytes) ..."
    assert re.fullmatch(r"loaded 0 collections in \d+\.\d s", ended)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no terminals here")
@pytest.mark.ci
def test_a_terminal_gets_one_line_that_changes() -> None:
    main, end = os.openpty()
    with os.fdopen(end, "w") as stream:
        text = said(stream, lambda: os.read(main, 1_000).decode(), 0, 2)
    os.close(main)
    assert text.count("\x1b[1A\x1b[2K") == text.count("\n") - 1


def test_what_is_loaded_at_once_is_not_told(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("w") as stream, Loading(["a.yaml"], stream, 60) as loading:
        loading.done(GENERATION)
    assert path.read_text() == ""
