"""`mock-server fault`: add, list and remove the faults of a running server."""

from collections.abc import Sequence
from typing import Any

import click
import msgspec
from msgspec import NODEFAULT

from mock_server.api.faults.table import KINDS, PRESETS, Kind
from mock_server.cli.control import remote_command, show
from mock_server.client import AdminClient
from mock_server.views import FaultsView, FaultView


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
def add(client: AdminClient, name: str, fields: Sequence[str]) -> None:
    """Add a fault of a KIND, or all faults of a PRESET.

    A VALUE is JSON, or else text. Every kind has the fields operation, match, skip,
    times, probability, seed, phase and ttl.

    Example: mock-server fault add error status=500 times=2
    """
    given = dict(map(_field, fields))
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
def list_faults(client: AdminClient) -> None:
    """Print the faults of a running server."""
    show(client.ask(FaultsView, "GET", "/faults"))


@fault.command()
@remote_command
def clear(client: AdminClient) -> None:
    """Remove all faults of a running server."""
    show(client.ask(FaultsView, "DELETE", "/faults"))
