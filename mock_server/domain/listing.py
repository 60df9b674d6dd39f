"""The list operation as a function of the state: scope, search, paging (spec 4.2).

What of this the spec leaves open is a choice; fields have been read and checked before.
"""

from collections.abc import Sequence
from enum import Enum
from typing import Final, Generic, TypeVar

from msgspec import Struct

from mock_server.domain import errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.choices import Choices, remedies, served_with
from mock_server.domain.dataset import Dataset
from mock_server.domain.index import ANYWHERE, Search, Within
from mock_server.domain.journal import Note
from mock_server.domain.records import Collection
from mock_server.domain.state import State


class Omitted(Enum):
    """The type of OMITTED: a field that the request does not have."""

    OMITTED = "omitted"


OMITTED: Final = Omitted.OMITTED
T = TypeVar("T")


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


class Page(Struct, Generic[T], frozen=True):
    """A page of what matches, its count before paging, and the caller's level.

    `matching` is all of it, in order: faults show parts that were not asked for, such
    as `offset` and `page_size` say.
    """

    items: Sequence[T]
    total: int
    level: Level
    matching: Sequence[T] = ()
    offset: int = 0
    page_size: int = 0


def list_v2(state: State, caller: Caller, request: ListV2) -> Page[Collection]:
    """A page of a dataset's collections (spec 4.2); past the end it is empty.

    Raises DatasetNotFound, ParentNotFound (choice parent_unknown), DatasetForbidden, in
    this order.
    """
    choices = state.choices
    dataset = state.store.dataset(request.dataset_id)
    if dataset is None:
        got = errors.describe_value(request.dataset_id)
        raise errors.DatasetNotFound("the id of a dataset", got, "$.datasetId")
    level = dataset.level_of(caller)
    # Existence is checked before permission, of the parent too.
    within = _within(dataset, request, state, level)
    if level < Level.READ:
        expected = f"a key with read permission on dataset {errors.quoted(dataset.id)}"
        raise errors.DatasetForbidden(expected, "a key without it", "$.datasetId")
    listing = dataset.tree.listing(within, choices.list_order)
    matching: Sequence[Collection] = listing.items
    if request.search_text or request.folders_only or request.tags:
        # Without a text it does not matter which fields are searched: any will do, so
        # that searches which differ in nothing else share a result.
        fields = choices.search_fields if request.search_text else "name"
        text, tags = request.search_text, request.tags
        search = Search(text, fields, request.folders_only, tags)
        matching = listing.find(search, state.limits.cached_searches)
    offset, size = request.offset, request.page_size
    page = matching[offset : offset + size]
    if request.is_clamped:
        state.notes.append(Note(served=(len(page), len(matching))))
    return Page(page, len(matching), level, matching, offset, size)


def _within(dataset: Dataset, request: ListV2, state: State, level: Level) -> Within:
    """The part of the dataset that is asked for. Raises ParentNotFound.

    With choice parent_unknown=empty it may be a folder that there is not: an empty one.
    """
    parent, choices = request.parent_id, state.choices
    if request.search_text and choices.search_scope == "dataset":
        return ANYWHERE
    if parent is OMITTED:
        return ANYWHERE if choices.parent_omitted == "any" else None
    # An id is never empty, so without the choice "" is one that no collection has.
    if parent == "" and choices.parent_empty_string == "root":
        return None
    if parent is None or parent in dataset.tree:
        return parent
    if choices.parent_unknown == "empty":
        if level >= Level.READ:
            state.hint(f"{_NO_PARENT}: the list is empty (choice parent_unknown=empty)")
        return parent
    expected = f"null or the _id of a collection of dataset {errors.quoted(dataset.id)}"
    # To a caller who may not read the dataset, none of them would help.
    hint = _served_with(request, choices) if level >= Level.READ else ""
    got = errors.describe_value(parent)
    raise errors.ParentNotFound(expected, got, "$.parentId", hint)


_NO_PARENT = "the dataset has no collection of this parentId"


def _served_with(request: ListV2, choices: Choices) -> str:
    """The choices under which a list of an unknown parent succeeds, as a hint."""
    names = ["parent_unknown"]
    if request.parent_id == "":
        names.append("parent_empty_string")
    if request.search_text:
        names.append("search_scope")
    return served_with(*remedies(choices, *names))
