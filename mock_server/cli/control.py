"""`mock-server reset`, `state`, `journal` and `wait`: steer a running server."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import msgspec

from mock_server.api.operations.table import OPERATIONS
from mock_server.cli.exits import TIMED_OUT, USAGE, Stop, write
from mock_server.cli.remote import remote_command, show
from mock_server.client import JSON, YAML, AdminClient, Given, Refused, StateView
from mock_server.domain.printable import json_text, one_line, yaml_text
from mock_server.fixture.yaml_text import to_yaml
from mock_server.http_call import Unreachable
from mock_server.views import HealthView, ResetView

_POLL_SECONDS = 0.05


@click.command()
@remote_command
def reset(client: AdminClient) -> None:
    """Bring a running server back to its baseline."""
    show(client.ask(ResetView, "POST", "/reset"))


@click.command()
@click.argument("file", required=False)
@click.option("--yaml", "as_yaml", is_flag=True, help="Print YAML instead of JSON.")
@remote_command
def state(client: AdminClient, file: str | None, as_yaml: bool) -> None:
    """Print the state of a running server, or put FILE (`-` is stdin) in its place."""
    if file is not None:
        kind = JSON if file.endswith(".json") else YAML
        content = _content(file)
        show(client.ask(ResetView, "PUT", "/state", content, content_type=kind))
    elif as_yaml:
        write(_yaml(client.state()).rstrip("\n"))
    else:
        show(client.state())


def _yaml(given: Given[StateView]) -> str:
    try:
        return yaml_text(to_yaml(given.plain()))
    except RecursionError:
        raise Unreachable("Expected a state, got one nested too deep") from None


def _content(file: str) -> bytes:
    try:
        if file == "-":
            return sys.stdin.buffer.read()
        return Path(file).read_bytes()
    except OSError as error:
        raise Stop(one_line(f"cannot read {file}: {error.strerror}"), USAGE) from None


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
    client: AdminClient,
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
        _verify(client, criteria | bounds)
        return
    if "violations" in criteria:
        criteria["violations"] = str(criteria["violations"]).lower()
    write(json_text(client.journal(criteria)))


def _verify(client: AdminClient, asked: dict[str, Any]) -> None:
    try:
        if "body" in asked:
            asked["body"] = msgspec.json.decode(asked["body"])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise click.BadParameter("Expected a JSON object as --body") from None
    given = client.verify(asked)
    show(given)
    if not given.value.ok:
        raise Stop("", USAGE)


@click.command()
@remote_command
def wait(client: AdminClient) -> None:
    """Wait until a server is ready; exit 4 if it is not in time."""
    timeout = client.timeout
    end = time.monotonic() + timeout
    while True:
        left = max(end - time.monotonic(), _POLL_SECONDS)
        try:
            show(replace(client, timeout=left).ask(HealthView, "GET", "/health"))
        except (Refused, Unreachable) as error:
            if isinstance(error, Refused) and error.status < 500:
                raise
            if time.monotonic() >= end:
                raise Stop(f"not ready in {timeout:g} s: {error}", TIMED_OUT) from None
            time.sleep(_POLL_SECONDS)
        else:
            return
