"""`mock-server choices`: what the spec leaves open."""

from __future__ import annotations

import click
import msgspec

from mock_server.cli.exits import say, write
from mock_server.domain.choices import table


@click.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def choices(as_json: bool) -> None:
    """Show what the spec leaves open and what each profile makes of it."""
    if as_json:
        rows = msgspec.json.format(msgspec.json.encode(list(table().values())))
        write(rows.decode())
        return
    for row in table().values():
        say(f"{row.name} = {row.values_text()}   (spec {row.section})")
        say(f"    {row.sentence}")
        say(f"    documented: {row.documented}   deployed: {row.deployed}")
