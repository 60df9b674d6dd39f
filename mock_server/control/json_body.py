"""Encode a caller's data as JSON; name the value that JSON cannot hold."""

from collections.abc import Iterator
from datetime import UTC, datetime
from inspect import isroutine
from math import isfinite

import msgspec
from msgspec import Struct

from mock_server.domain.validation.walk import Path, dotted
from mock_server.domain.wrong_calls import WrongValue

_BYTES = bytes, bytearray, memoryview


def to_json(value: object) -> bytes:
    """Return JSON of plain data, times, structs and the like. Raises WrongValue."""
    for path, found in _not_json(value, ()):
        got, hint = f"a value of the type {type(found).__name__}", ""
        if isinstance(found, _BYTES):
            got, hint = "bytes", f"write {bytes(found).decode(errors='replace')!r}"
        elif isinstance(found, float):
            got = repr(found)
        elif isinstance(found, datetime):
            got = "a datetime without a time zone"
            hint = f"write {found.replace(tzinfo=UTC)!r}"
        elif isroutine(found):
            got, how = "a function", "use placeholders, or respond(times=1) for each"
            hint = f"an answer is data: {how}" if path[0] in ("data", "json") else ""
        where = f" as {dotted(path)[2:]}" if path else ""
        raise WrongValue(f"Expected JSON{where}, got {got}", hint)
    return msgspec.json.encode(value)


def _not_json(value: object, path: Path) -> Iterator[tuple[Path, object]]:
    match value:
        case str() | bool() | int() | None | Struct():
            pass
        case dict():
            for name, item in value.items():
                if not isinstance(item, str):  # saves half of the time
                    yield from _not_json(item, (*path, name))
        case list() | tuple():
            for at, item in enumerate(value):
                yield from _not_json(item, (*path, at))
        case float():
            if not isfinite(value):  # msgspec would write null
                yield path, value
        case datetime(tzinfo=None):  # which of the day's times nobody knows
            yield path, value
        case _:
            try:
                msgspec.json.encode(value)
            except TypeError:
                yield path, value
            if isinstance(value, _BYTES):  # msgspec would write base64
                yield path, value
