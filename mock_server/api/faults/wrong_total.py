"""The kind `wrong_total`: a page with a wrong total."""

from typing import Annotated, TypeVar

from msgspec import Meta
from msgspec.structs import replace

from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page

T = TypeVar("T")


class WrongTotal(Fault, tag="wrong_total"):
    """The total of a page is wrong. Lists without a total are unaffected."""

    chinese = "页中的总数不准确；没有总数的列表不受影响。"
    trait = "total"

    by: Annotated[int, Meta(ge=-Published.integer, le=Published.integer)] = 1
    """The number that is added to `total`."""

    async def apply(self, context: FaultContext) -> Response:
        return await context.perform(lambda page, _: with_wrong_total(page, self.by))


def with_wrong_total(page: Page[T], difference: int) -> Page[T]:
    """Return the page with another total, which is at least 0."""
    return replace(page, total=max(0, page.total + difference))
