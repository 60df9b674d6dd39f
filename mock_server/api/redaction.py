"""Takes keys out of an entry before a journal keeps it."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import unquote_to_bytes

import msgspec

from mock_server.api.secrets import hide, tells
from mock_server.domain.journal import Entry


def redact(entry: Entry, secrets: Collection[bytes]) -> None:
    """Take keys out of wherever else the client, or an answer, has put them."""
    body = entry.body or b""
    if body.find(b"\\") >= 0:
        body = entry.body = _unescaped(body, secrets)
    path, query = entry.path.encode(), entry.query
    if query or "%" in entry.path:
        path, query = _unquoted(path, secrets), _unquoted(query, secrets)
    is_odd = entry.status != 200 or entry.firing is not None
    if tells(b"\n".join((path, query, entry.headers, body)), secrets) or (
        is_odd and tells(entry.answer, secrets)
    ):
        entry.path = hide(path, secrets).decode("utf-8", "replace")
        entry.query, entry.headers = hide(query, secrets), hide(entry.headers, secrets)
        entry.body = entry.body and hide(entry.body, secrets)
        entry.answer = hide(entry.answer, secrets)
        entry.hint = entry.hint and hide(entry.hint.encode(), secrets).decode()


def _unescaped(body: bytes, secrets: Collection[bytes]) -> bytes:
    """A body in which a key is escaped, written anew; any other as it is."""
    try:
        plain = msgspec.json.encode(msgspec.json.decode(body))
    except (msgspec.MsgspecError, UnicodeError, RecursionError, OverflowError):
        return body
    return plain if tells(plain, secrets) else body


def _unquoted(text: bytes, secrets: Collection[bytes]) -> bytes:
    """A path or query in which a key is escaped, without escapes; any other as is."""
    plain = unquote_to_bytes(text)
    return plain if tells(plain, secrets) else text
