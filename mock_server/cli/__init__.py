"""The command line: `mock-server [serve]` and its sister commands, one file each."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from mock_server import __version__
from mock_server.cli.choices import choices
from mock_server.cli.control import journal, reset, state, wait
from mock_server.cli.exits import USAGE, Stop
from mock_server.cli.faults import fault
from mock_server.cli.fixtures import check, schema
from mock_server.cli.healthcheck import healthcheck
from mock_server.cli.openapi import openapi
from mock_server.cli.serve import serve


class ServeByDefault(click.Group):
    """A group whose command is `serve` when none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `serve` in front of arguments that name no command."""
        own = {*self.commands, *ctx.help_option_names, "--version"}
        named = bool(args) and args[0] in own
        return super().parse_args(ctx, args if named else ["serve", *args])


@click.group(
    cls=ServeByDefault,
    commands=[
        *(serve, check, schema, choices, openapi, healthcheck),
        *(reset, state, journal, fault, wait),
    ],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="mock-server")
def cli() -> None:
    """A stateful mock server for FastGPT's chat pin and dataset collection list.

    Without a command it serves.
    """


def main(args: Sequence[str] | None = None) -> None:
    """Run the command and exit; click's own errors are usage errors."""
    try:
        status = cli.main(args, prog_name="mock-server", standalone_mode=False)
    except Stop as stop:
        stop.show()
        sys.exit(stop.status)
    except click.ClickException as error:
        click.echo(f"{error.format_message()} (see mock-server --help)", err=True)
        sys.exit(USAGE)
    except click.Abort:
        sys.exit(USAGE)
    sys.exit(status)
