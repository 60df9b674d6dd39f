"""Options and arguments of commands, which environment variables can set too.

Every bad value is reported as `Expected X, got Y - at PLACE`, where the place is the
option or the variable that the value came from.
"""

import math
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from mock_server.cli.output import USAGE, BadValue, Stop, tell
from mock_server.control import environment
from mock_server.domain.messages import did_you_mean

_SIZE = re.compile("([0-9]{1,18})(|B|KiB|MiB|GiB|TiB)", re.ASCII)
_UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
FORWARD = "time goes forward: `clock freeze TIME` sets it back"
Command = TypeVar("Command", bound=Callable[..., Any])


class Group(click.Group):
    """A group that shows its help, as wrong usage, if no command is given.

    `takes` are the beginnings of arguments, as patterns, by the command they are for.
    """

    def __init__(
        self, *args: Any, takes: Mapping[str, str] | None = None, **attributes: Any
    ) -> None:
        self._takes = takes or {}
        super().__init__(*args, **attributes)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Called by click, which before 8.2 would take that for success."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            raise Stop(ctx.get_help(), USAGE)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Called by click; lists the commands if a word is none of them."""
        if args[0] not in self.commands:
            names = sorted(self.commands)
            # Words of commands are short: few typing errors, and few accidents.
            hint = did_you_mean(args[0], names, 0.8)
            for name, beginning in self._takes.items():
                if not hint and re.match(beginning, args[0]):
                    words = shlex.join((name, args[0]))
                    hint = f" (write {ctx.command_path} {words})"
            listed = ", ".join(names)
            ctx.fail(f"Expected one of the commands {listed}, got {args[0]!r}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Called by click, which would cut the sentences of commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(
                [
                    (name, each.get_short_help_str(999))
                    for name, each in sorted(self.commands.items())
                ]
            )


class Listed(click.types.StringParamType):
    """A text; the variable of a repeatable option separates several by commas."""

    # By default click splits at white space.
    envvar_list_splitter = ","

    def __init__(self, check: Callable[[str], None] | None = None) -> None:
        """`check` raises ValueError for a bad text."""
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


class Parsed(click.types.StringParamType):
    """A text that `parse` turns into a value; it raises ValueError for a bad one."""

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


def visible(text: str) -> str:
    """Return a text for a header, where a line break would start another header."""
    if not (text.isascii() and text.isprintable()):
        # Without the text, which may be secret.
        raise ValueError("Expected visible ASCII, got other characters")
    return text


def secret_in(name: str, place: str) -> str:
    """Return the secret in a variable; no message shows it, nor a name that may be one.

    Raises BadValue.
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


def bytes_of(text: str) -> int:
    """Return the bytes of a size such as `512MiB`, `2GiB` or `1000000`; at least 1."""
    match = _SIZE.fullmatch(text)
    if match is None or int(match[1]) == 0:
        raise ValueError("not a size")
    return int(match[1]) * _UNITS[match[2]]


SIZE = Parsed(bytes_of, "a size like 512MiB or 2GiB")


def host_alone(text: str) -> str:
    """Return a host unchanged. Raises ValueError for one with a port."""
    if environment.value_hint("host", text):
        raise ValueError
    return text


class Port(click.IntRange):
    """A port number."""

    expected = "a port from 0 to 65535"

    def __init__(self) -> None:
        super().__init__(0, 65535)


class Seconds(click.FloatRange):
    """A number of seconds, of a day at most."""

    name = "seconds"
    expected = f"a number of seconds from 0 to {environment.MAX_SECONDS:g}"

    def __init__(self) -> None:
        super().__init__(0, environment.MAX_SECONDS)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number; nan, which every range lets through, is refused."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail("not a number", param, ctx)
        return seconds


class FixturePath(click.Path):
    """A fixture path; the variable takes several, separated by colons or commas.

    On Windows by semicolons or commas. A file that has a comma in its name wins.
    """

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """Called by click."""
        found: list[str] = []
        for part in rv.split(os.pathsep):
            if re.search(r"\.(ya?ml|json)\s+\S", part) and not os.path.exists(part):
                expected = f"Expected `{os.pathsep}` or a comma between files"
                place = environment.variable("fixture")
                raise BadValue(f"{expected}, got {part!r} - at {place}")
            several = [each.strip() for each in part.split(",")]
            found += [part] if os.path.exists(part) else several
        return found


# A text between semicolons; those in a JSON string separate nothing.
_ONE_FAULT = r'(?:"(?:[^"\\]|\\.)*"|[^;])+|(?<=;)(?=;|\Z)|\A(?=;)'


class FaultText(click.types.StringParamType):
    """A fault as a text; the variable takes several, with semicolons between them."""

    name = "fault"

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """Called by click."""
        return [each.strip() for each in re.findall(_ONE_FAULT, rv)]


def expected_by(kind: "click.ParamType[Any]") -> str:
    """Return what a type takes; empty for a type whose messages say it themselves."""
    if own := getattr(kind, "expected", ""):
        return str(own)
    match kind:
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
    """Return where a parameter's value came from: its option, or its variable."""
    if ctx.get_parameter_source(str(param.name)) == ParameterSource.ENVIRONMENT:
        return str(param.envvar)
    return name_of(param)


def name_of(param: click.Parameter) -> str:
    """Return an option as it is given, or the name of an argument in help."""
    is_option = isinstance(param, click.Option)
    return param.opts[0] if is_option else param.human_readable_name


def pairs(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """Called by click; returns the choices of `NAME=VALUE` texts, by name.

    Raises BadValue, also for an unknown choice or an unknown value of one.
    """
    if not values:
        return {}
    from mock_server.domain.choices import choosing, table

    named = [value.partition("=") for value in values]
    for name, equals, value in named:
        try:
            if not equals:
                after = f"{name}=VALUE" if name in table.table() else "list_order=name"
                how = f"write it with its value, such as {after}"
                raise table.UnknownChoice(f"Expected NAME=VALUE, got {name!r}: {how}")
            choosing.with_choices(table.Choices(), {name: value})
        except table.UnknownChoice as error:
            place = place_of(ctx, param)
            hint = _how_to_choose(ctx, name, value, place)
            raise BadValue(f"{error} - at {place}{hint}") from None
    for each in choosing.deprecations(name for name, _, _ in named):
        tell(f"deprecated: {each}")
    return {name: value for name, _, value in named}


def _how_to_choose(ctx: click.Context, name: str, value: str, place: str) -> str:
    """Return how to write an option, or several choices in one text; else nothing."""
    if any(f"--{name}" in each.opts for each in ctx.command.params):
        return f" (write --{name} {value})"
    if re.search(r"[;,\s]\w+=", value) is None:
        return ""
    if place == "--choice":
        return " (give one --choice for each)"
    mark = "a comma" if place.isupper() else "a space"
    return f" (write {mark} between choices)"


class _Reporting(click.Parameter):
    """Reports a bad value in the form that all messages have."""

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        """Called by click. Raises BadValue."""
        try:
            return super().type_cast_value(ctx, value)
        except click.BadParameter as error:
            place, message = place_of(ctx, self), error.message
        if expected := expected_by(self.type):
            known = self.type.choices if isinstance(self.type, click.Choice) else ()
            hint = did_you_mean(str(value), [str(each) for each in known])
            message = f"Expected {expected}, got {value!r}{hint}"
        if " - at " not in message:
            message = f"{message} - at {place}"
        raise BadValue(message + environment.value_hint(place, str(value)))


class _NotEmpty(_Reporting):
    """Refuses an empty value; click takes an empty variable for an unset one.

    An empty variable is a mistake, such as a missing secret of a build. To go on
    without it could leave the admin API open, for example.
    """

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Called by click; returns the value as it was set, and its source."""
        value, source = super().consume_value(ctx, opts)
        if source == ParameterSource.COMMANDLINE:
            given = value
        else:
            # By now click has put the default in the place of an empty variable.
            given = os.environ.get(str(self.envvar))
            # A part can be empty too, as in `a,,b`.
            if given and (self.nargs != 1 or self.multiple):
                given = self.type.split_envvar_value(given)
        parts = given if isinstance(given, list | tuple) else (given,)
        if any(isinstance(part, str) and not part.strip() for part in parts):
            place = f"{name_of(self)} or {self.envvar}"
            raise BadValue(f"Expected a value, got an empty one - at {place}")
        return value, source


class Option(_Reporting, click.Option):
    """An option without a variable."""


class Setting(_NotEmpty, click.Option):
    """An option that must not be empty."""


class SettingArgument(_NotEmpty, click.Argument):
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
    # `serve` and `healthcheck` share the variables of host and port, so that a check in
    # a container finds the server however it was configured.
    kind = Parsed(host_alone, "a host without a port")
    return setting("host", default="127.0.0.1", type=kind, help=help_text)


def port_setting(help_text: str) -> Callable[[Command], Command]:
    """Declare the option --port."""
    return setting("port", default=8000, type=Port(), help=help_text)


def check_names(is_strict: bool) -> None:
    """Warn of unknown variables on stderr. Raises BadValue if `is_strict`."""
    found = environment.unknown_settings(os.environ)
    if found and is_strict:
        raise BadValue("\n".join(found))
    for each in found:
        tell(f"warning: {each}")
