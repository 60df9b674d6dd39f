"""Options that environment variables give too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

PREFIX = "MOCK_SERVER_"
Command = TypeVar("Command", bound=Callable[..., Any])


class Listed(click.types.StringParamType):
    """A text; where a variable gives several, commas part them."""

    envvar_list_splitter = ","

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text without the space that may follow a comma."""
        return super().convert(value, param, ctx).strip()


def pairs(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """The names and values of `NAME=VALUE` texts."""
    named = [value.partition("=") for value in values]
    for name, equals, _ in named:
        if not equals:
            raise click.BadParameter(f"Expected NAME=VALUE, got {name!r}", ctx, param)
    return {name: value for name, _, value in named}


def setting(name: str, **attributes: Any) -> Callable[[Command], Command]:
    """An option that the variable MOCK_SERVER_<NAME> gives too."""
    variable = PREFIX + name.upper().replace("-", "_")
    attributes = {"show_default": True, "show_envvar": True} | attributes
    return click.option(f"--{name}", envvar=variable, **attributes)


host_setting = setting("host", default="127.0.0.1", help="Address to listen on.")
port_setting = setting(
    "port",
    default=8000,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes a free one.",
)
