"""Defines `mock-server fault`, which adds, lists and removes faults of a server."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

import click
from msgspec import NODEFAULT

from mock_server.admin.views import FaultsView, FaultView
from mock_server.api.faults.fault import Fault
from mock_server.api.faults.presets import PRESETS
from mock_server.api.faults.table import KINDS
from mock_server.cli import values
from mock_server.cli.options import Group, option
from mock_server.cli.remote import remote_command, show
from mock_server.control.client import AdminClient
from mock_server.domain.faults.definition import kind_of


@click.group(cls=Group, patterns={"add": "|".join((*KINDS, *PRESETS))})
def fault() -> None:
    """Add, list and remove the faults of a running server."""


class AddCommand(click.Command):
    """A command whose help ends with all kinds and presets."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Called by click; raises UsageError for a field written as an option."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-")
            known = {
                each
                for kind in KINDS.values()
                for each in kind.__struct_encode_fields__
            }
            if name == "kind":
                message = "Expected a KIND or a PRESET first, got --kind"
                hint = "write mock-server fault add error status=503"
                raise click.UsageError(f"{message} ({hint})", ctx) from None
            if name not in known:
                raise
            message = f"Expected FIELD=VALUE, got {error.option_name}"
            hint = f"write {name}=VALUE without dashes"
            raise click.UsageError(f"{message} ({hint})", ctx) from None

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Called by click; adds all kinds and presets to the help."""
        del ctx
        kinds = [
            (_signature(kind), kind.sentence())
            for kind in KINDS.values()
            # Answers have commands of their own.
            if not kind.is_answer
        ]
        presets = [(name, preset.sentence) for name, preset in PRESETS.items()]
        for title, rows in (("Kinds", kinds), ("Presets", presets)):
            with formatter.section(title):
                formatter.write_dl(rows)


def _signature(kind: type[Fault]) -> str:
    fields = (
        name if default is NODEFAULT or default is None else f"{name}={default}"
        for name, default in kind.own_fields().items()
    )
    return " ".join((kind_of(kind), *fields))


@fault.command(cls=AddCommand)
@click.argument("name", metavar="KIND|PRESET")
@click.argument("fields", metavar="[FIELD=VALUE]...", nargs=-1)
@remote_command
def add(client: AdminClient, name: str, fields: Sequence[str]) -> None:
    """Add a fault of a KIND, or all faults of a PRESET.

    A VALUE is JSON, or else text. Every kind has the fields operation, match, skip,
    times, probability, seed, phase and ttl. A fault fires once unless times says more,
    and ends after 60 seconds unless ttl says otherwise, at most 600.

    Example: mock-server fault add error status=500 times=2
    """
    if mistake := values.name_mistake(name):
        raise click.UsageError(mistake)
    is_preset = name in PRESETS
    texts = set() if is_preset else values.text_fields(KINDS[name])
    known: tuple[str, ...] = ()
    if not is_preset:
        kind = KINDS[name]
        own_fields = (*kind.required_fields, *kind.own_fields())
        known = (*own_fields, *kind.__struct_encode_fields__)
    body = values.parse_fields(fields, texts, known)
    # These fields would override NAME below.
    if body.keys() & {"kind", "preset"}:
        raise click.BadParameter("Expected KIND or PRESET once, got another one")
    if mistake := values.preset_mistake(name, body):
        raise click.BadParameter(mistake)
    if is_preset:
        show(client.call(FaultsView, "POST", "/faults", {"preset": name} | body))
    else:
        show(client.call(FaultView, "POST", "/faults", {"kind": name} | body))


@fault.command("list")
@remote_command
def list_faults(client: AdminClient) -> None:
    """Print the faults of a running server."""
    show(client.call(FaultsView, "GET", "/faults"))


@fault.command()
@click.argument("number", metavar="ID")
@remote_command
def remove(client: AdminClient, number: str) -> None:
    """Remove one fault, by the ID that `fault add` and `fault list` show."""
    show(client.call(FaultView, "DELETE", f"/faults/{quote(number, safe='')}"))


@fault.command()
@option("--preset", metavar="NAME", help="Remove only the faults of this preset.")
@remote_command
def clear(client: AdminClient, preset: str | None) -> None:
    """Remove all faults of a running server, or all of a preset."""
    query = "" if preset is None else f"?{urlencode({'preset': preset})}"
    show(client.call(FaultsView, "DELETE", f"/faults{query}"))
