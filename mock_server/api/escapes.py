"""Removes the escapes of URLs and of JSON from texts, to find secrets in them.

Each character of a secret can be written in many ways: `%6b`, `\\u006b`, or one escape
within the other. This module turns all of them into the same text. It drops
backslashes, as they only show how often a text was escaped.
"""

from __future__ import annotations

import re
from array import array

# Matches escapes of visible ASCII, of which secrets consist. `%2541` is `%41` escaped
# again. Both forms begin with a fixed character, which is much faster to search for.
_ESCAPE = re.compile(
    rb"%(?:25)*([2-7][0-9a-fA-F])|\\(?<!\\\\)\\*+u00([2-7][0-9a-fA-F])"
)
_BACKSLASHES = re.compile(rb"\\++")
_ROUNDS = 4
"""Maximum number of times that a text is unescaped; two JSONs around a URL take 3."""
_CUT_ESCAPE = re.compile(rb"(?:%|u0{0,2})[2-7]?\Z")


def unescaped(text: bytes) -> bytes:
    """Return the text without escapes and backslashes."""
    for _ in range(_ROUNDS):
        text, count = _ESCAPE.subn(_decode_escape, text)
        if not count:
            break
    return text.replace(b"\\", b"")


def unescaped_with_places(text: bytes) -> tuple[bytes, array[int], array[int]]:
    """Return `unescaped`, and the start and end of each of its bytes in `text`."""
    starts = array("I", range(len(text)))
    ends = array("I", range(1, len(text) + 1))
    for pattern in (*[_ESCAPE] * _ROUNDS, _BACKSLASHES):
        pieces: list[bytes] = []
        new_starts, new_ends, end = array("I"), array("I"), 0
        for match in pattern.finditer(text):
            start, stop = match.span()
            char = _decode_escape(match) if pattern is _ESCAPE else b""
            pieces += text[end:start], char
            new_starts += starts[end : start + len(char)]
            new_ends += ends[end:start]
            new_ends += ends[stop - len(char) : stop]
            end = stop
        text = b"".join((*pieces, text[end:]))
        starts, ends = new_starts + starts[end:], new_ends + ends[end:]
    return text, starts, ends


def without_cut_escape(text: bytes) -> bytes:
    """Return an unescaped text without the start of an escape that was cut off."""
    return _CUT_ESCAPE.sub(b"", text)


def _decode_escape(escape: re.Match[bytes]) -> bytes:
    return bytes((int(escape[1] or escape[2], 16),))
