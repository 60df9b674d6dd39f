"""Checks the arguments that configure a server.

Without these checks a wrong argument would be ignored, or fail deep in the server. The
error is raised at the caller's line.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args
from warnings import warn

from msgspec import Struct

from mock_server.control.environment import value_hint
from mock_server.domain.choices.choosing import choose, deprecations
from mock_server.domain.choices.table import UnknownChoice, table
from mock_server.domain.limits import Limits
from mock_server.domain.messages import did_you_mean
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.wire.uvicorn_internals import HttpParser

__tracebackhide__ = True

_FIXTURE = str, Path, Mapping, FixtureData


class Argument(Struct, frozen=True):
    """An argument: the types of its values, and what messages expect.

    With `may_be_list`, a sequence of such values is valid too.
    """

    types: tuple[type, ...]
    expected: str
    may_be_list: bool = False
    values: tuple[object, ...] = ()
    """All valid values; if empty, every value of the types is valid."""

    def is_valid(self, value: object) -> bool:
        if isinstance(value, self.types):
            if self.values and value not in self.values:
                return False
            return not isinstance(value, bool) or bool in self.types
        if not self.may_be_list or not isinstance(value, Sequence):
            return False
        return not isinstance(value, bytes) and all(map(self.is_valid, value))


TEST_ARGUMENTS = {
    "fixture": Argument(_FIXTURE, "a path, a document, or a list of these", True),
    "profile": Argument((str,), "the name of a profile"),
    "choices": Argument((Mapping,), 'a dictionary such as {"list_order": "name"}'),
}
SETTINGS = TEST_ARGUMENTS | {
    "host": Argument((str,), "an address such as '127.0.0.1'"),
    "port": Argument((int,), "a number from 0 to 65535"),
    "admin_token": Argument((str,), "a text"),
    "demo": Argument((bool,), "True or False"),
    "memory": Argument((int,), "a number of bytes"),
    "limits": Argument((Limits,), "a Limits of mock_server.domain.limits"),
    "cors_origins": Argument((list, tuple, set), "a list of origins"),
    "allowed_hosts": Argument((list, tuple, set), "a list of host names"),
    "http": Argument((str,), "'zttp' or 'h11'", values=get_args(HttpParser)),
}


def check(
    values: Mapping[str, Any], arguments: Mapping[str, Argument], place: str
) -> None:
    """Raise TypeError for values of unknown arguments, or of a wrong type.

    Raises ValueError for a host with a port, UnknownChoice for an unknown profile or
    choice. None counts as missing. `place` names the source in messages.
    """
    for name, value in values.items():
        if name not in arguments:
            known = did_you_mean(str(name), arguments)
            if name in table() and "choices" in arguments:
                known = f" (write choices={{{name!r}: {value!r}}})"
            known = known or f" (there are {', '.join(arguments)})"
            raise TypeError(f"unknown argument {name!r}{known} - at {place}")
        if value is not None and not arguments[name].is_valid(value):
            expected = f"Expected {name} to be {arguments[name].expected}"
            is_digits = isinstance(value, str) and re.fullmatch("[0-9]{1,20}", value)
            hint = (
                f" (write {value})"
                if is_digits and int in arguments[name].types
                else ""
            )
            raise TypeError(f"{expected}, got {value!r} - at {place}{hint}")
    if hint := value_hint("host", values.get("host") or ""):
        expected = f"Expected a host without a port, got {values['host']!r}"
        raise ValueError(f"{expected} - at {place}{hint}")
    choices = values.get("choices")
    for name in choices or ():
        if not isinstance(name, str):
            raise TypeError(f"Expected names of choices, got {name!r} - at {place}")
    try:
        choose(values.get("profile") or "documented", choices)
    except UnknownChoice as error:
        raise UnknownChoice(f"{error} - at {place}") from None
    for each in deprecations(choices or ()):
        warn(f"mock-server: {each} - at {place}", DeprecationWarning, stacklevel=3)


class HiddenFrames:
    """A context that removes this package's frames from errors of these types.

    The mistake is in the caller's arguments, so a test report should show the caller's
    line, and not a line of this package.
    """

    def __init__(self, *error_types: type[Exception]) -> None:
        self._kinds = error_types

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, self._kinds):
            raise error.with_traceback(None) from None
