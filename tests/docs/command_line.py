"""The commands as click has them: arguments, options, environment variables."""

from __future__ import annotations

from collections.abc import Mapping

import click

from mock_server.cli.main import cli
from tests.docs.cells import code
from tests.docs.pages import ROOT, Table

Commands = Mapping[str, click.Command]
PROGRAM = "mock-server"
HELP = ROOT / "mock_server" / "cli" / "help.txt"
"""What is printed instead of asking click, which takes long to import."""
SETTINGS = ROOT / "mock_server" / "control" / "settings.txt"
"""The variables of all options, which a command does not load."""
REMOTE = "url"
"""The option that only commands for a running server have."""


def all_commands(group: click.Group, prefix: str = "") -> Commands:
    """Every command by its name, `fault add` too."""
    context = click.Context(group)
    found: dict[str, click.Command] = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        is_group = isinstance(command, click.Group)
        if isinstance(command, click.Group):
            found |= all_commands(command, f"{prefix}{name} ")
            is_group = not command.invoke_without_command
        if command is not None and not is_group:
            found[prefix + name] = command
    return found


def help_text() -> str:
    """The help of `mock-server` as click writes it in 80 columns: 2 stay free."""
    context = click.Context(
        cli, info_name=PROGRAM, terminal_width=78, **cli.context_settings
    )
    return cli.get_help(context) + "\n"


def usage(name: str, command: click.Command) -> str:
    """How a command is called, without its options."""
    # Of a group, what may follow are commands of their own.
    pieces = click.Command.collect_usage_pieces(command, click.Context(command))
    return " ".join([PROGRAM, name, *(each for each in pieces if each != "[OPTIONS]")])


def options_of(command: click.Command) -> list[click.Option]:
    """The options of a command."""
    return [each for each in command.params if isinstance(each, click.Option)]


def remote(commands: Commands) -> Commands:
    """The commands for a running server."""
    return {
        name: command
        for name, command in commands.items()
        if any(each.name == REMOTE for each in options_of(command))
    }


def shared_options(commands: Commands) -> list[click.Option]:
    """The options that all commands for a running server have."""
    found = [options_of(command) for command in remote(commands).values()]
    names = set.intersection(*({each.name for each in options} for options in found))
    return [each for each in found[0] if each.name in names]


def own_options(commands: Commands, name: str) -> list[click.Option]:
    """The options of a command, without those of all for a running server."""
    shared = {each.name for each in shared_options(commands)}
    known = shared if name in remote(commands) else set()
    return [each for each in options_of(commands[name]) if each.name not in known]


def options_table(options: list[click.Option]) -> Table:
    """Options with their variables and defaults, where any has one."""
    rows = [
        (
            _option(each),
            code(each.envvar) if each.envvar else "",
            _default(each),
            each.help,
        )
        for each in options
    ]
    heads = "option", "variable", "default", "meaning"
    shown = [n for n, column in enumerate(zip(*rows, strict=True)) if any(column)]
    return Table([heads[n] for n in shown], [[row[n] for n in shown] for row in rows])


def _option(option: click.Option) -> str:
    names = "/".join((*option.opts, *option.secondary_opts))
    if option.is_flag:
        return code(names)
    if isinstance(option.type, click.Choice):
        return code(f"{names} {'|'.join(option.type.choices)}")
    return code(f"{names} {option.metavar or option.type.name.upper().split()[0]}")


def _default(option: click.Parameter) -> str:
    value = option.default
    if isinstance(value, tuple):
        value = ", ".join(value)
    shown = isinstance(value, str | int | float) and not isinstance(value, bool)
    return code(f"{value:g}" if isinstance(value, float) else value) if shown else ""


def settings(commands: Commands) -> Mapping[str, list[tuple[str, str]]]:
    """The environment variables, each with the commands that it sets and defaults."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, command in commands.items():
        for each in command.params:
            if each.envvar is not None:
                found.setdefault(str(each.envvar), []).append((name, _default(each)))
    return dict(sorted(found.items()))


def settings_text(commands: Commands) -> str:
    """The environment variables, each in a line."""
    return "".join(f"{variable}\n" for variable in settings(commands))
