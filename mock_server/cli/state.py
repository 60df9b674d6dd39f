"""Defines commands for the state and the clock of a running server.

These are `reset`, `state`, `wait`, `snapshot` and `clock`.
"""

import math
import sys
import time
from contextlib import nullcontext, suppress
from dataclasses import replace
from urllib.parse import quote

import click

from mock_server.admin import views
from mock_server.api.errors import BadFixture, BodyTooLarge
from mock_server.cli import output
from mock_server.cli.options import FORWARD, Group, ParsedText, option
from mock_server.cli.remote import remote_command, show
from mock_server.control.client import JSON, YAML, AdminClient, Refused
from mock_server.control.clock import in_seconds
from mock_server.control.http_call import Unreachable
from mock_server.domain.clock import parse_time
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.printable import one_line, yaml_text
from mock_server.fixture.document import TIME_EXAMPLE

_POLL_SECONDS = 0.05
_TOO_LARGE = (
    "limit fixture_bytes; start the server with it in several files, or write what is "
    "alike once, with `repeat`"
)


@click.command()
@remote_command
def reset(client: AdminClient) -> None:
    """Reset a sandbox of a running server to its baseline."""
    show(client.call(views.ResetView, "POST", "/reset"))


@click.command()
@click.argument("file", required=False, type=click.Path())
@option("--yaml", "as_yaml", is_flag=True, help="Print YAML instead of JSON.")
@remote_command
def state(client: AdminClient, file: str | None, as_yaml: bool) -> None:
    """Print or replace the state of a server.

    A FILE (`-` is stdin) or a shipped fixture by its name becomes the state, and the
    baseline of later resets.
    """
    if file is not None:
        # The suffix decides, as in `serve`; stdin is YAML, which includes JSON.
        kind = JSON if file.endswith(".json") else YAML
        content = _content(file)
        try:
            show(
                client.call(
                    views.ResetView, "PUT", "/state", content, content_type=kind
                )
            )
        except Refused as refusal:
            raise _refused(refusal, file) from None
    elif as_yaml:
        # Imported here, because that takes long and no other command needs it.
        from mock_server.fixture.dump import document_as_yaml

        try:
            text = yaml_text(document_as_yaml(client.state().plain()))
        except RecursionError:
            raise Unreachable("Expected a state, got one nested too deep") from None
        output.write(text.rstrip("\n"))
    else:
        show(client.state())


def _content(file: str) -> bytes:
    try:
        is_stdin = file == "-"
        with nullcontext(sys.stdin.buffer) if is_stdin else open(file, "rb") as stream:
            # The server refuses more; a device has no end.
            return stream.read(DEFAULT_LIMITS.json_file_bytes + 1)
    except OSError as error:
        if file == "-":
            reason = f"cannot read stdin: {error.strerror}"
            raise output.Stop(one_line(reason), output.USAGE) from None
        # The text may name a shipped fixture. If not, `content_of` raises Stop.
        from mock_server.cli.reports import content_of

        return content_of(file)


def _refused(refusal: Refused, file: str) -> Exception:
    """Return the error for a refused state; raise Stop with positions if possible."""
    text = refusal.status_text
    if text == BadFixture.row.plain.status_text and file != "-":
        from mock_server.cli.reports import check_valid

        check_valid(file)  # raises Stop, unless the file is valid for this version
    if text == BodyTooLarge.row.plain.status_text:
        return output.Stop(f"{refusal} ({_TOO_LARGE})", output.USAGE)
    return refusal


@click.command()
@remote_command
def wait(client: AdminClient) -> None:
    """Wait until a server is ready.

    Exit 4 if it is not ready in time.
    """
    deadline = time.monotonic() + client.timeout
    while True:
        # At least one pause, so that --timeout 0 sends one request.
        seconds_left = max(deadline - time.monotonic(), _POLL_SECONDS)
        try:
            last_client = replace(client, timeout=seconds_left)
            show(last_client.call(views.HealthView, "GET", "/health"))
            return
        except (Refused, Unreachable) as error:
            # A server that refuses is running, and would refuse again.
            if isinstance(error, Refused) and error.status < 500:
                raise
            if time.monotonic() >= deadline:
                message = f"not ready in {client.timeout:g} s: {error}"
                raise output.Stop(message, output.TIMED_OUT) from None
        time.sleep(_POLL_SECONDS)


@click.group(cls=Group, patterns={"take": ""})
def snapshot() -> None:
    """Take, restore, list and delete snapshots of a running server."""


@snapshot.command()
@click.argument("name")
@remote_command
def take(client: AdminClient, name: str) -> None:
    """Take a snapshot of data, clock and choices."""
    show(client.call(views.SnapshotView, "PUT", _snapshot(name)))


@snapshot.command()
@click.argument("name")
@remote_command
def restore(client: AdminClient, name: str) -> None:
    """Restore a snapshot."""
    show(client.call(views.ResetView, "POST", f"{_snapshot(name)}/restore"))


@snapshot.command("list")
@remote_command
def list_snapshots(client: AdminClient) -> None:
    """Print the snapshots, the oldest first."""
    show(client.call(views.SnapshotsView, "GET", "/snapshots"))


@snapshot.command()
@click.argument("name")
@remote_command
def delete(client: AdminClient, name: str) -> None:
    """Delete a snapshot."""
    show(client.call(views.SnapshotView, "DELETE", _snapshot(name)))


def _snapshot(name: str) -> str:
    return f"/snapshots/{quote(name, safe='')}"


def seconds_of(text: str) -> float:
    """Return the seconds of a number, or of an integer with a unit: `30s`, `1d`."""
    if (whole := in_seconds(text)) is not None:
        return whole
    try:
        seconds = float(text) if text.isascii() else math.nan
    except ValueError:
        seconds = math.nan
    if seconds < 0 or (text[:1] == "-" and in_seconds(text[1:]) is not None):
        raise ValueError(f"Expected 0 s or more, got {text!r} ({FORWARD})")
    if not math.isfinite(seconds):
        expected = "seconds, or a time like 30s, 15m, 2h or 1d"
        raise ValueError(f"Expected {expected}, got {text!r}")
    return seconds


@click.group(cls=Group, patterns={"freeze": r"\d{4}-", "advance": r"\d"})
def clock() -> None:
    """Show, freeze, run and advance the clock of a running server."""


@clock.command("show")
@remote_command
def show_clock(client: AdminClient) -> None:
    """Print the time, and whether it is frozen."""
    show(client.call(views.ClockView, "GET", "/clock"))


def _time(text: str) -> str:
    """Return an RFC 3339 date-time. Raises ValueError, with a similar valid time."""
    near = text.replace(" ", "T")
    for valid in (text, near, f"{near}Z", f"{near}:00Z", f"{near}T00:00:00Z"):
        with suppress(ValueError):
            parse_time(valid)
            break
    else:
        raise ValueError(f"Expected {TIME_EXAMPLE}, got {text!r}")
    if valid != text:
        hint = f" (did you mean {valid}?)"
        raise ValueError(f"Expected {TIME_EXAMPLE}, got {text!r}{hint}")
    return text


@clock.command()
@click.argument("time", required=False, type=ParsedText(_time))
@remote_command
def freeze(client: AdminClient, time: str | None) -> None:
    """Freeze the clock, at a TIME such as 2026-01-31T12:00:00Z or now."""
    fields = {"frozen": True} | ({} if time is None else {"now": time})
    show(client.call(views.ClockView, "PUT", "/clock", fields))


@clock.command()
@remote_command
def run(client: AdminClient) -> None:
    """Run a frozen clock."""
    show(client.call(views.ClockView, "PUT", "/clock", {"frozen": False}))


@clock.command()
@click.argument("duration", type=ParsedText(seconds_of))
@remote_command
def advance(client: AdminClient, duration: float) -> None:
    """Move the clock forward, by seconds or a DURATION such as 15m, 2h or 1d.

    A frozen clock stays frozen.
    """
    body = {"seconds": duration}
    show(client.call(views.ClockView, "POST", "/clock/advance", body))
