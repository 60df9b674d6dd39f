"""`mock-server openapi`: the OpenAPI documents."""

from __future__ import annotations

import asyncio

import click
import msgspec

from mock_server.api.examples import Example, ask
from mock_server.app import ADMIN, DESCRIPTION, create_app
from mock_server.cli.exits import write


@click.command()
@click.option("--admin", is_flag=True, help="Of the admin API.")
def openapi(admin: bool) -> None:
    """Print the OpenAPI document of the operations, as a server serves it."""
    path = ADMIN + DESCRIPTION if admin else DESCRIPTION
    _, document = asyncio.run(ask(create_app(), Example("GET", path)))
    write(msgspec.json.format(document).decode())
