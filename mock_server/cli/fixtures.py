"""`mock-server check`, and fixtures for other commands."""

from __future__ import annotations

from collections.abc import Sequence

import click

from mock_server.cli.exits import BROKEN_FIXTURE, Stop
from mock_server.fixture.load import Fixture, load_fixture
from mock_server.fixture.problems import FixtureError


@click.command()
@click.argument("fixtures", nargs=-1, required=True, type=click.Path())
def check(fixtures: Sequence[str]) -> None:
    """Say whether FIXTURE files load together; exit 2 and say why if not."""
    counts = loaded(fixtures).counts()
    click.echo(
        "ok: " + ", ".join(f"{number} {name}" for name, number in counts.items())
    )


def loaded(fixtures: Sequence[str]) -> Fixture:
    """The fixture of these files. Raises Stop."""
    try:
        return load_fixture(*fixtures)
    except FixtureError as error:
        raise Stop(str(error), BROKEN_FIXTURE) from None
