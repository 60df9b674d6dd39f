"""`mock-server sandbox`: create, list, show and delete sandboxes."""

from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

import click
from click.core import ParameterSource

from mock_server.admin.views import SandboxesView, SandboxView
from mock_server.cli.options import Group, Parsed, option, pairs
from mock_server.cli.remote import remote_command, show
from mock_server.cli.reports import document_of
from mock_server.cli.state import seconds_of
from mock_server.control.client import AdminClient
from mock_server.domain.choices.profiles import PROFILES
from mock_server.domain.limits import DEFAULT_LIMITS


def _seconds(text: str) -> float:
    """Return a number, which the server checks, or the seconds of `30m`."""
    try:
        return float(text)
    except ValueError:
        return seconds_of(text)


@click.group(cls=Group)
def sandbox() -> None:
    """Create, list, show and delete sandboxes of a running server."""


@sandbox.command()
@option("--name", help="Name of the sandbox; random by default.")
@option(
    "--ttl",
    type=Parsed(_seconds),
    metavar="SECONDS",
    help="Seconds without use until it expires (or 30m, 1h); "
    f"{DEFAULT_LIMITS.sandbox_ttl:g} by default.",
)
@option(
    "--profile", type=click.Choice(PROFILES), help="Profile other than the server's."
)
@option(
    "--choice",
    "choices",
    multiple=True,
    metavar="NAME=VALUE",
    callback=pairs,
    help="Choice other than the profile's; repeatable.",
)
@option(
    "--state",
    metavar="FIXTURE",
    type=click.Path(),
    help="Fixture to start from, in place of the server's own.",
)
@remote_command
def create(client: AdminClient, **given: Any) -> None:
    """Create a sandbox and print it, with the API key of its requests."""
    asked = {name: value for name, value in given.items() if value}
    # 0 is sent, as the server refuses it.
    if given["ttl"] is not None:
        asked["ttl"] = given["ttl"]
    if given["state"] is not None:
        asked["state"] = document_of(given["state"])
    show(_all_of(client).ask(SandboxView, "POST", "/sandboxes", asked))


@sandbox.command("list")
@remote_command
def list_sandboxes(client: AdminClient) -> None:
    """Print all sandboxes."""
    show(_all_of(client).ask(SandboxesView, "GET", "/sandboxes"))


@sandbox.command("show")
@click.argument("name", required=False)
@partial(remote_command, sandbox="Sandbox to show, if NAME is not given.")
def show_sandbox(client: AdminClient, name: str | None) -> None:
    """Print a sandbox with its API keys, by NAME or --sandbox."""
    show(_one(client, "GET", name))


@sandbox.command()
@click.argument("name", required=False)
@partial(remote_command, sandbox="Sandbox to delete, if NAME is not given.")
def delete(client: AdminClient, name: str | None) -> None:
    """Delete a sandbox and its API keys, by NAME or --sandbox."""
    show(_one(client, "DELETE", name))


def _one(client: AdminClient, method: str, name: str | None) -> Any:
    wanted = name or client.sandbox
    if not wanted:
        raise click.UsageError("Expected the NAME of a sandbox, got none")
    path = f"/sandboxes/{quote(wanted, safe='')}"
    return replace(client, sandbox=None).ask(SandboxView, method, path)


def _all_of(client: AdminClient) -> AdminClient:
    source = click.get_current_context().get_parameter_source("sandbox")
    # The variable is also meant for other commands.
    if source == ParameterSource.COMMANDLINE:
        raise click.UsageError("Expected no --sandbox: this concerns all sandboxes")
    return replace(client, sandbox=None)
