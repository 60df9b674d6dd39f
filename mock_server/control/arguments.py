"""Arguments that say how a server is run, checked wherever they are given.

A wrong one would otherwise serve something else without a word, or fail far below.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from mock_server.domain.choices import UnknownChoice, choose
from mock_server.domain.errors import did_you_mean
from mock_server.domain.generation import Generation
from mock_server.domain.limits import Limits

__tracebackhide__ = True

_FIXTURE = str, Path, Mapping, Generation


class Argument(Struct, frozen=True):
    """An argument: the types of its values, and what these are in words.

    A sequence counts if each of its items is of these types.
    """

    types: tuple[type, ...]
    expected: str
    or_several: bool = False

    def takes(self, value: object) -> bool:
        """Whether a value is of the right type."""
        if isinstance(value, self.types):
            return not isinstance(value, bool) or bool in self.types
        if not self.or_several or not isinstance(value, Sequence):
            return False
        return not isinstance(value, bytes) and all(self.takes(item) for item in value)


CHOSEN = {
    "fixture": Argument(_FIXTURE, "a path, a document, or a list of these", True),
    "profile": Argument((str,), "the name of a profile"),
    "choices": Argument((Mapping,), 'a dictionary such as {"list_order": "name"}'),
}
SETTINGS = CHOSEN | {
    "host": Argument((str,), "an address such as '127.0.0.1'"),
    "port": Argument((int,), "a number from 0 to 65535"),
    "admin_token": Argument((str,), "a text"),
    "demo": Argument((bool,), "True or False"),
    "metrics": Argument((bool,), "True or False"),
    "memory": Argument((int,), "a number of bytes"),
    "limits": Argument((Limits,), "a Limits of mock_server.domain.limits"),
}


def check(
    given: Mapping[str, Any], arguments: Mapping[str, Argument], place: str
) -> None:
    """Raises TypeError unless all that is given is an argument of the right type.

    UnknownChoice for a profile or a choice that there is not. None is as good as
    nothing. `place` says where they stand.
    """
    for name, value in given.items():
        if name not in arguments:
            known = did_you_mean(str(name), arguments)
            known = known or f" (there are {', '.join(arguments)})"
            raise TypeError(f"Expected an argument, got {name!r}{known} - at {place}")
        if value is not None and not arguments[name].takes(value):
            expected = f"Expected {name} to be {arguments[name].expected}"
            raise TypeError(f"{expected}, got {value!r} - at {place}")
    choices = given.get("choices")
    for name in choices or ():
        if not isinstance(name, str):
            raise TypeError(f"Expected names of choices, got {name!r} - at {place}")
    try:
        choose(given.get("profile") or "documented", choices)
    except UnknownChoice as error:
        raise UnknownChoice(f"{error} - at {place}") from None
