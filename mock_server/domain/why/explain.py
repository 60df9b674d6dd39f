"""Explain why a list shows a collection, or without one, why any or none."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from mock_server.domain.errors import Refusal
from mock_server.domain.listing import empty_page as words
from mock_server.domain.listing.empty_page import hint_of
from mock_server.domain.objects.index import ANYWHERE, Search
from mock_server.domain.objects.models import Collection
from mock_server.domain.sandboxes.state import State
from mock_server.domain.why.remedies import Changed, Remedy, RemedySearch, remedy
from mock_server.domain.why.stages import STAGES, Ask, Reader, Stages


class Stage(Struct, frozen=True, rename="camel"):
    """A filter: how many collections it removes, and how many remain.

    `keepsItem` is true if the filter alone removes the collection in question, null
    without one.
    """

    name: str
    kept_out: int
    left: int
    message: str
    keeps_item: bool | None


class Place(Struct, frozen=True, rename="camel"):
    """The index among all matches, and the offset of the page that shows it."""

    index: int
    offset: int


class Why(Struct, frozen=True, rename="camel"):
    """The page of a list request, and why it shows no more.

    `shown`: the page has the collection `item`, or without one, any. `keptOutBy` are
    the stages that each remove the collection; for an empty page, those that the
    nearest remedy changes. `elsewhere` are other datasets with the collection.
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


def explain(state: State, reader: Reader, ask: Ask, item_id: str | None = None) -> Why:
    """Explain why a request shows the collection with this id or not.

    Raises DatasetNotFound, and InvalidField for fields that the choices refuse.
    """
    stages = Stages(state, reader, ask, item_id)
    search = RemedySearch(state, reader, item_id)
    found = [] if stages.shows else search.remedies(ask)
    size, index = stages.request.page_size, stages.index
    kept_out_by = _kept_out_by(stages, found)
    return Why(
        dataset=stages.dataset.id,
        item=item_id,
        shown=stages.shows,
        total=len(stages.matching) if stages.may_read else 0,
        message=_verdict(stages),
        kept_out_by=kept_out_by,
        place=None if index is None else Place(index, index // size * size),
        elsewhere=stages.elsewhere,
        stages=tuple(_counted(stages, kept_out_by)),
        remedies=tuple(remedy(state, ask, each.ask) for each in found),
    )


def _kept_out_by(stages: Stages, found: Sequence[Changed]) -> tuple[str, ...]:
    if stages.shows:
        return ()
    if stages.item_id is not None:
        keepers = stages.keepers or {"page"}
        return tuple(name for name in STAGES if name in keepers)
    if found:
        return tuple(name for name in STAGES if name in found[0].at)
    # Nothing helps: no key may read the dataset, or it is empty.
    return ("dataset",) if stages.may_read else ("permission",)


def _counted(stages: Stages, kept_out_by: Sequence[str]) -> Iterator[Stage]:
    before = stages.left[0]
    for name, left in zip(STAGES, stages.left, strict=True):
        keeps = None if stages.item_id is None else name in kept_out_by
        yield Stage(name, before - left, left, _passing(name, stages), keeps)
        before = left


def _passing(name: str, stages: Stages) -> str:
    request, tree = stages.request, stages.dataset.tree
    if name == "dataset":
        return f"dataset {words.shown(stages.dataset.id)} has {words.amount(len(tree))}"
    if name == "permission":
        return f"the key may {'' if stages.may_read else 'not '}read the dataset"
    if name == "folder":
        scope = words.scope_choice(request, stages.choices)
        asked = f"{words.parent_words(request)}{scope}"
        if stages.within is ANYWHERE:
            return f"{asked}: the whole dataset"
        if stages.within is not None and stages.within not in tree:
            return f"{asked}: no collection has this _id"
        return f"{asked}: what is {words.place(stages.within)}"
    if name == "page":
        start, end = request.offset, request.offset + request.page_size
        asked = f"offset {start} and pageSize {request.page_size}"
        return f"{asked}: numbers {start + 1:,} to {end:,}"
    return _asked(name, stages) or "not asked for"


def _asked(name: str, stages: Stages) -> str:
    request = stages.request
    if name == "search":
        return words.search_words(request, stages.choices)
    if name == "selectFolder":
        return "selectFolder true" if request.folders_only else ""
    return words.tags_words(request.tags) if request.tags else ""


def _verdict(stages: Stages) -> str:
    if stages.item_id is None:
        return _of_page(stages)
    if stages.item is None:
        return _of_unknown(stages)
    name = f"{words.shown(stages.item.name)} ({words.shown(stages.item_id)})"
    if stages.index is not None:
        total, number = len(stages.matching), stages.index + 1
        is_on = "is on the page" if stages.shows else "is on another page"
        return f"{name} {is_on}: number {number:,} of the {total:,} that match"
    found = [each for each in STAGES if each in stages.keepers]
    reasons = [_reason(each, stages.item, stages) for each in found]
    return f"{name} is not listed: {words.joined(reasons, 'and')}"


def _of_page(stages: Stages) -> str:
    outcome = stages.outcome
    if isinstance(outcome, Refusal):
        return f"the request is refused: {outcome.message}"
    if outcome.items:
        shown, total = len(outcome.items), outcome.total
        return f"the page shows {shown:,} of the {words.amount(total)} that match"
    dataset, request, choices = stages.dataset, stages.request, stages.choices
    limits = stages.state.limits
    hint = hint_of(dataset, stages.left[2], request, choices, outcome.total, limits)
    return hint() if callable(hint) else hint


def _of_unknown(stages: Stages) -> str:
    wanted, dataset = words.shown(stages.item_id or ""), words.shown(stages.dataset.id)
    found = f"dataset {dataset} has no collection of the _id {wanted}"
    if elsewhere := stages.elsewhere:
        others = words.joined([words.shown(each) for each in elsewhere[:3]], "and")
        has = "has" if len(elsewhere) == 1 else "have"
        return f"{found}; dataset {others} {has} one"
    named = (each for each in stages.dataset.tree if each.name == stages.item_id)
    first = next(named, None)
    if first is None:
        return f"{found}, nor has any other"
    return f"{found} (did you mean {words.shown(first.id)}, which has that name?)"


def _reason(name: str, item: Collection, stages: Stages) -> str:
    request = stages.request
    if name == "permission":
        return "the key may not read the dataset"
    if name == "folder":
        scope = words.scope_choice(request, stages.choices)
        asked = words.parent_words(request)
        return f"it is {words.place(item.parent_id)}, not that of {asked}{scope}"
    if name == "selectFolder":
        because = "leaves out what is no folder"
    elif name == "filterTags":
        because = "are tags that it does not have"
    else:
        _, search, _ = next(stages.search.parts())
        is_text = search == Search(search.term, search.fields)
        because = "matches none of its texts" if is_text else "leaves it out"
    return f"{_asked(name, stages)} {because}"
