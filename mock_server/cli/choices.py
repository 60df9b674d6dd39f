"""Defines `mock-server choices`, which lists, shows or sets choices."""

import click
import msgspec

from mock_server.admin.views import ChoicesView
from mock_server.cli.options import Group, option, parse_choices
from mock_server.cli.output import echo, write
from mock_server.cli.remote import remote_command, show
from mock_server.control.client import AdminClient, Response
from mock_server.domain.choices.profiles import PROFILES
from mock_server.domain.choices.table import table
from mock_server.domain.printable import json_text


@click.group(cls=Group, patterns={"set": ".+="}, invoke_without_command=True)
@option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def choices(ctx: click.Context, as_json: bool) -> None:
    """Print all choices, or show and set those in force.

    Without a COMMAND, lists all choices with their values, and the value in either
    profile.
    """
    if ctx.invoked_subcommand is not None:
        if as_json:
            form = f"choices {ctx.invoked_subcommand} --json"
            raise click.UsageError(f"Expected --json behind the command: {form}", ctx)
        return
    rows = list(table().values())
    if as_json:
        write(json_text(msgspec.json.format(msgspec.json.encode(rows)).decode()))
        return
    for row in rows:
        echo(f"{row.name} = {row.values_text()}   (spec {row.section})")
        echo(f"    {row.sentence}")
        echo(
            "    "
            + "   ".join(f"{name}: {value}" for name, value in row.profiles.items())
        )


@choices.command("show")
@option("--json", "as_json", is_flag=True, help="Print JSON.")
@remote_command
def show_choices(client: AdminClient, as_json: bool) -> None:
    """Print the profile of a running server and the choices in force."""
    _show(client.call(ChoicesView, "GET", "/choices"), as_json=as_json)


@choices.command("set")
@click.argument("values", metavar="[NAME=VALUE]...", nargs=-1, callback=parse_choices)
@option(
    "--profile",
    type=click.Choice(PROFILES),
    help="Profile to set first; other choices take its values.",
)
@option("--json", "as_json", is_flag=True, help="Print JSON.")
@remote_command
def set_choices(
    client: AdminClient, values: dict[str, str], profile: str | None, as_json: bool
) -> None:
    """Set choices of a running server until its next reset.

    Without --profile, choices that are not named stay as they are.
    """
    if not values and profile is None:
        raise click.UsageError("Expected NAME=VALUE or --profile, got neither")
    body: dict[str, object] = {"profile": profile, "choices": values}
    if profile is None:
        current = client.call(ChoicesView, "GET", "/choices").value
        body = {"profile": current.profile, "choices": {**current.choices, **values}}
    _show(client.call(ChoicesView, "PUT", "/choices", body), as_json=as_json)


def _show(response: Response[ChoicesView], *, as_json: bool) -> None:
    if as_json:
        show(response)
        return
    view = response.value
    echo(f"profile {view.profile}")
    echo("\n".join(_line(view, name) for name in view.choices))


def _line(view: ChoicesView, name: str) -> str:
    """Return the text of a choice, with the profile's value if that differs."""
    value, profile = view.choices[name], view.profile
    # The server may be of another version, with other choices and profiles.
    row = table().get(name)
    default = row.profiles[profile] if row and profile in PROFILES else value
    return f"{name}={value}{f'   ({profile}: {default})' if default != value else ''}"
