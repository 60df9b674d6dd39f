"""What a list request asks for: a part of a dataset, what is looked for in it, a page.

What of this the spec leaves open is a choice (spec 4.2).
"""

from msgspec import UNSET, Struct, UnsetType

from mock_server.domain.choices.table import Choices
from mock_server.domain.objects import index


class ListV2(Struct, frozen=True):
    """A list request, fields checked. `folders_only` and `tags` are list_filters.

    All tags are wanted with `every_tag`. `is_clamped` says that more than `page_size`
    items were asked for.
    """

    dataset_id: str
    offset: int
    page_size: int
    parent_id: str | UnsetType | None = UNSET
    search_text: str = ""
    folders_only: bool = False
    tags: tuple[str, ...] = ()
    every_tag: bool = False
    is_clamped: bool = False


def part_of(request: ListV2, choices: Choices) -> index.Within:
    """The part of the dataset that is asked for; there may be no folder of that id."""
    parent = request.parent_id
    if request.search_text and choices.search_scope == "dataset":
        return index.ANYWHERE
    if parent is UNSET:
        return index.ANYWHERE if choices.parent_omitted == "any" else None
    # An id is never empty, so without the choice "" is one that no collection has.
    if parent == "" and choices.parent_empty_string == "root":
        return None
    return parent


def search_of(request: ListV2, choices: Choices) -> index.Search | None:
    """What is looked for in that part; None if all that is in it.

    A choice that keeps out collections adds a condition here.
    """
    conditions: tuple[index.Condition, ...] = (
        (index.is_folder,) if request.folders_only else ()
    )
    if not (request.search_text or conditions or request.tags):
        return None
    # Without a text it does not matter which fields are searched: any will do, so that
    # searches which differ in nothing else share a result.
    fields = choices.search_fields if request.search_text else "name"
    is_every = request.every_tag and bool(request.tags)
    text, tags = request.search_text, request.tags
    return index.Search(text, fields, conditions, tags, is_every)
