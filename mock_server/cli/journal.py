"""Defines `mock-server journal`, which prints, follows or asserts requests."""

import os
import re
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import click
import msgspec
from msgspec import Raw

from mock_server.admin.views import EntryView, JournalView, SandboxesView, ViolationView
from mock_server.api.envelope import Failure, View
from mock_server.api.operations.answered_path import ANY_ROUTE
from mock_server.api.operations.table import OPERATIONS
from mock_server.cli import output
from mock_server.cli.options import ParsedText, option
from mock_server.cli.remote import remote_command, show
from mock_server.control.client import AdminClient, Refused
from mock_server.control.http_call import Unreachable
from mock_server.domain.errors import InvalidField
from mock_server.domain.journal import UNKNOWN_ROUTE, as_redacted
from mock_server.domain.messages import CUT_MARK, quoted
from mock_server.domain.printable import coloured, json_text, one_line, wants_colour
from mock_server.domain.validation.json_match import is_match

_HEAD = f"{'TIME':<12}  STATUS  {'REQUEST':<24}  {'CALLER':<16}  {'TOOK':>11}"
_ELSEWHERE = "requests with the key of a sandbox are in its own (--sandbox NAME)"
_EMPTY = f"the journal is empty, so nothing was checked: {_ELSEWHERE}"
_MESSAGE_CHARS = 300
_MAX_SANDBOXES = 50
_MAX_PLACES = 3
"""Maximum number of places of violations in a line."""
_SUGGESTION = re.compile(r' \(did you mean "[^"]*"\?\)')
# The server sends a comment at least every 15 s.
_SILENCE_SECONDS = 45.0
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_DIGITS = 19
V = TypeVar("V", bound=View)


def _operation(
    ctx: click.Context, param: click.Parameter, name: str | None
) -> str | None:
    """Called by click; returns the name if it can be an operation. Raises BadValue."""
    del ctx, param
    try:
        if name is not None:
            OPERATIONS.check_name(name, "--operation", responses=ANY_ROUTE)
    except InvalidField as refusal:
        raise output.BadValue(refusal.message) from None
    return name


@click.command()
@option(
    "--operation",
    metavar="NAME",
    callback=_operation,
    help="Only requests of this operation, such as listV2.",
)
@option(
    "--status",
    metavar="INTEGER",
    type=ParsedText(int, "one status such as 404"),
    help="Only requests with this HTTP status.",
)
@option("--member", help="Only requests of this member.")
@option("--key", help="Only requests with this API key, in full or redacted.")
@option("--body", metavar="JSON", help="Only requests whose body has these fields.")
@option(
    "--violations/--no-violations",
    # None selects all requests, while False means --no-violations.
    default=None,
    help="Only requests that break the spec, or that do not.",
)
@option("--unknown", is_flag=True, help="Only requests at routes that do not exist.")
@option(
    "--responses",
    is_flag=True,
    help="Print unknown requests as `responses` of a fixture.",
)
@option(
    "--exactly", type=click.IntRange(0), help="Exit 1 unless exactly N requests match."
)
@option(
    "--at-least",
    type=click.IntRange(0),
    help="Exit 1 unless at least N requests match.",
)
@option(
    "--at-most", type=click.IntRange(0), help="Exit 1 unless at most N requests match."
)
@option("--json", "as_json", is_flag=True, help="Print JSON.")
@option("--follow", is_flag=True, help="Print requests as they arrive, until Ctrl-C.")
@remote_command
def journal(
    client: AdminClient,
    exactly: int | None,
    at_least: int | None,
    at_most: int | None,
    as_json: bool,
    follow: bool,
    unknown: bool,
    responses: bool,
    **criteria: Any,
) -> None:
    """Print, follow or assert the requests of clients.

    With --exactly, --at-least or --at-most, count the requests that match, and exit 1
    if the number is another.
    """
    criteria = {name: fact for name, fact in criteria.items() if fact is not None}
    if "key" in criteria:
        criteria["key"] = as_redacted(criteria["key"])
    counts = {"exactly": exactly, "atLeast": at_least, "atMost": at_most}
    bounds = {name: count for name, count in counts.items() if count is not None}
    if follow and bounds:
        raise click.UsageError("Expected --follow or a number to verify, got both")
    if (unknown or responses) and bounds:
        only = "--responses" if responses else "--unknown"
        raise click.UsageError(f"Expected {only} or a number to verify, got both")
    if responses and (follow or as_json):
        other = "--follow" if follow else "--json"
        raise click.UsageError(f"Expected --responses or {other}, got both")
    if responses:
        _print_responses(_page(client, criteria, unknown=True))
    elif follow:
        criteria = _with_body(criteria) | ({"unknown": True} if unknown else {})
        _follow(client, criteria, as_json=as_json)
    elif bounds:
        response = client.verify(_with_body(criteria) | bounds)
        show(response)
        if not response.value.ok:
            raise output.Stop("", output.USAGE)
        if not response.value.count and not client.verify({"atLeast": 0}).value.count:
            output.log(_EMPTY + _other_journals(client))
    else:
        _print(_page(client, criteria, unknown=unknown), as_json=as_json)
        if criteria.get("violations") and not as_json:
            output.log("nothing was asserted: --exactly 0 exits 1 if there is one")


def _other_journals(client: AdminClient) -> str:
    """Return the names of the other sandboxes whose journals have entries, as text."""
    names, server = [], replace(client, sandbox=None)
    sandboxes = server.call(SandboxesView, "GET", "/sandboxes").value.sandboxes
    for each in sandboxes[:_MAX_SANDBOXES]:
        with suppress(Refused):  # the sandbox may have expired
            other = replace(client, sandbox=each.name)
            if other.verify({"atLeast": 0}).value.count:
                names.append(each.name)
    return f"; journals with requests: {', '.join(names)}" if names else ""


def _page(client: AdminClient, criteria: dict[str, Any], *, unknown: bool) -> str:
    """Return the journal as JSON; if `unknown`, only its entries at unknown routes."""
    # Queries have booleans as in JSON.
    flags = {
        name: str(value).lower()
        for name, value in criteria.items()
        if isinstance(value, bool)
    }
    text = client.journal(criteria | flags)
    if not unknown:
        return text
    fields = msgspec.json.decode(text, type=dict[str, Raw])
    unknown_entries = [
        each
        for each in msgspec.json.decode(fields["entries"], type=list[Raw])
        if _is_unknown(msgspec.json.decode(each, type=EntryView))
    ]
    return msgspec.json.encode({**fields, "entries": unknown_entries}).decode()


def _is_unknown(entry: EntryView) -> bool:
    return any(each.name == UNKNOWN_ROUTE for each in entry.violations)


# A path that needs no quotes in YAML.
_PLAIN_PATH = re.compile("[A-Za-z0-9/._~-]+", re.ASCII)


def _print_responses(text: str) -> None:
    from mock_server.control.unknown_routes import reasons_against_answers

    page = msgspec.json.decode(text, type=JournalView)
    routes = ((each.request.method, each.request.path) for each in page.entries)
    lines = []
    for route, mistake in reasons_against_answers(routes).items():
        if mistake:
            output.log(f"left out {route}: {mistake}")
            continue
        method, _, path = route.partition(" ")
        path = path if _PLAIN_PATH.fullmatch(path) else quoted(path)
        lines.append(f"  - {{method: {method}, path: {path}, status: 200, json: {{}}}}")
    output.echo("\n".join(["responses:" if lines else "responses: []", *lines]))


def _print(text: str, *, as_json: bool) -> None:
    if as_json:
        output.write(json_text(text))
        return
    page = msgspec.json.decode(text, type=JournalView)
    rows = (entry_text(each, has_colour=_is_coloured()) for each in page.entries)
    dropped = f", {page.dropped} older ones were dropped" if page.dropped else ""
    summary = f"{len(page.entries)} of {page.kept} requests{dropped}"
    summary += "" if page.total else f": {_ELSEWHERE}"
    output.write("\n".join([*([_HEAD] if page.entries else []), *rows, summary]))


def _follow(client: AdminClient, criteria: dict[str, Any], *, as_json: bool) -> None:
    head = "" if as_json else _HEAD
    try:
        for event in follow(client):
            if event is OPENED and head:
                output.write(head)
                head = ""
            elif event.name == "dropped":
                count = _decode(event, Dropped).count
                output.log(f"dropped {count} requests before they could be shown")
            elif event.name == "entry":
                entry = _decode(event, EntryView)
                text = json_text(event.data.decode()).strip()
                line = text if as_json else entry_text(entry, has_colour=_is_coloured())
                if _matches(criteria, entry) and not output.write(line):
                    return
    except KeyboardInterrupt:
        return


class Event(NamedTuple):
    """An event of a stream; `number` is 0 if the event has none."""

    name: str
    data: bytes
    number: int


OPENED = Event("", b"", 0)
"""The event that `follow` yields when it has opened a stream."""


def events_of(lines: Iterable[bytes], max_bytes: int) -> Iterator[Event]:
    """Parse the lines of a stream as server-sent events (WHATWG, 9.2.6).

    Raises Unreachable for an event of more than `max_bytes` bytes.
    """
    name, data, number = "", bytearray(), 0
    for line in lines:
        field, _, value = line.rstrip(b"\r\n").partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            name = value.decode("utf-8", "replace")
        elif field == b"id" and value.isdigit() and len(value) < _DIGITS:
            number = int(value)
        elif field == b"data":
            data += value + b"\n"
            if len(data) > max_bytes:
                raise Unreachable(f"an event of more than {max_bytes} bytes")
        elif line.strip() == b"" and (name or data):
            yield Event(name, bytes(data), number)
            name, data, number = "", bytearray(), 0


def follow(client: AdminClient) -> Iterator[Event]:
    """Yield OPENED, then the future events of a server's journal as they arrive.

    If the stream ends, log the reason, wait, and open the stream again behind the last
    event; the pauses grow. Raises Unreachable if the first stream cannot be opened, or
    a later one within the client's `timeout`; raises Refused if the server refuses.
    """
    path, pause = "/journal/stream", _FIRST_PAUSE_SECONDS
    last_contact: float | None = None
    while True:
        try:
            lines = client.lines(path, _SILENCE_SECONDS)
            # The first line is a comment, which the server sends without an event.
            next(lines, None)
            last_contact = time.monotonic()
            yield OPENED
            for event in events_of(lines, client.limits.event_bytes):
                last_contact, pause = time.monotonic(), _FIRST_PAUSE_SECONDS
                if event.number:
                    path = f"/journal/stream?since={event.number + 1}"
                yield event
            reason = f"the stream of {client.url} has ended"
        except Unreachable as error:
            now = time.monotonic()
            if last_contact is None or now - last_contact > client.timeout:
                raise
            reason = str(error)
        output.log(f"{reason}, retrying in {pause:g} s")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


class Dropped(View):
    """The number of entries that a stream lacks, because the journal dropped them."""

    count: int


def _decode(event: Event, kind: type[V]) -> V:
    try:
        return msgspec.json.decode(event.data, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        reason = one_line(str(error))
        expected = "Expected an event of a journal"
        raise Unreachable(f"{expected}, got another: {reason}") from None


def _matches(criteria: dict[str, Any], entry: EntryView) -> bool:
    actual = {
        "operation": entry.operation,
        "status": entry.answer.status,
        "member": entry.member,
        "key": entry.key,
        "violations": bool(entry.violations),
        "unknown": _is_unknown(entry),
    }
    if "body" in criteria:
        actual["body"] = msgspec.json.decode(entry.request.body)
    return is_match(criteria, actual)


def _is_coloured() -> bool:
    return wants_colour(sys.stdout.isatty(), os.environ)


def _with_body(criteria: dict[str, Any]) -> dict[str, Any]:
    if "body" not in criteria:
        return criteria
    try:
        return criteria | {"body": msgspec.json.decode(criteria["body"])}
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        from mock_server.cli.values import json_mistake

        expected = json_mistake(criteria["body"]) or "Expected a JSON object"
        raise click.BadParameter(f"{expected} - at --body") from None


def entry_text(entry: EntryView, *, has_colour: bool) -> str:
    """Return an entry's line, with the message of a refusal and the hint below."""
    request = entry.operation or f"{entry.request.method} {entry.request.path}"
    caller = entry.member or entry.key or "-"
    status = f"{entry.answer.status or '-':<6}"
    if has_colour:
        status = coloured(status, entry.answer.status)
    line = (
        f"{one_line(entry.time)[11:23]:<12}  {status}  {one_line(request):<24}  "
        f"{one_line(caller):<16}  {entry.duration_ms:>8.2f} ms"
    )
    for note, colour in _notes(entry):
        line += (
            f"  {coloured(one_line(note), colour) if has_colour else one_line(note)}"
        )
    refusal, hint = _refusal(entry), entry.hint or ""
    # The hint often begins with the message, which may be cut.
    if hint.startswith(refusal.removesuffix(CUT_MARK)):
        refusal = ""
    for text in (refusal, hint):
        if text:
            below = f"{'':<12}  {one_line(text)}"
            line += f"\n{coloured(below, 'dim') if has_colour else below}"
    return line


def _refusal(entry: EntryView) -> str:
    """Return the message of an error response, cut if it is long, else ""."""
    if entry.answer.status < 400:
        return ""
    try:
        message = msgspec.json.decode(entry.answer.body, type=Failure).message
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ""  # a fault has changed the body, or the journal has cut it
    beginning = message[:_MESSAGE_CHARS]
    return message if message == beginning else beginning + CUT_MARK


def _place_of(violation: ViolationView) -> str:
    suggestion = _SUGGESTION.search(violation.message)
    return violation.path + (suggestion[0] if suggestion else "")


def _notes(entry: EntryView) -> list[tuple[str, str]]:
    notes = []
    if entry.fault is not None:
        notes.append((f"fault {entry.fault.id} {entry.fault.kind}", "magenta"))
    if names := list(dict.fromkeys(each.name for each in entry.violations)):
        count = len(entry.violations)
        noun = "violation" if count == 1 else "violations"
        places = dict.fromkeys(map(_place_of, entry.violations[:_MAX_PLACES]))
        where = f" at {', '.join(places)}"
        notes.append((f"{count} {noun}: {', '.join(names)}{where}", "yellow"))
    return notes
