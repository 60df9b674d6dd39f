"""The group of all commands, which serves where none is named."""

import os
from collections.abc import Collection
from pathlib import Path

import click

from mock_server import __version__
from mock_server.cli.options import (
    FIXTURE,
    PREFIX,
    PULL_KEY,
    SETTINGS,
    VERIFY_KEY,
    WITHOUT_VARIABLES,
)
from mock_server.cli.terminal import fail, say
from mock_server.errors import did_you_mean


class Commands(click.Group):
    """A group of commands; without the name of one, `serve`, whose options its help shows."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        first = args[0] if args else ""
        if first not in (*self.commands, "--help", "-h", "--version"):
            check_first(first, self.commands)
            args = ["serve", *args]
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        serving = self.commands["serve"]
        with click.Context(serving, parent=ctx, **SETTINGS) as serving_context:
            records = [it.get_help_record(serving_context) for it in options_of(serving)]
        with formatter.section("Options of serve"):
            formatter.write_dl([*filter(None, records)])
        super().format_options(ctx, formatter)


def options_of(command: click.Command) -> list[click.Option]:
    return [it for it in command.params if isinstance(it, click.Option)]


def check_first(word: str, commands: Collection[str]) -> None:
    """Refuse a word that is no file, and nearly the name of a command."""
    near = did_you_mean(word, commands)
    if near and word.isalpha() and not Path(word).exists():
        fail(f"Expected a command or a fixture, got {word!r}{near}")


@click.group(cls=Commands, context_settings=WITHOUT_VARIABLES)
@click.version_option(__version__, prog_name="mock-server")
def cli() -> None:
    """A stateful mock server of FastGPT, for tests of the programs that call it.

    `mock-server [FIXTURE]...` is short for `mock-server serve [FIXTURE]...`.

    \b
    Serve the demo account on http://127.0.0.1:8000:
      mock-server
    Serve your data as FastGPT 4.16 would, and load it again when it changes:
      mock-server fixture.yaml --profile deployed --watch
    """


def warn_of_unknown_variables() -> None:
    """Name variables that look like ours and are none, with the one that is probably meant."""
    known = [FIXTURE, PULL_KEY, VERIFY_KEY]
    for command in cli.commands.values():
        if command.context_settings.get("auto_envvar_prefix"):
            known += [f"{PREFIX}{it.name}".upper() for it in options_of(command)]
    # What all have in common tells nothing of what is meant.
    words = [it.removeprefix(PREFIX) for it in known]
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known:
            near = did_you_mean(name.removeprefix(PREFIX), words).replace("'", f"'{PREFIX}", 1)
            say(f"warning: unknown variable {name}{near}")
