"""Encodes a caller's data as JSON, or names the value that is not valid in JSON."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from inspect import isroutine
from math import isfinite

import msgspec
from msgspec import Struct

from mock_server.domain.validation.walk import Path, dotted
from mock_server.domain.wrong_calls import NO_FUNCTION, WrongValue

_BYTES = bytes, bytearray, memoryview


def to_json(value: object) -> bytes:
    """Return the JSON of plain data, times and structs. Raises WrongValue."""
    for path, wrong_value in _wrong_values(value, ()):
        got, hint = f"a value of the type {type(wrong_value).__name__}", ""
        if isinstance(wrong_value, _BYTES):
            got = "bytes"
            hint = f"write {bytes(wrong_value).decode(errors='replace')!r}"
        elif isinstance(wrong_value, float):
            got = repr(wrong_value)
        elif isinstance(wrong_value, datetime):
            got = "a datetime without a time zone"
            hint = f"write {wrong_value.replace(tzinfo=UTC)!r}"
        elif isinstance(wrong_value, re.Pattern):
            got, fix = "a pattern", "in a route, {id} is any segment"
            hint = f"there are no patterns: {fix}"
        elif isroutine(wrong_value):
            got = "a function"
            hint = NO_FUNCTION if path[0] in ("data", "json") else ""
        where = f" as {dotted(path)[2:]}" if path else ""
        raise WrongValue(f"Expected JSON{where}, got {got}", hint)
    return msgspec.json.encode(value)


def _wrong_values(value: object, path: Path) -> Iterator[tuple[Path, object]]:
    """Yield path and value of each part of `value` that JSON cannot hold."""
    match value:
        case str() | bool() | int() | None | Struct():
            pass
        case dict():
            for name, item in value.items():
                if not isinstance(item, str):  # saves half of the time
                    yield from _wrong_values(item, (*path, name))
        case list() | tuple():
            for index, item in enumerate(value):
                yield from _wrong_values(item, (*path, index))
        case float():
            if not isfinite(value):  # msgspec would write null
                yield path, value
        case datetime(tzinfo=None):  # an unknown time
            yield path, value
        case _:
            try:
                msgspec.json.encode(value)
            except TypeError:
                yield path, value
            if isinstance(value, _BYTES):  # msgspec would write base64
                yield path, value
