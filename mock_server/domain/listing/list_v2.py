"""List the collections of a dataset (spec 4.2): scope, search, paging.

Choices decide the behaviour that the spec leaves open. The API layer has already
checked the fields of the request.
"""

from collections.abc import Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from mock_server.domain.access import Level
from mock_server.domain.call import Call, DatasetForbidden, ParentNotFound
from mock_server.domain.choices.reading import choices_hint, remedies
from mock_server.domain.choices.table import Choices
from mock_server.domain.journal import Note
from mock_server.domain.listing.empty_page import empty_page_hint
from mock_server.domain.listing.request import ListV2, scope_of, search_of
from mock_server.domain.messages import hint_of_name, quoted
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import Collection
from mock_server.domain.sandboxes.state import State

T = TypeVar("T")


class Page(Struct, Generic[T], frozen=True):
    """A page of a list: its items, the number of all matches, and the caller's level.

    `matching` has all matches, from which faults such as `page_drift` take other items.
    `offset` is the requested one; `page_size` too, unless a choice has lowered it to
    the maximum.
    """

    items: Sequence[T]
    total: int
    level: Level
    matching: Sequence[T] = ()
    offset: int = 0
    page_size: int = 0


def list_v2(call: Call, request: ListV2) -> Page[Collection]:
    """Return a page of a dataset's collections (spec 4.2). It is empty past the end.

    Raises DatasetNotFound, ParentNotFound (choice parent_unknown), DatasetForbidden, in
    this order; and NotReady.
    """
    dataset = call.dataset(request.dataset_id, Level.NONE, "$.datasetId")
    return page_in(dataset, dataset.level_of(call.caller), request, call.state)


def page_in(
    dataset: Dataset, level: Level, request: ListV2, state: State
) -> Page[Collection]:
    """Return the page that `list_v2` returns, for a dataset and a caller's level on it.

    Raises ParentNotFound, DatasetForbidden, NotReady.
    """
    choices = state.choices
    scope, search = scope_of(request, choices), search_of(request, choices)
    # A missing object is refused before a missing permission, as everywhere.
    if isinstance(scope, str) and scope not in dataset.tree:
        _check_unknown_parent(dataset, request, state, level)
    if level < Level.READ:
        expected = f"a key with read permission on dataset {quoted(dataset.id)}"
        raise DatasetForbidden(expected, "a key without it", "$.datasetId")
    order, max_cached = choices.list_order, state.limits.cached_searches
    scope_size, matching = dataset.tree.search(scope, order, search, max_cached)
    offset, size = request.offset, request.page_size
    page = matching[offset : offset + size]
    # scrollList asks for zero items and pages the matches itself: no hint is needed.
    if not page and size and not state.has_hint:
        total = len(matching)
        state.hint(
            empty_page_hint(dataset, scope_size, request, choices, total, state.limits)
        )
    if request.is_clamped:
        state.notes.append(Note(lowered_page=(len(page), len(matching))))
    return Page(page, len(matching), level, matching, offset, size)


def _check_unknown_parent(
    dataset: Dataset, request: ListV2, state: State, level: Level
) -> None:
    """Raise ParentNotFound. With choice parent_unknown=empty, add a hint instead.

    A caller who may not read the dataset gets no hint.
    """
    choices = state.choices
    if choices.parent_unknown == "empty":
        if level >= Level.READ:
            reason = "the dataset has no collection of this parentId"
            state.hint(f"{reason}: the list is empty (choice parent_unknown=empty)")
        return
    expected = f"null or the _id of a collection of dataset {quoted(dataset.id)}"
    if request.parent_id == "":
        expected = f"null for the top level, {expected.removeprefix('null ')}"
    hint = ""
    if level >= Level.READ:
        name_hint = hint_of_name(str(request.parent_id), dataset.tree.first_names())
        hints = name_hint, _choices_that_help(request, choices)
        hint = "; ".join(filter(None, hints))
    raise ParentNotFound.of(request.parent_id, expected, "$.parentId", hint)


def _choices_that_help(request: ListV2, choices: Choices) -> str:
    """Return a hint with the values of choices under which the list succeeds."""
    names = ["parent_unknown"]
    if request.parent_id == "":  # `""` most likely means the top level
        names.insert(0, "parent_empty_string")
    if request.search_text:
        names.append("search_scope")
    return choices_hint(*remedies(choices, *names))
