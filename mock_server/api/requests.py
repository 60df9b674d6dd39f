"""From JSON objects to the requests of the domain, field by field (spec 4)."""

from __future__ import annotations

from mock_server.api.fields import (
    Body,
    boolean,
    identifier,
    integer,
    only,
    refuse,
    text,
    texts,
)
from mock_server.domain.choices import Choices
from mock_server.domain.limits import LIMITS
from mock_server.domain.listing import OMITTED, ListV2, Omitted
from mock_server.domain.pinning import UpdateHistory


def read_update_history(body: Body, choices: Choices) -> UpdateHistory:
    """The body of spec 4.1. Raises InvalidField."""
    lenient = choices.top_missing == "ignore"
    titles = ("title", "customTitle") if lenient else ()
    if choices.unknown_fields == "reject":
        only(body, ("appId", "chatId", "top", *titles))
    return UpdateHistory(
        app_id=identifier(body, "appId"),
        chat_id=identifier(body, "chatId"),
        top=None if lenient and "top" not in body else boolean(body, "top"),
        title=_title(body, "title", titles),
        custom_title=_title(body, "customTitle", titles),
    )


def _title(body: Body, name: str, titles: tuple[str, ...]) -> str | None:
    if name in titles and name in body:
        return text(body, name, LIMITS.title_chars)
    return None


def read_list_v2(body: Body, choices: Choices) -> ListV2:
    """The body of spec 4.2. Raises InvalidField."""
    paged = choices.offset_missing == "accept"
    filtered = choices.list_filters == "honour"
    if choices.unknown_fields == "reject":
        pages = ("pageNum",) if paged else ()
        filters = ("selectFolder", "filterTags") if filtered else ()
        only(body, (*_LIST_FIELDS, *pages, *filters))
    page_size = _page_size(body, choices)
    return ListV2(
        offset=_offset(body, page_size, choices),
        page_size=page_size,
        dataset_id=identifier(body, "datasetId"),
        parent_id=_parent_id(body),
        search_text=_if_there(body, "searchText"),
        folders_only=filtered
        and "selectFolder" in body
        and boolean(body, "selectFolder"),
        tags=texts(body, "filterTags") if filtered and "filterTags" in body else (),
    )


_LIST_FIELDS = ("offset", "pageSize", "datasetId", "parentId", "searchText")


def _page_size(body: Body, choices: Choices) -> int:
    if "pageSize" not in body:
        return choices.page_size_default
    clamp = choices.page_size_over_limit == "clamp"
    highest = None if clamp else LIMITS.page_size
    strings = choices.numeric_strings == "accept"
    asked = integer(body, "pageSize", 1, highest, strings=strings)
    return min(asked, LIMITS.page_size)


def _offset(body: Body, page_size: int, choices: Choices) -> int:
    strings = choices.numeric_strings == "accept"
    if "offset" in body or choices.offset_missing == "reject":
        return integer(body, "offset", 0, LIMITS.integer, strings=strings)
    if "pageNum" not in body:
        return 0
    number = integer(body, "pageNum", 1, LIMITS.integer, strings=strings)
    return (number - 1) * page_size


def _parent_id(body: Body) -> str | Omitted | None:
    if "parentId" not in body:
        return OMITTED
    value = body["parentId"]
    if value is None or (isinstance(value, str) and len(value) <= LIMITS.id_chars):
        return value
    raise refuse(
        body, "parentId", f"null or a string of up to {LIMITS.id_chars} characters"
    )


def _if_there(body: Body, name: str) -> str:
    return text(body, name, LIMITS.search_chars) if name in body else ""
