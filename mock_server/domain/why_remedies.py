"""What would help where a list request does not show a collection, or none.

A remedy is told only after the changed request has been carried out by the functions
that list, and has shown what was missed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from functools import partial
from itertools import islice

from msgspec import Struct

from mock_server.domain import list_words as words
from mock_server.domain.access import Level, owner_key, redacted_key
from mock_server.domain.choices import Value, with_choices
from mock_server.domain.errors import Refusal, describe_value
from mock_server.domain.index import ANYWHERE
from mock_server.domain.list_stages import STAGES, Ask, Fields, Reader, Stages
from mock_server.domain.state import State

_MOST_REMEDIES, _MOST_TRIED = 4, 16
_MOST_CHANGES = 8
"""There are fewer stages: each is passed once, the folder perhaps twice."""
_FEW_KEYS = 2


class Remedy(Struct, frozen=True):
    """What together shows what was missed: fields to send and to omit, choices, a key.

    The key is redacted as journals show it.
    """

    message: str
    fields: Fields
    omit: tuple[str, ...]
    choices: Mapping[str, Value]
    key: str | None


class Change(Struct, frozen=True):
    """One change of a request at a stage: of a field, a choice, or the key."""

    stage: str
    fields: Mapping[str, object] = {}
    omit: str = ""
    choices: Mapping[str, Value] = {}
    key: str | None = None

    def of(self, ask: Ask) -> Ask:
        """The request with this change."""
        fields = {name: it for name, it in ask.fields.items() if name != self.omit}
        choices = with_choices(ask.choices, self.choices)
        return Ask({**fields, **self.fields}, choices, self.key or ask.key)


class Changed(Struct, frozen=True):
    """A request that has been changed, at these stages."""

    ask: Ask
    at: tuple[str, ...] = ()

    def by(self, change: Change) -> "Changed":
        """The same with one more change."""
        return Changed(change.of(self.ask), (*self.at, change.stage))


class RemedySearch:
    """The search for the fewest changes that show a collection, or any."""

    def __init__(self, state: State, reader: Reader, item_id: str | None) -> None:
        self._state = state
        self._reader = reader
        self._item_id = item_id

    def remedies(self, ask: Ask) -> list[Changed]:
        """The changed requests that show it, nearest first; few."""
        start = Changed(ask)
        if self._item_id is not None:
            return self._for_item(start)
        stages = Stages(self._state, self._reader, ask)
        for name in _OF_PAGE:
            changed = (start.by(each) for each in _CHANGES[name](stages))
            found = self._that_show(changed)
            if found:
                return found
        # No single stage does it: then what shows the first of all.
        everything = stages.dataset.tree.listing(ANYWHERE, ask.choices.list_order).items
        if not everything:
            return []
        first = RemedySearch(self._state, self._reader, everything[0].id)
        return first.remedies(ask)

    def _for_item(self, start: Changed) -> list[Changed]:
        tried = [start]
        for _ in range(_MOST_CHANGES):
            further = [more for each in tried for more in self._further(each)]
            found = self._that_show(iter(further))
            if found:
                return found
            tried = further[:_MOST_TRIED]
        return []

    def _further(self, changed: Changed) -> Iterator[Changed]:
        """With one change more, which passes the first stage that keeps it out."""
        stages = self._stages(changed.ask)
        if stages is None:
            return
        keepers = stages.keepers or {"page"}
        first = next(name for name in STAGES if name in keepers)
        for change in _CHANGES[first](stages):
            more = changed.by(change)
            after = self._stages(more.ask)
            if after is not None and first not in after.keepers:
                yield more

    def _that_show(self, changed: Iterator[Changed]) -> list[Changed]:
        return list(islice(filter(self._shows, changed), _MOST_REMEDIES))

    def _shows(self, changed: Changed) -> bool:
        stages = self._stages(changed.ask)
        # To ask for the keepers first saves a search of the whole dataset.
        if stages is None or (self._item_id is not None and stages.keepers):
            return False
        return stages.shows

    def _stages(self, ask: Ask) -> Stages | None:
        """What a changed request shows; None if it is refused for its fields."""
        try:
            return Stages(self._state, self._reader, ask, self._item_id)
        except Refusal:
            return None


# What may help at each stage, the nearest first. Whether it does is tried.


def _at_dataset(stages: Stages) -> Iterator[Change]:
    for each in stages.elsewhere[:_MOST_REMEDIES]:
        yield Change("dataset", {"datasetId": each})


def _at_permission(stages: Stages) -> Iterator[Change]:
    if stages.may_read:
        return
    state, dataset = stages.state, stages.dataset
    yield Change("permission", choices={"unknown_key": "accept"})
    able = (
        key
        for key, caller in state.callers.items()
        if dataset.level_of(caller) >= Level.READ
    )
    for key in islice(able, _FEW_KEYS):
        yield Change("permission", key=key)
    if not state.callers:
        yield Change("permission", key=owner_key({}, True))


def _at_folder(stages: Stages) -> Iterator[Change]:
    yield Change("folder", omit="parentId")
    yield Change("folder", choices={"search_scope": "dataset"})
    yield Change("folder", choices={"parent_omitted": "any"})
    yield Change("folder", choices={"parent_empty_string": "root"})
    parent = stages.item.parent_id if stages.item else None
    yield Change("folder", {"parentId": parent})


def _at_search(stages: Stages) -> Iterator[Change]:
    yield Change("search", choices={"search_fields": "name_and_tags"})
    yield Change("search", omit="searchText")
    if stages.item is not None:
        # Without a text, it may be another part that is looked through.
        yield Change("search", {"searchText": stages.item.name})


def _at_filter(name: str, _: Stages) -> Iterator[Change]:
    yield Change(name, omit=name)
    yield Change(name, choices={"list_filters": "ignore"})


def _at_page(stages: Stages) -> Iterator[Change]:
    size, index = stages.request.page_size, stages.index
    if stages.item_id is None:
        index = len(stages.matching) - 1
    if index is None or index < 0:
        return
    if "offset" in stages.ask.fields:
        yield Change("page", {"offset": index // size * size})
    else:
        yield Change("page", {"pageNum": index // size + 1})


_CHANGES: Mapping[str, Callable[[Stages], Iterator[Change]]] = {
    "dataset": _at_dataset,
    "permission": _at_permission,
    "folder": _at_folder,
    "search": _at_search,
    "selectFolder": partial(_at_filter, "selectFolder"),
    "filterTags": partial(_at_filter, "filterTags"),
    "page": _at_page,
}
_OF_PAGE = ("permission", "page", "folder", "selectFolder", "filterTags", "search")
"""The stages of an empty page: what is looked for is given up last."""


def remedy(state: State, ask: Ask, changed: Ask) -> Remedy:
    """What tells two requests apart."""
    fields = {
        name: value
        for name, value in changed.fields.items()
        if name not in ask.fields or ask.fields[name] != value
    }
    omit = tuple(name for name in ask.fields if name not in changed.fields)
    old, new = asdict(ask.choices), asdict(changed.choices)
    choices = {name: value for name, value in new.items() if value != old[name]}
    key = None if changed.key == ask.key else changed.key
    parts = [f"leave out {words.joined(omit, 'and')}"] if omit else []
    if fields:
        sent = [f"{name} {_value(value)}" for name, value in fields.items()]
        parts.append(f"send {words.joined(sent, 'and')}")
    if choices:
        chosen = [f"{name}={value}" for name, value in choices.items()]
        parts.append(f"choose {words.joined(chosen, 'and')}")
    if key is not None:
        parts.append(_key_words(state, key))
    message = ", and ".join(parts)
    shown = None if key is None else redacted_key(key)
    return Remedy(message, fields, omit, choices, shown)


def _value(value: object) -> str:
    return words.shown(value) if isinstance(value, str) else describe_value(value)


def _key_words(state: State, key: str) -> str:
    if not state.callers:
        return "use a key of your own: any counts"
    caller = state.callers.get(key)
    member = None if caller is None else caller.member
    of = f" of member {words.shown(member)}" if member else ""
    return f"use another key, such as {redacted_key(key)}{of}"
