"""What `serve --profile` takes: a profile by its name, or a file of `verify`."""

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from mock_server.cli.output import BROKEN_FIXTURE, Stop
from mock_server.cli.reports import report_text
from mock_server.domain.choices import PROFILES, as_profile
from mock_server.domain.errors import did_you_mean
from mock_server.domain.printable import one_line
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.profile import ProfileFile, read_profile

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

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Called by click; the names, else any file."""
        del ctx, param
        found = [
            CompletionItem(each) for each in PROFILES if each.startswith(incomplete)
        ]
        return found or [CompletionItem(incomplete, type="file")]

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


def profile_of(text: str) -> ProfileFile:
    """The profile and the choices of a name or a file. Raises Stop."""
    if text in PROFILES:
        return ProfileFile(as_profile(text))
    if not Path(text).exists():
        raise Stop(one_line(f"{text}: no such file, for --profile"), BROKEN_FIXTURE)
    try:
        return read_profile(text)
    except FixtureError as error:
        raise Stop(report_text(error.problems), BROKEN_FIXTURE) from None
