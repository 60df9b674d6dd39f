"""`collection.list` and `scrollList`: the older lists of collections."""

from typing import Annotated

from msgspec import UNSET, Meta, field
from msgspec.structs import replace

from mock_server.api.operations import list_v2
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.api.response import success_envelope
from mock_server.domain import errors, listing
from mock_server.domain.access import Caller
from mock_server.domain.limits import Limits
from mock_server.domain.list_request import OMITTED, ListV2
from mock_server.domain.listing import Page
from mock_server.domain.records import Collection
from mock_server.domain.state import State
from mock_server.fixture.document import Id
from mock_server.views import View


class CollectionFilter(neighbour.PagedFields, kw_only=True):
    """Which collections of which dataset; counting is not left out (`simple`)."""

    dataset_id: Id
    parent_id: fields.Parent = UNSET
    search_text: fields.SearchText = ""
    select_folder: bool = False
    filter_tags: fields.Tags = field(default_factory=list)
    simple: fields.Flag = UNSET


def list_request(
    body: CollectionFilter, offset: int, page_size: int, tags: tuple[str, ...]
) -> ListV2:
    """The same request as listV2 has it."""
    return ListV2(
        dataset_id=body.dataset_id,
        offset=offset,
        page_size=page_size,
        parent_id=OMITTED if body.parent_id is UNSET else body.parent_id,
        search_text=body.search_text,
        folders_only=body.select_folder,
        tags=tags,
    )


def appear(body: CollectionFilter, number: int) -> Collection:
    """A collection that is not there, where the request looks for some."""
    parent = body.parent_id or None
    return Collection(f"appeared-{number}", f"Appeared {number}", parent)


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
    items: list[list_v2.ListedCollection] = field(name="data")  # type: ignore[valid-type]
    total: int


def collection_list(
    state: State, caller: Caller, body: CollectionListBody
) -> NumberedPage:
    """A page. Raises DatasetNotFound, ParentNotFound, DatasetForbidden."""
    offset, size = (body.page_num - 1) * body.page_size, body.page_size
    if body.simple is True:
        offset, size = 0, Limits.neighbour_page_size
    request = list_request(body, offset, size, tuple(body.filter_tags))
    page = listing.list_v2(state, caller, request)
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
    items = list_v2.items_text(page, state)
    return success_envelope(b'%b"data":[%b],"total":%d}' % (head, items, page.total))


COLLECTION_LIST = neighbour.operation(
    name="collection.list",
    path="/api/core/dataset/collection/list",
    summary="A page of a dataset's collections, by its number",
    body=CollectionListBody,
    data=NumberedPageView,
    refusals=(errors.DatasetNotFound, errors.ParentNotFound, errors.DatasetForbidden),
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


class ScrollListBody(CollectionFilter, kw_only=True):
    """Which page of which collections."""


def scroll_list(state: State, caller: Caller, body: ScrollListBody) -> Page[Collection]:
    """A page of the collections with all of the tags, in a folder also by a text.

    Raises DatasetNotFound, ParentNotFound, DatasetForbidden, MissingParams.
    """
    paging = neighbour.paging_of(body, Limits.page_size)
    # One tag is looked up; what has it is looked through for the others.
    request = list_request(body, 0, 0, tuple(body.filter_tags[:1]))
    choices = state.choices.but(search_scope="folder")
    found = listing.list_v2(replace(state, choices=choices), caller, request)
    matching = found.matching
    if wanted := set(body.filter_tags[1:]):
        matching = [each for each in matching if wanted.issubset(each.tags)]
    return neighbour.page_of(matching, paging, found.level)


SCROLL_LIST = neighbour.operation(
    name="scrollList",
    path="/api/core/dataset/collection/scrollList",
    summary="A page of a dataset's collections, for lists that scroll",
    body=ScrollListBody,
    data=list_v2.ListedPage,
    refusals=(
        errors.DatasetNotFound,
        errors.ParentNotFound,
        errors.DatasetForbidden,
        errors.MissingParams,
    ),
    perform=scroll_list,
    encode=list_v2.encode,
    traits=["page"],
    appear=appear,
    since="4.8.19",
    modelled=(
        "The items of listV2, 30 a page at most; `searchText` searches the folder "
        "`parentId`, `filterTags` are all wanted."
    ),
    differs="Tags are shown, and looked for, by their names instead of their ids.",
)
