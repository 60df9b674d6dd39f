"""Names the environment variables `MOCK_SERVER_*`, and explains wrong ones.

The command line and the pytest plugin read the values.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from mock_server.domain.messages import did_you_mean
from mock_server.domain.printable import one_line

MAX_SECONDS = 86_400.0
"""The maximum of MOCK_SERVER_TIMEOUT: a day."""
_PREFIX = "MOCK_SERVER_"
_PREFIXES = (_PREFIX, "MOCKSERVER_", "FASTGPT_MOCK_SERVER_")
PULL_KEY = _PREFIX + "PULL_KEY"
VERIFY_KEY = _PREFIX + "VERIFY_KEY"
"""Variables with the API key for `pull` and `verify`; no option has the key itself."""

# Variables that Kubernetes sets in all pods near a service named mock-server.
# Strings, so that `re` compiles them only when they are needed.
_LINK_NAME = (
    r"MOCK_SERVER_(SERVICE_HOST|SERVICE_PORT(_\w+)?"
    r"|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_LINK_VALUE = "(tcp|udp|sctp)://"
_ADDRESS = r"(\w+://)?(\[(?P<v6>[^][/]+)\]|(?P<host>[^][:/]+))(:(?P<port>\d*))?(/.*)?"
KEYS_HINT = "declare API keys in a fixture, keys: [{key: fastgpt-secret}]"
_KEY_NAMES = ("API_KEY", "API_KEYS", "KEY", "KEYS")
_LINK_HINT = (
    "Kubernetes sets it in pods beside a service named mock-server; "
    "enableServiceLinks: false in the pod's spec leaves it out"
)


def variable(name: str) -> str:
    """Return the variable of an option, given its name without leading dashes."""
    return _PREFIX + name.upper().replace("-", "_")


def known_settings() -> list[str]:
    """Return the variables of all options and arguments, PULL_KEY and VERIFY_KEY.

    They are read from a file, because a command imports only its own options. `python
    -m tests.docs` renews the file.
    """
    text = Path(__file__).with_name("settings.txt").read_text()
    return [*text.split(), PULL_KEY, VERIFY_KEY]


def unknown_settings(environment: Mapping[str, str]) -> list[str]:
    """Return a line for each unknown variable, and each setting with a wrong prefix.

    `unknown setting MOCK_SERVER_CHOICES (did you mean MOCK_SERVER_CHOICE?)`
    """
    names = sorted(name for name in environment if name.startswith(_PREFIXES))
    known = known_settings() if names else ()
    lines = []
    for name in names:
        likely_name = _PREFIX + name.partition("SERVER_")[2]
        if likely_name == name and name not in known:
            lines.append(_unknown_line(name, known))
        # Other programs use the other prefixes too, and Kubernetes sets such names.
        is_link = re.match(_LINK_VALUE, environment[name])
        if likely_name != name and likely_name in known and not is_link:
            lines.append(f"unknown setting {name} (did you mean {likely_name}?)")
    return lines


def _unknown_line(name: str, known: Iterable[str]) -> str:
    if re.fullmatch(_LINK_NAME, name):
        return one_line(f"unknown setting {name} ({_LINK_HINT})")
    if name.removeprefix(_PREFIX) in _KEY_NAMES:
        return f"unknown setting {name} ({KEYS_HINT})"
    # Compared without the prefix, which would make all names similar.
    known_by_suffix = {each.removeprefix(_PREFIX): each for each in known}
    hint = did_you_mean(name.removeprefix(_PREFIX), known_by_suffix)
    for suffix, each in known_by_suffix.items():
        hint = hint.replace(f"'{suffix}'", each)
    hint = hint or " (see mock-server serve --help)"
    return one_line(f"unknown setting {name}{hint}")


def value_hint(name: str, value: str) -> str:
    """Return a hint how to write a wrong value, or that Kubernetes has set it."""
    if name in ("host", "--host", variable("host")):
        separator = " " if name[0] == "-" else "="
        match = re.fullmatch(_ADDRESS, value)
        if match is None or match["host"] == value:
            return ""
        values = match["v6"] or match["host"], match["port"]
        names = name, name.replace("host", "port").replace("HOST", "PORT")
        pairs = zip(names, values, strict=True)
        settings = (f"{option}{separator}{each}" for option, each in pairs if each)
        return f" (use {' '.join(settings)})"
    if name in ("--cors-origin", variable("cors-origin")):
        scheme, _, rest = value.lower().rpartition("://")
        origin = f"{scheme or 'http'}://{rest.partition('/')[0]}"
        return f" (write {origin})" if re.fullmatch(r"\w+://[\w.:-]+", origin) else ""
    if name in ("--allowed-host", variable("allowed-host")):
        match = re.fullmatch(_ADDRESS, value)
        host = match["host"] if match else None
        return "" if host in (None, value) else f" (write {host})"
    is_link = name.startswith(_PREFIX) and re.match(_LINK_VALUE, value)
    return f" ({_LINK_HINT})" if is_link else ""
