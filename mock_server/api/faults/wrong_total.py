"""A page of which the total is off."""

from typing import Annotated, ClassVar, TypeVar

from msgspec import Meta
from msgspec.structs import replace

from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response
from mock_server.domain.limits import Limits
from mock_server.domain.listing import Page

T = TypeVar("T")


class WrongTotal(Fault, tag="wrong_total"):
    """A page has a total that is off; a list without one is left alone."""

    trait: ClassVar[str] = "total"

    by: Annotated[int, Meta(ge=-Limits.integer, le=Limits.integer)] = 1

    async def apply(self, context: FaultContext) -> Response:
        return context.perform(lambda page, _: miscounted(page, self.by))


def miscounted(page: Page[T], by: int) -> Page[T]:
    """The page with a total that is off; no total is below 0."""
    return replace(page, total=max(0, page.total + by))
