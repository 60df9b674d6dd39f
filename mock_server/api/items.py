"""The items of a page as JSON, made one by one and of bounded size together."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Published
from mock_server.domain.printable import size_text


def items_of(shown: Iterable[Any]) -> list[Any]:
    """Return what is shown of the items of a page as JSON. Raises LimitReached."""
    return [*map(msgspec.Raw, within_page(map(msgspec.json.encode, shown)))]


def within_page(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Return the JSON of items, each made when it is its turn. Raises LimitReached.

    A first item may be as long as it is: so a page of one is never refused.
    """
    size = 0
    for number, text in enumerate(texts):
        size += len(text)
        if number and size > Published.page_bytes:
            expected = f"a page of at most {size_text(Published.page_bytes)}"
            raise LimitReached(expected, "more", "body", "ask for fewer items")
        yield text
