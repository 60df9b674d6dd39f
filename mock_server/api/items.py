"""Encodes the items of a page as JSON, one by one, within a limit for the page."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mock_server.api.slices import in_slices
from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Published
from mock_server.domain.printable import size_text


def items_of(items: Iterable[Any]) -> list[Any]:
    """Return the items of a page as encoded JSON. Raises LimitReached.

    The maximum is `Published.page_bytes` for all items together.
    """
    return [*map(msgspec.Raw, within_page(map(msgspec.json.encode, items)))]


async def items_in_slices(items: Iterable[Any], hint: str | None = None) -> list[Any]:
    """Return items as encoded JSON; other requests are served in between.

    If the items are too large together, raise LimitReached with the hint; without a
    hint, leave out the last items.
    """
    texts = within_page(map(msgspec.json.encode, items), hint=hint)
    return [msgspec.Raw(each) async for each in in_slices(texts)]


def within_page(
    texts: Iterable[bytes],
    max_bytes: int = Published.page_bytes,
    hint: str | None = "ask for fewer items",
) -> Iterator[bytes]:
    """Yield the encoded items `texts`, up to `max_bytes` in all.

    After that, raise LimitReached with the hint; without a hint, stop. The first item
    may have any length, so a page of one item is never refused.
    """
    size = 0
    for number, text in enumerate(texts):
        size += len(text)
        if number and size > max_bytes:
            if hint is None:
                return
            expected = f"a response of at most {size_text(max_bytes)}"
            raise LimitReached(expected, "more", "body", hint)
        yield text
