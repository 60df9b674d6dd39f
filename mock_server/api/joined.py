"""Joins the modules of a page into one script, and its style sheets into one.

So a browser needs one request for each. A module becomes a function that runs after the
modules that it imports, and returns its exports. Only the forms of our own modules are
supported: imports of names at the top, and exports of names that are declared once.
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

            def imported(match: re.Match[str]) -> str:
                names_text = match[1].replace(" as ", ": ")
                return f"const {{{names_text}}} = {add(normpath(folder / match[2]))};"

            text = _IMPORT.sub(imported, _without_comments(Path(path)))
            exported = ", ".join(
                each[2].strip("{ }") for each in _EXPORT.finditer(text)
            )
            body = _EXPORT.sub(r"\1", text)
            names[path] = f"$part{len(names)}"
            exports = f"return {{ {exported} }};"
            parts.append(f"const {names[path]} = (() => {{\n{body}{exports}\n}})();\n")
        return names[path]

    add(normpath(first))
    return "".join(parts)


def joined_styles(paths: Iterable[Path]) -> str:
    """Return one style sheet with all rules, in order."""
    return "".join(_without_comments(path) for path in paths)


def _without_comments(path: Path) -> str:
    """Return the text of a file without indents and comments on lines of their own."""
    text = path.read_text(encoding="utf-8")
    return _INDENT.sub("", _COMMENT.sub("", text))
