"""Join the modules of a page into one script, and its style sheets into one.

A browser would ask for each of them by itself. A module becomes a function, run after
the modules that it imports; it returns what it exports. This reads the forms that our
modules have: imports of names at their top, exports of what is declared there once.
"""

import re
from collections.abc import Iterable
from os.path import normpath
from pathlib import Path

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
_KIND = r"(?:async )?function\*?|class|const"
_EXPORT = re.compile(rf"^export ((?:{_KIND}) (\w+|\{{[^}}]*\}}))", re.MULTILINE)
# Whole lines only: what stands behind code may be part of a text.
_COMMENT = re.compile(
    r"^ *(?://[^\n]*|/\*(?:(?!\*/).)*\*/)\n", re.MULTILINE | re.DOTALL
)
_INDENT = re.compile(r"^ +", re.MULTILINE)


def joined_script(first: Path) -> str:
    """Return one module that does what `first` does, with all that it imports."""
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
    """Return one style sheet with the rules of all, in order."""
    return "".join(_plain(path) for path in paths)


def _plain(path: Path) -> str:
    """Return a text without comments of whole lines and without indents."""
    text = path.read_text(encoding="utf-8")
    return _INDENT.sub("", _COMMENT.sub("", text))
