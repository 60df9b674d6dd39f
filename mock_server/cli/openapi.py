"""`mock-server openapi`: the OpenAPI documents."""

from __future__ import annotations

import click

from mock_server.api.description import document
from mock_server.cli.exits import write


@click.command()
@click.option("--admin", is_flag=True, help="Of the admin API.")
def openapi(admin: bool) -> None:
    """Print the OpenAPI document of the operations, as a server serves it."""
    write(document("admin" if admin else "public").decode().rstrip("\n"))
