"""Redaction: what has the name of a secret is shown as a fingerprint."""

import re
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlencode

from msgspec import UnsetType

from mock_server.store.replies import as_text

_SECRET = re.compile(
    r"(^key|token"
    r"|(authorization|cookie|secret|passwo?r?d|passphrase|psw|credential)s?"
    r"|(access|api|auth|private|root|secret)[-_]?keys?)$",
    re.IGNORECASE,
)


def is_secret(name: str) -> bool:
    """Whether a header or a field has a name whose value is not to be shown."""
    return _SECRET.search(name) is not None


def fingerprint(secret: str) -> str:
    """Enough of a secret to tell it from others, and no more."""
    start = ""
    if len(secret) > 12:
        start = secret[:4]
    return f"{start}…{sha256(secret.encode()).hexdigest()[:8]}"


def redact(value: Any) -> Any:
    """A value of JSON in which each secret is a fingerprint."""
    if isinstance(value, dict):
        return {name: redact_field(name, item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [redact(item) for item in value]
    return value


def redact_field(name: str, value: Any) -> Any:
    """The value of a field, or of a header. An object with such a name is one secret."""
    if not is_secret(name) or isinstance(value, bool | None | UnsetType):
        return redact(value)
    return fingerprint(as_text(value))


def redact_query(query: str) -> str:
    """A query without secrets; as it was sent if it has none."""
    pairs = parse_qsl(query, keep_blank_values=True)
    if not any(map(is_secret, dict(pairs))):
        return query
    return urlencode([(name, redact_field(name, value)) for name, value in pairs])
