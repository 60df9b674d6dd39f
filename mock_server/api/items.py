"""Encodes the items of a page as JSON, one by one, within a limit for the page."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mock_server.api.slices import in_slices
from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Published
from mock_server.domain.printable import size_text


def items_of(shown: Iterable[Any]) -> list[Any]:
    """Return the items of a page as JSON. Raises LimitReached."""
    return [*map(msgspec.Raw, within_page(map(msgspec.json.encode, shown)))]


async def items_in_slices(shown: Iterable[Any], hint: str | None = None) -> list[Any]:
    """Return items as JSON, encoded while others are served.

    Raises LimitReached with the hint; without one, what is too much is left out.
    """
    texts = within_page(map(msgspec.json.encode, shown), hint=hint)
    return [msgspec.Raw(each) async for each in in_slices(texts)]


def within_page(
    texts: Iterable[bytes],
    most: int = Published.page_bytes,
    hint: str | None = "ask for fewer items",
) -> Iterator[bytes]:
    """Yield encoded items, each encoded on demand, up to `most` bytes in all.

    Raises LimitReached with the hint; without one, it ends there. The first item may
    have any length, so a page of one item is never refused.
    """
    size = 0
    for number, text in enumerate(texts):
        size += len(text)
        if number and size > most:
            if hint is None:
                return
            expected = f"a response of at most {size_text(most)}"
            raise LimitReached(expected, "more", "body", hint)
        yield text
