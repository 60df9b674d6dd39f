"""A request for a list of collections (spec 4.2): its scope, its search and its page.

Choices decide the behaviour that the spec leaves open.
"""

from msgspec import UNSET, Struct, UnsetType

from mock_server.domain.choices.table import Choices
from mock_server.domain.objects import index


class ListV2(Struct, frozen=True):
    """A list request with checked fields.

    listV2 sets `folders_only` and `tags` only with choice list_filters=honour. With
    `needs_every_tag`, a match needs all `tags`, else one of them. `is_clamped`: the
    client requested more than `page_size` items.
    """

    dataset_id: str
    offset: int
    page_size: int
    parent_id: str | UnsetType | None = UNSET
    search_text: str = ""
    folders_only: bool = False
    tags: tuple[str, ...] = ()
    needs_every_tag: bool = False
    is_clamped: bool = False


def scope_of(request: ListV2, choices: Choices) -> index.Scope:
    """Return the scope of a list: a folder's id, the top level (None), or ANYWHERE.

    This function does not check that the folder exists.
    """
    parent = request.parent_id
    if request.search_text and choices.search_scope == "dataset":
        return index.ANYWHERE
    if parent is UNSET:
        return index.ANYWHERE if choices.parent_omitted == "any" else None
    # An id is never empty, so otherwise `""` is an unknown id.
    if parent == "" and choices.parent_empty_string == "root":
        return None
    return parent


def search_of(request: ListV2, choices: Choices) -> index.Search | None:
    """Return the search of a list; None if all collections in the scope match.

    A choice that filters collections adds a condition here.
    """
    conditions: tuple[index.Condition, ...] = (
        (index.is_folder,) if request.folders_only else ()
    )
    if not (request.search_text or conditions or request.tags):
        return None
    # Without a text the fields do not matter. A constant lets equal searches share a
    # cached result.
    fields = choices.search_fields if request.search_text else "name"
    is_every = request.needs_every_tag and bool(request.tags)
    text, tags = request.search_text, request.tags
    return index.Search(text, fields, conditions, tags, is_every)
