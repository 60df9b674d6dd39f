"""`mock-server snapshot`: states of a running server to come back to."""

from urllib.parse import quote

import click

from mock_server.cli.group import Group
from mock_server.cli.remote import remote_command, show
from mock_server.client import AdminClient
from mock_server.views import ResetView, View


class SnapshotView(View):
    """A snapshot, as far as commands look at it."""

    name: str
    generation: int


class SnapshotsView(View):
    """All snapshots."""

    snapshots: list[SnapshotView]


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def snapshot() -> None:
    """Take, restore, list and delete snapshots of a running server."""


@snapshot.command()
@click.argument("name")
@remote_command
def take(client: AdminClient, name: str) -> None:
    """Take a snapshot of store, clock and choices."""
    show(client.ask(SnapshotView, "PUT", _path(name)))


@snapshot.command()
@click.argument("name")
@remote_command
def restore(client: AdminClient, name: str) -> None:
    """Go back to a snapshot."""
    show(client.ask(ResetView, "POST", f"{_path(name)}/restore"))


@snapshot.command("list")
@remote_command
def list_snapshots(client: AdminClient) -> None:
    """Print the snapshots, the oldest first."""
    show(client.ask(SnapshotsView, "GET", "/snapshots"))


@snapshot.command()
@click.argument("name")
@remote_command
def delete(client: AdminClient, name: str) -> None:
    """Delete a snapshot."""
    show(client.ask(SnapshotView, "DELETE", _path(name)))


def _path(name: str) -> str:
    return f"/snapshots/{quote(name, safe='')}"
