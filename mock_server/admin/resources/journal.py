"""The journal: read by criteria, emptied, followed as it grows, verified.

An assertion says whether clients sent given requests, how often and in which order. It
fails with a message if it depends on entries that the journal has dropped, or on bodies
that the journal has cut.
"""

from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import islice
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mock_server.admin import views
from mock_server.admin.framework import Call, Conflict, Example, Input, Routes
from mock_server.admin.journal_view import body_of, entry_view
from mock_server.admin.streaming import EVENT_STREAM, JournalStream
from mock_server.api.headers import REQUEST_ID, generated_id, valid_id, values
from mock_server.api.journaling import violations
from mock_server.api.operations.answered_path import name_schema
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.response import Response
from mock_server.api.slices import in_slices
from mock_server.domain.errors import InvalidField, LimitReached
from mock_server.domain.faults.definition import FIELDS
from mock_server.domain.journal import Entry, Journal, Outside, as_redacted
from mock_server.domain.limits import Published
from mock_server.domain.validation.json_match import Difference, differences, is_match

routes = Routes()

LAST_EVENT_ID = b"last-event-id"
# People read these lists: more items would hide the important ones.
_NEAREST, _DIFFERENCES = 3, 20

Count = Annotated[int, Meta(ge=0, le=Published.integer)]
_NAMES = {**name_schema(sorted(OPERATIONS))}
OperationName = Annotated[str, Meta(extra_json_schema=_NAMES)]
JsonText = Annotated[
    str, Meta(extra_json_schema={"contentMediaType": "application/json"})
]


class Criteria(Input, omit_defaults=True, kw_only=True):
    """Facts of an entry; `key` is full or redacted, `body` a subset of the body."""

    operation: OperationName | UnsetType = UNSET
    status: Annotated[int, Meta(ge=0, le=999)] | UnsetType = UNSET
    member: str | UnsetType = UNSET
    key: str | UnsetType = UNSET
    violations: bool | UnsetType = UNSET
    outside: Outside | UnsetType = UNSET
    body: Annotated[dict[str, Any], FIELDS] | UnsetType = UNSET

    @classmethod
    def unknown_field_hint(cls, name: str, fields: Mapping[str, object]) -> str:
        """Return what to write for a field of other mock servers."""
        return OPERATIONS.rewrite_hint(name, fields) or super().unknown_field_hint(
            name, fields
        )


Facts = Mapping[str, object]
"""Wanted values by field of Criteria, without the fields left out."""


def facts_of(criteria: Criteria, call: Call, root: str) -> Facts:
    """Return the facts that criteria name, as plain data.

    Raises InvalidField for an unknown operation; `root` is the place of the criteria in
    the request, such as `$`.
    """
    facts = {name: getattr(criteria, name) for name in Criteria.__struct_fields__}
    if criteria.operation is not UNSET:
        at = f"{root}.operation"
        OPERATIONS.check_name(criteria.operation, at, responses=call.routes)
    if criteria.key is not UNSET:
        facts["key"] = as_redacted(criteria.key)
    return {name: fact for name, fact in facts.items() if fact is not UNSET}


def matches(facts: Facts, entry: Entry) -> bool:
    """Return whether an entry matches all facts."""
    return all(is_match(fact, fact_of(name, entry)) for name, fact in facts.items())


def fact_of(name: str, entry: Entry) -> object:
    """Return the value of an entry to compare with the field `name` of Criteria.

    Computed on demand: bodies must be decoded, violations searched.
    """
    if name == "body":
        return body_of(entry)
    if name == "violations":
        return next(violations(entry), None) is not None
    return getattr(entry, name)


class JournalQuery(Criteria, kw_only=True):
    """Criteria, and the page of entries to return.

    `since` is the first number, `body` a JSON object as text. `request_id` is the id of
    a request in log lines and responses.
    """

    body: JsonText | UnsetType = UNSET  # type: ignore[assignment]
    request_id: str | UnsetType = UNSET
    since: Count = 0
    limit: Annotated[int, Meta(ge=1, le=Published.journal_page)] = (
        Published.journal_page
    )


class StreamQuery(Input):
    """`since` is the number of the first entry; by default only new entries are sent.

    With `changes`, an event `changed` follows each change by the admin API.
    """

    since: Count | UnsetType = UNSET
    changes: bool = False


@routes.add("GET", "/journal", examples=(Example(query="limit=1"),))
async def get_journal(call: Call, query: JournalQuery) -> views.JournalView:
    """List the requests of clients with their responses."""
    journal, facts = call.sandbox.journal, _wanted(query, call)
    # The journal grows while this waits: all figures are of one moment.
    total, dropped, following = journal.total, journal.dropped, journal.next_seq
    entries = list[views.EntryView]()
    bytes_left = call.limits.journal_page_bytes
    async for each in in_slices(journal.since(query.since)):
        if matches(facts, each) and _has_id(query.request_id, each, call.sandbox.name):
            # Checked before an entry is added: a page has at least one entry, however
            # large, else a reader could not get past it.
            if len(entries) == query.limit or bytes_left <= 0:
                following = each.seq
                break
            entries.append(entry_view(each, call.sandboxes))
            bytes_left -= len(msgspec.json.encode(entries[-1]))
    return views.JournalView(entries, total, total - dropped, dropped, following)


def _has_id(wanted: str | UnsetType, entry: Entry, sandbox: str) -> bool:
    """Return whether a request has this id, sent or made; True if it is UNSET."""
    if wanted is UNSET:
        return True
    made = generated_id(sandbox, entry.generation, entry.seq)
    return wanted in (made, valid_id(values(entry.request.header_pairs(), REQUEST_ID)))


def _wanted(query: JournalQuery, call: Call) -> Facts:
    facts = facts_of(query, call, "query")
    if query.body is UNSET:
        return facts
    return {**facts, "body": json_object(query.body, "query.body")}


def json_object(text: str, at: str) -> dict[str, Any]:
    """Return the object in a JsonText; `at` is its place. Raises InvalidField."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidField.of(text, "a JSON object", at) from None


@routes.add("DELETE", "/journal")
def delete_journal(call: Call) -> views.JournalView:
    """Delete all entries."""
    call.sandbox.empty_journal()
    following = call.sandbox.journal.next_seq
    return views.JournalView(entries=[], total=0, kept=0, dropped=0, next=following)


@routes.add(
    "GET",
    "/journal/stream",
    answer=views.EntryView,
    errors=(LimitReached,),
    gives=("text/event-stream",),
)
def get_stream(call: Call, query: StreamQuery) -> JournalStream | Response:
    """Follow the journal: entries are sent as server-sent events.

    The response to HEAD has the type of a stream and no body.
    """
    streams = call.services.streams
    streams.check_room()
    following = call.sandbox.journal.next_seq
    # Entries count from 1: from 0, one entry would be reported as dropped.
    start = following if query.since is UNSET else max(1, query.since)
    # Last-Event-ID wins: a browser that reconnects repeats the URL with its old `since`
    # (WHATWG server-sent events).
    for text in values(call.scope["headers"], LAST_EVENT_ID):
        start = _number(text) + 1
    # A number from before a restart may lie ahead, and would hide all new entries.
    start = min(start, following)
    if call.scope["method"] == "HEAD":
        return Response(200, b"", content_type=EVENT_STREAM)
    return JournalStream(
        streams, call.sandboxes, call.sandbox, start, sends_changes=query.changes
    )


def _number(text: bytes) -> int:
    if not text.isdigit() or len(text) > len(str(Published.integer)):
        given = text.decode("latin-1")
        raise InvalidField.of(given, "a number", "header Last-Event-ID")
    return int(text)


_EXAMPLE = 'an object such as {"operation": "listV2"}'
_Step = Annotated[Criteria, Meta(extra={"expected": _EXAMPLE})]
Steps = Annotated[list[_Step], Meta(max_length=Published.verified_steps)]


class Verify(Criteria, kw_only=True):
    """Criteria and the wanted counts, by default at least one; or steps `inOrder`."""

    exactly: Count | UnsetType = UNSET
    at_least: Count | UnsetType = UNSET
    at_most: Count | UnsetType = UNSET
    in_order: Steps | UnsetType = UNSET


_EXAMPLES = tuple(Example({"operation": "updateHistory", "exactly": n}) for n in (1, 2))


@routes.add("POST", "/journal/verify", examples=_EXAMPLES)
async def verify(
    call: Call, asked: Verify
) -> views.Verified | Conflict[views.Verified]:
    """Assert which requests clients sent, how many, or in which order."""
    journal, facts = call.sandbox.journal, facts_of(asked, call, "$")
    low, high = _bounds(asked)
    if asked.in_order is UNSET:
        found = await _verify_count(facts, journal, low, high)
    else:
        if facts or (low, high) != _bounds(Verify()):
            raise InvalidField("inOrder alone", "other criteria too", "$")
        steps = [
            facts_of(each, call, f"$.inOrder[{number}]")
            for number, each in enumerate(asked.in_order)
        ]
        found = await _verify_order(steps, journal)
    return found if found.ok else Conflict(found)


def _bounds(asked: Verify) -> tuple[int, int | None]:
    low, high, exactly = (
        None if count is UNSET else count
        for count in (asked.at_least, asked.at_most, asked.exactly)
    )
    if exactly is not None:
        if (low, high) != (None, None):
            expected = "exactly, or atLeast and atMost"
            raise InvalidField(expected, "both", "$.exactly")
        return exactly, exactly
    if low is not None and high is not None and low > high:
        expected = f"an atMost of at least {low}"
        raise InvalidField(expected, str(high), "$.atMost")
    if low is not None:
        return low, high
    return (1 if high is None else 0), high


async def _verify_count(
    facts: Facts, journal: Journal, low: int, high: int | None
) -> views.Verified:
    hits: list[Entry] = []
    others: list[Entry] = []
    async for entry in in_slices(journal.since(0)):
        (hits if matches(facts, entry) else others).append(entry)
    count = len(hits)
    doubt = await _doubt(facts, journal, others)
    # Lost entries can only add hits, so a sufficient count stays sufficient.
    if doubt and (high is not None or count < low):
        return views.Verified(False, count, doubt, [])
    if count >= low and (high is None or count <= high):
        return views.Verified(True, count)
    message = f"Expected {_in_words(low, high)}, got {count}"
    # If there are too many hits, show the latest; if too few, the nearest misses.
    shown = hits[-_NEAREST:] if count > low else others
    return views.Verified(False, count, message, await _nearest(facts, shown))


def _in_words(low: int, high: int | None) -> str:
    if low == high:
        return f"exactly {low}"
    at_most = "" if high is None else f"at most {high}"
    at_least = f"at least {low}" if low else ""
    return " and ".join(each for each in (at_least, at_most) if each)


async def _verify_order(steps: Sequence[Facts], journal: Journal) -> views.Verified:
    left = journal.since(0)
    for count, facts in enumerate(steps):
        passed = []
        # Each step continues where the last stopped, so all steps together read each
        # entry once.
        async for entry in in_slices(left):
            # The first match is always right: it leaves most entries to later steps.
            if matches(facts, entry):
                break
            passed.append(entry)
        else:
            message = f"Expected an entry for $.inOrder[{count}] after the one before"
            doubt = await _doubt(facts, journal, passed)
            near = [] if doubt else await _nearest(facts, passed)
            return views.Verified(False, count, doubt or message, near)
    return views.Verified(True, len(steps))


async def _doubt(facts: Facts, journal: Journal, others: Sequence[Entry]) -> str:
    """Return why `others` may hide a matching entry; "" if they cannot."""
    if journal.dropped:
        return f"Expected a whole journal, got one that has dropped {journal.dropped}"
    if "body" not in facts:
        return ""
    other_facts = {name: fact for name, fact in facts.items() if name != "body"}
    cut = sum(
        [
            each.request.is_cut and matches(other_facts, each)
            async for each in in_slices(others)
        ]
    )
    return f"Expected whole bodies, got {cut} that the journal has cut" if cut else ""


async def _nearest(facts: Facts, entries: Sequence[Entry]) -> list[views.NearMiss]:
    """Return the entries with the fewest differences, the latest first among equals."""
    found = [
        views.NearMiss(
            entry.seq,
            list(islice(_differences(facts, entry), _DIFFERENCES)),
            list(dict.fromkeys(each.name for each in violations(entry)))
            if "violations" in facts
            else UNSET,
        )
        async for entry in in_slices(entries)
    ]
    return nsmallest(
        _NEAREST, found, key=lambda each: (len(each.differences), -each.seq)
    )


def _differences(facts: Facts, entry: Entry) -> Iterator[Difference]:
    for name, fact in facts.items():
        yield from differences(fact, fact_of(name, entry), f"$.{name}")
