"""The fault kind `duplicate_item`: a page that repeats an item of the previous page."""

from typing import TypeVar

from msgspec.structs import replace

from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response
from mock_server.domain.listing.list_v2 import Page

T = TypeVar("T")


class DuplicateItem(Fault, tag="duplicate_item"):
    """A page begins with the last item of the previous page."""

    chinese = "一页的第一个条目在上一页已经出现过。"
    trait = "page"

    async def apply(self, context: FaultContext) -> Response:
        return await context.perform(lambda page, _: with_repeated_item(page))


def with_repeated_item(page: Page[T]) -> Page[T]:
    """Return the page after the item before it; page one repeats its first item."""
    if not page.items:
        return page
    # The page looks as if an item had been inserted before it.
    repeated = page.matching[max(0, page.offset - 1)]
    return replace(page, items=[repeated, *page.items][: page.page_size])
