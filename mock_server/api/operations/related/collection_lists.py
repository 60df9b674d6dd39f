"""Routes of two further lists of collections: `collection.list` and `scrollList`."""

from typing import Annotated, Any

from msgspec import UNSET, Meta, field
from msgspec.structs import replace

from mock_server.api.envelope import SUCCESS, View
from mock_server.api.items import within_page
from mock_server.api.operations import list_v2
from mock_server.api.operations.operation import DEMO_DATASET
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import (
    Call,
    read_body,
    read_body_and_page,
    route,
)
from mock_server.domain.call import DATASET, ParentNotFound
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.listing.list_v2 import list_v2 as page_of_collections
from mock_server.domain.listing.request import ListV2
from mock_server.domain.objects.models import Collection
from mock_server.domain.sandboxes.state import State


class CollectionFilter(fields.PagedFields, kw_only=True):
    """Filters of a dataset's collections."""

    dataset_id: fields.Name
    parent_id: fields.Parent = UNSET
    search_text: fields.SearchText = ""
    select_folder: bool = False
    filter_tags: fields.Tags = field(default_factory=list)
    simple: bool = False

    def request(self, offset: int, size: int, tags: list[str]) -> ListV2:
        """Return the request of listV2 with the same filters."""
        return ListV2(
            dataset_id=self.dataset_id,
            offset=offset,
            page_size=size,
            parent_id=self.parent_id,
            search_text=self.search_text,
            folders_only=self.select_folder,
            tags=tuple(tags),
        )


LIST = (*DATASET, ParentNotFound)
"""Refusals of both lists."""
_MOST = 100
"""Maximum number of items on a page of `collection.list`."""


class CollectionListBody(CollectionFilter, kw_only=True):
    """The page and its filters; `simple` wants all collections on one page."""

    offset: Annotated[Any, fields.IDLE] = UNSET
    page_num: Annotated[int, Meta(ge=1, le=Published.integer)] = 1
    page_size: Annotated[int, Meta(ge=1, le=_MOST)] = 10


class AnyPageBody(CollectionListBody, kw_only=True):
    """The page and its filters, in versions that accept any page size."""

    page_size: Annotated[int, Meta(ge=1, le=Published.integer)] = 10


class NumberedPage(Page[Collection], frozen=True, kw_only=True):
    """A page that repeats the requested page number and size."""

    page_num: int
    requested_size: int


class NumberedPageView(View):
    """A page of collections, its number and size, and the number of all matches."""

    page_num: int
    page_size: int
    items: list[list_v2.ListedCollection] = field(name="data")  # type: ignore[valid-type]
    total: int


def _encode(page: NumberedPage, state: State) -> bytes:
    numbers = page.page_num, page.requested_size
    head = b'{"pageNum":%d,"pageSize":%d,' % numbers
    offsets = range(0, len(page.items), Published.page_size)
    items = (
        list_v2.items_text(
            replace(page, items=page.items[at : at + Published.page_size]), state
        )
        for at in offsets
    )
    text = b",".join(within_page(items))
    return SUCCESS % (b'%b"data":[%b],"total":%d}' % (head, text, page.total))


@route(
    "POST /api/core/dataset/collection/list",
    chinese="按页码取知识库集合的一页",
    since="4.6; later only beside listV2",
    differences="`simple` changes only the page, which has up to 1,000 items.",
    refusals=LIST,
    former_fields=("collection_pages_are_bounded", AnyPageBody),
    example={"datasetId": DEMO_DATASET, "pageNum": 1, "pageSize": 2},
    read_fields=read_body,
    data_type=NumberedPageView,
    encode=_encode,
    traits={"page"},
    invent_item=list_v2.invent_collection,
)
def collection_list(call: Call, body: CollectionListBody) -> NumberedPage:
    """Get a page of a dataset's collections, by its number.

    Returns the collections that listV2 returns, and `pageNum` and `pageSize`.
    """
    number, page_size = body.page_num, min(body.page_size, _MOST)
    offset, size = (number - 1) * page_size, page_size
    if body.simple is True:
        offset, size = 0, Published.related_page_size
    request = body.request(offset, size, body.filter_tags)
    page = page_of_collections(call, request)
    return fields.copy_fields(
        NumberedPage, page, page_num=number, requested_size=page_size
    )


class ScrollListBody(CollectionFilter, kw_only=True):
    """The page and its filters; FastGPT's schema does not check the paging fields."""

    offset: Any = UNSET
    page_num: Any = UNSET
    page_size: Any = UNSET


@route(
    "POST /api/core/dataset/collection/scrollList",
    chinese="知识库集合的一页，用于滚动列表",
    since="4.8.19",
    differences="Tags are shown and searched by name instead of id.",
    refusals=(*LIST, *fields.PAGING),
    example={"datasetId": DEMO_DATASET, "parentId": None, "pageSize": 2},
    read_fields=read_body_and_page,
    data_type=list_v2.ListedPage,
    encode=list_v2.encode,
    traits={"page"},
    invent_item=list_v2.invent_collection,
)
def scroll_list(call: Call, body: ScrollListBody) -> Page[Collection]:
    """Get a page of a dataset's collections, for lists that scroll.

    Returns items as listV2 does, at most 30 on a page. `searchText` searches in the
    folder `parentId`; items must have all `filterTags`.
    """
    paging = fields.paging_of(body, Published.page_size)
    request = replace(body.request(0, 0, body.filter_tags), needs_every_tag=True)
    choices = call.state.choices.replaced(search_scope="folder")
    in_folder = replace(call, state=replace(call.state, choices=choices))
    page = page_of_collections(in_folder, request)
    return fields.page_of(page.matching, paging, page.level)
