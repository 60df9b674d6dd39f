"""Read the options, variables and ini values for the servers of tests.

Variables are those of `mock-server serve`, read by its own options, so that they take
the same values and have the same messages.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from mock_server.cli.output import BadValue, Stop
from mock_server.cli.serve import profile_or_file, serve
from mock_server.cli.serving import chosen
from mock_server.control.environment import variable
from mock_server.domain.printable import one_line
from mock_server.testing.setup import Given, beside

OPTION, INI = "--mock-server-profile", "mock_server_profile"
_PROFILE = variable("profile")
_PLURAL = {"cors_origin": "cors_origins", "allowed_host": "allowed_hosts"}
"""Arguments of MockServer whose names differ from their options."""
_NO_EFFECT = {
    variable("log-format"): "tests show the journal of what fails",
    variable("watch"): "each test loads what has changed",
    variable("sandbox"): "each test has its own",
    variable("url"): "tests take --mock-server-url",
}


def read(config: pytest.Config) -> Given:
    """Return the settings of all servers of a run; markers and fixtures override them.

    Raises pytest.UsageError for an invalid value.
    """
    is_remote = config.getoption("mock_server_url") is not None
    try:
        values = _values()
        faults = tuple(values.pop("fault", ()))
        choices = values.pop("choice", {})
        files = [
            beside(each, Path.cwd(), variable("fixture"))
            for each in values.pop("fixtures", ())
        ]
        profile, of_profile = _profile(config, values.pop("profile", None))
    except (Stop, ValueError) as error:
        message = getattr(error, "message", str(error))
        raise pytest.UsageError(message) from None
    if profile is None and values.get("demo"):
        profile = "deployed"  # as `serve` does: the demo lists chats
    return Given(
        fixture=files or None,
        profile=profile,
        of_profile=of_profile,
        choices=choices,
        faults=faults,
        # A server that runs already has options of its own.
        options={} if is_remote else values,
    )


def header(config: pytest.Config, given: Given) -> Iterator[str]:
    """Yield each setting with its source: `profile deployed (MOCK_SERVER_PROFILE)`.

    Secrets are left out: a token is only mentioned, faults only have their kinds.
    """
    if given.profile is not None:
        count = len(given.of_profile)
        more = f" and {count} choices of its file" if count else ""
        yield f"profile {given.profile}{more} ({_source(config)})"
    rest: dict[str, Any] = {
        f"choice {name}={value}": "choice" for name, value in given.choices.items()
    }
    rest |= {f"fault {each.kind}": "fault" for each in given.faults}
    rest |= {f"fixture {each}": "fixture" for each in given.fixture or ()}
    for name, value in given.options.items():
        text = " and ".join(value) if isinstance(value, tuple) else str(value)
        own = name.removesuffix("s") if name in _PLURAL.values() else name
        rest["a token" if own == "admin_token" else f"{own} {text}"] = own
    for text, name in rest.items():
        yield one_line(f"{text} ({variable(name)})")
    for name, why in _NO_EFFECT.items():
        if name in os.environ:
            yield f"{name} has no effect ({why})"


def _values() -> dict[str, Any]:
    """Return the values of variables that are set, as `serve` takes them.

    The names are arguments of MockServer; others are left out. Raises Stop.
    """
    context = click.Context(serve)
    for each in serve.params:
        name = str(each.envvar)
        if name in os.environ and name not in _NO_EFFECT and each.expose_value:
            each.handle_parse_result(context, {}, [])
    return {_PLURAL.get(name, name): value for name, value in context.params.items()}


def _source(config: pytest.Config) -> str:
    """Return the source of the profile; the option wins over variable and ini value."""
    if config.getoption(INI) is not None:
        return OPTION
    if _PROFILE in os.environ:
        return _PROFILE
    return INI if config.getini(INI) else "for the demo"


def _profile(config: pytest.Config, of_variable: str | None) -> tuple[Any, Any]:
    """Return a profile's name, or None, and the choices of its file. Raises Stop.

    A file in the ini value is relative to the ini file.
    """
    given, source = of_variable, _source(config)
    if source in (OPTION, INI):
        given = config.getoption(INI) or config.getini(INI)
        try:
            given = profile_or_file(given)
        except ValueError as error:
            raise BadValue(f"{error} - at {source}") from None
    if given is None:
        return None, {}
    folder = config.rootpath if config.inipath is None else config.inipath.parent
    return chosen(given, folder if source == INI else Path(), source)
