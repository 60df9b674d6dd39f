"""Lists, deletes, streams and asserts journal entries.

An assertion checks how many requests match, or their order. It fails with a message if
the result depends on entries that the journal has dropped, or on bodies that it has
cut or redacted.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
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
from mock_server.api.redaction import HIDDEN
from mock_server.api.response import Response
from mock_server.api.slices import in_slices
from mock_server.domain.access import bare_key
from mock_server.domain.errors import InvalidField, LimitReached
from mock_server.domain.faults.definition import FIELDS
from mock_server.domain.journal import (
    Entry,
    Journal,
    Outside,
    as_redacted,
    redacted_key,
)
from mock_server.domain.limits import Published
from mock_server.domain.validation.json_match import (
    MISSING,
    Difference,
    count_tests,
    differences,
    is_match,
    is_test,
)

routes = Routes()

LAST_EVENT_ID = b"last-event-id"
_HIDDEN = HIDDEN.decode()
_HIDDEN_NAME = re.compile(re.escape(HIDDEN) + rb"[^\"]{0,1024}\"\s*:")
# Short lists, because people read them.
_MAX_NEAREST, _MAX_DIFFERENCES = 3, 20

Count = Annotated[int, Meta(ge=0, le=Published.integer)]
_SEQ = {"expected": "the number (seq) of an entry, from 0"}
Number = Annotated[int, Meta(ge=0, le=Published.integer, extra=_SEQ)]
_NAMES = {**name_schema(sorted(OPERATIONS))}
OperationName = Annotated[str, Meta(extra_json_schema=_NAMES)]
JsonText = Annotated[
    str, Meta(extra_json_schema={"contentMediaType": "application/json"})
]


class Criteria(Input, omit_defaults=True, kw_only=True):
    """Facts of an entry; `key` is full or redacted, `body` has some of the fields."""

    operation: OperationName | UnsetType = UNSET
    status: Annotated[int, Meta(ge=0, le=999)] | UnsetType = UNSET
    member: str | UnsetType = UNSET
    key: str | UnsetType = UNSET
    violations: bool | UnsetType = UNSET
    outside: Outside | UnsetType = UNSET
    body: Annotated[dict[str, Any], FIELDS] | UnsetType = UNSET

    @classmethod
    def unknown_field_hint(cls, name: str, fields: Mapping[str, object]) -> str:
        """Return a hint for a field that other mock servers use."""
        return OPERATIONS.rewrite_hint(name, fields) or super().unknown_field_hint(
            name, fields
        )


Facts = Mapping[str, object]
"""The expected values by field of Criteria, only for fields that are set.

`key` are the forms in which entries may have the key.
"""


class KnownNames:
    """Names besides those of operations, and keys, that criteria may have."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @cached_property
    def routes(self) -> Collection[str]:
        """The routes of static responses and answers that the sandbox has now."""
        return self._call.routes

    @cached_property
    def in_journal(self) -> Collection[str | None]:
        """The operations of entries: an answer that has ended has no route any more."""
        return {each.operation for each in self._call.sandbox.journal.since(0)}

    def forms_of(self, key: str) -> Sequence[str]:
        """Return the forms of a full or redacted key that entries may have."""
        # A key may look redacted. Entries have it without an app id that follows it,
        # but for a key that is declared as a whole.
        is_declared = key in self._call.sandbox.store.fixture.keys
        bare = key if is_declared else bare_key(key)
        return as_redacted(key), redacted_key(key), redacted_key(bare)


def facts_of(criteria: Criteria, known: KnownNames, root: str) -> Facts:
    """Return the fields of criteria that are set, as plain data.

    Raises InvalidField for an unknown operation; `root` is the place of the criteria in
    the request, such as `$`.
    """
    facts = {name: getattr(criteria, name) for name in Criteria.__struct_fields__}
    if criteria.key is not UNSET:
        facts["key"] = known.forms_of(criteria.key)
    if criteria.operation is not UNSET:
        name, place = criteria.operation, f"{root}.operation"
        if name not in OPERATIONS and name not in known.in_journal:
            OPERATIONS.check_name(name, place, responses=known.routes)
    return {name: fact for name, fact in facts.items() if fact is not UNSET}


def matches(facts: Facts, entry: Entry) -> bool:
    """Return whether an entry matches all facts."""
    return all(
        is_match(_wanted(name, fact, entry), fact_of(name, entry))
        for name, fact in facts.items()
    ) and not _matches_mark(facts.get("body"), entry)


def _matches_mark(expected: object, entry: Entry) -> bool:
    """Return whether a body matches only as the mark of a secret contains a text."""
    if HIDDEN not in (entry.request.body or b"") or not count_tests(expected):
        return False
    return not is_match(_with_short_marks(expected), _with_short_marks(body_of(entry)))


def _with_short_marks(value: object) -> object:
    """Return a JSON value whose marks of secrets are one character, without parts."""
    return msgspec.json.decode(msgspec.json.encode(value).replace(HIDDEN, b"\\u0000"))


def _wanted(name: str, fact: Any, entry: Entry) -> object:
    """Return the value of a fact to compare with that of an entry."""
    if name != "key":
        return fact
    return entry.key if entry.key in fact else fact[0]


def fact_of(name: str, entry: Entry) -> object:
    """Return the value of an entry to compare with the field `name` of Criteria."""
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
    since: Number = 0
    limit: Annotated[int, Meta(ge=1, le=Published.journal_page)] = (
        Published.journal_page
    )


class StreamQuery(Input):
    """`since` is the number of the first entry; by default only new entries are sent.

    With `changes`, an event `changed` follows each change by the admin API.
    """

    since: Number | UnsetType = UNSET
    changes: bool = False


@routes.add("GET", "/journal", examples=(Example(query="limit=1"),))
async def get_journal(call: Call, query: JournalQuery) -> views.JournalView:
    """List the requests of clients with their responses."""
    journal, facts = call.sandbox.journal, _query_facts(query, call)
    # Read together, because the journal grows while this function waits.
    total, dropped, next_number = journal.total, journal.dropped, journal.next_seq
    entries = list[views.EntryView]()
    bytes_left = call.limits.journal_page_bytes
    async for each in in_slices(journal.since(query.since)):
        if matches(facts, each) and _has_id(query.request_id, each, call.sandbox.name):
            # Checked before an entry is added, so that a page has at least one entry,
            # and no entry can be too large to pass.
            if len(entries) == query.limit or bytes_left <= 0:
                next_number = each.seq
                break
            entries.append(entry_view(each, call.sandboxes))
            bytes_left -= len(msgspec.json.encode(entries[-1]))
    return views.JournalView(entries, total, total - dropped, dropped, next_number)


def _has_id(request_id: str | UnsetType, entry: Entry, sandbox: str) -> bool:
    """Return whether a client or the server gave a request this id; True if UNSET."""
    if request_id is UNSET:
        return True
    sent_id = valid_id(values(entry.request.header_pairs(), REQUEST_ID))
    return request_id in (generated_id(sandbox, entry.generation, entry.seq), sent_id)


def _query_facts(query: JournalQuery, call: Call) -> Facts:
    facts = facts_of(query, KnownNames(call), "query")
    if query.body is UNSET:
        return facts
    return {**facts, "body": json_object(query.body, "query.body")}


def json_object(text: str, place: str) -> dict[str, Any]:
    """Return the object in a JsonText at `place`. Raises InvalidField."""
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        raise InvalidField.of(text, "a JSON object", place) from None


@routes.add("DELETE", "/journal")
def delete_journal(call: Call) -> views.JournalView:
    """Delete all entries."""
    call.sandbox.empty_journal()
    next_number = call.sandbox.journal.next_seq
    return views.JournalView(entries=[], total=0, kept=0, dropped=0, next=next_number)


@routes.add(
    "GET",
    "/journal/stream",
    response_type=views.EntryView,
    errors=(LimitReached,),
    media_types=("text/event-stream",),
)
def get_stream(call: Call, query: StreamQuery) -> JournalStream | Response:
    """Follow the journal: entries are sent as server-sent events.

    The response to HEAD has the type of a stream and no body.
    """
    streams = call.services.streams
    streams.check_room()
    next_number = call.sandbox.journal.next_seq
    # At least 1, because from 0 a first entry would be reported as dropped.
    start = next_number if query.since is UNSET else max(1, query.since)
    # Last-Event-ID wins, because a browser that reconnects repeats the old `since` of
    # its URL (WHATWG server-sent events).
    for text in values(call.scope["headers"], LAST_EVENT_ID):
        start = _number(text) + 1
    # A number from before a restart may be too large, and would hide new entries.
    start = min(start, next_number)
    if call.scope["method"] == "HEAD":
        return Response(200, b"", content_type=EVENT_STREAM)
    return JournalStream(
        streams, call.sandboxes, call.sandbox, start, sends_changes=query.changes
    )


def _number(text: bytes) -> int:
    if not text.isdigit() or len(text) > len(str(Published.integer)):
        got = text.decode("latin-1")
        raise InvalidField.of(got, "a number", "header Last-Event-ID")
    return int(text)


_EXAMPLE = 'an object such as {"operation": "listV2"}'
_Step = Annotated[Criteria, Meta(extra={"expected": _EXAMPLE})]
Steps = Annotated[list[_Step], Meta(max_length=Published.verified_steps)]


class Verify(Criteria, kw_only=True):
    """Criteria and the expected counts, by default at least 1; or steps `inOrder`."""

    exactly: Count | UnsetType = UNSET
    at_least: Count | UnsetType = UNSET
    at_most: Count | UnsetType = UNSET
    in_order: Steps | UnsetType = UNSET


_EXAMPLES = tuple(
    Example({"operation": "updateHistory", "exactly": count}) for count in (1, 2)
)


@routes.add("POST", "/journal/verify", examples=_EXAMPLES)
async def verify(
    call: Call, assertion: Verify
) -> views.Verified | Conflict[views.Verified]:
    """Assert which requests clients sent, how many, or in which order."""
    journal, known = call.sandbox.journal, KnownNames(call)
    facts = facts_of(assertion, known, "$")
    minimum, maximum = _bounds(assertion)
    if assertion.in_order is UNSET:
        result = await _verify_count(facts, journal, minimum, maximum)
    else:
        if facts or (minimum, maximum) != _bounds(Verify()):
            raise InvalidField("inOrder alone", "other criteria too", "$")
        steps = [
            facts_of(each, known, f"$.inOrder[{number}]")
            for number, each in enumerate(assertion.in_order)
        ]
        result = await _verify_order(steps, journal)
    return result if result.ok else Conflict(result)


def _bounds(assertion: Verify) -> tuple[int, int | None]:
    """Return the minimum and maximum count (None: any). Raises InvalidField."""
    minimum, maximum, exactly = (
        None if count is UNSET else count
        for count in (assertion.at_least, assertion.at_most, assertion.exactly)
    )
    if exactly is not None:
        if (minimum, maximum) != (None, None):
            expected = "exactly, or atLeast and atMost"
            raise InvalidField(expected, "both", "$.exactly")
        return exactly, exactly
    if minimum is not None and maximum is not None and minimum > maximum:
        expected = f"an atMost of at least {minimum}"
        raise InvalidField(expected, str(maximum), "$.atMost")
    if minimum is not None:
        return minimum, maximum
    return (1 if maximum is None else 0), maximum


async def _verify_count(
    facts: Facts, journal: Journal, minimum: int, maximum: int | None
) -> views.Verified:
    """Check that the number of matching entries is within the bounds."""
    hits: list[Entry] = []
    others: list[Entry] = []
    async for entry in in_slices(journal.since(0)):
        (hits if matches(facts, entry) else others).append(entry)
    count = len(hits)
    uncertainty = await _uncertainty(facts, journal, others)
    # Dropped entries can only add hits, so a sufficient count stays sufficient.
    if uncertainty and (maximum is not None or count < minimum):
        return views.Verified(False, count, uncertainty, [])
    if count >= minimum and (maximum is None or count <= maximum):
        return views.Verified(True, count)
    message = f"Expected {_bounds_text(minimum, maximum)}, got {count}"
    # The latest hits if there are too many, or the nearest misses.
    examples = hits[-_MAX_NEAREST:] if count > minimum else others
    return views.Verified(False, count, message, await _nearest(facts, examples))


def _bounds_text(minimum: int, maximum: int | None) -> str:
    if minimum == maximum:
        return f"exactly {minimum}"
    at_most = "" if maximum is None else f"at most {maximum}"
    at_least = f"at least {minimum}" if minimum else ""
    return " and ".join(each for each in (at_least, at_most) if each)


async def _verify_order(steps: Sequence[Facts], journal: Journal) -> views.Verified:
    """Check that entries match the steps in order; others may be between them."""
    remaining = journal.since(0)
    for count, facts in enumerate(steps):
        skipped = []
        # A step continues behind the match of the step before.
        async for entry in in_slices(remaining):
            # The first match leaves the most entries to later steps.
            if matches(facts, entry):
                break
            skipped.append(entry)
        else:
            message = f"Expected an entry for $.inOrder[{count}] after the one before"
            uncertainty = await _uncertainty(facts, journal, skipped)
            nearest = [] if uncertainty else await _nearest(facts, skipped)
            return views.Verified(False, count, uncertainty or message, nearest)
    return views.Verified(True, len(steps))


async def _uncertainty(facts: Facts, journal: Journal, others: Sequence[Entry]) -> str:
    """Return a message if entries may match that are not known whole, else ""."""
    if journal.dropped:
        return f"Expected a whole journal, got one that has dropped {journal.dropped}"
    if "body" not in facts:
        return ""
    other_facts = {name: fact for name, fact in facts.items() if name != "body"}
    cut_count = hidden_count = 0
    async for each in in_slices(others):
        if matches(other_facts, each):
            if each.request.is_cut:
                cut_count += 1
            elif _may_match(facts["body"], each):
                hidden_count += 1
    if cut_count:
        return f"Expected whole bodies, got {cut_count} that the journal has cut"
    message = f"Expected plain bodies, got {hidden_count} with redacted or long texts"
    return message if hidden_count else ""


def _may_match(expected: object, entry: Entry) -> bool:
    """Return whether a body may match: parts are redacted, or were not searched."""
    body = body_of(entry)
    if isinstance(body, str) and not isinstance(expected, str):
        return _HIDDEN in body  # a redacted number leaves no JSON
    has_hidden_name = _HIDDEN_NAME.search(entry.request.body or b"") is not None
    return all(
        has_hidden_name if each.got == MISSING else _may_be(each.expected, each.got)
        for each in differences(expected, body)
    )


def _may_be(expected: object, got: object) -> bool:
    """Return whether a redacted or long text may match an expected value."""
    if not isinstance(got, str):
        return False
    first, *parts = got.split(_HIDDEN)
    if isinstance(expected, dict) and is_test(expected):
        return "contains" in expected and (
            bool(parts) or len(got) > Published.searched_chars
        )
    if not isinstance(expected, str):
        return got == _HIDDEN
    if not parts or not expected.startswith(first):
        return False
    start, last = len(first), parts.pop()
    for part in parts:
        start = expected.find(part, start) + len(part)
        if start < len(part):
            return False
    return expected.endswith(last) and start + len(last) <= len(expected)


async def _nearest(facts: Facts, entries: Sequence[Entry]) -> list[views.NearMiss]:
    """Return the entries with the fewest differences; the latest of equals first."""
    nearest: list[views.NearMiss] = []
    async for entry in in_slices(entries):
        miss = views.NearMiss(
            entry.seq,
            list(islice(_differences(facts, entry), _MAX_DIFFERENCES)),
            list(dict.fromkeys(each.name for each in violations(entry)))
            if "violations" in facts
            else UNSET,
        )
        # The differences of all entries would take much memory.
        nearest = nsmallest(_MAX_NEAREST, [*nearest, miss], key=_distance)
    return nearest


def _distance(miss: views.NearMiss) -> tuple[int, int]:
    return len(miss.differences), -miss.seq


def _differences(facts: Facts, entry: Entry) -> Iterator[Difference]:
    for name, fact in facts.items():
        wanted = _wanted(name, fact, entry)
        yield from differences(wanted, fact_of(name, entry), f"$.{name}")
