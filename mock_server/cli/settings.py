"""Options that environment variables give too."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import click

PREFIX = "MOCK_SERVER_"
MAX_SECONDS = 86_400.0
Command = TypeVar("Command", bound=Callable[..., Any])


class Listed(click.types.StringParamType):
    """A text; where a variable gives several, commas part them."""

    envvar_list_splitter = ","

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text without the space that may follow a comma."""
        return super().convert(value, param, ctx).strip()


class Seconds(click.FloatRange):
    """A time that can be waited for: a day at most."""

    name = "seconds"

    def __init__(self) -> None:
        super().__init__(0, MAX_SECONDS)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number; what is none (nan) is refused, which no range does."""
        seconds = float(super().convert(value, param, ctx))
        if math.isnan(seconds):
            self.fail(f"Expected a number of seconds, got {value}", param, ctx)
        return seconds


def pairs(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """The names and values of `NAME=VALUE` texts."""
    named = [value.partition("=") for value in values]
    for name, equals, _ in named:
        if not equals:
            raise click.BadParameter(f"Expected NAME=VALUE, got {name!r}", ctx, param)
    return {name: value for name, _, value in named}


class _Filled(click.Parameter):
    """Refuses an empty value, which click takes for none if a variable has it.

    An empty variable is a mistake, such as a secret that a build was not given; to go
    on without it would leave open what it was to close.
    """

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """Called by click: the value as it was given, and where."""
        value, source = super().consume_value(ctx, opts)
        if source == click.core.ParameterSource.COMMANDLINE:
            given = value
        else:
            given = os.environ.get(str(self.envvar))
            if given and (self.nargs != 1 or self.multiple):
                given = self.type.split_envvar_value(given)
        parts = [given] if isinstance(given, str) else given or ()
        if any(isinstance(part, str) and not part.strip() for part in parts):
            name = (
                self.opts[0]
                if isinstance(self, click.Option)
                else self.human_readable_name
            )
            message = f"Expected a value, got an empty one - at {name} or {self.envvar}"
            raise click.UsageError(message, ctx)
        return value, source


class Setting(_Filled, click.Option):
    """An option that must not be empty."""


class SettingArgument(_Filled, click.Argument):
    """An argument that must not be empty."""


def setting(name: str, **attributes: Any) -> Callable[[Command], Command]:
    """An option that the variable MOCK_SERVER_<NAME> gives too."""
    variable = PREFIX + name.upper().replace("-", "_")
    attributes = {"show_default": True, "show_envvar": True} | attributes
    return click.option(f"--{name}", envvar=variable, cls=Setting, **attributes)


def timeout_setting(default: float) -> Callable[[Command], Command]:
    """The option that says how long a command may take."""
    return setting(
        "timeout",
        metavar="SECONDS",
        type=Seconds(),
        default=default,
        help="Seconds that all of it may take.",
    )


host_setting = setting("host", default="127.0.0.1", help="Address to listen on.")
port_setting = setting(
    "port",
    default=8000,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes a free one.",
)
