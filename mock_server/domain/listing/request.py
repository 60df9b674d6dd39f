"""A list request: its part of a dataset, its search and its page.

Choices decide what the spec leaves open (spec 4.2).
"""

from msgspec import UNSET, Struct, UnsetType

from mock_server.domain.choices.table import Choices
from mock_server.domain.objects import index


class ListV2(Struct, frozen=True):
    """A list request with checked fields.

    `folders_only` and `tags` are set under choice list_filters; with `every_tag` items
    need all tags. `is_clamped`: more than `page_size` items were requested.
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
    """Return the requested part of the dataset; no check that its folder exists."""
    parent = request.parent_id
    if request.search_text and choices.search_scope == "dataset":
        return index.ANYWHERE
    if parent is UNSET:
        return index.ANYWHERE if choices.parent_omitted == "any" else None
    # An id is never empty, so without the choice "" is an unknown id.
    if parent == "" and choices.parent_empty_string == "root":
        return None
    return parent


def search_of(request: ListV2, choices: Choices) -> index.Search | None:
    """Return the search in that part; None if all collections match.

    A choice that filters collections adds a condition here.
    """
    conditions: tuple[index.Condition, ...] = (
        (index.is_folder,) if request.folders_only else ()
    )
    if not (request.search_text or conditions or request.tags):
        return None
    # Without a text the fields do not matter: equal fields let searches share a result.
    fields = choices.search_fields if request.search_text else "name"
    is_every = request.every_tag and bool(request.tags)
    text, tags = request.search_text, request.tags
    return index.Search(text, fields, conditions, tags, is_every)
