"""What `serve --profile` takes: a profile by its name, or a file of `verify`."""

from pathlib import Path

import click

from mock_server.domain.errors import did_you_mean
from mock_server.domain.profiles import PROFILES

_SUFFIXES = (".yaml", ".yml", ".json")


class ProfileName(click.types.StringParamType):
    """A profile by its name, or by a path that has a folder or a suffix in it."""

    name = "profile"

    def get_metavar(
        self, param: click.Parameter, ctx: click.Context | None = None
    ) -> str:
        """Called by click, with the context from 8.2 on."""
        del param, ctx
        return "|".join((*PROFILES, "FILE"))

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text, if it can be either."""
        text = str(value)
        is_file = Path(text).suffix.lower() in _SUFFIXES or "/" in text
        if text not in PROFILES and not is_file:
            expected = f"a file of YAML or JSON, {' or '.join(PROFILES)}"
            hint = did_you_mean(text, PROFILES)
            self.fail(f"Expected {expected}, got {text!r}{hint}", param, ctx)
        return text
