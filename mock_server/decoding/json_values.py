"""Decoding of requests: JSON to values, and values to types. Wrong input is refused."""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable
from contextlib import suppress
from decimal import Decimal
from math import isfinite
from typing import Any, TypeVar

import msgspec

from mock_server.decoding.validation import Place, convert_or_report
from mock_server.errors import BadJson, InvalidField

JsonObject = dict[str, Any]
ValueT = TypeVar("ValueT")
MAX_DEPTH = 64
MAX_KEPT_DEPTH = 48
"""The most levels of a value that is kept: a state document with it has at most MAX_DEPTH."""
decode_as_javascript = msgspec.json.Decoder(float_hook=float).decode
"""Decodes JSON, and 1e400 as infinite, which is not JSON otherwise."""
_ESCAPE = re.compile(
    rb"\\(?:(u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\)"
    rb"|u[dD][89a-fA-F][\da-fA-F]{2})"
)
"""Half a surrogate pair; or, with a group, a whole pair or an escaped backslash."""
NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def json_or_text(text: Any) -> Any:
    """The value of a text that is JSON, else the text; any other value stays."""
    with suppress(TypeError, *NOT_JSON):
        return msgspec.json.decode(text)
    return text


def replace_lone_surrogates(content: bytes) -> bytes:
    """JSON with U+FFFD for each escape of half a surrogate pair, as `"\\ud83d"` alone."""
    return _ESCAPE.sub(lambda it: b"\\" + (it[1] or b"ufffd"), content)


def decode_json(content: bytes, decode: Callable[[bytes], Any] = msgspec.json.decode) -> Any:
    """Decode JSON of at most MAX_DEPTH levels. Raises BadJson."""
    if content.startswith(BOM_UTF8):
        raise BadJson("JSON (the body begins with a byte order mark)")
    try:
        value = decode(content)
    except NOT_JSON as error:
        raise BadJson(f"JSON ({reason_not_json(error)})") from None
    # Counting brackets is cheap, and most bodies have too few for so many levels.
    brackets = content.count(b"{") + content.count(b"[")
    if brackets > MAX_DEPTH and is_deeper_than(value, MAX_DEPTH):
        raise BadJson(f"JSON of at most {MAX_DEPTH} levels")
    return value


def is_deeper_than(value: Any, levels: int) -> bool:
    """Whether a value has more levels than this: a text has none, `[{}]` has two."""
    if isinstance(value, dict):
        value = [*value.values()]
    if not isinstance(value, list | tuple):
        return False
    return levels == 0 or any(is_deeper_than(item, levels - 1) for item in value)


def kept_value(value: Any, where: str, levels: int = MAX_KEPT_DEPTH) -> Any:
    """A value that is to be kept, with its numbers as JavaScript shows them in JSON.

    They have 64 bits and no `.0`, and one that is not finite becomes None. Raises InvalidField if
    the value has more than these levels.
    """
    # A tuple of types is much faster here than a union of them.
    if isinstance(value, (dict, list, tuple)):
        if levels == 0:
            raise InvalidField(f"a value of at most {MAX_KEPT_DEPTH} levels", where=where)
        if isinstance(value, dict):
            return {name: kept_value(it, where, levels - 1) for name, it in value.items()}
        return [kept_value(it, where, levels - 1) for it in value]
    # Smaller integers stay. Only the digits of a very long one can be converted.
    if isinstance(value, int) and abs(value) > 2**53:
        value = float(str(value))
    if isinstance(value, float):
        # JavaScript shows larger numbers with an exponent.
        if value.is_integer() and abs(value) < 1e21:
            return int(Decimal(repr(value)))
        if not isfinite(value):
            return None
    return value


def reason_not_json(error: Exception) -> str:
    """Why a text is not JSON in UTF-8, in words."""
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    if isinstance(error, RecursionError):
        return f"more than {MAX_DEPTH} levels"
    return str(error)


def convert_or_refuse(
    value: object, type_: type[ValueT], *, strict: bool = True, sent_names: Iterable[str] = ()
) -> ValueT:
    """Convert plain data to a type. Raises InvalidField.

    With `strict=False` texts may be numbers, as in a query. `sent_names` are the names of all
    sent fields: a missing field may be among them, misspelled.
    """
    place = Place(is_strict=strict, sent_names=tuple(sent_names))
    instance: ValueT = convert_or_report(value, type_, place)
    return instance
