"""Find changes to a list request that make it show a missing collection.

For an empty page, they make it show any collection. Each change has been tried: the
list functions ran the changed request, and its page had the collection.
"""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain, islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain.access import Level, owner_key
from mock_server.domain.choices.reading import other_values
from mock_server.domain.choices.table import Value
from mock_server.domain.errors import Refusal
from mock_server.domain.journal import redacted_key
from mock_server.domain.listing import empty_page as phrases
from mock_server.domain.messages import describe_value
from mock_server.domain.objects.index import ANYWHERE
from mock_server.domain.sandboxes.state import State
from mock_server.domain.why.stages import STAGES, RequestReader, Stages, TriedRequest

_MAX_REMEDIES, _MAX_TRIED, _MAX_KEYS = 4, 16, 2
"""Maximum number of returned remedies, of requests that are changed further in each
round, and of API keys that are tried."""
_MAX_CHANGES = 8
"""Maximum number of changes in one remedy: one for each of the seven stages, and a
second change of the folder."""


class Remedy(Struct, frozen=True, rename="camel"):
    """Changes to a request that together make it show a missing collection.

    `request` has the fields to send, `omit` the fields to leave out, and `choices` the
    choices to set. `key` is another API key to use, redacted as in the journal; it is
    null if the key may stay.
    """

    message: str
    request: dict[str, Any]
    omit: tuple[str, ...]
    choices: dict[str, Value]
    key: str | None


class ChangedRequest(Struct, frozen=True):
    """A changed request, and the stages for which it was changed."""

    request: TriedRequest
    stages: tuple[str, ...] = ()


class RemedySearch:
    """Searches for the smallest number of changes that make a request show `item_id`.

    If `item_id` is None, the request has to show any collection.
    """

    def __init__(
        self, state: State, reader: RequestReader, item_id: str | None
    ) -> None:
        self._state = state
        self._reader = reader
        self._item_id = item_id

    def remedies(self, tried: TriedRequest) -> list[ChangedRequest]:
        """Return a few changed requests that show the collection, most similar first.

        The result is empty if no change helps.
        """
        if self._item_id is not None:
            return self._for_item(ChangedRequest(tried))
        stages = Stages(self._state, self._reader, tried)
        for changed in self._page_changes(stages):
            fixes = self._successes(changed)
            if fixes:
                return fixes
        # A change for one stage does not suffice: find changes for a single collection.
        order = tried.choices.list_order
        everything = stages.dataset.tree.listing(ANYWHERE, order).items
        if not everything:
            return []
        first = RemedySearch(self._state, self._reader, everything[0].id)
        return first.remedies(tried)

    def _page_changes(self, stages: Stages) -> Iterator[Iterator[ChangedRequest]]:
        """Yield the changes for each stage that may leave a page empty, in order.

        The choice that ignores one of the filters `selectFolder` and `filterTags`
        ignores the other too, so the changes of both are yielded together.
        """
        for name in ("permission", "page", "folder"):
            yield (ChangedRequest(each, (name,)) for each in changes(name, stages))
        tried, filters = stages.tried, stages.filters
        if filters:
            omissions = ((_without_fields(tried, name), (name,)) for name in filters)
            fixes = self._successes(ChangedRequest(*each) for each in omissions)
            both = ChangedRequest(_without_fields(tried, *filters), filters)
            choosing = _with_choices(filters[0], stages)
            others = (ChangedRequest(each, filters) for each in choosing)
            yield chain(fixes or [both], others)
        yield (ChangedRequest(each, ("search",)) for each in changes("search", stages))

    def _for_item(self, start: ChangedRequest) -> list[ChangedRequest]:
        tried = [start]
        for _ in range(_MAX_CHANGES):
            options = [more for each in tried for more in self._with_more_changes(each)]
            fixes = self._successes(iter(options))
            if fixes:
                return fixes
            tried = options[:_MAX_TRIED]
        return []

    def _with_more_changes(self, changed: ChangedRequest) -> Iterator[ChangedRequest]:
        """Yield requests with one more change, for the first stage that removes it."""
        stages = self._stages(changed.request)
        if stages is None:
            return
        hiding_stages = stages.hiding_stages or {"page"}
        first = next(name for name in STAGES if name in hiding_stages)
        passing = list(self._improvements(first, changes(first, stages)))
        if not passing and first == "search":
            # The text and a choice both hide the item, so change both.
            candidates = (
                _without_fields(each, "searchText")
                for each in _with_choices(first, stages)
            )
            passing = list(self._improvements(first, candidates))
        for request, after in passing:
            ended = (each for each in stages.filters if each not in after.filters)
            yield ChangedRequest(request, (*changed.stages, first, *ended))

    def _improvements(
        self, stage: str, requests: Iterator[TriedRequest]
    ) -> Iterator[tuple[TriedRequest, Stages]]:
        """Yield the requests for which a stage does not remove the item."""
        for request in requests:
            after = self._stages(request)
            if after is not None and stage not in after.hiding_stages:
                yield request, after

    def _successes(self, changed: Iterator[ChangedRequest]) -> list[ChangedRequest]:
        return list(islice(filter(self._is_success, changed), _MAX_REMEDIES))

    def _is_success(self, changed: ChangedRequest) -> bool:
        stages = self._stages(changed.request)
        # Checking `hiding_stages` first saves a search of the whole dataset.
        if stages is None or (self._item_id is not None and stages.hiding_stages):
            return False
        return stages.is_shown

    def _stages(self, tried: TriedRequest) -> Stages | None:
        """Return the stages of a changed request; None if its fields are refused."""
        try:
            return Stages(self._state, self._reader, tried, self._item_id)
        except Refusal:
            return None


def changes(stage: str, stages: Stages) -> Iterator[TriedRequest]:
    """Yield requests with one change that may help at a stage, most similar first.

    The caller checks whether each change helps.
    """
    tried, item = stages.tried, stages.item
    if stage == "dataset":
        for each in stages.elsewhere[:_MAX_REMEDIES]:
            yield _with_fields(tried, datasetId=each)
    elif stage == "permission":
        if not stages.may_read:
            yield from _with_choices(stage, stages)
            yield from (replace(tried, key=key) for key in _other_keys(stages))
    elif stage == "folder":
        yield _without_fields(tried, "parentId")
        yield from _with_choices(stage, stages)
        yield _with_fields(tried, parentId=item.parent_id if item else None)
    elif stage == "search":
        yield from _with_choices(stage, stages)
        yield _without_fields(tried, "searchText")
        if item is not None:
            # Without searchText another folder may be listed (choice search_scope), so
            # also try a text that matches.
            yield _with_fields(tried, searchText=item.name)
    elif stage == "page":
        yield from _with_page(stages)
    else:
        yield _without_fields(tried, stage)
        hiding = [each for each in stages.filters if each in stages.hiding_stages]
        if len(hiding) > 1:
            yield _without_fields(tried, *hiding)
        yield from _with_choices(stage, stages)


def _with_fields(tried: TriedRequest, **fields: object) -> TriedRequest:
    return replace(tried, fields={**tried.fields, **fields})


def _without_fields(tried: TriedRequest, *omitted: str) -> TriedRequest:
    fields = {
        name: value for name, value in tried.fields.items() if name not in omitted
    }
    return replace(tried, fields=fields)


def _with_choices(stage: str, stages: Stages) -> Iterator[TriedRequest]:
    """Yield the request under every other value of the stage's choices."""
    for name, value in other_values(stages.choices, stages.reads(stage)):
        yield replace(stages.tried, choices=stages.choices.replaced(**{name: value}))


def _other_keys(stages: Stages) -> Iterator[str]:
    callers = stages.state.callers
    if not callers and (known := owner_key({}, True)):
        yield known
    reading_keys = (
        key
        for key, caller in callers.items()
        if stages.dataset.level_of(caller) >= Level.READ
    )
    yield from islice(reading_keys, _MAX_KEYS)


def _with_page(stages: Stages) -> Iterator[TriedRequest]:
    """Yield the request for the page with the item, or for the last page."""
    size, index = stages.request.page_size, stages.index
    if stages.item_id is None:
        index = len(stages.matching) - 1
    if index is None or index < 0:
        return
    if "offset" in stages.tried.fields:
        yield _with_fields(stages.tried, offset=index // size * size)
    else:
        yield _with_fields(stages.tried, pageNum=index // size + 1)


def remedy(state: State, tried: TriedRequest, changed: TriedRequest) -> Remedy:
    """Return the remedy that turns the request `tried` into the request `changed`."""
    fields = {
        name: value
        for name, value in changed.fields.items()
        if name not in tried.fields or tried.fields[name] != value
    }
    omit = tuple(name for name in tried.fields if name not in changed.fields)
    old, new = asdict(tried.choices), asdict(changed.choices)
    choices = {name: value for name, value in new.items() if value != old[name]}
    key = None if changed.key == tried.key else changed.key
    parts = [f"leave out {phrases.join_words(omit, 'and')}"] if omit else []
    if fields:
        texts = [f"{name} {_value(value)}" for name, value in fields.items()]
        parts.append(f"send {phrases.join_words(texts, 'and')}")
    if choices:
        chosen = [f"{name}={value}" for name, value in choices.items()]
        parts.append(f"choose {phrases.join_words(chosen, 'and')}")
    if key is not None:
        parts.append(_key_words(state, key))
    message = ", and ".join(parts)
    redacted = None if key is None else redacted_key(key)
    return Remedy(message, fields, omit, choices, redacted)


def _value(value: object) -> str:
    return phrases.quote(value) if isinstance(value, str) else describe_value(value)


def _key_words(state: State, key: str) -> str:
    if not state.callers:
        return "use any other API key: the fixture declares none, so all are accepted"
    caller = state.callers.get(key)
    member = None if caller is None else caller.member
    owner_text = f" of member {phrases.quote(member)}" if member else ""
    return f"use another key, such as {redacted_key(key)}{owner_text}"
