"""Joins the modules of a page into one script, and its style sheets into one.

A browser would request each of them. A module becomes a function that runs after the
modules that it imports, and returns its exports. Only the forms of our modules are
supported: imports of names at the top, exports of names declared once.
"""

import re
from collections.abc import Iterable
from os.path import normpath
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
_KIND = r"(?:async )?function\*?|class|const"
_EXPORT = re.compile(rf"^export ((?:{_KIND}) (\w+|\{{[^}}]*\}}))", re.MULTILINE)
# Whole lines only: text after code may be part of a string.
_COMMENT = re.compile(
    r"^ *(?://[^\n]*|/\*(?:(?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL
)
_INDENT = re.compile(r"^ +", re.MULTILINE)


def joined_script(first: Path) -> str:
    """Return one module that does the same as `first` with its imports."""
    names: dict[str, str] = {}
    parts: list[str] = []

    def add(path: str) -> str:
        if path not in names:
            folder = Path(path).parent

            def taken(found: re.Match[str]) -> str:
                given = found[1].replace(" as ", ": ")
                return f"const {{{given}}} = {add(normpath(folder / found[2]))};"

            text = _IMPORT.sub(taken, _plain(Path(path)))
            exported = ", ".join(
                each[2].strip("{ }") for each in _EXPORT.finditer(text)
            )
            body = _EXPORT.sub(r"\1", text)
            names[path] = f"$part{len(names)}"
            given = f"return {{ {exported} }};"
            parts.append(f"const {names[path]} = (() => {{\n{body}{given}\n}})();\n")
        return names[path]

    add(normpath(first))
    return "".join(parts)


def joined_styles(paths: Iterable[Path]) -> str:
    """Return one style sheet with all rules, in order."""
    return "".join(_plain(path) for path in paths)


def _plain(path: Path) -> str:
    """Return a text without comments of whole lines and without indents."""
    text = path.read_text(encoding="utf-8")
    return _INDENT.sub("", _COMMENT.sub("", text))
