"""Where a request ends (RFC 9112 6), and which requests are ambiguous about it.

A request that a proxy could read differently is the raw material of request smuggling,
so it is refused.
"""

from starlette.types import Scope

END_OF_HEAD = b"\r\n\r\n"


class Ambiguous(ValueError):
    """A request that another server could take for a different one."""


class TooManyChunks(ValueError):
    """A body in more chunks than the limit allows."""


def is_plain(scope: Scope) -> bool:
    """Whether a request is HTTP/1.1 with at most one Content-Length and no query.

    Nearly all are, and need no `is_chunked`: that takes 0.6 us, this 0.2 us, of the
    30 us of CPU time that a request takes.
    """
    headers = scope["headers"]
    fields = dict(headers)
    if b"transfer-encoding" in fields:
        return False
    if len(fields) < len(headers):  # some name comes twice
        names = [name for name, _ in headers]
        if names.count(b"content-length") > 1:
            return False
    return scope["http_version"] == "1.1" and not scope["query_string"]


def is_chunked(scope: Scope) -> bool:
    """Whether a request's body comes in chunks. Raises Ambiguous.

    Only what either parser would let through is checked.
    """
    fields: list[tuple[bytes, bytes]] = scope["headers"]
    names = [name for name, _ in fields]
    codings = [value for name, value in fields if name == b"transfer-encoding"]
    # Another server may skip a coding that it does not know (RFC 9112 6.1).
    if any(coding.lower() != b"chunked" for coding in codings):
        raise Ambiguous("a transfer coding other than chunked")
    if len(codings) + names.count(b"content-length") > 1:
        raise Ambiguous("more than one Content-Length or Transfer-Encoding")
    if not scope["query_string"].isascii():
        raise Ambiguous("a target that is not ASCII")
    if is_http_1_0(scope):
        if codings:
            raise Ambiguous("chunks in HTTP/1.0")  # RFC 9112 6.1
        if names.count(b"host") > 1:
            raise Ambiguous("more than one Host")  # RFC 9112 3.2
    return bool(codings)


def is_http_1_0(scope: Scope) -> bool:
    """Whether the client speaks HTTP/1.0: no chunks, no 100 Continue, no keep-alive."""
    return bool(scope["http_version"] == "1.0")


class ChunkCounter:
    """Counts the chunks of one body after another.

    Each chunk costs a parser event however small it is (h11 needs 3.6 s for a million
    of one byte), so their number is limited beside the size of the body. They are
    counted before they are parsed, by their line ends, of which each chunk has two.
    """

    def __init__(self, limit: int) -> None:
        self._max_line_ends = 2 * limit
        self._line_ends = 0
        self.harmless_bytes = 2 * self._max_line_ends
        """So few bytes cannot hold too many chunks."""

    def begin(self) -> None:
        """Count the next body."""
        self._line_ends = 0

    def add(self, data: bytes) -> None:
        """Count the chunks in bytes that have come. Raises TooManyChunks."""
        self._line_ends += data.count(b"\r\n")
        if self._line_ends > self._max_line_ends:
            raise TooManyChunks
