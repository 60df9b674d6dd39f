"""`mock-server healthcheck` where all is well, which may run every second.

It takes a fifth of the time of the command in `cli`, whose parser and HTTP client are
not imported. What is not plain (an option that is no number, a name to resolve, a
server that is slow or not ready) is left to that: it asks again, and says what is
wrong.
"""

from _socket import AF_INET, AF_INET6, inet_pton
from collections.abc import Mapping, Sequence

from mock_server import probe
from mock_server.setting_names import (
    MAX_SECONDS,
    PREFIX,
    PULL_KEY,
    VARIABLES,
    VERIFY_KEY,
)

_SECONDS = 0.25
_DEFAULTS = {"host": "127.0.0.1", "port": "8000", "timeout": "2"}
_READY = b'{"status":"ready","fixture":{'
"""How the health of a mock server begins (views.HealthView)."""


def is_ready(args: Sequence[str], environment: Mapping[str, str]) -> bool:
    """Whether the server that the arguments name is seen to be ready at once."""
    given = _given(args, environment)
    if given is None or not (_is_usual(environment) and _are_plain(given)):
        return False
    host, seconds = given["host"], min(float(given["timeout"]), _SECONDS)
    try:
        inet_pton(AF_INET6 if ":" in host else AF_INET, host)
        answer = probe.health(host, int(given["port"]), seconds)
    except (OSError, OverflowError):
        return False
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.startswith(b"HTTP/1.1 200 ") and body.startswith(_READY)


def _is_usual(environment: Mapping[str, str]) -> bool:
    """Whether there is nothing to say of the variables."""
    known = {*VARIABLES.values(), PULL_KEY, VERIFY_KEY}
    given = {each for each in environment if each.startswith(PREFIX)}
    # What this one says may be no value, and changes what is said of others.
    return given <= known - {VARIABLES["strict-settings"]}


def _given(
    args: Sequence[str], environment: Mapping[str, str]
) -> dict[str, str] | None:
    """The settings as arguments and variables have them; None for other arguments."""
    given = {
        name: environment.get(VARIABLES[name], default)
        for name, default in _DEFAULTS.items()
    }
    words = [part for each in args for part in each.split("=", 1)]
    for option, value in zip(words[::2], words[1::2], strict=False):
        given[option.removeprefix("--")] = value
    known = {f"--{name}" for name in _DEFAULTS}
    return given if len(words) % 2 == 0 and known.issuperset(words[::2]) else None


def _are_plain(given: Mapping[str, str]) -> bool:
    """Whether the port and the timeout are numbers in digits."""
    whole, _, part = given["timeout"].partition(".")
    digits = given["port"], whole, part or "0"
    if not all(each.isascii() and each.isdigit() for each in digits):
        return False
    return float(given["timeout"]) <= MAX_SECONDS
