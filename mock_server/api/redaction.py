"""Takes keys out of an entry before a journal keeps it."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import unquote_to_bytes

import msgspec

from mock_server.api.secrets import hide, tells
from mock_server.domain.journal import Entry


def redact(entry: Entry, secrets: Collection[bytes]) -> None:
    """Take keys out of wherever else the client, or an answer, has put them."""
    if b"\\" in (entry.body or b""):
        entry.body = _unescaped(entry.body or b"", secrets)
    entry.query = _unquoted(entry.query, secrets)
    entry.path = _unquoted(entry.path.encode(), secrets).decode("utf-8", "replace")
    request = (entry.query, entry.headers, entry.body or b"", entry.path.encode())
    is_odd = entry.status != 200 or entry.firing is not None
    if not tells(b"\n".join(request), secrets) and not (
        is_odd and tells(entry.answer, secrets)
    ):
        return
    entry.path = hide(entry.path.encode(), secrets).decode()
    entry.hint = entry.hint and hide(entry.hint.encode(), secrets).decode()
    for name in ("query", "headers", "body", "answer"):
        text = getattr(entry, name)
        setattr(entry, name, text and hide(text, secrets))


def _unescaped(body: bytes, secrets: Collection[bytes]) -> bytes:
    """A body in which a key is escaped, written anew; any other as it is."""
    try:
        plain = msgspec.json.encode(msgspec.json.decode(body))
    except (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError):
        return body
    return plain if tells(plain, secrets) else body


def _unquoted(text: bytes, secrets: Collection[bytes]) -> bytes:
    """A path or query in which a key is escaped, without escapes; any other as is."""
    plain = unquote_to_bytes(text) if b"%" in text else text
    return plain if tells(plain, secrets) else text
