"""The command line: `mock-server [serve]` and its sister commands, one file each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

import click

from mock_server import __version__
from mock_server.cli.exits import USAGE, Stop, open_standard_streams, tell

_HOMES = {
    "serve": "serve",
    "check": "fixtures",
    "schema": "fixtures",
    "choices": "choices",
    "openapi": "openapi",
    "healthcheck": "healthcheck",
    "reset": "control",
    "state": "control",
    "journal": "control",
    "wait": "control",
    "fault": "faults",
}


class Commands(click.Group):
    """A group whose command is `serve` when none is named.

    A command's module is imported when it is asked for: a health check, which runs
    every second, need not load a server.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `serve` in front of arguments that name no command."""
        own = {*_HOMES, *ctx.help_option_names, "--version"}
        named = bool(args) and args[0] in own
        return super().parse_args(ctx, args if named else ["serve", *args])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Called by click."""
        del ctx
        return sorted(_HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Called by click."""
        if cmd_name not in _HOMES:
            return None
        if cmd_name != "serve" and ctx.obj is not None:
            ctx.obj()
        home = import_module(f"{__name__}.{_HOMES[cmd_name]}")
        command: click.Command = getattr(home, cmd_name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mock-server")
def cli() -> None:
    """A stateful mock server for FastGPT's chat pin and dataset collection list.

    Without a command it serves.
    """


def main(
    args: Sequence[str] | None = None,
    *,
    unless_serving: Callable[[], object] | None = None,
) -> None:
    """Run the command and exit; click's own errors are usage errors.

    `unless_serving` is called before any command but `serve`.
    """
    open_standard_streams()
    try:
        status = cli.main(
            args, "mock-server", standalone_mode=False, obj=unless_serving
        )
    except Stop as stop:
        stop.show()
        sys.exit(stop.status)
    except click.ClickException as error:
        tell(f"{error.format_message()} (see mock-server --help)")
        sys.exit(USAGE)
    except click.Abort:
        sys.exit(USAGE)
    sys.exit(status)
