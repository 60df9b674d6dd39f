"""Uploaded files as the service reads them: tables and pages become Markdown."""

import csv
import re
from collections.abc import Iterable
from html.parser import HTMLParser
from io import StringIO
from itertools import zip_longest
from posixpath import splitext

from mock_server.service.texts import simple


def text_of(name: str, content: str) -> str:
    """The text of a file with this name and content."""
    ending = splitext(name)[1].lower()
    if ending == ".csv":
        return table_of(content)
    if ending == ".html":
        return page_of(content)
    return content


def table_of(content: str) -> str:
    """A CSV file as a Markdown table, without its empty rows and columns."""
    # Cells are separated by what the first line has most.
    first_line = content.partition("\n")[0]
    delimiter = max(",\t;|", key=first_line.count)
    try:
        rows = [*csv.reader(StringIO(content, newline=""), delimiter=delimiter)]
    except csv.Error:
        return content  # a cell of more than 128 KiB
    rows = [row for row in rows if has_text(row)]
    columns = [column for column in zip_longest(*rows, fillvalue="") if has_text(column)]
    if not columns:
        return ""
    lines = [table_line(row) for row in zip(*columns, strict=True)]
    lines[1:1] = [table_line(("---",) * len(columns))]
    return "\n".join(lines)


def has_text(cells: Iterable[str]) -> bool:
    return any(cell.strip() for cell in cells)


def table_line(cells: Iterable[str]) -> str:
    r"""A line of a Markdown table; a line end in a cell becomes `\n`, and `|` becomes `\|`."""
    escaped = [re.sub("\r\n?|\n", r"\\n", cell).replace("|", r"\|") for cell in cells]
    return f"| {' | '.join(escaped)} |"


BLOCKS = "title h1 h2 h3 h4 h5 h6 p div section article header footer main nav ul ol table pre"
AROUND = dict.fromkeys(BLOCKS.split(), "\n\n") | {"b": "**", "strong": "**", "em": "_", "code": "`"}
AROUND |= {"td": " ", "th": " "}
"""What Markdown has before and after the content of an element."""
BEFORE = {f"h{level}": "#" * level + " " for level in range(1, 7)}
BEFORE |= {"li": "\n-   ", "tr": "\n", "br": "\n"}
LEFT_OUT = ("script", "style", "iframe")
MAX_PAGE = 1_000_000
"""The characters of a page up to which the service makes Markdown of it."""


def page_of(content: str) -> str:
    """An HTML file as Markdown."""
    if len(content) > MAX_PAGE:
        return content
    reader = PageReader()
    reader.feed(content)
    reader.close()
    return simple(re.sub(" *\n *", "\n", "".join(reader.pieces)))


class PageReader(HTMLParser):
    """Collects the Markdown of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.pieces: list[str] = []
        self._left_out = 0
        """How many of the open elements are left out."""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._left_out += tag in LEFT_OUT
        self._add(AROUND.get(tag, "") + BEFORE.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        self._add(AROUND.get(tag, ""))
        if tag in LEFT_OUT and self._left_out:
            self._left_out -= 1

    def handle_data(self, data: str) -> None:
        self._add(re.sub("[ \t\r\n\f]+", " ", data))

    def _add(self, piece: str) -> None:
        if not self._left_out:
            self.pieces.append(piece)
