"""What was meant by a word that is no command."""

import os
from collections.abc import Collection, Iterator, Sequence

import click

from mock_server.cli import SHIPPED
from mock_server.domain.errors import did_you_mean


def first_word(args: Sequence[str], serve: click.Command) -> str:
    """The first argument that is no option of `serve`, nor the value of one.

    Empty if there is none, and where `serve` has another mistake to tell.
    """
    ctx = click.Context(serve, help_option_names=["-h", "--help"])
    try:
        given, _, _ = serve.make_parser(ctx).parse_args(list(args))
    except click.UsageError:
        return ""
    words = given["fixtures"]
    asks_help = any(name in args for name in ctx.help_option_names)
    return words[0] if isinstance(words, tuple) and words and not asks_help else ""


def command_of(args: Sequence[str], group: click.Group, ctx: click.Context) -> str:
    """The command among arguments of which the first is an option of that command.

    Empty if there is none.
    """
    name = args[0].partition("=")[0]
    for word in args[1:]:
        command = group.get_command(ctx, word)
        if command is not None and name in set(_options(command)):
            return word
    return ""


def _options(command: click.Command) -> Iterator[str]:
    """The names of all options of a command, and of those below it."""
    for param in command.params:
        yield from param.opts
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from _options(each)


def check_word(word: str, commands: Collection[str], ctx: click.Context) -> None:
    """Raises UsageError for a first word that can be neither command nor fixture.

    What has a suffix or a folder is the name of a file, there or not; an option or an
    empty text is for the command to judge.
    """
    is_path = os.path.basename(word) != word or os.path.splitext(word)[1]
    if not word or word.startswith("-") or is_path:
        return
    if word in SHIPPED or os.path.exists(word):
        return
    if word in commands:
        expected = f"Expected the command {word} in front of all options"
        raise click.UsageError(f"{expected}, got it behind some", ctx)
    hint = did_you_mean(word, (*commands, *SHIPPED))
    raise click.UsageError(f"no command {word!r}{hint}, and no such file", ctx)
