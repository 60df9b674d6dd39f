"""Redaction: a value whose name is that of a secret is shown as a fingerprint."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

from msgspec import UnsetType

from mock_server.store.replies import as_text

_SECRET = re.compile(
    r"((^|\[)key|token"
    r"|(authorization|cookie|secret|passwo?r?d|passphrase|passcode|pwd|psw|credential)s?"
    r"|(^|[^a-z])pass|passwo?r?d[-_]?hash|jwt|signature|session[-_]?id"
    r"|((access|api|auth|private|root|secret)[-_]?|-)keys?)"
    # A form or a query may have brackets after a name: `user[password]`, `token[]`.
    r"(\[\d*\]|\]|\s)*$",
    re.IGNORECASE,
)
_SECRET_TEXT = re.compile(r"((?<!^)(?<!search)Key|[-_][Kk]ey|(?i:token))s?(\[\d*\]|\]|\s)*$")
"""The names of secrets if they are texts: `max_tokens` is a number."""
_PAIR = re.compile(
    r"""(?<![\w.%\[\]-])(?P<name>[\w.%\[\]-]++)\\*["']?\s*+[:=>]\s*+"""
    r"""(?P<value>"(?:\\.|[^"\\])*+"?|'[^']*+'?|\\".*?(?:(?<!\\)\\"|\Z)|\[[^\]]*+\]?|[^\r\n,;&<]++)""",
    re.DOTALL,
)
"""A name and a value in a text: JSON that is broken, a form, lines, XML."""
_PART = re.compile(
    r"""name="(?P<name>[^"]*+)"[^\r\n]*+(?:\r?\n[^\r\n]++){0,9}\r?\n\r?\n(?P<value>.*?)(?=\r?\n--|\Z)""",
    re.DOTALL,
)
"""A part of a form."""


def is_secret(name: str, value: object = "") -> bool:
    """Whether a header or a field with this name and this value holds a secret."""
    is_secret_text = isinstance(value, str) and _SECRET_TEXT.search(name)
    return bool(is_secret_text or _SECRET.search(name))


def fingerprint(secret: str) -> str:
    """A short text that tells secrets apart: the start of a long one, and a hash."""
    start = ""
    if len(secret) > 12:
        start = secret[:4]
    return f"{start}…{sha256(secret.encode()).hexdigest()[:8]}"


def redact(value: Any) -> Any:
    """A JSON value with a fingerprint in place of each secret."""
    if isinstance(value, dict):
        # JSON that is sent as a form is the name of a field.
        return {redact_text(name): redact_field(name, item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [*map(redact, value)]
    return value


def redact_field(name: str, value: Any) -> Any:
    """The redacted value of a field or a header. A list or an object may be one secret."""
    if not is_secret(name, value) or isinstance(value, bool | None | UnsetType):
        return redact(value)
    return fingerprint(as_text(value))


def redact_body(value: Any, headers: Mapping[str, str]) -> Any:
    """The redacted value of a body, or its text. Those of an event stream stay."""
    if isinstance(value, str) and "event-stream" not in headers.get("content-type", ""):
        return redact_text(value)
    return redact(value)


def redact_header(name: str, value: str) -> str:
    """The redacted value of a header. A Referer has the query of another page."""
    if name == "referer":
        address, mark, query = value.partition("?")
        return address + mark + redact_query(query)
    return str(redact_field(name, value))


def redact_text(text: str) -> str:
    """A text of no known form, with a fingerprint in place of each value beside a secret's name."""
    return _PAIR.sub(_redact_value, _PART.sub(_redact_value, text))


def _redact_value(match: re.Match[str]) -> str:
    value = match["value"]
    is_number = value.strip().isdecimal()
    if not is_secret(unquote(match["name"]), 0 if is_number else value):
        return match[0]
    return match[0].removesuffix(value) + fingerprint(value.strip(" \\\"'"))


def redact_query(query: str) -> str:
    """A query without secrets; as it was sent if it has none."""
    pairs = parse_qsl(query, keep_blank_values=True)
    if not any(map(is_secret, dict(pairs))):
        return query
    return urlencode([(name, redact_field(name, value)) for name, value in pairs])
