"""Dependences on choices that a project accepts: a text file in its repository.

Each line is `NAME=VALUE TEST`, or a comment, which begins with `#`. A comment belongs
to the line below it, but for the first ones, up to an empty line: these stay on top.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from mock_server.testing.variants import Variant

Dependence = tuple[str, str]
"""A variant, NAME=VALUE, and the id of a test that it breaks."""
HEAD = "# Tests that depend on a choice: NAME=VALUE TEST.\n\n"


class Accepted:
    """What a file accepts, with the comments above each line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._head, self._tail = HEAD, ""
        self._comments: dict[Dependence, str] = {}

    def __contains__(self, dependence: object) -> bool:
        return dependence in self._comments

    def __iter__(self) -> Iterator[Dependence]:
        return iter(self._comments)

    def read(self) -> None:
        """Take over what is in the file.

        Raises OSError, and ValueError, with the line, for what is no dependence.
        """
        self._head = comment = ""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(map(str.strip, lines), 1):
            if line.startswith("#"):
                comment += f"{line}\n"
            elif line:
                dependence = _dependence(line, f"{self.path}:{number}")
                self._comments[dependence] = comment
                comment = ""
            elif not self._comments:
                self._head, comment = f"{self._head}{comment}\n", ""
        self._tail = comment

    def write(self, gone: Iterable[Dependence], new: Iterable[Dependence]) -> None:
        """Write the file without some dependences and with others, sorted.

        Raises OSError.
        """
        for each in gone:
            self._comments.pop(each, None)
        for each in new:
            self._comments.setdefault(each, "")
        self._comments = dict(sorted(self._comments.items()))
        lines = [
            f"{comment}{variant} {test}\n"
            for (variant, test), comment in self._comments.items()
        ]
        text = "".join([self._head, *lines, self._tail])
        self.path.write_text(text, encoding="utf-8")


def _dependence(text: str, place: str) -> Dependence:
    name, _, test = text.partition(" ")
    if not test.strip() or "=" not in name:
        raise ValueError(f"Expected NAME=VALUE TEST, got {text!r} - at {place}")
    try:
        return str(Variant.of(name)), test.strip()
    except ValueError as error:
        raise ValueError(f"{error} - at {place}") from None


def accepted_by(config: pytest.Config, *, accepts: bool) -> Accepted | None:
    """What the file of the ini value accepts; its path is relative to the ini file.

    None if it names none, which only a run that `accepts` needs. Raises
    pytest.UsageError.
    """
    name = "mock_server_choices_accepted"
    file: str = config.getini(name)
    if not file:
        if not accepts:
            return None
        expected = f"the name of a file in the ini value {name}, got none"
        raise pytest.UsageError(
            f"Expected {expected} - at --mock-server-choices-accept"
        )
    folder = config.inipath.parent if config.inipath else config.rootpath
    accepted = Accepted(folder / file)
    if accepts and not accepted.path.exists():
        return accepted
    try:
        accepted.read()
    except OSError as error:
        expected = f"a file, got {str(accepted.path)!r} ({error.strerror})"
        hint = "" if accepts else "; --mock-server-choices-accept writes it"
        raise pytest.UsageError(f"Expected {expected}{hint} - at {name}") from None
    except ValueError as error:
        raise pytest.UsageError(str(error)) from None
    return accepted
