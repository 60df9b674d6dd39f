"""What routes about single data rows share: the indexes of a row."""

from collections.abc import Iterable

from msgspec import UNSET, Struct, UnsetType

DEFAULT_INDEX = "default"
"""The type of the index of a row's own text, which every row has."""


class IndexPart(Struct, rename="camel"):
    """A text under which a row is found, as clients send it."""

    text: str
    type: str | UnsetType | None = UNSET


def index_texts(indexes: Iterable[IndexPart] | UnsetType | None) -> tuple[str, ...]:
    """The texts of the indexes that a row has beside its own."""
    if indexes is UNSET or indexes is None:
        return ()
    return tuple(each.text for each in indexes if each.type != DEFAULT_INDEX)
