"""The command line: `mock-server [serve]` and the other commands."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

import click

from mock_server import __version__
from mock_server.cli.output import USAGE, Stop, open_standard_streams, tell

_MODULES = {
    "serve": "serve",
    "check": "show",
    "schema": "show",
    "choices": "show",
    "openapi": "show",
    "healthcheck": "healthcheck",
    "reset": "control",
    "state": "control",
    "journal": "control",
    "wait": "control",
    "fault": "control",
}


class Commands(click.Group):
    """A group whose command is `serve` when none is named.

    The module of a command is imported when the command is used: a health check, which
    may run every second, takes a third of the time that loading a server does.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `serve` in front of arguments that name no command."""
        # So a fixture file named like a command needs `serve` in front of it.
        own = {*_MODULES, *ctx.help_option_names, "--version"}
        is_own = bool(args) and args[0] in own
        return super().parse_args(ctx, args if is_own else ["serve", *args])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Called by click."""
        del ctx
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Called by click; `ctx.obj` is the `unless_serving` of `main`."""
        if cmd_name not in _MODULES:
            return None
        # Before the import, which takes most of the time in which a signal may come.
        if cmd_name != "serve" and ctx.obj is not None:
            ctx.obj()
        module = import_module(f"{__name__}.{_MODULES[cmd_name]}")
        command: click.Command = getattr(module, cmd_name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mock-server")
def cli() -> None:
    """A stateful mock server for FastGPT's chat pin and dataset collection list.

    Without a COMMAND it serves, with the arguments of `serve`.
    """


def main(
    args: Sequence[str] | None = None,
    *,
    unless_serving: Callable[[], object] | None = None,
) -> None:
    """Run a command and exit; all errors that click finds itself exit with USAGE.

    `args` are those of the process by default. `unless_serving` is called before any
    command but `serve`.
    """
    open_standard_streams()
    try:
        # Left to itself, click exits with 2 for wrong usage, which here means a broken
        # fixture. The status is None after a command, and 0 after --help.
        status = cli.main(
            args, "mock-server", standalone_mode=False, obj=unless_serving
        )
    except Stop as stop:
        stop.show()
        sys.exit(stop.status)
    # After Stop, which is one of these but has a status and a wording of its own.
    except click.ClickException as error:
        tell(f"{error.format_message()} (see mock-server --help)")
        sys.exit(USAGE)
    # What click makes of Ctrl-C.
    except click.Abort:
        sys.exit(USAGE)
    sys.exit(status)
