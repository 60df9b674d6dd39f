"""Request headers as ASGI has them: lower-case names, raw values, duplicates kept."""

from __future__ import annotations

from starlette.types import Scope


def values(scope: Scope, name: bytes) -> list[bytes]:
    """All values of a header, in order; `name` in lower case."""
    return [value for known, value in scope["headers"] if known == name]
