"""`mock-server fault`: the faults of a running server."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

import click
import msgspec
from msgspec import NODEFAULT

from mock_server.api.faults.table import KINDS, PRESETS, Kind
from mock_server.cli.complete import fault_fields, fault_names
from mock_server.cli.fault_names import mistake_of, mistake_of_preset
from mock_server.cli.fields import fields_of, text_fields
from mock_server.cli.group import Group
from mock_server.cli.remote import remote_command, show
from mock_server.cli.settings import option
from mock_server.client import AdminClient
from mock_server.views import FaultsView, FaultView


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
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
@click.argument("name", metavar="KIND|PRESET", shell_complete=fault_names)
@click.argument(
    "fields", metavar="[FIELD=VALUE]...", nargs=-1, shell_complete=fault_fields
)
@remote_command
def add(client: AdminClient, name: str, fields: Sequence[str]) -> None:
    """Add a fault of a KIND, or all faults of a PRESET.

    A VALUE is JSON, or else text. Every kind has the fields operation, match, skip,
    times, probability, seed, phase and ttl. It fires once unless times says more, and
    ends after 60 seconds unless ttl says otherwise, at most 600.

    Example: mock-server fault add error status=500 times=2
    """
    if mistake := mistake_of(name):
        raise click.UsageError(mistake)
    is_preset = name in PRESETS
    are_text = set() if is_preset else text_fields(KINDS[name].definition)
    given = fields_of(fields, are_text)
    # NAME says which it is; as a field it would override that below.
    if given.keys() & {"kind", "preset"}:
        raise click.BadParameter("Expected KIND or PRESET once, got another one")
    if mistake := mistake_of_preset(name, given):
        raise click.BadParameter(mistake)
    content = msgspec.json.encode({"preset" if is_preset else "kind": name} | given)
    answer = FaultsView if is_preset else FaultView
    show(client.ask(answer, "POST", "/faults", content))


@fault.command("list")
@remote_command
def list_faults(client: AdminClient) -> None:
    """Print the faults of a running server."""
    show(client.ask(FaultsView, "GET", "/faults"))


@fault.command()
@click.argument("number", metavar="ID")
@remote_command
def remove(client: AdminClient, number: str) -> None:
    """Remove one fault, by the ID that `fault add` and `fault list` show."""
    show(client.ask(FaultView, "DELETE", f"/faults/{quote(number, safe='')}"))


@fault.command()
@option("--preset", metavar="NAME", help="Only those of this preset.")
@remote_command
def clear(client: AdminClient, preset: str | None) -> None:
    """Remove all faults of a running server, or all of a preset."""
    query = "" if preset is None else f"?{urlencode({'preset': preset})}"
    show(client.ask(FaultsView, "DELETE", f"/faults{query}"))
