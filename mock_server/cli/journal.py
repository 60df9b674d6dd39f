"""`mock-server journal`: what clients have sent, as a table, as JSON, as it comes."""

import os
import re
import sys
from typing import Any, TypeVar

import click
import msgspec
from click.shell_completion import CompletionItem

from mock_server.api.operations.declared import ANY_RESPONSE
from mock_server.api.operations.table import OPERATIONS
from mock_server.cli import output
from mock_server.cli.follow import OPENED, Event, Follower
from mock_server.cli.remote import remote_command, show
from mock_server.cli.settings import option
from mock_server.client import AdminClient
from mock_server.domain.access import redacted_key
from mock_server.domain.errors import CUT_MARK, InvalidField
from mock_server.domain.printable import coloured, json_text, one_line, wants_colour
from mock_server.domain.subset import holds
from mock_server.http_call import Unreachable
from mock_server.views import EntryView, JournalView, View

_HEAD = f"{'TIME':<12}  STATUS  {'REQUEST':<24}  {'CALLER':<16}  {'TOOK':>11}"
_SHOWN = 300
"""Characters of a message below a line."""
# What `redacted_key` gives.
_REDACTED = re.compile(".{0,4}[0-9a-f]{8}", re.DOTALL)
V = TypeVar("V", bound=View)


class OperationName(click.types.StringParamType):
    """The name of an operation of the table."""

    name = "name"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Called by click; the name, if there may be such an operation."""
        try:
            OPERATIONS.check_name(str(value), "--operation", responses=ANY_RESPONSE)
        except InvalidField as refusal:
            self.fail(refusal.message, param, ctx)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Called by click; the operations whose names begin so."""
        del ctx, param
        return [CompletionItem(n) for n in OPERATIONS if n.startswith(incomplete)]


@click.command()
@option(
    "--operation",
    type=OperationName(),
    help="Only requests of this operation, such as listV2.",
)
@option("--status", type=int, help="Only requests answered with this HTTP status.")
@option("--member", help="Only requests of this member.")
@option(
    "--key",
    help="Only requests with this API key, as it is or redacted as the journal shows.",
)
@option("--body", metavar="JSON", help="Only requests whose body has these fields.")
@option(
    "--violations/--no-violations",
    # Not False, which would be --no-violations: left out, all requests are meant.
    default=None,
    help="Only requests that depart from the spec, or only those that do not.",
)
@option("--exactly", type=click.IntRange(0), help="Verify that there are so many.")
@option("--at-least", type=click.IntRange(0), help="Verify that there are no fewer.")
@option("--at-most", type=click.IntRange(0), help="Verify that there are no more.")
@option("--json", "as_json", is_flag=True, help="Print JSON in place of a table.")
@option("--har", "as_har", is_flag=True, help="Print HAR 1.2 in place of a table.")
@option("--follow", is_flag=True, help="Print requests as they come, until Ctrl-C.")
@remote_command
def journal(
    client: AdminClient,
    exactly: int | None,
    at_least: int | None,
    at_most: int | None,
    as_json: bool,
    as_har: bool,
    follow: bool,
    **facts: Any,
) -> None:
    """Print, follow or verify what clients have sent.

    With --exactly, --at-least or --at-most, verify the number of requests, and exit 1
    if it is another.
    """
    criteria = {name: fact for name, fact in facts.items() if fact is not None}
    if "key" in criteria:
        criteria["key"] = _shown_key(criteria["key"])
    counts = {"exactly": exactly, "atLeast": at_least, "atMost": at_most}
    bounds = {name: count for name, count in counts.items() if count is not None}
    if as_har and (follow or bounds or as_json):
        raise click.UsageError("Expected --har by itself, got another format or task")
    if follow and bounds:
        raise click.UsageError("Expected --follow or a number to verify, got both")
    if follow:
        _follow(client, _with_body(criteria), as_json=as_json)
    elif bounds:
        _verify(client, _with_body(criteria) | bounds)
    elif as_har:
        output.write(json_text(client.journal_as_har(_as_query(criteria))))
    else:
        _print(client, criteria, as_json=as_json)


def _print(client: AdminClient, criteria: dict[str, Any], *, as_json: bool) -> None:
    text = client.journal(_as_query(criteria))
    if as_json:
        output.write(json_text(text))
        return
    page = msgspec.json.decode(text, type=JournalView)
    rows = (row_of(each, paint=_is_coloured()) for each in page.entries)
    dropped = f", {page.dropped} older ones were dropped" if page.dropped else ""
    summary = f"{len(page.entries)} of {page.kept} requests{dropped}"
    output.write("\n".join([*([_HEAD] if page.entries else []), *rows, summary]))


def _as_query(criteria: dict[str, Any]) -> dict[str, Any]:
    """The criteria as query parameters, which spell booleans as JSON does."""
    spelled = {
        name: str(criteria[name]).lower() for name in {"violations"} & {*criteria}
    }
    return criteria | spelled


def _follow(client: AdminClient, facts: dict[str, Any], *, as_json: bool) -> None:
    """Print entries until Ctrl-C, or until nobody reads them."""
    head = "" if as_json else _HEAD
    try:
        for event in Follower(client, output.tell).events():
            if event is OPENED and head:
                output.write(head)
                head = ""
            elif event.name == "dropped":
                count = _decoded(event, Dropped).count
                output.tell(f"dropped {count} requests before they could be shown")
            elif event.name == "entry":
                entry = _decoded(event, EntryView)
                text = json_text(event.data.decode()).strip()
                line = text if as_json else row_of(entry, paint=_is_coloured())
                if _meets(facts, entry) and not output.write(line):
                    return
    except KeyboardInterrupt:
        return


class Refusal(View):
    """What the answer of a refused request says."""

    message: str


class Dropped(View):
    """How many entries a stream has left out, since they are no longer kept."""

    count: int


def _decoded(event: Event, kind: type[V]) -> V:
    """The data of an event. Raises Unreachable."""
    try:
        return msgspec.json.decode(event.data, type=kind)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        why = one_line(str(error))
        raise Unreachable(
            f"Expected an event of a journal, got another: {why}"
        ) from None


def _meets(facts: dict[str, Any], entry: EntryView) -> bool:
    """Whether the server would give the entry to these criteria."""
    found = {
        "operation": entry.operation,
        "status": entry.answer.status,
        "member": entry.member,
        "key": entry.key,
        "violations": bool(entry.violations),
    }
    if "body" in facts:
        found["body"] = msgspec.json.decode(entry.request.body)
    return holds(facts, found)


def _shown_key(key: str) -> str:
    """A key as the journal shows it, if it is not given so already."""
    return key if _REDACTED.fullmatch(key) else redacted_key(key)


def _is_coloured() -> bool:
    return wants_colour(sys.stdout.isatty(), os.environ)


def _with_body(criteria: dict[str, Any]) -> dict[str, Any]:
    """The criteria with the body as data. Raises BadParameter."""
    if "body" not in criteria:
        return criteria
    try:
        return criteria | {"body": msgspec.json.decode(criteria["body"])}
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise click.BadParameter("Expected a JSON object as --body") from None


def _verify(client: AdminClient, asked: dict[str, Any]) -> None:
    response = client.verify(asked)
    show(response)
    if not response.value.ok:
        raise output.Stop("", output.USAGE)


def row_of(entry: EntryView, *, paint: bool) -> str:
    """A line: time, status, request, caller, duration, fault, violations; and below it
    why the request was refused, and the hint, if there are any.
    """
    asked = entry.operation or f"{entry.request.method} {entry.request.path}"
    caller = entry.member or entry.key or "-"
    status = f"{entry.answer.status or '-':<6}"
    if paint:
        status = coloured(status, entry.answer.status)
    line = (
        f"{one_line(entry.time)[11:23]:<12}  {status}  {one_line(asked):<24}  "
        f"{one_line(caller):<16}  {entry.duration_ms:>8.2f} ms"
    )
    for note, colour in _notes(entry):
        line += f"  {coloured(one_line(note), colour) if paint else one_line(note)}"
    # Many a hint is the message of the refusal itself.
    for more in dict.fromkeys((_refusal(entry), entry.hint)):
        if more:
            below = f"{'':<12}  {one_line(more)}"
            line += f"\n{coloured(below, 'dim') if paint else below}"
    return line


def _refusal(entry: EntryView) -> str:
    """The message of an answer that is an error, cut to what a line may hold."""
    if entry.answer.status < 400:
        return ""
    try:
        message = msgspec.json.decode(entry.answer.body, type=Refusal).message
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ""  # spoiled by a fault, or cut
    return message if len(message) <= _SHOWN else message[:_SHOWN] + CUT_MARK


def _notes(entry: EntryView) -> list[tuple[str, str]]:
    """The fault and the violations, with their colours."""
    notes = []
    if entry.fault is not None:
        notes.append((f"fault {entry.fault.id} {entry.fault.kind}", "magenta"))
    if names := list(dict.fromkeys(each.name for each in entry.violations)):
        count = len(entry.violations)
        noun = "violation" if count == 1 else "violations"
        notes.append((f"{count} {noun}: {', '.join(names)}", "yellow"))
    return notes
