"""Encodes the items of a page as JSON, one by one, within a limit for the page."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Published
from mock_server.domain.printable import size_text


def items_of(shown: Iterable[Any]) -> list[Any]:
    """Return the items of a page as JSON. Raises LimitReached."""
    return [*map(msgspec.Raw, within_page(map(msgspec.json.encode, shown)))]


def within_page(
    texts: Iterable[bytes],
    most: int = Published.page_bytes,
    hint: str = "ask for fewer items",
) -> Iterator[bytes]:
    """Yield encoded items, each encoded on demand, up to `most` bytes in all.

    Raises LimitReached with the hint.

    The first item may have any length, so a page of one item is never refused.
    """
    size = 0
    for number, text in enumerate(texts):
        size += len(text)
        if number and size > most:
            expected = f"a response of at most {size_text(most)}"
            raise LimitReached(expected, "more", "body", hint)
        yield text
