"""Runs the command line: finds the command, and explains wrong arguments."""

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
from mock_server.control.environment import KEYS_HINT, variable
from mock_server.domain.printable import safe_lines, without_credentials

MAIN_COMMANDS = ("serve", "init", "check", "fault", "journal", "reset")
COMMANDS = (
    *MAIN_COMMANDS,
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
_FILE_OPTIONS = {f"--{each}" for each in ("fixture", "fixtures", "root-dir", "config")}
_FILE_OPTIONS |= {f"--{each}" for each in ("file", "data", "dir", "db", "mappings")}
_FILE_OPTIONS.add("-f")
"""Options of other programs for the files to serve."""
_NO_OPTION = "Expected fixtures without an option, such as mock-server serve"


def import_command(name: str) -> click.Command:
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


def first_argument(args: Sequence[str], serve: click.Command) -> str:
    """Return the first argument that is neither an option of `serve` nor its value.

    Return "" if there is none, or if `serve` will report a mistake in its options.
    """
    ctx = click.Context(serve, help_option_names=["-h", "--help"])
    try:
        values, _, _ = serve.make_parser(ctx).parse_args(list(args))
    except click.UsageError:
        return ""
    words = values["fixtures"]
    is_help_requested = any(name in args for name in ctx.help_option_names)
    return (
        words[0] if isinstance(words, tuple) and words and not is_help_requested else ""
    )


def command_behind_option(
    args: Sequence[str], group: click.Group, ctx: click.Context
) -> str:
    """Return a command that stands behind its own option in the arguments, or ""."""
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


def check_first_argument(word: str, args: Sequence[str], ctx: click.Context) -> None:
    """Raise UsageError if the first argument is neither a command nor a fixture.

    An argument with a suffix or a folder counts as a file. Commands check options and
    empty texts themselves.
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
    # `fault-add` probably means `fault add`.
    group, _, name = word.partition("-")
    meant, more = (group, [name]) if group in COMMANDS else (word, [])
    meant = "check" if meant in ("validate", "lint") else meant
    hint, similar = did_you_mean(meant, known), nearest(meant, known)
    if word in ("stop", "kill", "down", "quit", "shutdown"):
        hint = " (stop the server with Ctrl-C or SIGTERM: kill PID)"
    if word.isdecimal():
        hint = f" (did you mean --port {word}?)"
    # Not with options, which may hold secrets.
    if similar in COMMANDS and not any(name.startswith("-") for name in args):
        words = "mock-server", str(similar), *more, *args[1:]
        hint = f"{hint[:-1]} {shlex.join(words)})"
    raise click.UsageError(f"no command {word!r}{hint}, and no file of that name", ctx)


class Commands(click.Group):
    """A group whose default command is `serve`.

    A command's module is imported only to run the command, because a health check may
    run every second, and importing the server would take three times as long.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Called by click; puts `serve` in front of arguments without a command.

        A fixture file with the name of a command thus needs `serve` in front of it.
        """
        own_words = {*COMMANDS, *ctx.help_option_names, "--version"}
        # Without arguments, a shell may be completing the name of a command.
        if args[0] in own_words if args else ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        if args and not ctx.resilient_parsing:
            from mock_server.cli.serve import serve

            word = args[0]
            if word.startswith("-"):
                word = first_argument(args, serve)
                word = word or command_behind_option(args, self, ctx)
            check_first_argument(word, args, ctx)
        return super().parse_args(ctx, ["serve", *args])

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Called by click; reads the arguments."""
        with output.click_output_errors():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Called by click; runs the command."""
        with output.click_output_errors():
            return super().invoke(ctx)

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Called by click; writes all commands, and the main options of `serve`."""
        del ctx
        from mock_server.cli.serve import main_options, other_options, serve

        rows = [
            (name, import_command(name).get_short_help_str(999)) for name in COMMANDS
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows[: len(MAIN_COMMANDS)])
        with formatter.section("Options of serve"):
            formatter.write_dl([*main_options(serve)])
        with formatter.section("More commands"):
            formatter.write_dl(rows[len(MAIN_COMMANDS) :])
        with formatter.section("More options"):
            names = ", ".join((*other_options(serve), "--version", "--help"))
            text = f"{names} (`mock-server serve --help` explains them)"
            # Wrapped here, because click would break names at their hyphens.
            width = formatter.width - formatter.current_indent
            for line in wrap(text, width, break_on_hyphens=False):
                formatter.write(f"  {line}\n")

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Called by click."""
        del ctx
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Called by click; `ctx.obj` is the `before_command` of `main`."""
        if cmd_name not in COMMANDS:
            return None
        # Called before the import, which takes long: a signal may come meanwhile.
        if cmd_name != "serve" and ctx.obj is not None:
            ctx.obj()
        return import_command(cmd_name)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mock-server")
@flag("strict-settings", hidden=True)
@click.pass_context
def cli(ctx: click.Context, strict_settings: bool) -> None:
    """A stateful mock server of FastGPT: pins, collection lists, related routes.

    `mock-server` without a command is `mock-server serve`: it starts the server.
    `mock-server COMMAND --help` explains a command.
    """
    # `serve` has this option itself; for other commands only the variable is read.
    if ctx.invoked_subcommand != "serve":
        check_names(strict_settings)


def main(
    args: Sequence[str] | None = None,
    *,
    before_command: Callable[[], object] | None = None,
) -> None:
    """Run a command, then exit; the status is USAGE for all errors that click reports.

    `args` defaults to the arguments of the process. `before_command` is called before
    any command except `serve`.
    """
    output.open_standard_streams()
    formatter = _log_formatter(sys.argv[1:] if args is None else args)
    token = output.log_formatter.set(formatter)
    try:
        # In standalone mode click would exit with 2, which here means a broken fixture.
        # The status is None after a command, and 0 after --help.
        status = cli.main(
            args, "mock-server", standalone_mode=False, obj=before_command
        )
    except output.Stop as stop:
        stop.show()
        sys.exit(stop.status)
    # Stop, which is a subclass, has its own status and message: see above.
    except click.ClickException as error:
        words = sys.argv[1:] if args is None else args
        context = getattr(error, "ctx", None)
        command = context.command_path if context else _command_path(words)
        message = without_credentials(_message(error, words))
        output.log(f"{message} (see {command} --help)")
        sys.exit(output.USAGE)
    # Python reads the bytes of an argument that are not UTF-8 as lone surrogates.
    except UnicodeEncodeError as error:
        got = error.object[error.start : error.end]
        output.log(f"Expected UTF-8 in arguments and variables, got {got!r}")
        sys.exit(output.USAGE)
    # click raises Abort at Ctrl-C.
    except click.Abort:
        sys.exit(output.USAGE)
    finally:
        # A process may run several commands, each with a format of its own.
        output.log_formatter.reset(token)
    sys.exit(status)


_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)", re.DOTALL)
_EXTRA_HINTS = {
    "reply": "the text in quotes",
    "schema": "mock-server check {}",
    "healthcheck": "--host HOST --port PORT",
    r"\w+ https?://": "--url {}",
    r"\w+ [\w.-]+:\d+$": "--url http://{}",
    r"clear f\d+": "mock-server fault remove {}",
    "clear": "--preset {}",
    "create": "--name {}",
    "reset": "--sandbox {}",
    r"journal \d": "--status {}",
    "journal (?!list$|clear$)": "--operation {}",
    "state": "one file: mock-server state {}",
}
"""Hints for an unexpected argument, by a pattern of a command's last word and it."""


_FOREGROUND = """it runs in the foreground: write `mock-server ... &`, then \
`mock-server wait`"""
_ENVIRONMENT = "set NAME=VALUE before the command, or write the option of that name"
_OPTION_HINTS = (
    ("--fault", ("latency", "delay"), "such as --fault delay:ms=500"),
    ("--watch", ("d", "detach", "daemon", "background"), _FOREGROUND),
    ("--watch", ("e", "env"), _ENVIRONMENT),
    ("--watch", ("api-key", "api-keys", "key", "keys"), KEYS_HINT),
    ("--follow", ("last", "limit", "tail", "n"), "write `mock-server journal | tail`"),
    ("--yaml", ("format",), "JSON is the default; for YAML write --yaml"),
    ("--url", ("o", "output"), "redirect the output: > FILE"),
    ("--url", ("p", "port", "host"), "write --url http://127.0.0.1:PORT"),
    ("--host", ("url",), "write --host HOST --port PORT"),
)
"""Hints for unknown options: an option that the command has, and the names."""


def _command_path(args: Sequence[str]) -> str:
    """Return the words that name the command, which some errors of click lack."""
    first, *rest = args if args and args[0] in COMMANDS else ("serve",)
    command = import_command(first)
    known = command.commands if isinstance(command, click.Group) else ()
    return " ".join(
        ("mock-server", first, *(name for name in rest[:1] if name in known))
    )


def _message(error: click.ClickException, args: Sequence[str]) -> str:
    """Return the message for an error of click in this project's form, with a hint."""
    ctx = getattr(error, "ctx", None)
    known = [each for param in ctx.command.params for each in param.opts] if ctx else []
    if isinstance(error, click.NoSuchOption):
        name = error.option_name
        if name in _FILE_OPTIONS and "--watch" in known:
            rest = " ".join(("", *args)).partition(f" {name}")[2].strip("= ")
            file = "" if rest.startswith("-") else rest.partition(" ")[0]
            text = f"{_NO_OPTION} {file or 'mine.yaml'}, got {name} {file}".rstrip()
            return "; ".join([text, *_other_unknown_options(name, args, ctx)])
        if re.match("-[0-9.]", name):  # only `clock advance` takes a number
            number = next(each for each in args if each.startswith(name))
            return f"Expected 0 s or more, got {number!r} ({FORWARD})"
        hint = _option_hint(name.lstrip("-"), known)
        if name == "--key" and "--key-env" in known and ctx:
            key = variable(f"{ctx.command.name}-key")
            hint = f" (write the key into the variable {key})"
        return "; ".join(
            [f"No such option: {name}{hint}", *_other_unknown_options(name, args, ctx)]
        )
    if isinstance(error, click.BadOptionUsage):
        if "not take" in error.message:
            return f"Expected {error.option_name} without a value, got one"
        return f"Expected a value of {error.option_name}, got nothing"
    if isinstance(error, click.MissingParameter) and error.param is not None:
        name, word = name_of(error.param), args[1] if args[1:] else "-"
        if word.startswith("-") or not name.startswith("-"):
            return f"Expected {name}, got nothing"
        url = word if "://" in word else f"http://{word}"
        return f"Expected {name}, got {word!r} without it (write {name} {url})"
    if extra := _EXTRA.match(error.message):
        words = f"{ctx.command.name if ctx else ''} {extra[1]}"
        forms = (form for key, form in _EXTRA_HINTS.items() if re.match(key, words))
        hint = next((f" (write {form})" for form in forms), "")
        got = f"{extra[1]!r}{hint.format(shlex.quote(extra[1]))}"
        return f"Expected no further argument, got {got}"
    is_ours = error.message.startswith("Expected ")
    return error.message if is_ours else error.format_message()


def _other_unknown_options(
    name: str, args: Sequence[str], ctx: click.Context | None
) -> Iterator[str]:
    """Yield the unknown options behind `name`, because click reports only the first."""
    params = ctx.command.params if ctx else []
    known = {each: param for param in params for each in param.opts}
    first = (index for index, each in enumerate(args) if each.partition("=")[0] == name)
    for index in range(next(first, len(args)) + 1, len(args)):
        before = known.get(args[index - 1])
        is_value = before is not None and not getattr(before, "is_flag", False)
        word = args[index].partition("=")[0]
        if word == "--":
            return
        if word.startswith("--") and word not in (*known, "--help") and not is_value:
            yield f"no such option: {word}{_option_hint(word[2:], [*known])}"


def _option_hint(word: str, known: Sequence[str]) -> str:
    """Return a hint at the option that the user probably meant, or ""."""
    from mock_server.domain.messages import nearest

    for option, words, text in _OPTION_HINTS:
        if option in known and word in words:
            return f" ({text})"
    if word == "version":
        text = "it stands alone, for the version of this program"
        return f" ({text}; that of the service is --choice version=4.14)"
    names = {each[2:]: each for each in known if each.startswith("--")}
    match = nearest(word, names)
    similar = [names[match]] if match else []
    if len(word) == 1:
        similar = sorted(names[each] for each in names if each.startswith(word))
    if not similar and f"--{word}" in {*_options(import_command("serve"))}:
        return " (write it behind mock-server serve)"
    return f" (did you mean {' or '.join(similar)}?)" if similar else ""


def _log_formatter(args: Sequence[str]) -> Callable[[str], str]:
    """Return the function that formats lines on stderr, which is JSON if requested."""
    if args and args[0] in COMMANDS and args[0] != "serve":
        return safe_lines
    from mock_server.cli.json_lines import is_json_requested, json_lines

    return json_lines if is_json_requested(args, os.environ) else safe_lines
