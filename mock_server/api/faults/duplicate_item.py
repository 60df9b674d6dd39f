"""A page that repeats an item of the page before."""

from typing import TypeVar

from msgspec.structs import replace

from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response
from mock_server.domain.listing.list_v2 import Page

T = TypeVar("T")


class DuplicateItem(Fault, tag="duplicate_item"):
    """A page begins with an item of the page before."""

    chinese = "一页的第一个条目在上一页已经出现过。"
    needs = "page"

    async def apply(self, context: FaultContext) -> Response:
        return await context.perform(lambda page, _: doubled(page))


def doubled(page: Page[T]) -> Page[T]:
    """Return the page with the item before it; page one repeats its first item."""
    if not page.items:
        return page
    # As if an item had been inserted before this page since the last page was read.
    again = page.matching[max(0, page.offset - 1)]
    return replace(page, items=[again, *page.items][: page.page_size])
