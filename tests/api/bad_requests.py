"""Bodies that are refused: no JSON objects, and fields that are missing or wrong."""

from __future__ import annotations

from typing import Any

GOOD = b'{"appId":"app-1","chatId":"chat-1","top":true}'


def nested(depth: int) -> bytes:
    return b'{"x":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"," + GOOD[1:]


BAD_JSON = {
    "empty": (b"", "nothing"),
    "blank": (b" \n", "nothing"),
    "array": (b"[]", "JSON that is not an object"),
    "null": (b"null", "JSON that is not an object"),
    "string": (b'"x"', "JSON that is not an object"),
    "number": (b"1", "JSON that is not an object"),
    "cut": (GOOD[:-1], "malformed JSON"),
    "trailing": (GOOD + b"x", "malformed JSON"),
    "two": (GOOD + GOOD, "malformed JSON"),
    "comma": (GOOD[:-1] + b",}", "malformed JSON"),
    "comment": (b"/* */" + GOOD, "malformed JSON"),
    "single_quotes": (b"{'appId': 'x'}", "malformed JSON"),
    "nan": (b'{"x":NaN,' + GOOD[1:], "malformed JSON"),
    "infinity": (b'{"x":-Infinity,' + GOOD[1:], "malformed JSON"),
    "overflow": (b'{"x":1e999,' + GOOD[1:], "malformed JSON"),
    "digits": (b'{"x":' + b"9" * 5000 + b"," + GOOD[1:], "malformed JSON"),
    "high_surrogate": (rb'{"x":"\ud800",' + GOOD[1:], "malformed JSON"),
    "low_surrogate": (rb'{"x":"\udc00",' + GOOD[1:], "malformed JSON"),
    "surrogate_key": (rb'{"\ud800 ":1,' + GOOD[1:], "malformed JSON"),
    "raw_control": (b'{"x":"\x01",' + GOOD[1:], "malformed JSON"),
    "bom": (b"\xef\xbb\xbf" + GOOD, "a byte order mark"),
    "utf16": (GOOD.decode().encode("utf-16"), "malformed JSON"),
    "not_utf8": (b'{"appId":"\xff","chatId":"c","top":true}', "text that is not UTF-8"),
    "not_utf8_skipped": (b'{"x":"\xff",' + GOOD[1:], "text that is not UTF-8"),
    "not_utf8_key": (b'{"\xc3(":1,' + GOOD[1:], "text that is not UTF-8"),
    "encoded_surrogate": (b'{"x":"\xed\xa0\x80",' + GOOD[1:], "text that is not UTF-8"),
    "depth_65": (nested(65), "JSON nested deeper than 64 levels"),
    "depth_900": (nested(900), "JSON nested deeper than 64 levels"),
    "depth_100000": (nested(100_000), "JSON nested deeper than 64 levels"),
}


LONG = "x" * 257
ID = "a string of 1 to 256 characters"
INTEGER = "an integer from 0 to 9007199254740991"
SIZE = "an integer from 1 to 30"

NOT_IDS: list[tuple[Any, str]] = [
    (..., "nothing"),
    (None, "null"),
    (5, "5"),
    (True, "true"),
    ([], "an array"),
    ({}, "an object"),
    ("", 'the string ""'),
    (LONG, f'the string "{"x" * 60}…" of 257 characters'),
]
NOT_BOOLEANS: list[tuple[Any, str]] = [
    (..., "nothing"),
    (None, "null"),
    (1, "1"),
    (0, "0"),
    (1.0, "1.0"),
    ("true", 'the string "true"'),
    ("", 'the string ""'),
    ([], "an array"),
    ({}, "an object"),
]
NOT_NUMBERS: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "true"),
    (-1, "-1"),
    (0.5, "0.5"),
    (1e300, "1e+300"),
    ("10", 'the string "10"'),
    ("", 'the string ""'),
    ([], "an array"),
    ({}, "an object"),
]
SERVED_BY: list[tuple[str, Any, str]] = [
    ("top", ..., "top_missing=ignore"),
    ("offset", ..., "offset_missing=accept"),
    ("offset", "10", "numeric_strings=accept"),
    ("pageSize", "10", "numeric_strings=accept"),
    ("pageSize", 31, "page_size_over_limit=clamp or page_size_max=100"),
    ("pageSize", 1e300, "page_size_over_limit=clamp"),
]
"""Of the fields below, those that a choice tolerates."""


PAGE = "page N begins at offset (N - 1) * pageSize"


def hint(field: str, value: Any) -> str:
    """How the message of a bad field ends, after its place."""
    page = "" if (field, value) != ("offset", ...) else f" ({PAGE})"
    for name, bad, choices in SERVED_BY:
        if (field, value) == (name, bad):
            return f"{page} (served with the choice {choices})"
    return page


BAD_PINS = [
    *(("appId", value, ID, got) for value, got in NOT_IDS),
    *(("chatId", value, ID, got) for value, got in NOT_IDS),
    *(("top", value, "true or false", got) for value, got in NOT_BOOLEANS),
]
BAD_LISTS = [
    *(("datasetId", value, ID, got) for value, got in NOT_IDS),
    ("offset", ..., INTEGER, "nothing"),
    *(("offset", value, INTEGER, got) for value, got in NOT_NUMBERS),
    *(("pageSize", value, SIZE, got) for value, got in NOT_NUMBERS),
    ("pageSize", 0, SIZE, "0"),
    ("pageSize", 31, SIZE, "31"),
    ("pageSize", 1.5, SIZE, "1.5"),
    *(
        ("parentId", value, "a string of up to 256 characters or null", got)
        for value, got in [(5, "5"), (False, "false"), ([], "an array")]
    ),
    ("parentId", LONG, "a string of up to 256 characters or null", NOT_IDS[-1][1]),
    *(
        ("searchText", value, "a string of up to 1024 characters", got)
        for value, got in [(None, "null"), (5, "5"), (["a"], "an array")]
    ),
]
