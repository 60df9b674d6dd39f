"""The journal: read by criteria, emptied, followed as it grows."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.admin.streaming import EVENT_STREAM, JournalStream, in_slices
from mock_server.api.headers import values
from mock_server.api.journal_view import body_of, entry_view
from mock_server.api.journaling import violations
from mock_server.api.operations.declared import name_schema
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.request_id import made_id, sent_id
from mock_server.api.response import Response
from mock_server.domain.errors import InvalidField, LimitReached, describe_value
from mock_server.domain.journal import Entry
from mock_server.domain.limits import Limits
from mock_server.domain.subset import holds
from mock_server.har.writing import HarEntryView, HarView, har_entry, har_view
from mock_server.views import EntryView, JournalView

LAST_EVENT_ID = b"last-event-id"

Count = Annotated[int, Meta(ge=0, le=Limits.integer)]
# The document names the operations of the table. What is accepted is up to the
# application, which may serve others: `facts_of` looks.
_NAMES = {**name_schema(sorted(OPERATIONS))}
OperationName = Annotated[str, Meta(extra_json_schema=_NAMES)]
JsonText = Annotated[
    str, Meta(extra_json_schema={"contentMediaType": "application/json"})
]


class Criteria(Input, omit_defaults=True, kw_only=True):
    """Facts of an entry; `key` is the redacted form, `body` a subset of the body."""

    operation: OperationName | UnsetType = UNSET
    status: Annotated[int, Meta(ge=0, le=999)] | UnsetType = UNSET
    member: str | UnsetType = UNSET
    key: str | UnsetType = UNSET
    violations: bool | UnsetType = UNSET
    body: dict[str, Any] | UnsetType = UNSET


Facts = Mapping[str, object]
"""Wanted values by the names of the fields of Criteria, without those left out."""


def facts_of(criteria: Criteria, call: Call, root: str) -> Facts:
    """The facts that criteria name, as plain data.

    Raises InvalidField for an operation that there is not; `root` is where the
    criteria stand in the request, such as `$`.
    """
    names = (each.name for each in msgspec.structs.fields(Criteria))
    facts = {name: getattr(criteria, name) for name in names}
    if criteria.operation is not UNSET:
        at = f"{root}.operation"
        name, responses = criteria.operation, call.responses
        call.operations.check_name(name, at, responses=responses)
    return {name: fact for name, fact in facts.items() if fact is not UNSET}


def meets(facts: Facts, entry: Entry) -> bool:
    """Whether an entry meets all of the facts."""
    return all(holds(fact, fact_of(name, entry)) for name, fact in facts.items())


def fact_of(name: str, entry: Entry) -> object:
    """The value of an entry to compare with the field of Criteria of that name.

    It is found only when asked for: a body has to be decoded, violations looked for.
    """
    if name == "body":
        return body_of(entry)
    if name == "violations":
        return next(violations(entry), None) is not None
    return getattr(entry, name)


class JournalQuery(Criteria, kw_only=True):
    """Which entries, and how they are written.

    `since` is the first number, `body` a JSON object in a text. `request_id` is what a
    log line or an answer calls a request.
    """

    body: JsonText | UnsetType = UNSET  # type: ignore[assignment]
    format: Literal["json", "har"] = "json"
    request_id: str | UnsetType = UNSET
    since: Count = 0
    limit: Annotated[int, Meta(ge=1, le=Limits.journal_page)] = Limits.journal_page


class StreamQuery(Input):
    """The number of the first entry; without it, those that come from now on.

    With `changes`, an event `changed` follows each change by the admin API.
    """

    since: Count | UnsetType = UNSET
    changes: bool = False


async def get_journal(call: Call) -> JournalView | HarView:
    """`GET journal`: the entries that meet the criteria, up to a number and a size.

    As HAR, it is a file of them.
    """
    query: JournalQuery = call.query
    journal, facts = call.sandbox.journal, _wanted(query, call)
    # The journal goes on while this waits: all figures are of one moment.
    total, dropped, following = journal.total, journal.dropped, journal.next_seq
    write = _writer(call)
    entries = list[Any]()
    bytes_left = call.limits.journal_page_bytes
    async for each in in_slices(journal.since(query.since)):
        if meets(facts, each) and _has_id(query.request_id, each, call.sandbox.name):
            # Asked before an entry is added: one comes however large it is, else a
            # reader who goes on at `next` would never get past it.
            if len(entries) == query.limit or bytes_left <= 0:
                following = each.seq
                break
            entries.append(write(each))
            bytes_left -= len(msgspec.json.encode(entries[-1]))
    if query.format == "har":
        return har_view(entries, following)
    return JournalView(entries, total, total - dropped, dropped, following)


def _has_id(wanted: str | UnsetType, entry: Entry, sandbox: str) -> bool:
    """Whether a request has that id, be it sent or made; any does that is asked for
    none.
    """
    if wanted is UNSET:
        return True
    made = made_id(sandbox, entry.generation, entry.seq)
    return wanted in (made, sent_id(entry.sent.header_pairs()))


def _writer(call: Call) -> Callable[[Entry], EntryView | HarEntryView]:
    """A function that gives an entry in the format that is asked for."""
    if call.query.format == "json":
        return entry_view
    host = values(call.scope["headers"], b"host")[0].decode("latin-1")
    return partial(har_entry, host=host)


def _wanted(query: JournalQuery, call: Call) -> Facts:
    facts = facts_of(query, call, "query")
    if query.body is UNSET:
        return facts
    text = query.body
    try:
        return {**facts, "body": msgspec.json.decode(text, type=dict)}
    except (msgspec.MsgspecError, RecursionError):
        message = f"Expected a JSON object, got {describe_value(text)} - at query.body"
        raise InvalidField(message) from None


def delete_journal(call: Call) -> JournalView:
    """`DELETE journal`: forgets all entries; the numbers go on."""
    call.sandbox.empty_journal()
    following = call.sandbox.journal.next_seq
    return JournalView(entries=[], total=0, kept=0, dropped=0, next=following)


def get_stream(call: Call) -> JournalStream | Response:
    """`GET journal/stream`, from `since` or after the header Last-Event-ID.

    To HEAD, the Response has the type of a stream and no body.
    """
    query: StreamQuery = call.query
    streams = call.services.streams
    streams.check_room()
    following = call.sandbox.journal.next_seq
    # Entries count from 1: from 0, one would be told as dropped that never was.
    start = following if query.since is UNSET else max(1, query.since)
    # The header counts more: a browser that connects again repeats the URL with its
    # old `since` (WHATWG server-sent events).
    for text in values(call.scope["headers"], LAST_EVENT_ID):
        start = _number(text) + 1
    # A number from before a restart may lie ahead: then nothing would come for long.
    start = min(start, following)
    if call.scope["method"] == "HEAD":
        return Response(200, b"", content_type=EVENT_STREAM)
    return JournalStream(
        streams, call.sandboxes, call.sandbox, start, tells_changes=query.changes
    )


def _number(text: bytes) -> int:
    """The number of an entry out of a header Last-Event-ID. Raises InvalidField."""
    if not text.isdigit() or len(text) > len(str(Limits.integer)):
        got = describe_value(text.decode("latin-1"))
        message = f"Expected a number, got {got} - at header Last-Event-ID"
        raise InvalidField(message)
    return int(text)


ROUTES = (
    AdminRoute(
        "GET",
        "/journal",
        get_journal,
        (JournalView, HarView),
        "List what clients have sent and were answered",
        query=JournalQuery,
    ),
    AdminRoute("DELETE", "/journal", delete_journal, JournalView, "Forget all entries"),
    AdminRoute(
        "GET",
        "/journal/stream",
        get_stream,
        EntryView,
        "Follow the journal: its entries as server-sent events",
        query=StreamQuery,
        errors=(LimitReached,),
        gives=("text/event-stream",),
    ),
)
