"""Commands for a running server: `reset`, `state` and `wait`."""

import sys
import time
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from mock_server.api.errors import ERRORS, BadFixture, BodyTooLarge
from mock_server.cli import output
from mock_server.cli.remote import remote_command, show
from mock_server.cli.settings import option
from mock_server.client import JSON, YAML, AdminClient, Refused, Response, StateView
from mock_server.domain.printable import one_line, yaml_text
from mock_server.fixture.dump import document_as_yaml
from mock_server.http_call import Unreachable
from mock_server.views import HealthView, ResetView

_POLL_SECONDS = 0.05
_TOO_LARGE = (
    "limit fixture_bytes; start the server with it in several files, or write what is "
    "alike once, with `repeat`"
)


@click.command()
@remote_command
def reset(client: AdminClient) -> None:
    """Reset a running server to its baseline."""
    show(client.ask(ResetView, "POST", "/reset"))


@click.command()
@click.argument("file", required=False)
@option("--yaml", "as_yaml", is_flag=True, help="Print YAML instead of JSON.")
@remote_command
def state(client: AdminClient, file: str | None, as_yaml: bool) -> None:
    """Print or replace the state of a server.

    With a FILE (`-` is stdin), or the name of a shipped fixture, that becomes the
    state, and what resets go back to.
    """
    if file is not None:
        # As `serve` tells them apart; what comes over stdin has no name, and is YAML.
        kind = JSON if file.endswith(".json") else YAML
        content = _content(file)
        try:
            show(client.ask(ResetView, "PUT", "/state", content, content_type=kind))
        except Refused as refusal:
            raise _refused(refusal, file) from None
    elif as_yaml:
        output.write(_yaml(client.state()).rstrip("\n"))
    else:
        show(client.state())


def _yaml(response: Response[StateView]) -> str:
    try:
        return yaml_text(document_as_yaml(response.plain()))
    except RecursionError:
        raise Unreachable("Expected a state, got one nested too deep") from None


def _content(file: str) -> bytes:
    """The bytes of a file or of stdin. Raises Stop."""
    try:
        if file == "-":
            return sys.stdin.buffer.read()
        return Path(file).read_bytes()
    except OSError as error:
        if file == "-":
            reason = f"cannot read stdin: {error.strerror}"
            raise output.Stop(one_line(reason), output.USAGE) from None
        # It may be the name of a shipped fixture; else this tells what is wrong.
        content: bytes = _documents().content_of(file)
        return content


def _documents() -> Any:
    """What reads fixtures: too much to be loaded by commands that need none."""
    return import_module("mock_server.cli.documents")


def _refused(refusal: Refused, file: str) -> Exception:
    """The refusal of a state, with the places in its own file, or what to do then."""
    text = refusal.status_text
    if text == ERRORS[BadFixture].plain.status_text and file != "-":
        _documents().check(file)  # raises Stop, unless the server knows less
    if text == ERRORS[BodyTooLarge].plain.status_text:
        return output.Stop(f"{refusal} ({_TOO_LARGE})", output.USAGE)
    return refusal


@click.command()
@remote_command
def wait(client: AdminClient) -> None:
    """Wait until a server is ready.

    Exit 4 if it is not ready in time.
    """
    timeout = client.timeout
    end = time.monotonic() + timeout
    while True:
        # At least one pause, so that --timeout 0 asks once instead of never.
        left = max(end - time.monotonic(), _POLL_SECONDS)
        try:
            show(replace(client, timeout=left).ask(HealthView, "GET", "/health"))
        except (Refused, Unreachable) as error:
            # A server that refuses is there; waiting longer would not help.
            if isinstance(error, Refused) and error.status < 500:
                raise
            if time.monotonic() >= end:
                raise output.Stop(
                    f"not ready in {timeout:g} s: {error}", output.TIMED_OUT
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return
