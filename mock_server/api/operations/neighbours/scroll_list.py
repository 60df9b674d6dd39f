"""`scrollList`: a page of a dataset's collections, for lists that scroll."""

from collections.abc import Sequence
from dataclasses import replace

from mock_server.api.operations.list_v2 import ListedPage, encode
from mock_server.api.operations.neighbours.collection_lists import (
    CollectionFilter,
    appear,
    list_request,
)
from mock_server.api.operations.neighbours.neighbour import (
    neighbour,
    page_of,
    paging_of,
)
from mock_server.domain.access import Caller
from mock_server.domain.errors import (
    DatasetForbidden,
    DatasetNotFound,
    MissingParams,
    ParentNotFound,
)
from mock_server.domain.limits import Limits
from mock_server.domain.listing import Page, find
from mock_server.domain.records import Collection
from mock_server.domain.state import State


class ScrollListBody(CollectionFilter, kw_only=True):
    """Which page of which collections."""


def scroll_list(state: State, caller: Caller, body: ScrollListBody) -> Page[Collection]:
    """A page of the collections with all of the tags, in a folder also by a text.

    Raises DatasetNotFound, ParentNotFound, DatasetForbidden, MissingParams.
    """
    paging = paging_of(body, Limits.page_size)
    # One tag is looked up; what has it is looked through for the others.
    request = list_request(body, 0, 0, tuple(body.filter_tags[:1]))
    choices = replace(state.choices, search_scope="folder")
    level, found = find(state, caller, request, choices)
    matching: Sequence[Collection] = found
    if wanted := set(body.filter_tags[1:]):
        matching = [each for each in found if wanted.issubset(each.tags)]
    return page_of(matching, paging, level)


SCROLL_LIST = neighbour(
    name="scrollList",
    path="/api/core/dataset/collection/scrollList",
    summary="A page of a dataset's collections, for lists that scroll",
    body=ScrollListBody,
    data=ListedPage,
    refusals=(DatasetNotFound, ParentNotFound, DatasetForbidden, MissingParams),
    perform=scroll_list,
    encode=encode,
    traits=["page"],
    appear=appear,
    since="4.8.19",
    modelled=(
        "The items of listV2, 30 a page at most; `searchText` searches the folder "
        "`parentId`, `filterTags` are all wanted."
    ),
    differs="Tags are shown, and looked for, by their names instead of their ids.",
)
