"""What the first run of each test has told of the choices that can matter to it."""

import hashlib
from pathlib import Path

import msgspec
from msgspec import Struct

from mock_server.domain.choices import Value
from mock_server.testing.variants import Variant


class Learnt(Struct, frozen=True):
    """What a test did as it is: whether it passed, and the choices that were read.

    `choices` are those that were in force at its beginning. `read` is None where that
    could not be seen, as on a server elsewhere.
    """

    passed: bool
    choices: dict[str, Value]
    read: frozenset[str] | None = None

    def is_baseline(self, variant: Variant) -> bool:
        """Whether the variant is what the test had in its first run."""
        return self.choices.get(variant.name) == variant.value

    def can_matter(self, variant: Variant) -> bool:
        """Whether the test could take another course under a variant."""
        return self.read is None or variant.name in self.read


class Lessons:
    """What was learnt of each test; with a folder, by all processes that share it."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known: dict[str, Learnt] = {}

    def add(self, test: str, learnt: Learnt) -> None:
        """Keep what was learnt of a test."""
        self._known[test] = learnt
        if self._folder is None:
            return
        file = self._file(self._folder, test)
        # Renamed when it is whole: others read while this one writes.
        new = file.with_suffix(".new")
        try:
            new.write_bytes(msgspec.json.encode(learnt))
            new.replace(file)
        except OSError:
            pass  # then others run what they need not have run

    def of(self, test: str) -> Learnt | None:
        """What is known of a test; None if it has not run yet."""
        if test not in self._known and self._folder is not None:
            try:
                content = self._file(self._folder, test).read_bytes()
            except OSError:
                return None
            self._known[test] = msgspec.json.decode(content, type=Learnt)
        return self._known.get(test)

    @staticmethod
    def _file(folder: Path, test: str) -> Path:
        # Ids of tests can have any length and character, names of files cannot.
        return folder / f"{hashlib.sha256(test.encode()).hexdigest()}.json"
