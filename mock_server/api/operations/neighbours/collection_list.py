"""`collection.list`: a page of a dataset's collections, by its number."""

from typing import Annotated

from msgspec import Meta, field

from mock_server.api.operations.list_v2 import ListedCollection, items_text
from mock_server.api.operations.neighbours.collection_lists import (
    CollectionFilter,
    appear,
    list_request,
)
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.api.response import success_envelope
from mock_server.domain.access import Caller
from mock_server.domain.errors import (
    DatasetForbidden,
    DatasetNotFound,
    ParentNotFound,
)
from mock_server.domain.limits import Limits
from mock_server.domain.listing import Page, list_v2
from mock_server.domain.records import Collection
from mock_server.domain.state import State
from mock_server.views import View

_LARGEST_PAGE = 100


class CollectionListBody(CollectionFilter, kw_only=True):
    """Which page of which collections; with `simple` all are on one page.

    `offset` says nothing.
    """

    page_num: Annotated[int, Meta(ge=1, le=Limits.integer)] = 1
    page_size: Annotated[int, Meta(ge=1, le=_LARGEST_PAGE)] = 10


class NumberedPage(Page[Collection], frozen=True, kw_only=True):
    """A page that tells again which one was asked for."""

    page_num: int
    size_asked: int


class NumberedPageView(View):
    """A page of collections, which one it is, and how many match."""

    page_num: int
    page_size: int
    items: list[ListedCollection] = field(name="data")  # type: ignore[valid-type]
    total: int


def collection_list(
    state: State, caller: Caller, body: CollectionListBody
) -> NumberedPage:
    """A page. Raises DatasetNotFound, ParentNotFound, DatasetForbidden."""
    offset, size = (body.page_num - 1) * body.page_size, body.page_size
    if body.simple is True:
        offset, size = 0, Limits.neighbour_page_size
    request = list_request(body, offset, size, tuple(body.filter_tags))
    page = list_v2(state, caller, request)
    return NumberedPage(
        items=page.items,
        total=page.total,
        level=page.level,
        matching=page.matching,
        offset=offset,
        page_size=size,
        page_num=body.page_num,
        size_asked=body.page_size,
    )


def encode(page: NumberedPage, state: State) -> bytes:
    """The body of the response."""
    numbers = page.page_num, page.size_asked
    head = b'{"pageNum":%d,"pageSize":%d,' % numbers
    items = items_text(page, state)
    return success_envelope(b'%b"data":[%b],"total":%d}' % (head, items, page.total))


COLLECTION_LIST = neighbour(
    name="collection.list",
    path="/api/core/dataset/collection/list",
    summary="A page of a dataset's collections, by its number",
    body=CollectionListBody,
    data=NumberedPageView,
    refusals=(DatasetNotFound, ParentNotFound, DatasetForbidden),
    perform=collection_list,
    encode=encode,
    traits=["page"],
    appear=appear,
    since="4.6; later only beside listV2",
    modelled="The collections of listV2, with `pageNum` and `pageSize` around them.",
    differs=(
        "With `simple`, items are as without it, and at most 1,000 are on the one page."
    ),
)
