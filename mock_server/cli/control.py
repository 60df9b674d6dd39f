"""`mock-server reset`, `state`, `journal` and `wait`: commands to a running server."""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import click
import msgspec

from mock_server.api.errors import ERRORS, BadFixture
from mock_server.api.operations.table import OPERATIONS
from mock_server.cli import exits
from mock_server.cli.settings import setting, timeout_setting
from mock_server.client import (
    JSON,
    SECONDS,
    YAML,
    AdminClient,
    Refused,
    Response,
    StateView,
)
from mock_server.domain.printable import json_text, one_line, yaml_text
from mock_server.fixture.dump import document_as_yaml
from mock_server.http_call import Unreachable
from mock_server.views import HealthView, ResetView

_POLL_SECONDS = 0.05


def remote_command(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command an AdminClient as its first argument, and options to make it."""

    @setting("url", default="http://127.0.0.1:8000", help="Address of the server.")
    @setting("sandbox", metavar="NAME", help="Sandbox to use instead of the default.")
    @setting("admin-token", metavar="TOKEN", help="Bearer token of the admin routes.")
    @timeout_setting(SECONDS)
    @wraps(command)
    def wrapped(
        url: str,
        sandbox: str | None,
        admin_token: str | None,
        timeout: float,
        **others: Any,
    ) -> None:
        # They go into the head of a request, where a line break would start a field.
        given = (sandbox or "", admin_token or "")
        if not all(text.isascii() and text.isprintable() for text in given):
            raise click.BadParameter(
                "Expected visible ASCII as values of these options"
            )
        try:
            client = AdminClient(url, sandbox, admin_token, timeout, exits.tell)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        try:
            command(client, **others)
        except Unreachable as error:
            raise exits.Stop(str(error), exits.UNREACHABLE) from None
        except Refused as error:
            raise exits.Stop(str(error), _status(error)) from None

    return wrapped


def _status(error: Refused) -> int:
    """The exit code of a refused command."""
    if error.status >= 500:
        return exits.UNREACHABLE  # the server cannot just now; the command may be right
    broken = error.status_text == ERRORS[BadFixture].plain.status_text
    return exits.BROKEN_FIXTURE if broken else exits.USAGE


def show(response: Response[Any]) -> None:
    """Print the JSON of a response as it came, its strings made printable."""
    exits.write(json_text(response.text).rstrip("\n"))


@click.command()
@remote_command
def reset(client: AdminClient) -> None:
    """Reset a running server to its baseline."""
    show(client.ask(ResetView, "POST", "/reset"))


@click.command()
@click.argument("file", required=False)
@click.option("--yaml", "as_yaml", is_flag=True, help="Print YAML instead of JSON.")
@remote_command
def state(client: AdminClient, file: str | None, as_yaml: bool) -> None:
    """Print or replace the state of a server.

    With a FILE (`-` is stdin), that becomes the state, and what resets go back to.
    """
    if file is not None:
        kind = JSON if file.endswith(".json") else YAML
        content = _content(file)
        show(client.ask(ResetView, "PUT", "/state", content, content_type=kind))
    elif as_yaml:
        exits.write(_yaml(client.state()).rstrip("\n"))
    else:
        show(client.state())


def _yaml(response: Response[StateView]) -> str:
    try:
        return yaml_text(document_as_yaml(response.plain()))
    except RecursionError:
        raise Unreachable("Expected a state, got one nested too deep") from None


def _content(file: str) -> bytes:
    try:
        if file == "-":
            return sys.stdin.buffer.read()
        return Path(file).read_bytes()
    except OSError as error:
        raise exits.Stop(
            one_line(f"cannot read {file}: {error.strerror}"), exits.USAGE
        ) from None


@click.command()
@click.option(
    "--operation",
    type=click.Choice(list(OPERATIONS)),
    help="Only requests of this operation.",
)
@click.option(
    "--status", type=int, help="Only requests answered with this HTTP status."
)
@click.option("--member", help="Only requests of this member.")
@click.option(
    "--key", help="Only requests with this key, redacted as the journal shows it."
)
@click.option(
    "--body", metavar="JSON", help="Only requests whose body has these fields."
)
@click.option(
    "--violations/--no-violations",
    default=None,
    help="Only requests that depart from the spec, or only those that do not.",
)
@click.option(
    "--exactly", type=click.IntRange(0), help="Verify that there are so many."
)
@click.option(
    "--at-least", type=click.IntRange(0), help="Verify that there are no fewer."
)
@click.option(
    "--at-most", type=click.IntRange(0), help="Verify that there are no more."
)
@remote_command
def journal(
    client: AdminClient,
    exactly: int | None,
    at_least: int | None,
    at_most: int | None,
    **facts: Any,
) -> None:
    """Print what clients have sent, or verify it.

    With --exactly, --at-least or --at-most, verify the number of requests, and exit 1
    if it is another.
    """
    criteria = {name: fact for name, fact in facts.items() if fact is not None}
    counts = {"exactly": exactly, "atLeast": at_least, "atMost": at_most}
    bounds = {name: count for name, count in counts.items() if count is not None}
    if bounds:
        _verify(client, criteria | bounds)
        return
    if (
        "violations" in criteria
    ):  # a query parameter, which spells booleans as JSON does
        criteria["violations"] = str(criteria["violations"]).lower()
    exits.write(json_text(client.journal(criteria)))


def _verify(client: AdminClient, asked: dict[str, Any]) -> None:
    try:
        if "body" in asked:
            asked["body"] = msgspec.json.decode(asked["body"])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise click.BadParameter("Expected a JSON object as --body") from None
    response = client.verify(asked)
    show(response)
    if not response.value.ok:
        raise exits.Stop("", exits.USAGE)


@click.command()
@remote_command
def wait(client: AdminClient) -> None:
    """Wait until a server is ready.

    Exit 4 if it is not ready in time.
    """
    timeout = client.timeout
    end = time.monotonic() + timeout
    while True:
        left = max(end - time.monotonic(), _POLL_SECONDS)
        try:
            show(replace(client, timeout=left).ask(HealthView, "GET", "/health"))
        except (Refused, Unreachable) as error:
            # A server that refuses is there; waiting longer would not help.
            if isinstance(error, Refused) and error.status < 500:
                raise
            if time.monotonic() >= end:
                raise exits.Stop(
                    f"not ready in {timeout:g} s: {error}", exits.TIMED_OUT
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return
