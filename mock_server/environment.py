"""Environment variables that are settings, and names that are none.

For the command line and for the pytest plugin; what the values mean is up to these.
"""

import re
from collections.abc import Mapping

from mock_server.domain.errors import did_you_mean
from mock_server.domain.printable import one_line
from mock_server.setting_names import PREFIX, PULL_KEY, VARIABLES, VERIFY_KEY

_KEYS = (PULL_KEY, VERIFY_KEY)

# What Kubernetes sets in all pods beside a service of that name.
# Texts, which `re` compiles when they are first used.
_LINK_NAME = (
    r"MOCK_SERVER_(SERVICE_HOST|SERVICE_PORT(_\w+)?"
    r"|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_LINK_VALUE = "(tcp|udp|sctp)://"
_LINK_HINT = (
    "Kubernetes sets it in pods beside a service named mock-server; "
    "enableServiceLinks: false in the pod's spec leaves it out"
)


def variable(name: str) -> str:
    """The variable of an option, by its name without dashes in front.

    Raises LookupError for an option that is not among the known ones.
    """
    if name not in VARIABLES:
        raise LookupError(f"{name!r} is missing among the names in {__name__}")
    return VARIABLES[name]


def unknown_settings(environment: Mapping[str, str]) -> list[str]:
    """What is wrong with variables that look like settings and are none, a line each.

    `unknown setting MOCK_SERVER_CHOICES (did you mean MOCK_SERVER_CHOICE?)`
    """
    known = {*VARIABLES.values(), *_KEYS}
    given = (name for name in environment if name.startswith(PREFIX))
    return [_unknown(name) for name in sorted(given) if name not in known]


def _unknown(name: str) -> str:
    if re.fullmatch(_LINK_NAME, name):
        hint = f" ({_LINK_HINT})"
    else:
        # Without what all have in common, which would make all of them alike.
        names = *VARIABLES.values(), *_KEYS
        parts = {each.removeprefix(PREFIX): each for each in names}
        hint = did_you_mean(name.removeprefix(PREFIX), parts)
        for part, each in parts.items():
            hint = hint.replace(f"'{part}'", each)
    return one_line(f"unknown setting {name}{hint}")


def value_hint(name: str, value: str) -> str:
    """How a variable may have come to a value that is none, in brackets; or nothing."""
    is_link = name.startswith(PREFIX) and re.match(_LINK_VALUE, value)
    return f" ({_LINK_HINT})" if is_link else ""
