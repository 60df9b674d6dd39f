"""Explain why a list request shows or does not show a collection, or any at all."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from mock_server.domain.errors import Refusal
from mock_server.domain.listing import empty_page as phrases
from mock_server.domain.listing.empty_page import empty_page_hint
from mock_server.domain.objects.index import ANYWHERE, Search
from mock_server.domain.objects.models import Collection
from mock_server.domain.sandboxes.state import State
from mock_server.domain.why.remedies import ChangedRequest, Remedy, RemedySearch, remedy
from mock_server.domain.why.stages import STAGES, RequestReader, Stages, TriedRequest


class Stage(Struct, frozen=True, rename="camel"):
    """One stage of a list: how many collections it removes, and how many remain.

    `removesItem` is true if this stage removes the collection `item`, as several stages
    may; it is null if the explanation is about the whole page.
    """

    name: str
    kept_out: int
    left: int
    message: str
    removes_item: bool | None


class Place(Struct, frozen=True, rename="camel"):
    """The index among all matches, and the offset of the page that shows it."""

    index: int
    offset: int


class Why(Struct, frozen=True, rename="camel"):
    """The explanation of a list request.

    `shown` is true if the page has the collection `item`, or any collection if `item`
    is null. `keptOutBy` are the stages that each remove the collection; for an empty
    page, the stages that the first remedy changes. `elsewhere` are the ids of other
    datasets with the collection.
    """

    dataset: str
    item: str | None
    shown: bool
    total: int
    message: str
    kept_out_by: tuple[str, ...]
    place: Place | None
    elsewhere: tuple[str, ...]
    stages: tuple[Stage, ...]
    remedies: tuple[Remedy, ...]


def explain(
    state: State, reader: RequestReader, tried: TriedRequest, item_id: str | None = None
) -> Why:
    """Explain why a request shows or hides the collection `item_id`.

    If `item_id` is None, explain the whole page. Raises DatasetNotFound, and
    InvalidField for fields that the choices refuse.
    """
    stages = Stages(state, reader, tried, item_id)
    search = RemedySearch(state, reader, item_id)
    fixes = [] if stages.is_shown else search.remedies(tried)
    size, index = stages.request.page_size, stages.index
    kept_out_by = _hiding_stages(stages, fixes)
    return Why(
        dataset=stages.dataset.id,
        item=item_id,
        shown=stages.is_shown,
        total=len(stages.matching) if stages.may_read else 0,
        message=_verdict(stages),
        kept_out_by=kept_out_by,
        place=None if index is None else Place(index, index // size * size),
        elsewhere=stages.elsewhere,
        stages=tuple(_stage_results(stages, kept_out_by)),
        remedies=tuple(remedy(state, tried, each.request) for each in fixes),
    )


def _hiding_stages(stages: Stages, fixes: Sequence[ChangedRequest]) -> tuple[str, ...]:
    """Return the names of the stages that hide the item, or the whole page."""
    if stages.is_shown:
        return ()
    if stages.item_id is not None:
        hiding_stages = stages.hiding_stages or {"page"}
        return tuple(name for name in STAGES if name in hiding_stages)
    if fixes:
        return tuple(name for name in STAGES if name in fixes[0].stages)
    # No change helps: the dataset is empty, or no key may read it.
    return ("dataset",) if stages.may_read else ("permission",)


def _stage_results(stages: Stages, kept_out_by: Sequence[str]) -> Iterator[Stage]:
    before = stages.remaining[0]
    for name, left in zip(STAGES, stages.remaining, strict=True):
        removes = None if stages.item_id is None else name in kept_out_by
        yield Stage(name, before - left, left, _describe(name, stages), removes)
        before = left


def _describe(name: str, stages: Stages) -> str:
    """Return the message of a stage: which collections it lets pass."""
    request, tree = stages.request, stages.dataset.tree
    if name == "dataset":
        amount = phrases.amount_text(len(tree))
        return f"dataset {phrases.quote(stages.dataset.id)} has {amount}"
    if name == "permission":
        return f"the API key may {'' if stages.may_read else 'not '}read the dataset"
    if name == "folder":
        scope = phrases.scope_choice(request, stages.choices)
        parent = f"{phrases.parent_words(request)}{scope}"
        if stages.scope is ANYWHERE:
            return f"{parent}: the whole dataset"
        if stages.scope is not None and stages.scope not in tree:
            return f"{parent}: no collection has this _id"
        return f"{parent}: the collections {phrases.scope_text(stages.scope)}"
    if name == "page":
        start, end = request.offset, request.offset + request.page_size
        paging = f"offset {start} and pageSize {request.page_size}"
        return f"{paging}: numbers {start + 1:,} to {end:,}"
    return _filter_of(name, stages) or "not asked for"


def _filter_of(name: str, stages: Stages) -> str:
    """Return the fields of a filter in words, or "" if the request has none."""
    request = stages.request
    if name == "search":
        return phrases.search_words(request, stages.choices)
    if name == "selectFolder":
        return "selectFolder true" if request.folders_only else ""
    return phrases.tags_words(request.tags) if request.tags else ""


def _verdict(stages: Stages) -> str:
    if stages.item_id is None:
        return _page_verdict(stages)
    if stages.item is None:
        return _unknown_item_verdict(stages)
    name = f"{phrases.quote(stages.item.name)} ({phrases.quote(stages.item_id)})"
    if stages.index is not None:
        total, number = len(stages.matching), stages.index + 1
        is_on = "is on the page" if stages.is_shown else "is on another page"
        return f"{name} {is_on}: number {number:,} of the {total:,} that match"
    hiding = [each for each in STAGES if each in stages.hiding_stages]
    reasons = [_reason(each, stages.item, stages) for each in hiding]
    return f"{name} is not listed: {phrases.join_words(reasons, 'and')}"


def _page_verdict(stages: Stages) -> str:
    outcome = stages.outcome
    if isinstance(outcome, Refusal):
        return f"the request is refused: {outcome.message}"
    if outcome.items:
        count, total = len(outcome.items), outcome.total
        match = f"{phrases.amount_text(total)} that {phrases.verb_form(total, 'match')}"
        return f"the page shows {count:,} of the {match}"
    dataset, request, choices = stages.dataset, stages.request, stages.choices
    limits, in_scope = stages.state.limits, stages.remaining[2]
    hint = empty_page_hint(dataset, in_scope, request, choices, outcome.total, limits)
    return hint() if callable(hint) else hint


def _unknown_item_verdict(stages: Stages) -> str:
    item_id, dataset = (
        phrases.quote(stages.item_id or ""),
        phrases.quote(stages.dataset.id),
    )
    text = f"dataset {dataset} has no collection with the _id {item_id}"
    if ids := stages.elsewhere:
        names = phrases.join_words([phrases.quote(each) for each in ids[:3]], "and")
        has = "has" if len(ids) == 1 else "have"
        return f"{text}; dataset {names} {has} one"
    match = stages.dataset.tree.first(Search(value=("name", stages.item_id or "")))
    if match is None:
        return f"no dataset has a collection with the _id {item_id}"
    return f"{text} (did you mean {phrases.quote(match.id)}, which has that name?)"


def _reason(name: str, item: Collection, stages: Stages) -> str:
    request = stages.request
    if name == "permission":
        return "the API key may not read the dataset"
    if name == "folder":
        scope = phrases.scope_choice(request, stages.choices)
        cause = f"{phrases.parent_words(request)}{scope}"
        listed_place = phrases.scope_text(stages.scope)
        place = phrases.scope_text(item.parent_id)
        return f"it is {place}, but {cause} lists the collections {listed_place}"
    if name == "selectFolder":
        because = "lists only folders"
    elif name == "filterTags":
        because = "are tags that it does not have"
    else:
        _, search, _ = next(stages.search.stages())
        is_text = search == Search(search.term, search.fields)
        because = "matches none of its texts" if is_text else "leaves it out"
    return f"{_filter_of(name, stages)} {because}"
