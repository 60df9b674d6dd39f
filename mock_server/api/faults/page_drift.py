"""A list that changes between two pages."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta
from msgspec.structs import replace

from mock_server.api.faults.fault import Fault, FaultContext, Whole, one_of, wrong
from mock_server.api.response import Response
from mock_server.domain.limits import Limits
from mock_server.domain.listing import ListV2, Page
from mock_server.domain.records import Collection


class PageDrift(Fault, tag="page_drift"):
    """The list is another one than for the page before: at an index of the whole list
    some items appear, or vanish.
    """

    trait: ClassVar[str] = "page"
    schema: ClassVar[Mapping[str, Any]] = one_of(("insert",), ("remove",))

    at: Whole = 0
    insert: Annotated[int, Meta(ge=1, le=Limits.page_size)] | None = None
    remove: Annotated[int, Meta(ge=1, le=Limits.page_size)] | None = None

    def check(self) -> None:
        """Exactly one of both."""
        super().check()
        if (self.insert is None) is (self.remove is None):
            got = "nothing" if self.insert is None else "both"
            raise wrong("insert or remove", got, "insert")

    async def apply(self, context: FaultContext) -> Response:
        def distort(page: Page, request: ListV2) -> Page:
            return drifted(page, request, self.at, self.insert or 0, self.remove or 0)

        return context.perform(distort)


def drifted(page: Page, request: ListV2, at: int, insert: int, remove: int) -> Page:
    """The page as if items had appeared, or vanished, at an index of the whole list."""
    # On all that matches, not on the page: later pages shift as they really would.
    items = list(page.matching)
    here = min(at, len(items))
    new = [_appeared(request, number) for number in range(insert)]
    items[here : here + remove] = new
    shown = items[request.offset : request.offset + request.page_size]
    return replace(page, items=shown, total=len(items), matching=items)


def _appeared(request: ListV2, number: int) -> Collection:
    parent = request.parent_id if isinstance(request.parent_id, str) else None
    name = f"Appeared {number + 1}"
    return Collection(id=f"appeared-{number + 1}", name=name, parent_id=parent or None)
