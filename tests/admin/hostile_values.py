"""Values that mean harm: states, fields, parts of paths."""

from __future__ import annotations

from tests.hostile import HOSTILE

NESTED = b"[" * 1_000 + b"]" * 1_000
NOT_JSON = {
    "array": b"[]",
    "null": b"null",
    "text": b'"x"',
    "number": b"1",
    "true": b"true",
    "nan": b'{"x": NaN}',
    "infinity": b'{"x": -Infinity}',
    "overflow": b'{"x": 1e999}',
    "lone_surrogate": b'{"x": "\\ud800"}',
    "lone_surrogate_key": b'{"\\udfff": 1}',
    "inverted_pair": b'{"x": "\\ude00\\ud83d"}',
    "surrogate_bytes": b'{"x": "\xed\xa0\x80"}',
    "not_utf8": b'{"x": "\xff"}',
    "utf16": '{"x": 1}'.encode("utf-16"),
    "depth_1000": b'{"x": ' + NESTED + b"}",
    "depth_unclosed": b'{"x": ' + b"[" * 100_000,
    "digits_5000": b'{"x": ' + b"9" * 5_000 + b"}",
    "duplicate_keys": b'{"x": 1, "x": 2}',
    "two_documents": b"{} {}",
    "unclosed": b'{"x": ',
    "control_character": b'{"x": "\x00"}',
}


def of_one(text: str) -> bytes:
    """A document with one dataset, of which this is the collections."""
    return b'{"datasets": [{"id": "d", "collections": %b}]}' % text.encode()


BAD_DOCUMENTS = {
    "two_of_one_id": of_one('[{"_id": "a", "name": "x"}, {"_id": "a", "name": "y"}]'),
    "no_such_parent": of_one('[{"name": "x", "parentId": "nowhere"}]'),
    "own_parent": of_one('[{"_id": "a", "name": "x", "parentId": "a"}]'),
    "circle": of_one(
        '[{"_id": "a", "name": "x", "parentId": "b"},'
        ' {"_id": "b", "name": "y", "parentId": "a"}]'
    ),
    "unknown_field": of_one('[{"name": "x", "nmae": "y"}]'),
    "no_name": of_one("[{}]"),
    "name_is_a_number": of_one('[{"name": 1e3}]'),
    "name_is_a_lone_surrogate": of_one('[{"name": "\\ud800"}]'),
    "amount_is_negative": of_one('[{"name": "x", "dataAmount": -1}]'),
    "amount_is_too_large": of_one('[{"name": "x", "dataAmount": 1e999}]'),
    "amount_of_5000_digits": of_one(
        '[{"name": "x", "dataAmount": %s}]' % ("9" * 5_000)
    ),
    "amount_is_nan": of_one('[{"name": "x", "dataAmount": NaN}]'),
    "time_is_none": of_one('[{"name": "x", "updateTime": "2024-99-99"}]'),
    "too_many": of_one('[{"name": "x", "repeat": 2000001}]'),
    "tag_is_a_number": of_one('[{"name": "x", "tags": [1]}]'),
    "top_is_a_text": b'{"apps": [{"id": "a", "chats": [{"top": "yes"}]}]}',
    "two_chats_of_one_id": (
        b'{"apps": [{"id": "a", "chats": [{"chatId": "c"}, {"chatId": "c"}]}]}'
    ),
    "long_id": b'{"apps": [{"id": "%b"}]}' % (b"x" * 257),
    "empty_id": b'{"apps": [{"id": ""}]}',
    "unknown_level": b'{"keys": [{"key": "k", "permission": "root"}]}',
    "key_of_two_words": b'{"keys": [{"key": "two words"}]}',
    "key_with_a_line_end": b'{"keys": [{"key": "one\\n"}]}',
    "path": b'{"include": "/etc/passwd"}',
}
STATES: dict[str, bytes] = {
    **{name: text.encode() for name, text in HOSTILE.items()},
    **NOT_JSON,
    **BAD_DOCUMENTS,
}


VALUES = {
    *(b"null", b"true", b"0", b"-1", b"1", b"-0.0", b"1.5", b"1e3", b"1e308", b"1e999"),
    *(b"9007199254740993", b"1" + b"0" * 30, b"9" * 5_000, b"-" + b"9" * 5_000),
    *(b"NaN", b"Infinity", b"[]", b"{}", b"[[]]", b"[null]", b'[{"x": 1}]', b"[1, 2]"),
    *(b'""', b'" "', b'"x"', b'"x\\n"', b'"\\r\\nx: y"', b'"\\u0000"', b'"..\\/.."'),
    *(b'"\\ud800"', b'"\\ufffe"', b'"\\ud83d\\ude00"', b'"\\u2028"', b'"\\u001b[1m"'),
    *(b'"%b"' % (b"x" * 7_000), b'"0001-01-01T00:00:00Z"', b'"9999-12-31T23:59:59Z"'),
    *(b'"2024-01-01T00:00:00+23:59"', b'"0001-01-01T00:00:00+23:59"', b'"<b>"'),
    *(
        b'{"x": 1}',
        b'{"": null}',
        b'{"unknown_key": "reject"}',
        b'{"page_size": 1e999}',
    ),
    *(NESTED, b"[" * 63 + b"]" * 63, b'{"x": ' * 62 + b"1" + b"}" * 62),
}
"""JSON values, and texts that are none, for every field there is."""


PATH_PARTS = [
    *("..", ".", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "%00", "%0d%0ax:y"),
    *("%ff", "%ed%a0%80", "%F0%9F%98%80", "%", "%zz", "x" * 5_000, "%25", "CON", "-1"),
    *("before%0a", "team%0a", "%20", "%E2%80%A8", "%22", "%5c", "%EF%BB%BF"),
]
