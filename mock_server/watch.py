"""Loads the files of a fixture again when they have changed."""

from asyncio import to_thread
from collections.abc import Callable
from pathlib import Path

from mock_server.fixture.load import Fixture, load_fixture
from mock_server.fixture.source import FixtureError
from mock_server.sandbox import Sandboxes


class Watch:
    """Looks at the files of the default sandbox's fixture; `say` gets a line on each reload."""

    def __init__(self, fixture: Fixture, sandboxes: Sandboxes, say: Callable[[str], None]) -> None:
        self._files = fixture.files
        self._sandboxes = sandboxes
        self._say = say
        self._seen = [*map(changed_at, self._files)]

    async def look(self) -> None:
        """Load the files if one has changed; a broken one replaces nothing."""
        times = [*map(changed_at, self._files)]
        if times == self._seen:
            return
        self._seen = times
        try:
            loaded = await to_thread(load_fixture, *self._files)
        except FixtureError as error:
            self._say(f"{error}\nthe last good fixture stays")
            return
        default = self._sandboxes.default
        self._sandboxes.set_baseline(default, loaded.onto(default.baseline))
        default.reset()
        for warning in loaded.warnings:
            self._say(f"warning: {warning}")
        self._say(f"loaded again: {loaded.summary}")


def changed_at(path: str) -> int:
    """When a file was changed, in ns; 0 while it does not exist."""
    try:
        return Path(path).stat().st_mtime_ns
    except OSError:
        return 0
