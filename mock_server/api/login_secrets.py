"""Finds what a login shows: its path, its body, and what its response may repeat.

`redaction` removes these credentials besides the keys that the server knows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain, islice
from urllib.parse import parse_qsl

import msgspec
from msgspec.structs import replace

from mock_server.api import escapes
from mock_server.api.redaction import HIDDEN, folded, redactable
from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.journal import SentRequest

_LOGIN_PATHS = re.compile(
    rb"(?:/support/user/account/+|/register/|log-?in|sign-?in|oauth|password|"
    rb"openapi/health)[a-z0-9]*(?:-(?:by|password))*",
    re.IGNORECASE,
)
"""Matches paths of the service that take passwords, misspelled ones too.

A match ends with the name of the route.
"""
_MAX_SUFFIX_BYTES = 4
"""Maximum length of a suffix such as `-v2` of a login path that is no secret."""
_LOGIN_FIELDS_SHOWN = {"username", "code"}
_MAX_TEXTS, _MAX_CHARS = 20, 4_096
"""Maximum texts of a login, and characters of each, that its response may repeat."""
_MAX_NESTED_BYTES = 16 * 1024
"""Maximum bytes of an array or object of a login in which texts are looked for."""
_URL_QUERY = re.compile(rb"([?#])[^\s=?#]*+=[^\n]*+")
_MAX_FIELDS = 1_000
"""Maximum fields of a login that are read besides the known ones."""


def find_login(path: str) -> re.Match[bytes] | None:
    """Return the match of a login path in a path without escapes, if there is one."""
    return _LOGIN_PATHS.search(escapes.unescaped(path.encode("utf-8", "replace")))


def below_login(path: str) -> tuple[bytes, ...]:
    """Return the part of a path after a login path, such as `/PASSWORD`, if any.

    A short part is a secret too, if its slash makes it no part of a word.
    """
    login = find_login(path)
    below = login.string[login.end() :].rstrip(b"/") if login else b""
    is_secret = below.startswith(b"/") or len(below) > _MAX_SUFFIX_BYTES
    return (folded(below),) if is_secret else ()


def without_login(sent: SentRequest) -> SentRequest:
    """Return a login without credentials: only `username` and `code` remain.

    A query remains if it has only `username`: `code` may be a credential of OAuth. None
    remains in headers, such as Referer.
    """
    headers = _URL_QUERY.sub(rb"\1" + HIDDEN, sent.headers)
    pairs = parse_qsl(sent.query.decode("latin-1"), keep_blank_values=True)
    query = sent.query if {name for name, _ in pairs} <= {"username"} else HIDDEN
    if sent.body is None:
        return replace(sent, query=query, headers=headers)
    redacted: object = HIDDEN.decode()
    # The body of a request without one has the fields of its query.
    shown = _LOGIN_FIELDS_SHOWN - ({"code"} if query is HIDDEN else set())
    with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
        # Decode one level only: the body may have been refused for its content.
        fields = msgspec.json.decode(sent.body, type=dict[str, msgspec.Raw])
        if len(fields) <= _MAX_FIELDS:
            redacted = {
                name: raw if name in shown and _is_text(raw) else redacted
                for name, raw in fields.items()
            }
    body = msgspec.json.encode(redacted)
    return replace(sent, query=query, headers=headers, body=body)


def credentials_in(sent: SentRequest, names: Collection[str]) -> tuple[bytes, ...]:
    """Return the texts of a login that its response may repeat, such as a password.

    They are the values of query and body, except `username` and `code`. If `names` (the
    known fields) is not empty, the names of unknown fields are included.
    """
    fields: dict[str, str | msgspec.Raw] = dict(parse_qsl(sent.query.decode("latin-1")))
    content = (sent.body or b"").strip()
    if content.startswith(b"{"):
        with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
            # Not decoded as a whole: numbers may take long.
            fields |= msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    elif content:
        fields[""] = msgspec.Raw(content)  # it may be the password alone
    first = dict.fromkeys((*names, *islice(fields, _MAX_FIELDS)))
    hidden = (name for name in first if name not in _LOGIN_FIELDS_SHOWN)
    values = [fields[name] for name in hidden if name in fields]
    unknown_names = [name for name in first if names and name not in names]
    texts = chain(chain.from_iterable(map(_texts_in, values)), unknown_names)
    long_texts = (each for each in texts if len(each) >= MIN_REDACTABLE_LENGTH)
    repeated = islice(long_texts, _MAX_TEXTS)
    # Messages cut longer texts; unescaping a text of 1 MiB would take long.
    cut = (each[:_MAX_CHARS] for each in repeated)
    return redactable(each.encode("utf-8", "replace") for each in cut)


# Matches a text or a number in JSON; `name` is not empty after the name of a field. A
# text may end with the JSON that was cut: else each quote in it would begin a search.
_JSON_TEXT = re.compile(
    rb'("(?:[^"\\]|\\.)*+(?:"|\\?\Z))(?P<name>\s*+:)?|[-0-9][0-9.eE+-]*+', re.DOTALL
)


def _texts_in(value: str | msgspec.Raw) -> Iterator[str]:
    """Yield a text, or the texts and numbers in raw JSON, nested ones too."""
    if isinstance(value, str):
        yield value
        return
    raw = bytes(value)
    matches = [raw] if _is_text(value) else _texts_below(raw[:_MAX_NESTED_BYTES])
    for each in matches:
        with suppress(msgspec.MsgspecError, UnicodeError):
            yield (
                msgspec.json.decode(each, type=str)
                if each[:1] == b'"'
                else each.decode()
            )


def _texts_below(raw: bytes) -> Iterator[bytes]:
    """Yield the texts and numbers in raw JSON, but not the names of fields."""
    found = _JSON_TEXT.finditer(raw)
    return (match[1] or match[0] for match in found if not match["name"])


def _is_text(value: msgspec.Raw) -> bool:
    return bytes(value)[:1] == b'"'
