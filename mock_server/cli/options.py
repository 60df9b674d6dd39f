"""Defines options and arguments of commands, which variables can set too.

Every bad value is reported as `Expected X, got Y - at PLACE`. The place is the option
or the environment variable with the value.
"""

import math
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from mock_server.cli.output import USAGE, BadValue, Stop, log
from mock_server.control import environment
from mock_server.domain.messages import did_you_mean

_SIZE = re.compile("([0-9]{1,18})(|B|KiB|MiB|GiB|TiB)", re.ASCII)
_UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
FORWARD = "time goes forward: `clock freeze TIME` sets it back"
Command = TypeVar("Command", bound=Callable[..., Any])


class Group(click.Group):
    """A group that prints its help, with the status USAGE, if no command is given.

    `patterns` match arguments by their command, for a hint if the command is missing.
    """

    def __init__(
        self, *args: Any, patterns: Mapping[str, str] | None = None, **attributes: Any
    ) -> None:
        self._patterns = patterns or {}
        super().__init__(*args, **attributes)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Called by click, which before 8.2 would exit with 0 without arguments."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            raise Stop(ctx.get_help(), USAGE)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Called by click; lists the commands if the first word is unknown."""
        if args[0] not in self.commands:
            names = sorted(self.commands)
            # Names of commands are short, so only very similar words are meant.
            hint = did_you_mean(args[0], names, 0.8)
            for name, pattern in self._patterns.items():
                if not hint and re.match(pattern, args[0]):
                    words = shlex.join((name, args[0]))
                    hint = f" (write {ctx.command_path} {words})"
            listed = ", ".join(names)
            ctx.fail(f"Expected one of the commands {listed}, got {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Called by click, which would shorten the descriptions of commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, each.get_short_help_str(999))
                    for name, each in sorted(self.commands.items())
                ]
            )


class CommaSeparated(click.types.StringParamType):
    """A text; the variable of a repeatable option may have several, with commas."""

    # By default click splits at white space.
    envvar_list_splitter = ","

    def __init__(self, check: Callable[[str], None] | None = None) -> None:
        """Check each text with `check`, which raises ValueError for a bad one."""
        self._check = check

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the text without the space that may follow a comma."""
        text = super().convert(value, param, ctx).strip()
        try:
            if self._check is not None:
                self._check(text)
        except ValueError as error:
            place = place_of(ctx, param) if ctx and param else ""
            hint = environment.value_hint(place, text)
            raise BadValue(f"{error} - at {place}{hint}") from None
        return text


class ParsedText(click.types.StringParamType):
    """A text that `parse` converts; `parse` raises ValueError for a bad text."""

    def __init__(self, parse: Callable[[str], Any], expected: str = "") -> None:
        self.expected = expected
        self._parse = parse

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """Return the result of `parse`."""
        try:
            return self._parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


def header_text(text: str) -> str:
    """Return the text if it can be a header's value. Raises ValueError."""
    if not (text.isascii() and text.isprintable()):
        # The message does not contain the text, which may be secret.
        raise ValueError("Expected visible ASCII, got other characters")
    return text


def read_secret(name: str, place: str) -> str:
    """Return the secret in a variable. Raises BadValue.

    No message contains the secret, or a name that may be one.
    """
    if not name.isidentifier():
        expected = "Expected the name of a variable that holds the key"
        raise BadValue(f"{expected}, got something else - at {place}")
    value = os.environ.get(name, "").strip()
    if not value:
        raise BadValue(f"Expected a key in the variable {name}, got none - at {place}")
    if not (value.isascii() and value.isprintable()) or " " in value:
        expected = f"visible ASCII in the variable {name}"
        raise BadValue(f"Expected {expected}, got other characters - at {place}")
    return value


def parse_size(text: str) -> int:
    """Return a size such as `512MiB`, `2GiB` or `1000000` in bytes; at least 1."""
    match = _SIZE.fullmatch(text)
    if match is None or int(match[1]) == 0:
        raise ValueError("not a size")
    return int(match[1]) * _UNITS[match[2]]


SIZE = ParsedText(parse_size, "a size like 512MiB or 2GiB")


def parse_host(text: str) -> str:
    """Return the host. Raises ValueError if it has a port."""
    if environment.value_hint("host", text):
        raise ValueError
    return text


class Port(click.IntRange):
    """A port number."""

    expected = "a port from 0 to 65535"

    def __init__(self) -> None:
        super().__init__(0, 65535)


class Seconds(click.FloatRange):
    """A number of seconds, at most a day."""

    name = "seconds"
    expected = f"a number of seconds from 0 to {environment.MAX_SECONDS:g}"

    def __init__(self) -> None:
        super().__init__(0, environment.MAX_SECONDS)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; refuse nan, which click's range accepts."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail("not a number", param, ctx)
        return seconds


class FixturePath(click.Path):
    """The path of a fixture. The variable may have several, with `:` or `,` between.

    On Windows `;` replaces `:`. An existing file with a comma in its name is one path.
    """

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """Called by click."""
        paths: list[str] = []
        for part in rv.split(os.pathsep):
            if re.search(r"\.(ya?ml|json)\s+\S", part) and not os.path.exists(part):
                expected = f"Expected `{os.pathsep}` or a comma between files"
                place = environment.variable("fixture")
                raise BadValue(f"{expected}, got {part!r} - at {place}")
            names = [each.strip() for each in part.split(",")]
            paths += [part] if os.path.exists(part) else names
        return paths


# A text between semicolons, not counting semicolons in a JSON string.
_FAULT_PATTERN = r'(?:"(?:[^"\\]|\\.)*"|[^;])+|(?<=;)(?=;|\Z)|\A(?=;)'


class FaultText(click.types.StringParamType):
    """A fault as a text; the variable may have several, with semicolons between."""

    name = "fault"

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """Called by click."""
        return [each.strip() for each in re.findall(_FAULT_PATTERN, rv)]


def expected_value(value_type: "click.ParamType[Any]") -> str:
    """Return the X of `Expected X`; "" for a type whose own messages contain it."""
    if expected := getattr(value_type, "expected", ""):
        return str(expected)
    match value_type:
        case click.Choice(choices=choices):
            return " or ".join(map(str, choices))
        case click.types.BoolParamType():
            return "true or false"
        case click.IntRange(min=low, max=None) if low is not None:
            return f"an integer of at least {low}"
        case click.types.IntParamType():
            return "an integer"
        case click.types.FloatParamType():
            return "a number"
    return ""


def place_of(ctx: click.Context, param: click.Parameter) -> str:
    """Return the source of a parameter's value: its option, or its variable."""
    if ctx.get_parameter_source(str(param.name)) == ParameterSource.ENVIRONMENT:
        return str(param.envvar)
    return name_of(param)


def name_of(param: click.Parameter) -> str:
    """Return an option such as `--port`, or the name of an argument in the help."""
    is_option = isinstance(param, click.Option)
    return param.opts[0] if is_option else param.human_readable_name


def parse_choices(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """Called by click; returns the choices of `NAME=VALUE` texts, by name.

    Raises BadValue, also for an unknown choice or value.
    """
    if not values:
        return {}
    from mock_server.domain.choices import choosing, table

    split = [value.partition("=") for value in values]
    for name, equals, value in split:
        try:
            if not equals:
                choice, _, value = name.partition(":")
                form = f"{choice}={value or 'VALUE'}"
                form = form if choice in table.table() else "list_order=name"
                fix = f"write it with its value, such as {form}"
                raise table.UnknownChoice(f"Expected NAME=VALUE, got {name!r}: {fix}")
            choosing.with_choices(table.Choices(), {name: value})
        except table.UnknownChoice as error:
            place = place_of(ctx, param)
            hint = _choice_hint(ctx, name, value, place)
            raise BadValue(f"{error} - at {place}{hint}") from None
    for each in choosing.deprecations(name for name, _, _ in split):
        log(f"deprecated: {each}")
    return {name: value for name, _, value in split}


def _choice_hint(ctx: click.Context, name: str, value: str, place: str) -> str:
    """Return a hint for an option written as a choice, or for choices in one text."""
    if any(f"--{name}" in each.opts for each in ctx.command.params):
        return f" (write --{name} {value})"
    if re.search(r"[;,\s]\w+=", value) is None:
        return ""
    if place == "--choice":
        return " (give one --choice for each)"
    separator = "a comma" if place.isupper() else "a space"
    return f" (write {separator} between choices)"


class _ReportedParameter(click.Parameter):
    """A parameter that reports bad values as `Expected X, got Y - at PLACE`."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Called by click. Raises BadValue."""
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter as error:
            place, message = place_of(ctx, self), error.message
        if expected := expected_value(self.type):
            known = self.type.choices if isinstance(self.type, click.Choice) else ()
            hint = did_you_mean(str(value), [str(each) for each in known])
            message = f"Expected {expected}, got {value!r}{hint}"
        if " - at " not in message:
            message = f"{message} - at {place}"
        raise BadValue(message + environment.value_hint(place, str(value)))


class _RequiredText(_ReportedParameter):
    """A parameter that refuses empty values, which click would ignore in variables.

    An empty variable is a mistake, such as a missing secret of a build. Ignoring an
    empty admin token, for example, would leave the admin API open.
    """

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Called by click; returns the value and its source."""
        value, source = super().consume_value(ctx, opts)
        if source == ParameterSource.COMMANDLINE:
            raw = value
        else:
            # Read here, because click has replaced an empty variable by the default.
            raw = os.environ.get(str(self.envvar))
            # A part can be empty too, as in `a,,b`.
            if raw and (self.nargs != 1 or self.multiple):
                raw = self.type.split_envvar_value(raw)
        parts = raw if isinstance(raw, list | tuple) else (raw,)
        if any(isinstance(part, str) and not part.strip() for part in parts):
            place = f"{name_of(self)} or {self.envvar}"
            raise BadValue(f"Expected a value, got an empty one - at {place}")
        return value, source


class Option(_ReportedParameter, click.Option):
    """An option without a variable."""


class Setting(_RequiredText, click.Option):
    """An option that must not be empty."""


class SettingArgument(_RequiredText, click.Argument):
    """An argument that must not be empty."""


def option(*names: str, **attributes: Any) -> Callable[[Command], Command]:
    """Declare an option without a variable."""
    return click.option(*names, cls=Option, **attributes)


def setting(name: str, **attributes: Any) -> Callable[[Command], Command]:
    """Declare an option that the variable MOCK_SERVER_<NAME> sets too."""
    attributes = {"show_default": True, "show_envvar": True} | attributes
    return click.option(
        f"--{name}", envvar=environment.variable(name), cls=Setting, **attributes
    )


def flag(name: str, **attributes: Any) -> Callable[[Command], Command]:
    """Declare an option without a value; its variable is true or false."""
    return setting(name, is_flag=True, show_default=False, **attributes)


def timeout_setting(default: float) -> Callable[[Command], Command]:
    """Declare the option --timeout."""
    return setting(
        "timeout",
        metavar="SECONDS",
        type=Seconds(),
        default=default,
        help="Seconds that the whole command may take.",
    )


def host_setting(help_text: str) -> Callable[[Command], Command]:
    """Declare the option --host."""
    # `serve` and `healthcheck` read the same variables for host and port, so that a
    # health check in a container needs no arguments.
    value_type = ParsedText(parse_host, "a host without a port")
    return setting("host", default="127.0.0.1", type=value_type, help=help_text)


def port_setting(help_text: str) -> Callable[[Command], Command]:
    """Declare the option --port."""
    return setting("port", default=8000, type=Port(), help=help_text)


def check_names(is_strict: bool) -> None:
    """Warn of unknown variables on stderr. Raises BadValue if `is_strict`."""
    unknown = environment.unknown_settings(os.environ)
    if unknown and is_strict:
        raise BadValue("\n".join(unknown))
    for each in unknown:
        log(f"warning: ignored {each}")
