"""Cases written as texts, and what is said to them, word for word.

A file holds cases with an empty line in between: what is given, and behind `-> ` what
is said to it. Lines that begin with `# ` are comments. `«x * 99»` stands for a text so
many times, `«\\x01»` for what Python writes so. `python -m tests.api.messages` renews
what is said; a person reads what has changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

_SHORT = re.compile("«([^»]*)»")
_LONG = re.compile(r"([^\W\d])\1{99,}")
NONE: Mapping[str, str] = {}


class Case(Struct, frozen=True):
    """What is given, as it is written and as it is meant, and what is said to it."""

    written: str
    given: str
    said: str

    def __str__(self) -> str:
        return self.written.rpartition("\n")[2][:60]


def expanded(text: str, names: Mapping[str, str] = NONE) -> str:
    """A text with what it writes in short, by these names too, written out."""

    def meant(found: re.Match[str]) -> str:
        some, _, count = found[1].partition(" * ")
        if some in names:
            return names[some] * int(count or 1)
        return unescaped(some) * int(count or 1)

    return _SHORT.sub(meant, text)


def shortened(text: str) -> str:
    """A text in which a letter that is there a hundred times or more is counted."""
    return _LONG.sub(lambda it: f"«{it[1]} * {len(it[0])}»", text)


def unescaped(text: str) -> str:
    """A text of Latin-1 in which a backslash means what it means in Python."""
    return text.encode("latin-1").decode("unicode_escape")


class Text:
    """A file of cases, and the function whose answers it holds, if one makes them."""

    def __init__(self, path: Path, answer: Callable[[str], str] = str) -> None:
        self.path = path
        self.answer = answer

    @property
    def cases(self) -> list[Case]:
        """All of them, in order."""
        found = ((each, said) for _, each, said in self._parts() if each)
        return [Case(each, expanded(each), said) for each, said in found]

    def _parts(self) -> Iterator[tuple[str, str, str]]:
        """Of each case the comments, what is given, and what is said."""
        text = self.path.read_text(encoding="utf-8")
        for part in text.rstrip("\n").split("\n\n"):
            lines = part.split("\n")
            comments = [line for line in lines if line.startswith("# ")]
            said = [line for line in lines if line.startswith("-> ")]
            given = [line for line in lines if line not in comments + said]
            found = "\n".join(line.removeprefix("-> ") for line in said)
            yield "\n".join(comments), "\n".join(given), found

    def changed(self) -> list[tuple[str, str, str]]:
        """The cases to which something else is said now: given, as written, as said."""
        told = ((each, self.answer(each.given)) for each in self.cases)
        return [(str(it), it.said, said) for it, said in told if said != it.said]

    def renew(self) -> None:
        """Write the file anew with what is said now."""
        parts = []
        for comments, given, _ in self._parts():
            said = self.answer(expanded(given)).split("\n") if given else []
            lines = filter(None, (comments, given, *(f"-> {line}" for line in said)))
            parts.append("\n".join(lines))
        self.path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
