"""Pages of lists: the page that a request wants, and the one that is sent."""

from collections.abc import Callable, Collection, Mapping, Sequence
from math import isfinite
from typing import Any, Generic, TypeVar

from msgspec import UNSET, Struct, UnsetType

from mock_server.errors import FailedField, MissingParams
from mock_server.service.call import Call, Listing
from mock_server.store.objects import pick
from mock_server.text.javascript import is_truthy, js_number

T = TypeVar("T")
DEFAULT_PAGE_SIZE = 10
FIRST_PAGE = {"offset": "0", "pageNum": "1"}
PAGE_FIELDS = (*FIRST_PAGE, "pageSize")
ALL = 2**31 - 1
"""The size of a page that has all items."""
NumberOrText = float | str


class PageRequest(Struct, rename="camel", kw_only=True):
    """The page of a list that a request wants (`requested_page`); numbers may be texts."""

    offset: NumberOrText | UnsetType = UNSET
    page_num: NumberOrText | UnsetType = UNSET
    page_size: NumberOrText | UnsetType = UNSET


def requested_page(
    call: Call, max_size: int = ALL, default_size: int = DEFAULT_PAGE_SIZE
) -> tuple[int, int]:
    """The offset and the size of the page that a request wants (parsePaginationRequest of FastGPT).

    A body that names no page leaves it to the query; if that names none, it is the first one.
    Raises MissingParams without a size, and FailedField for what is no page of the database.
    """
    offset_counts_alone = call.choices.lone_offset == "honour"
    page_names: Collection[str] = ("pageSize",)
    if offset_counts_alone:
        page_names = PAGE_FIELDS
    sources = (call.request.fields, call.request.query_fields)
    page = next((it for it in sources if not it.keys().isdisjoint(page_names)), {})
    if not page:
        for source in sources:
            note_lone_offset(call, source)
    size = page.get("pageSize", default_size)
    # FastGPT 4.17 looks at the number.
    if not is_truthy(size) or (offset_counts_alone and js_number(size) == 0):
        raise MissingParams("a pageSize of at least 1", size, "$.pageSize")
    offset = page.get("offset", "")
    # A pageNum replaces an offset of 0, but not "0", unless lone_offset=honour.
    is_replaced = offset == ""
    if not offset_counts_alone:
        is_replaced = not is_truthy(offset)
    if is_replaced:
        return checked_span(
            page_offset(js_number(page.get("pageNum", 1)), js_number(size)), size, max_size
        )
    return checked_span(js_number(offset), size, max_size)


def checked_span(offset: float, size: Any, max_size: int) -> tuple[int, int]:
    """An offset and a size as the database takes them: it cuts fractions, and 0 are all items.

    Raises FailedField.
    """
    limit = min(js_number(size), max_size)
    if not isfinite(limit):
        raise FailedField("a pageSize that is a number", size, "$.pageSize")
    if not isfinite(offset) or offset < 0:
        raise FailedField("an offset or a pageNum of the list", offset, "$.offset")
    return int(min(offset, ALL)), int(abs(limit)) or ALL


def note_lone_offset(call: Call, sent: Mapping[str, Any]) -> None:
    """Note an offset or a pageNum that does not count, for want of a pageSize."""
    for name, value in pick(sent, FIRST_PAGE).items():
        # That of the first page is served as it was meant.
        if str(value) not in ("", FIRST_PAGE[name]):
            call.note_violation("lone_offset", f"$.{name}", f"no pageSize beside {name} {value}")
            call.hint = f"A {name} without a pageSize does not count (lone_offset=ignore)."


class Page(Struct, Generic[T]):
    """A page of a list, and the number of all its items."""

    list: list[T]
    total: int


def page_offset(number: float, size: float) -> float:
    """The offset of the page with this number; the first page has number 1."""
    return (number - 1) * size


def list_page(
    call: Call,
    items: Sequence[T],
    span: tuple[int, int],
    view_of: Callable[[T], Any],
    *,
    is_reversed: bool = False,
) -> Page[Any]:
    """The page with this (offset, size) of a list. Faults may then use the whole list."""
    offset, size = span
    call.listing = Listing(items, offset, size, view_of, is_reversed)
    page_items = items[offset : offset + size]
    if is_reversed:
        page_items = page_items[::-1]
    return Page([*map(view_of, page_items)], len(items))
