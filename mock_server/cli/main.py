"""The command line: `mock-server [serve]` and the other commands."""

import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from types import ModuleType
from typing import Any

import click

from mock_server import __version__
from mock_server.cli import output
from mock_server.cli.options import FORWARD, check_names, flag, name_of
from mock_server.control.environment import variable
from mock_server.domain.printable import lines

FIRST = ("serve", "init", "check", "fault", "journal", "reset")
COMMANDS = (
    *FIRST,
    "choices",
    "why",
    "state",
    "snapshot",
    "clock",
    "sandbox",
    "answer",
    "reply",
    "wait",
    "healthcheck",
    "pull",
    "import",
    "verify",
    "schema",
    "openapi",
)
"""The commands, in the order of the help text."""
_OF_FILES = {f"--{each}" for each in ("fixture", "fixtures", "root-dir", "config")}
_OF_FILES |= {f"--{each}" for each in ("file", "data", "dir", "db", "mappings")}
_OF_FILES.add("-f")
"""Options by which other programs take the files to serve."""
_FIXTURES = "Expected fixtures without an option, such as mock-server serve"


def imported(name: str) -> click.Command:
    """Import and return one command; the others are not imported."""
    module: ModuleType
    match name:
        case "serve":
            from mock_server.cli import serve as module
        case "init" | "check" | "schema" | "openapi":
            from mock_server.cli import show as module
        case "reset" | "state" | "wait" | "snapshot" | "clock":
            from mock_server.cli import state as module
        case "choices":
            from mock_server.cli import choices as module
        case "healthcheck":
            from mock_server.cli import healthcheck as module
        case "journal":
            from mock_server.cli import journal as module
        case "fault":
            from mock_server.cli import faults as module
        case "answer" | "reply":
            from mock_server.cli import answers as module
        case "sandbox":
            from mock_server.cli import sandboxes as module
        case "why":
            from mock_server.cli import why as module
        case "import":
            from mock_server.cli import imports as module
        case "pull":
            from mock_server.cli import pull as module
        case "verify":
            from mock_server.cli import verify as module
    # `import` is a keyword, so its function has another name.
    command: click.Command = vars(module)["import_" if name == "import" else name]
    return command


def first_word(args: Sequence[str], serve: click.Command) -> str:
    """Return the first argument that is neither an option of `serve` nor its value.

    Empty if there is none, or if `serve` has another mistake to report.
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
    """Return the command in arguments that begin with one of its options, or ""."""
    name = args[0].partition("=")[0]
    for word in args[1:]:
        command = group.get_command(ctx, word)
        if command is not None and name in set(_options(command)):
            return word
    return ""


def _options(command: click.Command) -> Iterator[str]:
    for param in command.params:
        yield from param.opts
    if isinstance(command, click.Group):
        for each in command.commands.values():
            yield from _options(each)


def check_word(word: str, args: Sequence[str], ctx: click.Context) -> None:
    """Raise UsageError for a first word that can be neither command nor fixture.

    A word with a suffix or a folder is the name of a file, existing or not; the command
    itself judges an option or an empty text.
    """
    from mock_server.domain.messages import did_you_mean, nearest
    from mock_server.fixture.source.files import shipped_names

    is_path = os.path.basename(word) != word or os.path.splitext(word)[1]
    if not word or word.startswith("-") or is_path:
        return
    if word in shipped_names() or os.path.exists(word):
        return
    if word in COMMANDS:
        expected = f"Expected the command {word} in front of all options"
        raise click.UsageError(f"{expected}, got it behind some", ctx)
    known = (*COMMANDS, *shipped_names(), "--version", "--help")
    # `fault-add` is likely `fault add`.
    group, _, name = word.partition("-")
    meant, more = (group, [name]) if group in COMMANDS else (word, [])
    hint, near = did_you_mean(meant, known), nearest(meant, known)
    # Not with options, which may hold secrets.
    if near in COMMANDS and not any(x.startswith("-") for x in args):
        words = "mock-server", str(near), *more, *args[1:]
        hint = f"{hint[:-1]} {shlex.join(words)})"
    raise click.UsageError(f"no command {word!r}{hint}, and no file of that name", ctx)


class Commands(click.Group):
    """A group whose command is `serve` when none is named.

    The module of a command is imported when the command is used: a health check, which
    may run every second, takes a third of the time of loading a server.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `serve` in front of arguments that name no command."""
        # So a fixture file named like a command needs `serve` in front of it.
        own = {*COMMANDS, *ctx.help_option_names, "--version"}
        # A shell that completes the first word wants commands too.
        if args[0] in own if args else ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        if args and not ctx.resilient_parsing:
            from mock_server.cli.serve import serve

            word = args[0]
            if word.startswith("-"):
                word = first_word(args, serve)
                word = word or command_of(args, self, ctx)
            check_word(word, args, ctx)
        return super().parse_args(ctx, ["serve", *args])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Called by click; reads the arguments."""
        with output.piped():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Called by click; runs the command."""
        with output.piped():
            return super().invoke(ctx)

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Called by click; writes all commands, and the usual options of `serve`."""
        del ctx
        from mock_server.cli.serve import others, serve, usual

        rows = [(name, imported(name).get_short_help_str(999)) for name in COMMANDS]
        with formatter.section("Commands"):
            formatter.write_dl(rows[: len(FIRST)])
        with formatter.section("Options of serve"):
            formatter.write_dl([*usual(serve)])
        with formatter.section("More commands"):
            formatter.write_dl(rows[len(FIRST) :])
        with formatter.section("More options"):
            names = ", ".join((*others(serve), "--version", "--help"))
            text = f"{names} (`mock-server serve --help` explains them)"
            # Not by click, which would break names at their hyphens.
            width = formatter.width - formatter.current_indent
            for line in wrap(text, width, break_on_hyphens=False):
                formatter.write(f"  {line}\n")

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Called by click."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Called by click; `ctx.obj` is the `unless_serving` of `main`."""
        if cmd_name not in COMMANDS:
            return None
        # Before the import, which takes most of the time in which a signal may come.
        if cmd_name != "serve" and ctx.obj is not None:
            ctx.obj()
        return imported(cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mock-server")
@flag("strict-settings", hidden=True)
@click.pass_context
def cli(ctx: click.Context, strict_settings: bool) -> None:
    """A stateful mock server of FastGPT: pins, collection lists, related routes.

    `mock-server` without a command is `mock-server serve`: it starts the server.
    `mock-server COMMAND --help` explains a command.
    """
    # `serve` checks names itself, as it has the option; all others read the variable.
    if ctx.invoked_subcommand != "serve":
        check_names(strict_settings)


def main(
    args: Sequence[str] | None = None,
    *,
    unless_serving: Callable[[], object] | None = None,
) -> None:
    """Run a command and exit; all errors that click finds itself exit with USAGE.

    `args` are by default those of the process. `unless_serving` is called before any
    command except `serve`.
    """
    output.open_standard_streams()
    output.told_as.set(_form(sys.argv[1:] if args is None else args))
    try:
        # Left to itself, click exits with 2 for wrong usage, which here means a broken
        # fixture. The status is None after a command, and 0 after --help.
        status = cli.main(
            args, "mock-server", standalone_mode=False, obj=unless_serving
        )
    except output.Stop as stop:
        stop.show()
        sys.exit(stop.status)
    # After Stop, a subclass with its own status and wording.
    except click.ClickException as error:
        given = sys.argv[1:] if args is None else args
        context = getattr(error, "ctx", None)
        command = context.command_path if context else _path(given)
        message = _message(error, given)
        output.tell(f"{message} (see {command} --help)")
        sys.exit(output.USAGE)
    # click raises Abort at Ctrl-C.
    except click.Abort:
        sys.exit(output.USAGE)
    sys.exit(status)


_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)
_EXTRA_MEANT = {
    r"clear f\d+": "mock-server fault remove {}",
    "clear": "--preset {}",
    "create": "--name {}",
    "reset": "--sandbox {}",
    r"journal \d": "--status {}",
    "journal (?!list$|clear$)": "--operation {}",
    "schema": "mock-server check {}",
    "state": "one file: mock-server state {}",
    "reply": "the text in quotes",
}
"""What is likely meant, by the last word of a command and the argument behind it."""


def _path(args: Sequence[str]) -> str:
    """Return the words that name a command, as click leaves them out of some errors."""
    first, *rest = args if args and args[0] in COMMANDS else ("serve",)
    command = imported(first)
    known = command.commands if isinstance(command, click.Group) else ()
    return " ".join(("mock-server", first, *(x for x in rest[:1] if x in known)))


def _message(error: click.ClickException, args: Sequence[str]) -> str:
    """Return what is wrong with arguments, with a hint, in this project's words."""
    ctx = getattr(error, "ctx", None)
    known = [each for param in ctx.command.params for each in param.opts] if ctx else []
    if isinstance(error, click.NoSuchOption):
        name = error.option_name
        if name in _OF_FILES and "--watch" in known:
            given = (
                " ".join(("", *args))
                .partition(f" {name}")[2]
                .strip("= ")
                .partition(" ")[0]
            )
            given = "" if given.startswith("-") else given
            why = f"{_FIXTURES} {given or 'mine.yaml'}, got {name} {given}".rstrip()
            return "; ".join([why, *_further(name, args, ctx)])
        if re.match("-[0-9.]", name):  # only `clock advance` takes a number
            number = next(each for each in args if each.startswith(name))
            return f"Expected 0 s or more, got {number!r} ({FORWARD})"
        hint = _option_meant(name.lstrip("-"), known)
        if name == "--key" and "--key-env" in known and ctx:
            key = variable(f"{ctx.command.name}-key")
            hint = f" (write the key into the variable {key})"
        return "; ".join([f"No such option: {name}{hint}", *_further(name, args, ctx)])
    if isinstance(error, click.BadOptionUsage):
        if "not take" in error.message:
            return f"Expected {error.option_name} without a value, got one"
        return f"Expected a value of {error.option_name}, got nothing"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        name, word = name_of(error.param), args[1] if args[1:] else "-"
        if word.startswith("-") or not name.startswith("-"):
            return f"Expected {name}, got nothing"
        meant = word if "://" in word else f"http://{word}"
        return f"Expected {name}, got {word!r} without it (write {name} {meant})"
    if extra := _EXTRA.match(error.message):
        given = f"{ctx.command.name if ctx else ''} {extra[1]}"
        forms = (form for at, form in _EXTRA_MEANT.items() if re.match(at, given))
        hint = next((f" (write {form})" for form in forms), "")
        got = f"{extra[1]!r}{hint.format(shlex.quote(extra[1]))}"
        return f"Expected no further argument, got {got}"
    is_ours = error.message.startswith("Expected ")
    return error.message if is_ours else error.format_message()


def _further(
    name: str, args: Sequence[str], ctx: click.Context | None
) -> Iterator[str]:
    """Yield the further unknown options of a command: click stops at the first."""
    params = ctx.command.params if ctx else []
    known = {each: param for param in params for each in param.opts}
    found = (at for at, each in enumerate(args) if each.partition("=")[0] == name)
    for at in range(next(found, len(args)) + 1, len(args)):
        before = known.get(args[at - 1])
        is_value = before is not None and not getattr(before, "is_flag", False)
        word = args[at].partition("=")[0]
        if word == "--":
            return
        if word.startswith("--") and word not in (*known, "--help") and not is_value:
            yield f"no such option: {word}{_option_meant(word[2:], [*known])}"


def _option_meant(word: str, known: Sequence[str]) -> str:
    """Return a hint at the known option that the user probably meant; "" if none."""
    from mock_server.domain.messages import nearest

    if word in ("latency", "delay") and "--fault" in known:
        return " (such as --fault delay:ms=500)"
    if word == "version":
        own = "it stands alone, for the version of this program"
        return f" ({own}; that of the service is --choice version=4.14)"
    if word in ("last", "limit") and "--follow" in known:
        return " (pipe the journal into `tail`)"
    names = {each[2:]: each for each in known if each.startswith("--")}
    near = nearest(word, names)
    meant = [names[near]] if near else []
    if len(word) == 1:
        meant = sorted(names[each] for each in names if each.startswith(word))
    if not meant and f"--{word}" in {*_options(imported("serve"))}:
        return " (write it behind mock-server serve)"
    return f" (did you mean {' or '.join(meant)}?)" if meant else ""


def _form(args: Sequence[str]) -> Callable[[str], str]:
    """Return what formats the lines on stderr: as JSON if `serve` is to do so."""
    if args and args[0] in COMMANDS and args[0] != "serve":
        return lines
    from mock_server.cli.json_lines import are_asked, json_lines

    return json_lines if are_asked(args, os.environ) else lines
