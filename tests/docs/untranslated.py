"""Lists sentences of rows that have no Chinese: `python -m tests.docs.untranslated`.

The console shows those in English.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.docs.tables import KINDS, OPERATIONS, PRESETS, choices

Row = tuple[str, str, str]
"""The name of a row, its sentence in English and in Chinese."""


def rows() -> Iterator[Row]:
    """All rows whose sentences the console shows."""
    for name, kind in KINDS.items():
        yield f"kind {name}", kind.sentence(), kind.chinese
    for name, preset in PRESETS.items():
        yield f"preset {name}", preset.sentence, preset.chinese
    for name, choice in choices().items():
        yield f"choice {name}", choice.sentence, choice.chinese
    for name, operation in OPERATIONS.items():
        yield f"operation {name}", operation.summary, operation.chinese


def untranslated(found: Iterator[Row]) -> list[str]:
    """A line for each row without Chinese."""
    return [f"{name}: {sentence}" for name, sentence, chinese in found if not chinese]


if __name__ == "__main__":
    print(*untranslated(rows()), sep="\n")
