"""Values of options that are choices."""

from collections.abc import Sequence

import click

from mock_server.cli.settings import BadValue, place_of
from mock_server.domain.choices import Choices, UnknownChoice, with_choices


def pairs(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """Called by click; the values of `NAME=VALUE` texts by their names.

    Raises BadValue, also for a name that no choice has, or another value than it has.
    """
    named = [value.partition("=") for value in values]
    for name, equals, value in named:
        try:
            if not equals:
                raise UnknownChoice(f"Expected NAME=VALUE, got {name!r}")
            with_choices(Choices(), {name: value})
        except UnknownChoice as error:
            raise BadValue(f"{error} - at {place_of(ctx, param)}") from None
    return {name: value for name, _, value in named}
