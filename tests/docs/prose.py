"""Counts the patterns that make sentences hard to read; no count may grow.

`python -m tests.docs.prose` prints each place; `--write` keeps the counts of today in
`prose.txt`, which `test_prose.py` compares.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator

from tests.docs.pages import INTERFACE, PAGES, ROOT, name_of, prose

RECORD = ROOT / "tests" / "docs" / "prose.txt"
PARTS = ("mock_server", "tests")
PATTERNS = {
    "inverted": r"(?:^|[.:;]\s)Of (?!course)[a-z]",
    "absence": r"\b(?:that|what|which) there (?:is|are)\b|\b(?:is|are) no that\b",
    "headless": (
        r"(?:^|[.;:,]\s)(?:[Ww]hat|[Ww]hoever|[Ww]hatever) "
        r"(?:is|are|has|was|a|the|it|comes|came|stands)\b"
    ),
    "tell": r"\b(?:tells?|told)\b",
    "calque": (
        r"\b(?:let go|for want of|go(?:es)? by|come of|so many|amid|anew|mend|befall)\b"
    ),
    "metaphor": (
        r"\b(?:floors?|steers?|steered|steering|off contract|on contract|neighbours?"
        r"|the law|strangers?)\b"
    ),
    "telegram": r"\bbut for\b|\bas it is said\b|\bis up to\b",
}
DOCSTRING = {"definition": r"\A(?:What|Whether|Whatever|How|Which)\b"}
Place = tuple[str, str, str]
"""The page or the part of the code, the pattern, and the words that match."""


def places() -> Iterator[Place]:
    """All places where a pattern is found."""
    for page in PAGES:
        if page != INTERFACE:
            yield from _found(name_of(page), _sentences(prose(page)), PATTERNS)
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*.py")):
            folder = "/".join(path.relative_to(ROOT).parts[:2])
            where = folder if not folder.endswith(".py") else part
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, _DOCUMENTED):
                    text = ast.get_docstring(node) or ""
                    yield from _found(where, text, PATTERNS | DOCSTRING)


_DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef


def _sentences(text: str) -> str:
    """A page without generated tables and code, which have words of their own."""
    text = re.sub(r"<!-- table: .*?<!-- end -->", "", text, flags=re.DOTALL)
    return re.sub(r"`[^`]*`", "`code`", text)


def _found(where: str, text: str, patterns: dict[str, str]) -> Iterator[Place]:
    for name, pattern in patterns.items():
        for match in re.finditer(pattern, text, re.MULTILINE):
            start, end = match.span()
            around = text[max(0, start - 20) : end + 30].replace("\n", " ")
            yield where, name, around


def counted() -> dict[str, int]:
    """How often each pattern is found, by page or part."""
    counts = Counter(f"{where} {pattern}" for where, pattern, _ in places())
    return dict(sorted(counts.items()))


def recorded() -> dict[str, int]:
    """The counts that were kept."""
    lines = RECORD.read_text(encoding="utf-8").splitlines()
    return {key: int(number) for key, _, number in (it.rpartition(" ") for it in lines)}


def main() -> None:
    """Print all places, or keep the counts with `--write`."""
    if "--write" in sys.argv:
        lines = (f"{key} {number}\n" for key, number in counted().items())
        RECORD.write_text("".join(lines), encoding="utf-8")
    else:
        for where, pattern, around in places():
            print(f"{where}: {pattern}: {around}")
        print(f"{sum(counted().values())} places; a count may not grow")


if __name__ == "__main__":
    main()
