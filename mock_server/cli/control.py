"""`mock-server reset`, `state`, `journal` and `wait`: steer a running server."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click
import msgspec

from mock_server.api.operations import OPERATIONS
from mock_server.cli.exits import TIMED_OUT, USAGE, Stop, say
from mock_server.cli.remote import remote_command
from mock_server.remote import Refused, Remote, Unreachable

_POLL_SECONDS = 0.05


@click.command()
@remote_command
def reset(remote: Remote) -> None:
    """Bring a running server back to its baseline."""
    say(remote.text("POST", "/reset").decode())


@click.command()
@click.argument("file", required=False)
@click.option("--yaml", "as_yaml", is_flag=True, help="Print YAML instead of JSON.")
@remote_command
def state(remote: Remote, file: str | None, as_yaml: bool) -> None:
    """Print the state of a running server, or put FILE (`-` is stdin) in its place."""
    if file is None:
        accept = "application/yaml" if as_yaml else "application/json"
        say(remote.text("GET", "/state", accept=accept).decode().rstrip("\n"))
        return
    kind = "json" if file.endswith(".json") else "yaml"
    content = _content(file)
    done = remote.text("PUT", "/state", content, content_type=f"application/{kind}")
    say(done.decode())


def _content(file: str) -> bytes:
    try:
        if file == "-":
            return sys.stdin.buffer.read()
        return Path(file).read_bytes()
    except OSError as error:
        raise Stop(f"cannot read {file}: {error.strerror}", USAGE) from None


@click.command()
@click.option("--operation", type=click.Choice(list(OPERATIONS)), help="Only of this.")
@click.option("--status", type=int, help="Only with this HTTP status.")
@click.option("--member", help="Only of this member.")
@click.option("--key", help="Only with this key, as the journal shows it.")
@click.option("--body", metavar="JSON", help="Only if the body has these fields.")
@click.option(
    "--violations/--no-violations",
    default=None,
    help="Only off contract, or only on contract.",
)
@click.option("--exactly", type=click.IntRange(0), help="Verify the number of entries.")
@click.option("--at-least", type=click.IntRange(0), help="Verify it from below.")
@click.option("--at-most", type=click.IntRange(0), help="Verify it from above.")
@remote_command
def journal(
    remote: Remote,
    exactly: int | None,
    at_least: int | None,
    at_most: int | None,
    **facts: Any,
) -> None:
    """Print what clients have sent; with a number, verify it, and exit 1 if false."""
    criteria = {name: fact for name, fact in facts.items() if fact is not None}
    counts = {"exactly": exactly, "atLeast": at_least, "atMost": at_most}
    bounds = {name: count for name, count in counts.items() if count is not None}
    if bounds:
        _verify(remote, criteria | bounds)
        return
    if "violations" in criteria:
        criteria["violations"] = str(criteria["violations"]).lower()
    say(msgspec.json.encode(_everything(remote, criteria)).decode())


def _everything(remote: Remote, criteria: dict[str, Any]) -> dict[str, Any]:
    """All entries that meet the criteria, page after page."""
    page: dict[str, Any] = remote.json("GET", f"/journal?{urlencode(criteria)}")
    entries = more = page["entries"]
    while more:
        query = urlencode(criteria | {"since": page["next"]})
        page = remote.json("GET", f"/journal?{query}")
        more = page["entries"]
        entries = entries + more
    return page | {"entries": entries}


def _verify(remote: Remote, asked: dict[str, Any]) -> None:
    try:
        if "body" in asked:
            asked["body"] = msgspec.json.decode(asked["body"])
    except (msgspec.DecodeError, UnicodeError):
        raise click.BadParameter("Expected a JSON object as --body") from None
    status, answer = remote.call("POST", "/journal/verify", msgspec.json.encode(asked))
    if status not in (200, 409):
        raise Refused(status, answer)
    say(answer.decode())
    if status == 409:
        raise Stop("", USAGE)


@click.command()
@click.option(
    "--timeout",
    type=click.FloatRange(0),
    default=30.0,
    show_default=True,
    help="Seconds to wait at most.",
)
@remote_command
def wait(remote: Remote, timeout: float) -> None:
    """Wait until a server is ready; exit 4 if it is not in time."""
    end = time.monotonic() + timeout
    while True:
        left = max(end - time.monotonic(), _POLL_SECONDS)
        try:
            say(remote.text("GET", "/health", seconds=left).decode())
        except (Refused, Unreachable) as error:
            if isinstance(error, Refused) and error.status < 500:
                raise
            if time.monotonic() >= end:
                raise Stop(f"not ready in {timeout:g} s: {error}", TIMED_OUT) from None
            time.sleep(_POLL_SECONDS)
        else:
            return
