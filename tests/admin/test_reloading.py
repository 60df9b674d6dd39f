"""Files that are loaded again where the file system does not answer."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from mock_server.admin.reloading import Reload
from mock_server.app import create_app
from mock_server.domain.limits import Limits
from mock_server.fixture.source.files import read_at_most
from tests.support import LIBRARY


class Unanswered(list[str]):
    """Names of files of which nobody learns anything until `answer` is set."""

    def __init__(self, *names: str) -> None:
        super().__init__(names)
        self.answer = Event()

    def __iter__(self) -> Iterator[str]:
        self.answer.wait()
        return super().__iter__()


async def reloaded(files: list[str]) -> list[Reload]:
    """What comes of two reloads of these files, one after the other."""
    reloader = create_app(LIBRARY, limits=Limits(settle_seconds=0.01)).reloader
    ended: asyncio.Queue[Reload] = asyncio.Queue()
    reloader.files, reloader.on_end = files, ended.put_nowait
    reloader.request_reload()
    first = await ended.get()
    reloader.request_reload()
    return [first, await ended.get()]


def test_files_that_cannot_be_read_keep_no_reload_and_no_process_waiting() -> None:
    files = Unanswered("fixture.yaml")
    done = asyncio.run(reloaded(files))  # which would wait for threads that it knows
    messages = [each.message for reload in done for each in reload.problems]
    assert messages == ["cannot be read within 0.01 s"] * 2
    files.answer.set()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_takes_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a file"):
        read_at_most(tmp_path / "pipe", 10)
