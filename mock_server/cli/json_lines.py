"""Formats lines on stderr as JSON, for `--log-format json`."""

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import msgspec

from mock_server.control.environment import variable
from mock_server.domain.clock import format_time
from mock_server.domain.printable import json_text

_OPTION = "--log-format"


def is_json_requested(args: Sequence[str], variables: Mapping[str, str]) -> bool:
    """Return whether these arguments of `serve`, or else the variable, request JSON.

    click is not used, because messages about its errors must be JSON too.
    """
    log_format = variables.get(variable("log-format"))
    for arg, next_arg in pairwise([*args, ""]):
        name, equals, value = arg.partition("=")
        if name == _OPTION:
            log_format = value if equals else next_arg
    return log_format == "json"


def json_lines(text: str) -> str:
    """Return each line of a text as an object with `time` and `message`."""
    now = format_time(time.time_ns() // 1_000_000)
    text = text.encode(errors="backslashreplace").decode()  # escape lone surrogates
    rows = ({"time": now, "message": line} for line in text.splitlines())
    return "\n".join(json_text(msgspec.json.encode(row).decode()) for row in rows)


class JsonLines:
    """Writes the messages of a server as objects, between lines of the request log."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def write(self, text: str) -> None:
        """Write each line of a text as an object."""
        self._write(json_lines(text))
