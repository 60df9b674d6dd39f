"""Where a request ends, as its head says; refused where two readers might differ."""

from __future__ import annotations

from starlette.types import Scope


class Ambiguous(ValueError):
    """A head of which the next reader might make another request."""


def is_plain(scope: Scope) -> bool:
    """Whether a request is like nearly all: HTTP/1.1 with at most one length."""
    framings = 0
    for name, _ in scope["headers"]:
        if name == b"content-length":
            framings += 1
        elif name == b"transfer-encoding":
            return False
    return framings < 2 and scope["http_version"] == "1.1" and not scope["query_string"]


def is_chunked(scope: Scope) -> bool:
    """Whether a request's body comes in chunks. Raises Ambiguous.

    What both parsers refuse on their own is not looked at again.
    """
    fields: list[tuple[bytes, bytes]] = scope["headers"]
    names = [name for name, _ in fields]
    codings = [value for name, value in fields if name == b"transfer-encoding"]
    # Another coding, or one more, may be skipped elsewhere (RFC 9112 6.1).
    if any(coding.lower() != b"chunked" for coding in codings):
        raise Ambiguous("a transfer coding that is not just chunked")
    if len(codings) + names.count(b"content-length") > 1:
        raise Ambiguous("its length given twice")
    if not scope["query_string"].isascii():
        raise Ambiguous("a target that is not ASCII")
    if is_old(scope):
        if codings:
            raise Ambiguous("chunks in HTTP/1.0")  # RFC 9112 6.1
        if names.count(b"host") > 1:
            raise Ambiguous("two hosts")
    return bool(codings)


def is_old(scope: Scope) -> bool:
    """Whether it is of HTTP/1.0, which knows neither chunks nor 100 Continue."""
    return bool(scope["http_version"] == "1.0")
