"""Sessions: commands for one server, one after the other, and what each tells, as text.

A session is a comment that says what it shows, and its lines, each with what is told
below it: a command, with `echo TEXT |` before it or `> FILE` behind it; a request, as
in stories; `ls`; or a file in short, as in `a.yaml << apps: []`. Each session has a
server with the library, and a folder, of its own. Choices as the profile has them
are left out.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from tests.cli.commands import NOWHERE, TOKEN, run
from tests.stories.telling import END, PART, short, text_of
from tests.support import fetch

FILE = Path(__file__).with_name("said") / "sessions.txt"
_TOOK = re.compile(r" +\d+\.\d+ ms")
_KEY = re.compile("fastgpt-sbx-[0-9a-f]+")
_AS_IN_THE_PROFILE = re.compile(r"^\w+=\w+\n", re.MULTILINE)


class Session(Struct, frozen=True):
    """A session as it is written."""

    text: str

    def __str__(self) -> str:
        return self.text.partition("\n")[0].removeprefix("# ")

    def told(self, url: str) -> str:
        """The session with what is told now of the server there."""
        title, *lines = PART.split(self.text)
        with TemporaryDirectory() as folder, chdir(folder):
            given = [line for line in lines if not line.startswith("-> ")]
            told = [[line, *_answer(url, line)] for line in given]
        return "\n".join([title, *("\n-> ".join(each) for each in told)])


def sessions() -> list[Session]:
    """All of the file."""
    text = FILE.read_text(encoding="utf-8").rstrip("\n")
    return [Session(each) for each in text.split("\n\n")]


def renew(served: Callable[[], str]) -> None:
    """Write the file anew with what is told now by servers that have just begun."""
    told = [each.told(served()) for each in sessions()]
    FILE.write_text("\n\n".join(told) + "\n", encoding="utf-8")


def _answer(url: str, line: str) -> list[str]:
    """What is told by a line."""
    first, *content = line.split("\n| ")
    words = shlex.split(re.sub(r"\bSERVER\b", url, first))
    if content:
        Path(first).write_text("\n".join([*content, ""]), encoding="utf-8")
        return []
    if "mock-server" not in words:
        return [_answer_of_a_request(url, line)]
    at = words.index("mock-server")
    is_to_file = words[-2] == ">"
    arguments = words[at + 1 : -2 if is_to_file else None]
    text = words[1] if words[0] == "echo" else None
    where = {"MOCK_SERVER_URL": url, "MOCK_SERVER_ADMIN_TOKEN": TOKEN}
    given = dict(word.split("=", 1) for word in words[:at] if "=" in word)
    done = run(*arguments, text=text, MOCK_SERVER_HOST=NOWHERE, **where | given)
    if is_to_file:
        Path(words[-1]).write_text(done.out, encoding="utf-8")
    said = done.err if is_to_file else _told(done.out) + done.err
    return [*([f"exit {done.status}"] if done.status else []), *_lasting(said, url)]


def _answer_of_a_request(url: str, line: str) -> str:
    method, path, *body = line.split(" ", 2)
    key = TOKEN if path.startswith("/__admin") else "any-key"
    headers = {"Authorization": f"Bearer {key}"}
    content = json.loads(body[0]) if body else None
    answer = fetch(method, url + path, json=content, headers=headers)
    return f"{answer.status_code} {_KEY.sub('KEY', text_of(answer))}"


def _lasting(said: str, url: str) -> list[str]:
    """The lines that are told, without what differs from run to run."""
    for text, name in ((url, "SERVER"), (os.getcwd(), "FOLDER")):
        said = said.replace(text, name)
    for pattern, name in (
        (_TOOK, " 0.00 ms"),
        (_KEY, "KEY"),
        (END, "SOON"),
        (_AS_IN_THE_PROFILE, ""),
    ):
        said = pattern.sub(name, said)
    return [line.rstrip() for line in said.splitlines()]


def _told(out: str) -> str:
    """What is printed; JSON in one line, as in stories."""
    try:
        return json.dumps(short(json.loads(out)), ensure_ascii=False) + "\n"
    except ValueError:
        return out
