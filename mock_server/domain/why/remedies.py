"""Find changes that make a list request show a collection, or any.

A remedy is returned only after the list functions have performed the changed request,
and the collection was on the page.
"""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain.access import Level, owner_key
from mock_server.domain.choices.reading import others
from mock_server.domain.choices.table import Value
from mock_server.domain.errors import Refusal
from mock_server.domain.journal import redacted_key
from mock_server.domain.listing import empty_page as words
from mock_server.domain.messages import describe_value
from mock_server.domain.objects.index import ANYWHERE
from mock_server.domain.sandboxes.state import State
from mock_server.domain.why.stages import STAGES, Ask, Reader, Stages

_MOST_REMEDIES, _MOST_TRIED = 4, 16
_MOST_CHANGES = 8
"""More than there are stages; each is passed once, the folder perhaps twice."""
_FEW_KEYS = 2
_OF_PAGE = ("permission", "page", "folder", "selectFolder", "filterTags", "search")
"""Stages of an empty page in the order of trying; the search comes last."""


class Remedy(Struct, frozen=True, rename="camel"):
    """Changes that together show a missing collection.

    `request` are fields to send, `omit` fields to leave out; `key` is redacted as in
    the journal, null if it may stay.
    """

    message: str
    request: dict[str, Any]
    omit: tuple[str, ...]
    choices: dict[str, Value]
    key: str | None


class Changed(Struct, frozen=True):
    """A changed request, and the stages where it was changed."""

    ask: Ask
    at: tuple[str, ...] = ()


class RemedySearch:
    """Searches for the fewest changes that show a collection, or any."""

    def __init__(self, state: State, reader: Reader, item_id: str | None) -> None:
        self._state = state
        self._reader = reader
        self._item_id = item_id

    def remedies(self, ask: Ask) -> list[Changed]:
        """Return a few changed requests that show the collection, nearest first."""
        if self._item_id is not None:
            return self._for_item(Changed(ask))
        stages = Stages(self._state, self._reader, ask)
        for name in _OF_PAGE:
            changed = (Changed(each, (name,)) for each in changes(name, stages))
            found = self._that_show(changed)
            if found:
                return found
        # No single stage suffices: find changes that show the first collection.
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
        """Yield requests with one more change, at the first stage hiding the item."""
        stages = self._stages(changed.ask)
        if stages is None:
            return
        keepers = stages.keepers or {"page"}
        first = next(name for name in STAGES if name in keepers)
        passing = list(self._that_pass(first, changes(first, stages)))
        if not passing and first == "search":
            # Both the text and a choice hide the item.
            both = (_without(each, "searchText") for each in _choosing(first, stages))
            passing = list(self._that_pass(first, both))
        yield from (Changed(ask, (*changed.at, first)) for ask in passing)

    def _that_pass(self, stage: str, asks: Iterator[Ask]) -> Iterator[Ask]:
        for ask in asks:
            after = self._stages(ask)
            if after is not None and stage not in after.keepers:
                yield ask

    def _that_show(self, changed: Iterator[Changed]) -> list[Changed]:
        return list(islice(filter(self._shows, changed), _MOST_REMEDIES))

    def _shows(self, changed: Changed) -> bool:
        stages = self._stages(changed.ask)
        # Checking the keepers first saves a search of the whole dataset.
        if stages is None or (self._item_id is not None and stages.keepers):
            return False
        return stages.shows

    def _stages(self, ask: Ask) -> Stages | None:
        """Return the stages of a changed request; None if its fields are refused."""
        try:
            return Stages(self._state, self._reader, ask, self._item_id)
        except Refusal:
            return None


def changes(stage: str, stages: Stages) -> Iterator[Ask]:
    """Yield requests with one change that may help at a stage, nearest first.

    The caller tries whether the change helps.
    """
    ask, item = stages.ask, stages.item
    if stage == "dataset":
        for each in stages.elsewhere[:_MOST_REMEDIES]:
            yield _sending(ask, datasetId=each)
    elif stage == "permission":
        if not stages.may_read:
            yield from _choosing(stage, stages)
            yield from (replace(ask, key=key) for key in _keys_that_may(stages))
    elif stage == "folder":
        yield _without(ask, "parentId")
        yield from _choosing(stage, stages)
        yield _sending(ask, parentId=item.parent_id if item else None)
    elif stage == "search":
        yield from _choosing(stage, stages)
        yield _without(ask, "searchText")
        if item is not None:
            # Without a text, another part may be searched.
            yield _sending(ask, searchText=item.name)
    elif stage == "page":
        yield from _at_page(stages)
    else:
        yield _without(ask, stage)
        yield from _choosing(stage, stages)


def _sending(ask: Ask, **fields: object) -> Ask:
    return replace(ask, fields={**ask.fields, **fields})


def _without(ask: Ask, omit: str) -> Ask:
    kept = {name: value for name, value in ask.fields.items() if name != omit}
    return replace(ask, fields=kept)


def _choosing(stage: str, stages: Stages) -> Iterator[Ask]:
    """Yield the request under every other value of the stage's choices."""
    for name, value in others(stages.choices, stages.reads(stage)):
        yield replace(stages.ask, choices=stages.choices.but(**{name: value}))


def _keys_that_may(stages: Stages) -> Iterator[str]:
    callers = stages.state.callers
    if not callers and (known := owner_key({}, True)):
        yield known
    able = (
        key
        for key, caller in callers.items()
        if stages.dataset.level_of(caller) >= Level.READ
    )
    yield from islice(able, _FEW_KEYS)


def _at_page(stages: Stages) -> Iterator[Ask]:
    size, index = stages.request.page_size, stages.index
    if stages.item_id is None:
        index = len(stages.matching) - 1
    if index is None or index < 0:
        return
    if "offset" in stages.ask.fields:
        yield _sending(stages.ask, offset=index // size * size)
    else:
        yield _sending(stages.ask, pageNum=index // size + 1)


def remedy(state: State, ask: Ask, changed: Ask) -> Remedy:
    """Return the difference of two requests as a remedy."""
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
