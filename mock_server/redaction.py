"""Redaction: a value whose name is that of a secret is shown as a fingerprint."""

import re
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlencode

from msgspec import UnsetType

from mock_server.store.replies import as_text

_SECRET = re.compile(
    r"((^|\[)key|token"
    r"|(authorization|cookie|secret|passwo?r?d|passphrase|passcode|pwd|psw|credential)s?"
    r"|(^|[^a-z])pass|session-id"
    r"|((access|api|auth|private|root|secret)[-_]?|-)keys?)"
    # A form or a query may have brackets after a name: `user[password]`, `token[]`.
    r"(\[\d*\]|\])*$",
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Whether a header or a field with this name holds a secret."""
    return _SECRET.search(name) is not None


def fingerprint(secret: str) -> str:
    """A short text that tells secrets apart: the start of a long one, and a hash."""
    start = ""
    if len(secret) > 12:
        start = secret[:4]
    return f"{start}…{sha256(secret.encode()).hexdigest()[:8]}"


def redact(value: Any) -> Any:
    """A JSON value with a fingerprint in place of each secret."""
    if isinstance(value, dict):
        return {name: redact_field(name, item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact(item) for item in value]
    return value


def redact_field(name: str, value: Any) -> Any:
    """The redacted value of a field or a header. A list or an object may be one secret."""
    if not is_secret(name) or isinstance(value, bool | None | UnsetType):
        return redact(value)
    return fingerprint(as_text(value))


def redact_query(query: str) -> str:
    """A query without secrets; as it was sent if it has none."""
    pairs = parse_qsl(query, keep_blank_values=True)
    if not any(map(is_secret, dict(pairs))):
        return query
    return urlencode([(name, redact_field(name, value)) for name, value in pairs])
