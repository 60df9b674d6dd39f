"""The command `mock-server`."""

from collections.abc import Sequence
from typing import NoReturn

import click

from mock_server.cli import offline, outside
from mock_server.cli.group import cli
from mock_server.cli.serving import serve_command, wait_command

cli.add_command(serve_command)
cli.add_command(offline.check_command)
cli.add_command(offline.init_command)
cli.add_command(offline.schema_command)
cli.add_command(offline.choices_command)
cli.add_command(offline.openapi_command)
cli.add_command(wait_command)
cli.add_command(outside.verify_command)
cli.add_command(outside.pull_command)
cli.add_command(outside.import_group)


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run the command with these arguments, by default those of the process."""
    click.UsageError.exit_code = 1  # its own is 2, which here is a broken fixture
    cli(args, prog_name="mock-server")
    raise SystemExit
