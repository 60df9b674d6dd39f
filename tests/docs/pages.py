"""The pages of the documentation: their blocks, links, anchors and generated tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = ROOT / "README.md"
DOCS = ROOT / "docs"
INTERFACE = DOCS / "about" / "interface.md"
CONTRIBUTING = ROOT / ".github" / "CONTRIBUTING.md"
PAGES = [
    README,
    *sorted((ROOT / ".github").glob("*.md")),
    *sorted(it for it in DOCS.rglob("*.md") if DOCS / "zh" not in it.parents),
    ROOT / "tests" / "api" / "PUBLISHED.md",
    ROOT / "tests" / "planted" / "README.md",
]
OTHERS = {"csharp", "go", "java", "rust", "ts", "xml"}
"""The languages of blocks that no test of the documentation runs by itself."""

BLOCK = re.compile(r"^```(\w*)(?: +(\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"<!-- table: (.+?) -->\n(.*?)<!-- end -->", re.DOTALL)
_LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


def name_of(page: Path) -> str:
    """The path of a page from the root of the project."""
    return page.relative_to(ROOT).as_posix()


def text_of(page: Path) -> str:
    """A page as Markdown."""
    return page.read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the file it is to be saved as, its text."""

    language: str
    file: str
    text: str


def blocks(page: Path, *languages: str) -> list[Block]:
    """The fenced blocks of a page in order, or those in these languages."""
    found = [Block(*match.groups("")) for match in BLOCK.finditer(text_of(page))]
    return [each for each in found if not languages or each.language in languages]


def patient(code: str) -> str:
    """The code of a block; its calls may take as long as on a machine that is busy."""
    return code.replace("timeout=5", "timeout=60")


def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return BLOCK.sub("", text_of(page))


def links(page: Path) -> list[str]:
    """The targets of a page's links and images."""
    return _LINK.findall(prose(page))


def anchors(page: Path) -> dict[str, str]:
    """The anchors of a page's headings, and the headings, as GitHub makes them."""
    found: dict[str, str] = {}
    for heading in _HEADING.findall(prose(page)):
        plain = re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = sum(1 for each in found if re.fullmatch(rf"{slug}(-\d+)?", each))
        found[f"{slug}-{number}" if number else slug] = heading
    return found


@dataclass(frozen=True, slots=True)
class Table:
    """A generated table.

    The first `keys` cells of a row are what it is about. If `meaning` is set, a last
    column is added that people write, and that stays when the table is renewed.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[object]]
    meaning: str = ""
    keys: int = 1


def tables(page: Path) -> Iterator[tuple[str, str]]:
    """The generated tables of a page: what each is of, and its Markdown."""
    yield from _TABLE.findall(text_of(page))


def renewed(text: str, made: Mapping[str, Table]) -> str:
    """The text of a page with its tables as they were made."""
    return _TABLE.sub(lambda match: _renewed(match, made[match[1]]), text)


def _renewed(match: re.Match[str], table: Table) -> str:
    return f"<!-- table: {match[1]} -->\n{markdown(table, match[2])}<!-- end -->"


def markdown(table: Table, old: str = "") -> str:
    """A table in Markdown, with the meanings that the old one has."""
    heads, rows = list(table.heads), [[str(cell) for cell in row] for row in table.rows]
    if table.meaning:
        heads.append(table.meaning)
        known = {tuple(row[: table.keys]): row[-1] for row in cells(old)}
        rows = [[*row, known.get(tuple(row[: table.keys]), "")] for row in rows]
    head, *body = (f"|{'|'.join(map(_cell, line))}|\n" for line in (heads, *rows))
    return "".join((head, "|" + "---|" * len(heads) + "\n", *body))


def _cell(text: str) -> str:
    return f" {text} " if text else " "


def cells(text: str) -> list[list[str]]:
    """The rows of a table in Markdown, without its head."""
    lines = [line.strip() for line in text.strip().splitlines()][2:]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines
    ]
