"""Options that environment variables can set too, and the types of their values."""

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

PREFIX = "MOCK_SERVER_"
MAX_SECONDS = 86_400.0
_SIZE = re.compile("([0-9]{1,18})(|B|KiB|MiB|GiB|TiB)", re.ASCII)
_UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
Command = TypeVar("Command", bound=Callable[..., Any])


class Listed(click.types.StringParamType):
    """A text; the variable of a repeatable option separates several by commas."""

    # By default click splits at white space.
    envvar_list_splitter = ","

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text, without the space that may follow a comma."""
        return super().convert(value, param, ctx).strip()


class Seconds(click.FloatRange):
    """A time in seconds, of a day at most."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(0, MAX_SECONDS)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; nan, which every range lets through, is refused."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"Expected a number of seconds, got {value}", param, ctx)
        return seconds


class Size(click.types.StringParamType):
    """A number of bytes, such as `512MiB`, `2GiB` or `1000000`."""

    name = "size"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """The bytes, as an integer of at least 1."""
        match = _SIZE.fullmatch(str(value))
        if match is None or int(match[1]) == 0:
            self.fail(f"Expected a size like 512MiB or 2GiB, got {value!r}", param, ctx)
        return int(match[1]) * _UNITS[match[2]]


def pairs(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """Called by click; the values of `NAME=VALUE` texts by their names."""
    named = [value.partition("=") for value in values]
    for name, equals, _ in named:
        if not equals:
            raise click.BadParameter(f"Expected NAME=VALUE, got {name!r}", ctx, param)
    return {name: value for name, _, value in named}


class _NotEmpty(click.Parameter):
    """Refuses an empty value; click takes an empty variable for one that is not set.

    An empty variable is a mistake, such as a secret that a build was not given. To go
    on without it could leave the admin API open, for one.
    """

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Called by click; gives the value as it was set, and where it comes from."""
        value, source = super().consume_value(ctx, opts)
        if source == click.core.ParameterSource.COMMANDLINE:
            given = value
        else:
            # By now click has put the default in the place of an empty variable.
            given = os.environ.get(str(self.envvar))
            # A part can be empty too, as in `a,,b`.
            if given and (self.nargs != 1 or self.multiple):
                given = self.type.split_envvar_value(given)
        parts = [given] if isinstance(given, str) else given or ()
        if any(isinstance(part, str) and not part.strip() for part in parts):
            is_option = isinstance(self, click.Option)
            name = self.opts[0] if is_option else self.human_readable_name
            message = f"Expected a value, got an empty one - at {name} or {self.envvar}"
            raise click.UsageError(message, ctx)
        return value, source


class Setting(_NotEmpty, click.Option):
    """An option that must not be empty."""


class SettingArgument(_NotEmpty, click.Argument):
    """An argument that must not be empty."""


def setting(name: str, **attributes: Any) -> Callable[[Command], Command]:
    """An option that the variable MOCK_SERVER_<NAME> sets too."""
    variable = PREFIX + name.upper().replace("-", "_")
    attributes = {"show_default": True, "show_envvar": True} | attributes
    return click.option(f"--{name}", envvar=variable, cls=Setting, **attributes)


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
    return setting("port", default=8000, type=click.IntRange(0, 65535), help=help_text)
