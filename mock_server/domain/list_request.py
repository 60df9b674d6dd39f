"""What a list request asks for: a part of a dataset, what is looked for in it, a page.

What of this the spec leaves open is a choice (spec 4.2).
"""

from enum import Enum
from typing import Final

from msgspec import Struct

from mock_server.domain.choices import Choices
from mock_server.domain.index import ANYWHERE, Search, Within


class Omitted(Enum):
    """The type of OMITTED: a field that the request does not have."""

    OMITTED = "omitted"


OMITTED: Final = Omitted.OMITTED


class ListV2(Struct, frozen=True):
    """A list request, fields checked. `folders_only` and `tags` are list_filters.

    `is_clamped` says that more than `page_size` items were asked for.
    """

    dataset_id: str
    offset: int
    page_size: int
    parent_id: str | Omitted | None = OMITTED
    search_text: str = ""
    folders_only: bool = False
    tags: tuple[str, ...] = ()
    is_clamped: bool = False


def part_of(request: ListV2, choices: Choices) -> Within:
    """The part of the dataset that is asked for; there may be no folder of that id."""
    parent = request.parent_id
    if request.search_text and choices.search_scope == "dataset":
        return ANYWHERE
    if parent is OMITTED:
        return ANYWHERE if choices.parent_omitted == "any" else None
    # An id is never empty, so without the choice "" is one that no collection has.
    if parent == "" and choices.parent_empty_string == "root":
        return None
    return parent


def search_of(request: ListV2, choices: Choices) -> Search | None:
    """What is looked for in that part; None if all that is in it."""
    if not (request.search_text or request.folders_only or request.tags):
        return None
    # Without a text it does not matter which fields are searched: any will do, so that
    # searches which differ in nothing else share a result.
    fields = choices.search_fields if request.search_text else "name"
    return Search(request.search_text, fields, request.folders_only, request.tags)
