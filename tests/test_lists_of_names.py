"""No list of choices, fault kinds or operations is typed outside their rows."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from mock_server.api.faults.table import KINDS
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.choices.table import table
from tests.support import ROOT

PACKAGE = ROOT / "mock_server"
FEW = 2
"""So many names together may be meant one by one; more of them are a list."""
NAMES: Mapping[str, set[str]] = {
    "choice": {*table()},
    "kind": {*KINDS},
    "operation": {*OPERATIONS},
}
REASONS = {
    "domain/messages.py": "for which names users of other tools have other words",
    "service/har/handlers.py": "what each operation's recorded answers tell",
    "strategies.py": "which faults a retrying client survives",
    "testing/machine/client.py": "which values, faults a client should cope with",
}
"""Lists that are a selection by meaning, which no row could state, and why."""
WORD = re.compile(r"[\w.]+")
JS_LIST = re.compile(r"[\[{]([^\[\]{}]*)[\]}]")
JS_NAME = re.compile(r'"([\w.]+)"|(?:^|[,{\s])([\w.]+):')


def lists(path: Path) -> Iterator[list[str]]:
    """The names in each list, tuple, set and dict of a file, and keyword arguments."""
    text = path.read_text("utf-8")
    if path.suffix == ".js":
        for inside in JS_LIST.findall(text):
            yield [one or other for one, other in JS_NAME.findall(inside)]
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            yield [each.arg for each in node.keywords if each.arg]
            continue
        keys = getattr(node, "keys" if isinstance(node, ast.Dict) else "elts", [])
        yield [str(each.value) for each in keys if isinstance(each, ast.Constant)]


def typed(path: Path) -> list[tuple[str, list[str]]]:
    """The lists of a file that have more than a few names of the same sort."""
    words = {*WORD.findall(path.read_text("utf-8"))}
    if not any(len(known & words) > FEW for known in NAMES.values()):
        return []  # most files: their lists need not be looked for
    found = []
    for names in lists(path):
        for sort, known in NAMES.items():
            together = sorted(known.intersection(names))
            if len(together) > FEW:
                found.append((sort, together))
    return found


@pytest.mark.ci
def test_no_list_of_names_is_typed_in_the_package() -> None:
    paths = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.js")]
    found = {path.relative_to(PACKAGE).as_posix(): typed(path) for path in paths}
    wrong = {name: each for name, each in found.items() if each}
    assert {name: each for name, each in wrong.items() if name not in REASONS} == {}
    assert REASONS.keys() - wrong.keys() == set(), "reasons that are over"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", 'X = ("error", "delay", "hang")'),
        ("a.py", 'X = {"list_order": 1, "tags_empty": 2, "training": 3}'),
        ("a.py", "f(list_order=1, tags_empty=2, training=3)"),
        ("a.js", 'const x = ["error", "delay", "hang"];'),
        ("a.js", "const x = { error: 1, delay: 2, hang: 3 };"),
    ],
)
def test_a_typed_list_is_found(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert len(typed(path)) == 1
    path.write_text(text.replace("error", "x").replace("list_order", "y"))
    assert typed(path) == []
