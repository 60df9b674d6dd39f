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


def joined_script(main_module: Path) -> str:
    """Return one script that does the same as a module with its imports."""
    names: dict[str, str] = {}
    parts: list[str] = []

    def add_module(path: str) -> str:
        if path not in names:
            folder = Path(path).parent

            def import_line(match: re.Match[str]) -> str:
                names_text = match[1].replace(" as ", ": ")
                module = add_module(normpath(folder / match[2]))
                return f"const {{{names_text}}} = {module};"

            text = _IMPORT.sub(import_line, _without_comments(Path(path)))
            names_text = ", ".join(it[2].strip("{ }") for it in _EXPORT.finditer(text))
            body = _EXPORT.sub(r"\1", text)
            names[path] = f"$part{len(names)}"
            exports = f"return {{ {names_text} }};"
            parts.append(f"const {names[path]} = (() => {{\n{body}{exports}\n}})();\n")
        return names[path]

    add_module(normpath(main_module))
    return "".join(parts)


def joined_styles(paths: Iterable[Path]) -> str:
    """Return one style sheet with all rules, in order."""
    return "".join(_without_comments(path) for path in paths)


def _without_comments(path: Path) -> str:
    """Return the text of a file without indents and comments on lines of their own."""
    text = path.read_text(encoding="utf-8")
    return _INDENT.sub("", _COMMENT.sub("", text))
