"""The words of explanations: what each stage of a list keeps out, and why."""

from mock_server.domain import list_words as words
from mock_server.domain.empty_page import hint_of
from mock_server.domain.errors import Refusal
from mock_server.domain.index import ANYWHERE
from mock_server.domain.list_stages import Stages
from mock_server.domain.records import Collection


def stage(name: str, stages: Stages) -> str:
    """What a stage lets pass."""
    request, choices = stages.request, stages.choices
    if name == "dataset":
        tree = stages.dataset.tree
        return f"dataset {words.shown(stages.dataset.id)} has {words.amount(len(tree))}"
    if name == "permission":
        may = "may read" if stages.may_read else "may not read"
        return f"the key {may} the dataset"
    if name == "folder":
        scope = words.scope_choice(request, choices)
        asked = f"{words.parent_words(request)}{scope}"
        if stages.within is ANYWHERE:
            return f"{asked}: the whole dataset"
        is_none = stages.within is not None and stages.within not in stages.dataset.tree
        if is_none:
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
        text = words.search_words(request, stages.choices)
        return text if request.search_text else ""
    if name == "selectFolder":
        return "selectFolder true" if request.folders_only else ""
    return words.tags_words(request.tags) if request.tags else ""


def verdict(stages: Stages) -> str:
    """Whether the item, or anything, is shown; and if not, why."""
    if stages.item_id is None:
        return _of_page(stages)
    if stages.item is None:
        return _of_unknown(stages)
    name = f"{words.shown(stages.item_id)} ({words.shown(stages.item.name)})"
    if stages.index is not None:
        total, number = len(stages.matching), stages.index + 1
        is_on = "is on the page" if stages.shows else "is on another page"
        return f"{name} {is_on}: number {number:,} of the {total:,} that match"
    found = [each for each in _REASONS if each in stages.keepers]
    reasons = [_reason(each, stages.item, stages) for each in found]
    return f"{name} is not listed: {words.joined(reasons, 'and')}"


def _of_page(stages: Stages) -> str:
    outcome = stages.outcome
    if isinstance(outcome, Refusal):
        return f"the request is refused: {outcome.message}"
    if outcome.items:
        shown, total = len(outcome.items), outcome.total
        return f"the page shows {shown:,} of the {words.amount(total)} that match"
    hint = hint_of(
        stages.dataset.tree,
        len(stages.left[0]),
        stages.request,
        stages.choices,
        outcome.total,
        stages.state.limits,
    )
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
    """Why a stage keeps the item out."""
    request = stages.request
    if name == "folder":
        scope = words.scope_choice(request, stages.choices)
        asked = words.parent_words(request)
        return f"it is {words.place(item.parent_id)}, not that of {asked}{scope}"
    return f"{_asked(name, stages)} {_REASONS[name]}".strip()


_REASONS = {
    "permission": "the key may not read the dataset",
    "folder": "",
    "search": "matches none of its texts",
    "selectFolder": "leaves out what is no folder",
    "filterTags": "are tags that it does not have",
}
"""The stages that may keep out what is in the dataset, and why they do."""
