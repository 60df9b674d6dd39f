"""Options and arguments of commands, which environment variables can set too.

Whatever has a bad value is told in one form, `Expected X, got Y - at PLACE`, where the
place is the option or the variable that the value came from.
"""

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from mock_server.cli.output import USAGE, Stop, tell
from mock_server.domain.errors import did_you_mean
from mock_server.environment import unknown_settings, value_hint, variable
from mock_server.setting_names import MAX_SECONDS

_SIZE = re.compile("([0-9]{1,18})(|B|KiB|MiB|GiB|TiB)", re.ASCII)
_UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
Command = TypeVar("Command", bound=Callable[..., Any])


class BadValue(Stop):
    """A value that an option or a variable cannot have."""

    def __init__(self, message: str) -> None:
        super().__init__(message, USAGE)


class Listed(click.types.StringParamType):
    """A text; the variable of a repeatable option separates several by commas."""

    # By default click splits at white space.
    envvar_list_splitter = ","

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text, without the space that may follow a comma."""
        return super().convert(value, param, ctx).strip()


class Visible(click.types.StringParamType):
    """A text for the head of a request, where a line break would start a field."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text, if it is visible ASCII; no message has it, as it may be secret."""
        text = super().convert(value, param, ctx)
        if not (text.isascii() and text.isprintable()):
            self.fail("Expected visible ASCII, got other characters", param, ctx)
        return text


class Port(click.IntRange):
    """The number of a port."""

    expected = "a port from 0 to 65535"

    def __init__(self) -> None:
        super().__init__(0, 65535)


class Seconds(click.FloatRange):
    """A time in seconds, of a day at most."""

    name = "seconds"
    expected = f"a number of seconds from 0 to {MAX_SECONDS:g}"

    def __init__(self) -> None:
        super().__init__(0, MAX_SECONDS)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; nan, which every range lets through, is refused."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail("not a number", param, ctx)
        return seconds


class Size(click.types.StringParamType):
    """A number of bytes, such as `512MiB`, `2GiB` or `1000000`."""

    name = "size"
    expected = "a size like 512MiB or 2GiB"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """The bytes, as an integer of at least 1."""
        match = _SIZE.fullmatch(str(value))
        if match is None or int(match[1]) == 0:
            self.fail("not a size", param, ctx)
        return int(match[1]) * _UNITS[match[2]]


# What is between semicolons; those in a string of JSON part nothing.
_ONE_FAULT = r'(?:"(?:[^"\\]|\\.)*"|[^;])+|(?<=;)(?=;|\Z)|\A(?=;)'


class FaultText(click.types.StringParamType):
    """A fault as a text; the variable has several, with semicolons between them."""

    name = "fault"

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        """Called by click."""
        return [each.strip() for each in re.findall(_ONE_FAULT, rv)]


def expected_by(kind: "click.ParamType[Any]") -> str:
    """What a type takes, in words; nothing for one whose messages say it themselves."""
    if own := getattr(kind, "expected", ""):
        return str(own)
    match kind:
        case click.Choice(choices=choices):
            return " or ".join(map(str, choices))
        case click.types.BoolParamType():
            return "true or false"
        case click.IntRange(min=low, max=None) if low is not None:
            return f"an integer of at least {low}"
        case click.IntRange(min=low, max=high):
            return f"an integer from {low} to {high}"
        case click.types.IntParamType():
            return "an integer"
        case click.types.FloatParamType():
            return "a number"
    return ""


def place_of(ctx: click.Context, param: click.Parameter) -> str:
    """Where the value of a parameter has come from: its option, or its variable."""
    if ctx.get_parameter_source(str(param.name)) == ParameterSource.ENVIRONMENT:
        return str(param.envvar)
    is_option = isinstance(param, click.Option)
    return param.opts[0] if is_option else param.human_readable_name


class _Rated(click.Parameter):
    """Tells of a bad value in the form that all messages have."""

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
        raise BadValue(message + value_hint(place, str(value)))


class _NotEmpty(_Rated):
    """Refuses an empty value; click takes an empty variable for one that is not set.

    An empty variable is a mistake, such as a secret that a build was not given. To go
    on without it could leave the admin API open, for one.
    """

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Called by click; gives the value as it was set, and where it comes from."""
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
            is_option = isinstance(self, click.Option)
            name = self.opts[0] if is_option else self.human_readable_name
            place = f"{name} or {self.envvar}"
            raise BadValue(f"Expected a value, got an empty one - at {place}")
        return value, source


class Option(_Rated, click.Option):
    """An option without a variable."""


class Setting(_NotEmpty, click.Option):
    """An option that must not be empty."""


class SettingArgument(_NotEmpty, click.Argument):
    """An argument that must not be empty."""


def option(*names: str, **attributes: Any) -> Callable[[Command], Command]:
    """An option without a variable."""
    return click.option(*names, cls=Option, **attributes)


def setting(name: str, **attributes: Any) -> Callable[[Command], Command]:
    """An option that the variable MOCK_SERVER_<NAME> sets too."""
    attributes = {"show_default": True, "show_envvar": True} | attributes
    return click.option(f"--{name}", envvar=variable(name), cls=Setting, **attributes)


def flag(name: str, **attributes: Any) -> Callable[[Command], Command]:
    """An option without a value; its variable is true or false."""
    return setting(name, is_flag=True, show_default=False, **attributes)


def later(module: str, name: str) -> Callable[..., Any]:
    """A function of a module of this package, imported when it is called."""

    def call(*args: Any) -> Any:
        return getattr(import_module(f"{__package__}.{module}"), name)(*args)

    return call


def timeout_setting(default: float) -> Callable[[Command], Command]:
    """The option --timeout."""
    return setting(
        "timeout",
        metavar="SECONDS",
        type=Seconds(),
        default=default,
        help="Seconds that the whole command may take.",
    )


def host_setting(help_text: str) -> Callable[[Command], Command]:
    """The option --host."""
    # `serve` and `healthcheck` share the variables of host and port, so that a check in
    # a container finds the server however it was configured.
    return setting("host", default="127.0.0.1", help=help_text)


def port_setting(help_text: str) -> Callable[[Command], Command]:
    """The option --port."""
    return setting("port", default=8000, type=Port(), help=help_text)


def strict_setting() -> Callable[[Command], Command]:
    """The option --strict-settings, by which a command checks the variables' names."""
    # Eager, so that a name is told even where values are bad too.
    return flag(
        "strict-settings",
        is_eager=True,
        expose_value=False,
        callback=_check_names,
        help="Refuse unknown MOCK_SERVER_* variables instead of warning of them.",
    )


def _check_names(ctx: click.Context, param: click.Parameter, is_strict: bool) -> None:
    del ctx, param
    check_names(is_strict)


def check_names(is_strict: bool) -> None:
    """Warn of unknown variables on stderr. Raises BadValue if it is strict."""
    found = unknown_settings(os.environ)
    if found and is_strict:
        raise BadValue("\n".join(found))
    for each in found:
        tell(f"warning: {each}")


def is_strict() -> bool:
    """What the variable of --strict-settings says. Raises BadValue."""
    name = variable("strict-settings")
    text = os.environ.get(name)
    if text is None:
        return False
    try:
        return bool(click.BOOL.convert(text, None, None))
    except click.BadParameter:
        raise BadValue(f"Expected true or false, got {text!r} - at {name}") from None
