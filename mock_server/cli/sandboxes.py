"""Defines `mock-server sandbox`, which creates, lists, shows and deletes sandboxes."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any
from urllib.parse import quote

import click
from click.core import ParameterSource

from mock_server.admin.views import SandboxesView, SandboxView
from mock_server.cli.options import Group, ParsedText, option, parse_choices
from mock_server.cli.remote import remote_command, show
from mock_server.cli.reports import document_of
from mock_server.cli.state import seconds_of
from mock_server.control.client import AdminClient
from mock_server.domain.choices.profiles import PROFILES
from mock_server.domain.limits import DEFAULT_LIMITS


def _seconds(text: str) -> float:
    """Return a number, which the server checks, or the seconds of a text like 30m."""
    with suppress(ValueError):
        if isfinite(seconds := float(text)):
            return seconds
    return seconds_of(text)


@click.group(cls=Group)
def sandbox() -> None:
    """Create, list, show and delete sandboxes of a running server."""


@sandbox.command()
@option("--name", help="Name of the sandbox; random by default.")
@option(
    "--ttl",
    type=ParsedText(_seconds),
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
    callback=parse_choices,
    help="Choice other than the profile's; repeatable.",
)
@option(
    "--state",
    metavar="FIXTURE",
    type=click.Path(),
    help="Fixture to start from, in place of the server's own.",
)
@remote_command
def create(client: AdminClient, **options: Any) -> None:
    """Create a sandbox and print it, with the API key of its requests."""
    body = {name: value for name, value in options.items() if value}
    # 0 is sent too, so that the server refuses it.
    if options["ttl"] is not None:
        body["ttl"] = options["ttl"]
    if options["state"] is not None:
        body["state"] = document_of(options["state"])
    show(_without_sandbox(client).call(SandboxView, "POST", "/sandboxes", body))


@sandbox.command("list")
@remote_command
def list_sandboxes(client: AdminClient) -> None:
    """Print all sandboxes."""
    show(_without_sandbox(client).call(SandboxesView, "GET", "/sandboxes"))


@sandbox.command("show")
@click.argument("name", required=False)
@partial(remote_command, sandbox="Sandbox to show, if NAME is not given.")
def show_sandbox(client: AdminClient, name: str | None) -> None:
    """Print a sandbox with its API keys, by NAME or --sandbox."""
    show(_ask_about(client, "GET", name))


@sandbox.command()
@click.argument("name", required=False)
@partial(remote_command, sandbox="Sandbox to delete, if NAME is not given.")
def delete(client: AdminClient, name: str | None) -> None:
    """Delete a sandbox and its API keys, by NAME or --sandbox."""
    show(_ask_about(client, "DELETE", name))


def _ask_about(client: AdminClient, method: str, name: str | None) -> Any:
    name = name or client.sandbox
    if not name:
        raise click.UsageError("Expected the NAME of a sandbox, got none")
    path = f"/sandboxes/{quote(name, safe='')}"
    return replace(client, sandbox=None).call(SandboxView, method, path)


def _without_sandbox(client: AdminClient) -> AdminClient:
    source = click.get_current_context().get_parameter_source("sandbox")
    # The variable is ignored, because it may be set for other commands.
    if source == ParameterSource.COMMANDLINE:
        raise click.UsageError("Expected no --sandbox: this concerns all sandboxes")
    return replace(client, sandbox=None)
