"""Pages of lists: the page that a request wants, and the one that is sent."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Generic, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins

from mock_server.decoding.json_values import convert_or_refuse
from mock_server.errors import MissingParams
from mock_server.service.call import Call, Listing
from mock_server.store.objects import pick

T = TypeVar("T")
DEFAULT_PAGE_SIZE = 10
FIRST_PAGE = {"offset": "0", "pageNum": "1"}
PAGE_FIELDS = (*FIRST_PAGE, "pageSize")
Digits = Meta(pattern=r"^[0-9]{0,15}$(?!\n)", description="a text of at most 15 digits")
IntOrDigits = Annotated[int, Meta(ge=0)] | Annotated[str, Digits]


class PageRequest(Struct, rename="camel", kw_only=True):
    """The page of a list that a request wants; numbers may be texts."""

    offset: IntOrDigits | UnsetType = UNSET
    page_num: int | Annotated[str, Digits] | UnsetType = UNSET
    page_size: IntOrDigits | UnsetType = UNSET

    def span(self, call: Call, max_size: int = 100) -> tuple[int, int]:
        """The offset and the size of the page. Raises InvalidField, MissingParams if its size is 0.

        A body that names no page leaves it to the query; if that names none, it is the first one.
        """
        offset_counts_alone = call.choices.lone_offset == "honour"
        page = self
        if not page.is_named(offset_counts_alone):
            page = convert_or_refuse(call.request.query_fields, PageRequest)
        if not page.is_named(offset_counts_alone):
            for lone in (self, page):
                lone.note_lone(call)
            return 0, DEFAULT_PAGE_SIZE
        size = DEFAULT_PAGE_SIZE
        if page.page_size is not UNSET:
            size = min(int(page.page_size or 0), max_size)
        if size < 1:
            raise MissingParams("a pageSize of at least 1", page.page_size, "$.pageSize")
        # A pageNum replaces an offset of 0, but not "0", unless lone_offset=honour.
        replaced = (UNSET, "") if offset_counts_alone else (UNSET, "", 0)
        if page.offset in replaced:
            return page_offset(max(1, int(page.page_num or 1)), size), size
        return int(page.offset or 0), size

    def note_lone(self, call: Call) -> None:
        """Note an offset or a pageNum that does not count, for want of a pageSize."""
        sent = pick(to_builtins(self), FIRST_PAGE)
        for name, value in sent.items():
            # That of the first page is served as it was meant.
            if str(value) not in ("", FIRST_PAGE[name]):
                call.note("lone_offset", f"$.{name}", f"no pageSize beside {name} {value}")
                call.hint = f"A {name} without a pageSize does not count (lone_offset=ignore)."

    def is_named(self, offset_counts_alone: bool) -> bool:
        """Whether a page is named: by its size, or alone by its offset or number if that counts."""
        is_placed = self.offset is not UNSET or self.page_num is not UNSET
        return self.page_size is not UNSET or (offset_counts_alone and is_placed)


class Page(Struct, Generic[T]):
    """A page of a list, and the number of all its items."""

    list: list[T]
    total: int


def page_offset(number: int, size: int) -> int:
    """The offset of the page with this number; the first page has number 1."""
    return (number - 1) * size


def show_page(
    call: Call,
    items: Sequence[T],
    span: tuple[int, int],
    show: Callable[[T], Any],
    *,
    is_reversed: bool = False,
) -> Page[Any]:
    """The page with this (offset, size) of a list. Faults may then use the whole list."""
    offset, size = span
    call.listing = Listing(items, offset, size, show, is_reversed)
    shown = items[offset : offset + size]
    if is_reversed:
        shown = shown[::-1]
    return Page([*map(show, shown)], len(items))
