"""The journal: read by criteria, emptied, followed as it grows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.admin.resources.verification import (
    Count,
    Criteria,
    Wanted,
    meets,
    wanted_by,
)
from mock_server.admin.sending import in_slices
from mock_server.admin.stream import Events, Streams
from mock_server.api.headers import values
from mock_server.api.journal_view import entry_view
from mock_server.api.response import Response
from mock_server.domain.errors import InvalidField, LimitReached, describe_value
from mock_server.domain.limits import LIMITS
from mock_server.views import EntryView, JournalView

LAST_EVENT_ID = b"last-event-id"


JsonText = Annotated[
    str, Meta(extra_json_schema={"contentMediaType": "application/json"})
]


class JournalQuery(Criteria, kw_only=True):
    """Which entries: `since` is the first number, `body` a JSON object in a text."""

    body: JsonText | UnsetType = UNSET  # type: ignore[assignment]
    since: Count = 0
    limit: Annotated[int, Meta(ge=1, le=LIMITS.journal_page)] = LIMITS.journal_page


class StreamQuery(Input):
    """The number of the first entry; without it, those that come from now on.

    With `changes`, an event `changed` follows each change by the admin API.
    """

    since: Count | UnsetType = UNSET
    changes: bool = False


async def get_journal(call: Call) -> Response:
    """`GET journal`."""
    query: JournalQuery = call.query
    journal = call.sandbox.journal
    total, dropped, following = journal.total, journal.dropped, journal.next_seq
    wanted = _wanted(query)
    entries, left = list[Raw](), LIMITS.journal_page_bytes
    async for each in in_slices(journal.since(query.since)):
        if meets(wanted, each):
            if len(entries) == query.limit or left <= 0:
                following = each.seq
                break
            entries.append(Raw(msgspec.json.encode(entry_view(each))))
            left -= len(entries[-1])
    view = JournalView(entries, total, total - dropped, dropped, following)  # type: ignore[arg-type]
    return Response(200, msgspec.json.encode(view))


def _wanted(query: JournalQuery) -> Wanted:
    facts = wanted_by(query)
    return facts if query.body is UNSET else {**facts, "body": _subset(query.body)}


def _subset(text: str) -> object:
    try:
        return msgspec.json.decode(text, type=dict)
    except (msgspec.MsgspecError, RecursionError):
        message = f"Expected a JSON object, got {describe_value(text)} - at query.body"
        raise InvalidField(message) from None


def delete_journal(call: Call) -> JournalView:
    """`DELETE journal`: forget all entries; the numbers go on."""
    call.sandbox.empty_journal()
    following = call.sandbox.journal.next_seq
    return JournalView(entries=[], total=0, kept=0, dropped=0, next=following)


def get_stream(streams: Streams, call: Call) -> Events:
    """`GET journal/stream`, from `since` or after the header Last-Event-ID."""
    streams.check_room()
    query: StreamQuery = call.query
    following = call.sandbox.journal.next_seq
    start = following if query.since is UNSET else max(1, query.since)
    for text in values(call.scope["headers"], LAST_EVENT_ID):
        if not text.isdigit() or len(text) > len(str(LIMITS.integer)):
            got = describe_value(text.decode("latin-1"))
            message = f"Expected a number, got {got} - at header Last-Event-ID"
            raise InvalidField(message)
        start = int(text) + 1
    start = min(start, following)
    return Events(streams, call.sandboxes, call.sandbox, start, query.changes)


def routes(streams: Streams) -> tuple[AdminRoute, ...]:
    """The routes; open streams are counted, and can be closed, in `streams`."""
    follow: Callable[[Call], Events] = partial(get_stream, streams)
    return (
        AdminRoute(
            "GET",
            "/journal",
            get_journal,
            JournalView,
            "What clients have sent and were answered",
            query=JournalQuery,
        ),
        AdminRoute(
            "DELETE", "/journal", delete_journal, JournalView, "Forget all entries"
        ),
        AdminRoute(
            "GET",
            "/journal/stream",
            follow,
            EntryView,
            "Entries as they come, as server-sent events",
            query=StreamQuery,
            errors=(LimitReached,),
            gives=("text/event-stream",),
        ),
    )
