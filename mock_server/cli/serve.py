"""Defines the options of `mock-server serve`; `serving` runs the server.

`serving` is imported late, because it would make `serve --help` five times slower.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

import click

from mock_server.cli import options as settings
from mock_server.control.environment import variable
from mock_server.domain.choices.profiles import PROFILES
from mock_server.domain.messages import did_you_mean
from mock_server.domain.printable import LogFormat
from mock_server.wire.uvicorn_internals import HttpParser

_SUFFIXES = (".yaml", ".yml", ".json")


def _faults(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> Any:
    """Called by click; imports the parser of faults only if there are any."""
    if not values:
        return ()
    from mock_server.cli.values import parse_faults

    return parse_faults(ctx, param, values)


def profile_or_file(text: str) -> str:
    """Return the text if it is a profile, or the path of a file written by `verify`.

    A path has a folder or a suffix. Raises ValueError for other texts.
    """
    is_file = Path(text).suffix.lower() in _SUFFIXES or "/" in text
    if text not in PROFILES and not is_file:
        expected = f"{', '.join(PROFILES)} or a file of verify --write-profile"
        hint = did_you_mean(text, PROFILES)
        if text.strip("\"'") in PROFILES:
            hint = " (write it without quotes)"
        raise ValueError(f"Expected {expected}, got {text!r}{hint}")
    return text


def _check_origin(text: str) -> None:
    from mock_server.api.middleware import check_origin

    check_origin(text)


def _check_host(text: str) -> None:
    from mock_server.admin.guard import check_host

    check_host(text)


_MAIN_OPTIONS = "port", "profile", "watch", "demo"
_FIXTURE = "FIXTURE...", "Fixture files in YAML or JSON; by default the demo."


def main_options(command: click.Command) -> Iterator[tuple[str, str]]:
    """Yield the main arguments of `serve` as rows of a help list."""
    options = {
        each.name: each for each in command.params if isinstance(each, click.Option)
    }
    for name in _MAIN_OPTIONS:
        option = options[name]
        value = "" if option.is_flag else f" {name.upper()}"
        default = "" if option.is_flag else f" [default: {option.default}]"
        yield f"--{name}{value}", f"{option.help}{default}"
        if name == "port":
            yield _FIXTURE


def other_options(command: click.Command) -> list[str]:
    """Return the names of the other options of `serve`."""
    options = [each for each in command.params if isinstance(each, click.Option)]
    return [each.opts[0] for each in options if each.name not in _MAIN_OPTIONS]


class Serve(click.Command):
    """A command whose help lists the main arguments first."""

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Called by click."""
        records = {
            each.name: record
            for each in self.get_params(ctx)
            if isinstance(each, click.Option) and (record := each.get_help_record(ctx))
        }
        port, *first = (records.pop(name) for name in _MAIN_OPTIONS)
        with formatter.section("Options"):
            formatter.write_dl([port, _FIXTURE, *first])
        with formatter.section("More options"):
            formatter.write_dl([*records.values()])


@click.command(cls=Serve)
@click.argument(
    "fixtures",
    cls=settings.SettingArgument,
    metavar="[FIXTURE]...",
    nargs=-1,
    type=settings.FixturePath(),
    envvar=variable("fixture"),
)
@settings.flag(
    "strict-settings",
    # Eager, so that unknown names are reported even if values are bad too.
    is_eager=True,
    expose_value=False,
    callback=lambda _, __, is_strict: settings.check_names(is_strict),
    help="Refuse unknown MOCK_SERVER_* variables.",
)
@settings.host_setting("Address to listen on.")
@settings.port_setting("Port to listen on; 0 takes a free one.")
@settings.setting(
    "profile",
    type=settings.ParsedText(profile_or_file),
    metavar="|".join((*PROFILES, "FILE")),
    default="documented",
    help="`documented` (strict spec), `deployed` (like FastGPT), or a file written "
    "by `verify --write-profile`.",
)
@settings.setting(
    "choice",
    multiple=True,
    type=settings.CommaSeparated(),
    metavar="NAME=VALUE",
    callback=settings.parse_choices,
    help="Choice other than the profile's; repeatable.",
)
@settings.setting(
    "fault",
    multiple=True,
    type=settings.FaultText(),
    metavar="KIND[:FIELD=VALUE,...]",
    callback=_faults,
    help="Fault or preset to add at the start; repeatable.",
)
@settings.setting(
    "http",
    type=click.Choice(get_args(HttpParser)),
    help="HTTP parser: native (the default if installed), or pure Python.",
)
@settings.setting(
    "cors-origin",
    multiple=True,
    type=settings.CommaSeparated(_check_origin),
    metavar="ORIGIN",
    default=("*",),
    help="Origin whose pages may call the operations; repeatable.",
)
@settings.setting(
    "admin-token", metavar="TOKEN", help="Bearer token that admin routes require."
)
@settings.setting(
    "allowed-host",
    multiple=True,
    type=settings.CommaSeparated(_check_host),
    metavar="HOST",
    help="Further host name that admin routes accept; repeatable.",
)
@settings.setting(
    "log-format",
    type=click.Choice(get_args(LogFormat)),
    help="Format of the request log; by default text on a terminal, else none.",
)
@settings.setting(
    "memory",
    type=settings.SIZE,
    metavar="SIZE",
    default="1GiB",
    help="Memory for all data, such as 512MiB.",
)
@settings.flag("watch", help="Load the fixture files again when they change.")
@settings.flag("demo", help="Serve a demo front end at /demo/, with profile deployed.")
def serve(**options: Any) -> None:
    """Serve fixtures, or the shipped demo.

    A FIXTURE is a YAML or JSON file; several are merged.
    """
    from mock_server.cli.serving import serve as run

    run(**options)
