"""Bodies that are no JSON objects."""

from __future__ import annotations

GOOD = b'{"appId":"app-1","chatId":"chat-1","top":true}'


def nested(depth: int) -> bytes:
    return b'{"x":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"," + GOOD[1:]


BAD_JSON = {
    "empty": b"",
    "blank": b" \n",
    "array": b"[]",
    "null": b"null",
    "string": b'"x"',
    "number": b"1",
    "cut": GOOD[:-1],
    "trailing": GOOD + b"x",
    "two": GOOD + GOOD,
    "comma": GOOD[:-1] + b",}",
    "comment": b"/* */" + GOOD,
    "single_quotes": b"{'appId': 'x'}",
    "nan": b'{"x":NaN,' + GOOD[1:],
    "infinity": b'{"x":-Infinity,' + GOOD[1:],
    "overflow": b'{"x":1e999,' + GOOD[1:],
    "digits": b'{"x":' + b"9" * 5000 + b"," + GOOD[1:],
    "high_surrogate": rb'{"x":"\ud800",' + GOOD[1:],
    "low_surrogate": rb'{"x":"\udc00",' + GOOD[1:],
    "surrogate_key": rb'{"\ud800 ":1,' + GOOD[1:],
    "raw_control": b'{"x":"\x01",' + GOOD[1:],
    "bom": b"\xef\xbb\xbf" + GOOD,
    "utf16": GOOD.decode().encode("utf-16"),
    "not_utf8": b'{"appId":"\xff","chatId":"c","top":true}',
    "not_utf8_skipped": b'{"x":"\xff",' + GOOD[1:],
    "not_utf8_key": b'{"\xc3(":1,' + GOOD[1:],
    "encoded_surrogate": b'{"x":"\xed\xa0\x80",' + GOOD[1:],
    "depth_65": nested(65),
    "depth_900": nested(900),
    "depth_100000": nested(100_000),
}
