"""Request headers as ASGI has them: lower-case names, raw values, duplicates kept."""

from __future__ import annotations

from collections.abc import Iterable

Header = tuple[bytes, bytes]


def values(headers: Iterable[Header], name: bytes) -> list[bytes]:
    """All values of a header, in order; `name` in lower case."""
    return [value for known, value in headers if known == name]
