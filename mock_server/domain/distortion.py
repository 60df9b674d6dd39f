"""Pages that are not quite true: what clients of a changing list must survive."""

from __future__ import annotations

from msgspec.structs import replace

from mock_server.domain.listing import ListV2, Page
from mock_server.domain.records import Collection


def drifted(page: Page, request: ListV2, at: int, insert: int, remove: int) -> Page:
    """The page as if items had appeared, or vanished, at an index of the whole list."""
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


def doubled(page: Page, request: ListV2) -> Page:
    """The page with an item of the page before; on the first, with its own first."""
    if not page.items:
        return page
    again = page.matching[max(0, request.offset - 1)]
    return replace(page, items=[again, *page.items][: request.page_size])


def miscounted(page: Page, by: int) -> Page:
    """The page with a total that is off."""
    return replace(page, total=max(0, page.total + by))
