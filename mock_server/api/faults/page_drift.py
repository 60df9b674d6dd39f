"""The kind `page_drift`: a list that changes between two pages."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, TypeVar

from msgspec import Meta
from msgspec.structs import replace

from mock_server.api.faults.fault import Fault, FaultContext, one_of, wrong_field
from mock_server.api.response import Response
from mock_server.domain.faults.definition import WholeNumber
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page

T = TypeVar("T")


class PageDrift(Fault, tag="page_drift"):
    """The list has changed since the previous page: some items appear or vanish."""

    chinese = "列表与上一页时不同：在整个列表的某个位置出现或消失若干条目。"
    required_fields: ClassVar[Mapping[str, Any]] = {"insert": 1}
    trait = "page"
    schema = one_of(("insert",), ("remove",))

    at: WholeNumber = 0
    """Index of the change in the list."""
    insert: Annotated[int, Meta(ge=1, le=Published.page_size)] | None = None
    """Number of new items. Give this or `remove`."""
    remove: Annotated[int, Meta(ge=1, le=Published.page_size)] | None = None
    """Number of vanished items."""

    def check(self) -> None:
        """Require exactly one of `insert` and `remove`."""
        super().check()
        if (self.insert is None) is (self.remove is None):
            got = "nothing" if self.insert is None else "both"
            raise wrong_field("insert or remove", got, "insert")

    async def apply(self, context: FaultContext) -> Response:
        def drift(page: Page[Any], request: object) -> Page[Any]:
            numbers = range(1, (self.insert or 0) + 1)
            new_items = [context.invent_item(request, number) for number in numbers]
            return drifted_page(page, self.at, new_items, self.remove or 0)

        return await context.perform(drift)


def drifted_page(page: Page[T], at: int, new: Sequence[T], removed: int) -> Page[T]:
    """Return the page with `new` items, or without `removed` items, at index `at`."""
    # The whole list changes, so later pages shift too. It may have a million items, so
    # only the items of this page are computed.
    matching, start, end = page.matching, page.offset, page.offset + page.page_size
    index = min(at, len(matching))
    shift = min(removed, len(matching) - index) - len(new)  # how far the rest moves
    rest = index + len(new)
    items = [
        *matching[start : min(end, index)],
        *new[max(0, start - index) : max(0, end - index)],
        *matching[max(start, rest) + shift : max(end, rest) + shift],
    ]
    return replace(page, items=items, total=len(matching) - shift)
