"""How JavaScript reads JSON values: as numbers, as texts, as true or false."""

import re
from math import nan
from typing import Any

from msgspec import json

_BLANK = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""The blank characters, of which a byte order mark is one."""
_NUMBER = re.compile(
    rf"[{_BLANK}]*(?P<number>0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+"
    rf"|[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|)[{_BLANK}]*",
    re.ASCII,
)
"""A text that is a number; a blank one is 0."""


def js_number(value: Any) -> float:
    """The number that Number() makes of a JSON value, or NaN."""
    # A list becomes a text first: that of its only item.
    while isinstance(value, list) and len(value) < 2:
        value = value[0] if value else ""
    if isinstance(value, dict | list):
        return nan
    if not isinstance(value, str):
        return float(value or 0)
    match = _NUMBER.fullmatch(value)
    number = match["number"] if match else "nan"
    if number[:2].lower() in ("0x", "0o", "0b"):
        return int(number, 0)
    return float(number or 0)


def js_string(value: Any) -> str:
    """The text that String() makes of a JSON value."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join("" if it is None else js_string(it) for it in value)
    if isinstance(value, dict):
        return "[object Object]"
    return json.encode(value).decode()


def js_trim(text: str) -> str:
    """The text that trim() makes: without blanks around it."""
    return text.strip(_BLANK)


def is_truthy(value: Any) -> bool:
    """Whether a JSON value counts as true, as an empty list does."""
    return isinstance(value, dict | list) or bool(value)
