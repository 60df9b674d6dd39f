"""Commands to a running server: `reset`, `state`, `journal`, `fault` and `wait`."""

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import NODEFAULT

from mock_server import client as remote
from mock_server.api.errors import ERRORS, BadFixture
from mock_server.api.faults.table import KINDS, PRESETS, Kind
from mock_server.api.operations.table import OPERATIONS
from mock_server.cli import output
from mock_server.cli.settings import setting, timeout_setting
from mock_server.domain.errors import InvalidField
from mock_server.domain.printable import json_text, one_line, yaml_text
from mock_server.fixture.dump import document_as_yaml
from mock_server.http_call import Unreachable
from mock_server.views import FaultsView, FaultView, HealthView, ResetView

_POLL_SECONDS = 0.05


def remote_command(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command an AdminClient as its first argument, and options to make it."""

    @setting("url", default="http://127.0.0.1:8000", help="Address of the server.")
    @setting("sandbox", metavar="NAME", help="Sandbox to use instead of the default.")
    @setting("admin-token", metavar="TOKEN", help="Bearer token of the admin routes.")
    @timeout_setting(remote.SECONDS)
    # click takes the name and the help of a command from its function.
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
            client = remote.AdminClient(url, sandbox, admin_token, timeout, output.tell)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None
        try:
            command(client, **others)
        except Unreachable as error:
            raise output.Stop(str(error), output.UNREACHABLE) from None
        except remote.Refused as error:
            raise output.Stop(str(error), _status(error)) from None

    return wrapped


def _status(error: remote.Refused) -> int:
    """The exit code of a refused command."""
    if error.status >= 500:
        # The server cannot just now; the command may be right.
        return output.UNREACHABLE
    broken = error.status_text == ERRORS[BadFixture].plain.status_text
    return output.BROKEN_FIXTURE if broken else output.USAGE


def show(response: remote.Response[Any]) -> None:
    """Print the JSON of a response as it came, its strings made printable."""
    output.write(json_text(response.text).rstrip("\n"))


@click.command()
@remote_command
def reset(client: remote.AdminClient) -> None:
    """Reset a running server to its baseline."""
    show(client.ask(ResetView, "POST", "/reset"))


@click.command()
@click.argument("file", required=False)
@click.option("--yaml", "as_yaml", is_flag=True, help="Print YAML instead of JSON.")
@remote_command
def state(client: remote.AdminClient, file: str | None, as_yaml: bool) -> None:
    """Print or replace the state of a server.

    With a FILE (`-` is stdin), that becomes the state, and what resets go back to.
    """
    if file is not None:
        # As `serve` tells them apart; what comes over stdin has no name, and is YAML.
        kind = remote.JSON if file.endswith(".json") else remote.YAML
        content = _content(file)
        show(client.ask(ResetView, "PUT", "/state", content, content_type=kind))
    elif as_yaml:
        output.write(_yaml(client.state()).rstrip("\n"))
    else:
        show(client.state())


def _yaml(response: remote.Response[remote.StateView]) -> str:
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
        raise output.Stop(
            one_line(f"cannot read {file}: {error.strerror}"), output.USAGE
        ) from None


class OperationName(click.types.StringParamType):
    """The name of an operation of the table."""

    name = "name"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Called by click; the name, if there is such an operation."""
        try:
            OPERATIONS.check_name(str(value), "--operation")
        except InvalidField as refusal:
            self.fail(refusal.message, param, ctx)
        return str(value)


@click.command()
@click.option(
    "--operation",
    type=OperationName(),
    help="Only requests of this operation, such as listV2.",
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
    # Not False, which would be --no-violations: left out, all requests are meant.
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
    client: remote.AdminClient,
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
    if "violations" in criteria:
        # A query parameter, which spells booleans as JSON does.
        criteria["violations"] = str(criteria["violations"]).lower()
    output.write(json_text(client.journal(criteria)))


def _verify(client: remote.AdminClient, asked: dict[str, Any]) -> None:
    try:
        if "body" in asked:
            asked["body"] = msgspec.json.decode(asked["body"])
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise click.BadParameter("Expected a JSON object as --body") from None
    response = client.verify(asked)
    show(response)
    if not response.value.ok:
        raise output.Stop("", output.USAGE)


@click.command()
@remote_command
def wait(client: remote.AdminClient) -> None:
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
        except (remote.Refused, Unreachable) as error:
            # A server that refuses is there; waiting longer would not help.
            if isinstance(error, remote.Refused) and error.status < 500:
                raise
            if time.monotonic() >= end:
                raise output.Stop(
                    f"not ready in {timeout:g} s: {error}", output.TIMED_OUT
                ) from None
            time.sleep(_POLL_SECONDS)
        else:
            return


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def fault() -> None:
    """Add, list and remove the faults of a running server."""


class Add(click.Command):
    """A command whose help ends with all kinds and presets."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Called by click."""
        del ctx
        kinds = [(_signature(kind), kind.sentence) for kind in KINDS.values()]
        presets = [(name, preset.sentence) for name, preset in PRESETS.items()]
        for title, rows in (("Kinds", kinds), ("Presets", presets)):
            with formatter.section(title):
                formatter.write_dl(rows)


def _signature(kind: Kind) -> str:
    fields = (
        name if default is NODEFAULT or default is None else f"{name}={default}"
        for name, default in kind.fields.items()
    )
    return " ".join((kind.name, *fields))


@fault.command(cls=Add)
@click.argument("name", metavar="KIND|PRESET")
@click.argument("fields", metavar="[FIELD=VALUE]...", nargs=-1)
@remote_command
def add(client: remote.AdminClient, name: str, fields: Sequence[str]) -> None:
    """Add a fault of a KIND, or all faults of a PRESET.

    A VALUE is JSON, or else text. Every kind has the fields operation, match, skip,
    times, probability, seed, phase and ttl.

    Example: mock-server fault add error status=500 times=2
    """
    given = dict(map(_field, fields))
    # NAME says which it is; as a field it would override that below.
    if given.keys() & {"kind", "preset"}:
        raise click.BadParameter("Expected KIND or PRESET once, got another one")
    is_preset = name in PRESETS
    content = msgspec.json.encode({"preset" if is_preset else "kind": name} | given)
    answer = FaultsView if is_preset else FaultView
    show(client.ask(answer, "POST", "/faults", content))


def _field(text: str) -> tuple[str, Any]:
    """The name and the value of `FIELD=VALUE`."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"Expected FIELD=VALUE, got {text!r}")
    try:
        return name, msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError):
        return name, value  # so that text needs no quotes within those of the shell


@fault.command("list")
@remote_command
def list_faults(client: remote.AdminClient) -> None:
    """Print the faults of a running server."""
    show(client.ask(FaultsView, "GET", "/faults"))


@fault.command()
@remote_command
def clear(client: remote.AdminClient) -> None:
    """Remove all faults of a running server."""
    show(client.ask(FaultsView, "DELETE", "/faults"))
