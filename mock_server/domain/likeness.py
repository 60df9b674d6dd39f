"""Which words are alike."""

from collections.abc import Collection
from importlib import import_module


def most_alike(word: str, known: Collection[str], least: float = 0.6) -> str | None:
    """The word that is most like another, if one is at `least` so alike (0 to 1)."""
    # Imported when there is a mistake to explain: it takes 1 ms, and a start has none.
    near: list[str] = import_module("difflib").get_close_matches(word, known, 1, least)
    return near[0] if near else None
