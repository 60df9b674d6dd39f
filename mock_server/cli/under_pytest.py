"""Reads the options, variables and ini values for the servers of tests.

The options of `mock-server serve` read its variables, so that values and messages are
the same.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from mock_server.cli.output import BadValue, Stop
from mock_server.cli.serve import profile_or_file, serve
from mock_server.cli.serving import read_profile_option
from mock_server.control.environment import variable
from mock_server.domain.printable import one_line
from mock_server.testing.setup import RunSettings, in_folder

OPTION, INI = "--mock-server-profile", "mock_server_profile"
_PROFILE = variable("profile")
_PLURAL = {"cors_origin": "cors_origins", "allowed_host": "allowed_hosts"}
"""Arguments of MockServer whose names differ from their options."""
_NO_EFFECT = {
    variable("log-format"): "the report of a failed test shows the journal",
    variable("watch"): "each test loads a changed fixture file",
    variable("sandbox"): "tests use the default sandbox",
    variable("url"): "use --mock-server-url",
}


def read_settings(config: pytest.Config) -> RunSettings:
    """Return the settings of all servers of a test run, which markers can override.

    Raises pytest.UsageError for an invalid value.
    """
    is_remote = config.getoption("mock_server_url") is not None
    try:
        values = _values()
        faults = tuple(values.pop("fault", ()))
        choices = values.pop("choice", {})
        files = [
            in_folder(each, Path.cwd(), variable("fixture"))
            for each in values.pop("fixtures", ())
        ]
        profile, profile_choices = _profile(config, values.pop("profile", None))
    except (Stop, ValueError) as error:
        message = getattr(error, "message", str(error))
        raise pytest.UsageError(message) from None
    if profile is None and values.get("demo"):
        profile = "deployed"  # as `serve` does: the demo lists chats
    return RunSettings(
        fixture=files or None,
        profile=profile,
        profile_choices=profile_choices,
        choices=choices,
        faults=faults,
        # A running server (--mock-server-url) has options of its own.
        options={} if is_remote else values,
    )


def header(config: pytest.Config, settings: RunSettings) -> Iterator[str]:
    """Yield each setting with its source: `profile deployed (MOCK_SERVER_PROFILE)`.

    No secret is printed: faults have only their kinds, and the admin token no value.
    """
    if settings.profile is not None:
        count = len(settings.profile_choices)
        more = f" and {count} choices of its file" if count else ""
        yield f"profile {settings.profile}{more} ({_source(config)})"
    sources: dict[str, Any] = {
        f"choice {name}={value}": "choice" for name, value in settings.choices.items()
    }
    sources |= {f"fault {each.kind}": "fault" for each in settings.faults}
    sources |= {f"fixture {each}": "fixture" for each in settings.fixture or ()}
    for name, value in settings.options.items():
        text = " and ".join(value) if isinstance(value, tuple) else str(value)
        option = name.removesuffix("s") if name in _PLURAL.values() else name
        sources["a token" if option == "admin_token" else f"{option} {text}"] = option
    for text, name in sources.items():
        yield one_line(f"{text} ({variable(name)})")
    for name, reason in _NO_EFFECT.items():
        if name in os.environ:
            yield f"{name} has no effect ({reason})"


def _values() -> dict[str, Any]:
    """Return the values of the variables of `serve` that are set. Raises Stop.

    Names are those of MockServer's arguments.
    """
    context = click.Context(serve)
    for each in serve.params:
        name = str(each.envvar)
        if name in os.environ and name not in _NO_EFFECT and each.expose_value:
            each.handle_parse_result(context, {}, [])
    return {_PLURAL.get(name, name): value for name, value in context.params.items()}


def _source(config: pytest.Config) -> str:
    """Return the source of the profile: option, variable, ini value or the demo."""
    if config.getoption(INI) is not None:
        return OPTION
    if _PROFILE in os.environ:
        return _PROFILE
    return INI if config.getini(INI) else "for the demo"


def _profile(config: pytest.Config, variable_value: str | None) -> tuple[Any, Any]:
    """Return a profile's name, or None, and the choices of its file. Raises Stop.

    A file in the ini value is relative to the ini file.
    """
    profile, source = variable_value, _source(config)
    if source in (OPTION, INI):
        profile = config.getoption(INI) or config.getini(INI)
        try:
            profile = profile_or_file(profile)
        except ValueError as error:
            raise BadValue(f"{error} - at {source}") from None
    if profile is None:
        return None, {}
    folder = config.rootpath if config.inipath is None else config.inipath.parent
    return read_profile_option(profile, folder if source == INI else Path(), source)
