"""The first tier in Chinese: pages of `docs/zh` with the blocks of the English ones."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.pages import BLOCK, DOCS, text_of

CHINESE = DOCS / "zh"
TRANSLATED = sorted(it for it in CHINESE.rglob("*.md") if it.name != "README.md")


def original(page: Path) -> Path:
    """The English page that a page in Chinese translates."""
    return DOCS / page.relative_to(CHINESE)


def with_blocks(page: Path) -> str:
    """A page in Chinese, with its fenced blocks as the English page has them."""
    blocks = iter([match[0] for match in BLOCK.finditer(text_of(original(page)))])
    return BLOCK.sub(lambda match: next(blocks, match[0]), text_of(page))


def shape(page: Path) -> list[str]:
    """Headings by their level, rows of tables and blocks, in order."""
    text = BLOCK.sub("```", text_of(page))
    return re.findall(r"^(?:#+ |```|\| ?-|\|)", text, re.MULTILINE)
