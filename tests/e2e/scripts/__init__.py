"""Scripts and pages that tests show to a browser, each a file in its own language."""

from __future__ import annotations

from pathlib import Path


def script(name: str) -> str:
    """Return the text of a file of this folder."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8").rstrip("\n")
