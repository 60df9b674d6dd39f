"""The command line: `mock-server [serve]` and the other commands."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, Any

import click

from mock_server import __version__
from mock_server.cli.output import USAGE, Stop, open_standard_streams, piped, tell
from mock_server.cli.sentences import SENTENCES

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem
from mock_server.cli.settings import check_names, is_strict

_MODULES = {
    "serve": "serve",
    "init": "init",
    "generate": "generate",
    "check": "show",
    "schema": "show",
    "openapi": "show",
    "choices": "choices",
    "healthcheck": "healthcheck",
    "wait": "control",
    "reset": "control",
    "state": "control",
    "journal": "journal",
    "fault": "faults",
    "snapshot": "snapshots",
    "clock": "clock",
    "sandbox": "sandboxes",
    "why": "why",
    "import": "imports",
    "pull": "pull",
    "verify": "verify",
    "record": "record",
}
SHIPPED = ("demo", "empty", "paging", "permissions")
"""The shipped fixtures, by the names that stand for them."""
_COMPLETION = "_MOCK_SERVER_COMPLETE"
"""The variable by which a shell asks click for completions."""


def _module(name: str) -> Any:
    return import_module(f"{__name__}.{name}")


class Commands(click.Group):
    """A group whose command is `serve` when none is named.

    The module of a command is imported when the command is used: a health check, which
    may run every second, takes a third of the time that loading a server does.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `serve` in front of arguments that name no command."""
        # So a fixture file named like a command needs `serve` in front of it.
        own = {*_MODULES, *ctx.help_option_names, "--version"}
        # A shell that completes the first word wants commands too.
        if args[0] in own if args else ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        if args and not ctx.resilient_parsing:
            mistakes, word = _module("mistakes"), args[0]
            if word.startswith("-"):
                word = mistakes.first_word(args, _module("serve").serve)
                word = word or mistakes.command_of(args, self, ctx)
            mistakes.check_word(word, _MODULES, ctx)
        return super().parse_args(ctx, ["serve", *args])

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Called by click; reads the arguments."""
        with piped():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Called by click; runs the command."""
        with piped():
            return super().invoke(ctx)

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> "list[CompletionItem]":
        """Called by click; commands, and what can follow `serve`."""
        own = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            return [*own, *_module("serve").serve.shell_complete(ctx, incomplete)]
        files = _module("complete").fixtures(ctx, None, incomplete)
        # Any file only where nothing else begins so.
        return own + [each for each in files if each.type == "plain" or not own]

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Called by click; tells the options of `serve` beside its own."""
        click.Command.format_options(self, ctx, formatter)
        serve = _module("serve").serve
        params = [each for each in serve.params if isinstance(each, click.Option)]
        with formatter.section("Options of serve"):
            records = (each.get_help_record(ctx) for each in params)
            formatter.write_dl([each for each in records if each])
        self.format_commands(ctx, formatter)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Called by click; each command with a whole sentence."""
        del ctx
        rows = [(name, SENTENCES[name]) for name in _MODULES]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

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
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: click.Command = getattr(_module(_MODULES[cmd_name]), name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mock-server")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """A stateful mock server for FastGPT's chat pin and dataset collection list.

    Without a COMMAND it serves, with the arguments of `serve`: fixture files, and the
    options below. `mock-server COMMAND --help` tells of a command.
    """
    # `serve` does it itself, as it has an option for it.
    if ctx.invoked_subcommand != "serve":
        check_names(is_strict())


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
    if _COMPLETION in os.environ:
        _module("complete").install()
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
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "mock-server"
        tell(f"{error.format_message()} (see {command} --help)")
        sys.exit(USAGE)
    # What click makes of Ctrl-C.
    except click.Abort:
        sys.exit(USAGE)
    sys.exit(status)
