"""Checks the framing of requests: refuses ambiguous ends, and limits the chunks.

RFC 9112 6 defines the framing. Both parsers accept some requests whose end another
server could read differently.
"""

from starlette.types import Scope

END_OF_HEAD = b"\r\n\r\n"
_SINGLE_HEADERS = b"host", b"content-length", b"transfer-encoding"  # RFC 9112 3.2, 6.3


class AmbiguousFraming(ValueError):
    """A request is ambiguous: another server could read it differently."""


class TooManyChunks(ValueError):
    """A body has more chunks than the limit allows."""


def check_framing(scope: Scope) -> bool:
    """Return whether the body of a request comes in chunks. Raises AmbiguousFraming.

    Requests that both parsers refuse are not checked again here.
    """
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    fields = dict(headers)
    is_chunked = b"transfer-encoding" in fields
    if is_chunked:
        if b"content-length" in fields:
            raise AmbiguousFraming("both Content-Length and Transfer-Encoding")
        # Another server may ignore an unknown transfer coding (RFC 9112 6.1).
        if fields[b"transfer-encoding"].lower() != b"chunked":
            raise AmbiguousFraming("a transfer coding other than chunked")
        if scope["http_version"] == "1.0":
            raise AmbiguousFraming("chunks in HTTP/1.0")  # RFC 9112 6.1
    if len(fields) < len(headers):
        names = [name for name, _ in headers]
        if any(names.count(name) > 1 for name in _SINGLE_HEADERS):
            raise AmbiguousFraming("Host, Content-Length or Transfer-Encoding twice")
    if not scope["query_string"].isascii():
        raise AmbiguousFraming("a target that is not ASCII")
    return is_chunked


class ChunkCounter:
    """Counts the chunks of a body before they are parsed, to limit their number.

    Each chunk costs a parser event, however small it is. The counter goes from one
    chunk line to the next. If it does not know where a chunk line begins, it counts
    line ends, of which each chunk has two.
    """

    def __init__(self, limit: int) -> None:
        self._max_line_ends = 2 * limit
        self._reset(is_at_chunk_line=False)
        self.harmless_bytes = 2 * self._max_line_ends
        """The number of bytes that cannot contain too many chunks."""

    def _reset(self, *, is_at_chunk_line: bool) -> None:
        self._is_at_chunk_line = is_at_chunk_line
        self.line_ends = self._skipped_bytes = 0
        """The line ends of chunks so far."""
        self._chunk_line = b""

    def begin(self, data: bytes, previous_bytes: bytes | None) -> None:
        """Start the count for a request whose head ends in `data`.

        `previous_bytes` are the bytes before `data`, None if they may belong to another
        request. Raises TooManyChunks.
        """
        end = (
            -1 if previous_bytes is None else (previous_bytes + data).find(END_OF_HEAD)
        )
        self._reset(is_at_chunk_line=end >= 0)
        self.add(data, max(0, end + len(END_OF_HEAD) - len(previous_bytes or b"")))

    def add(self, data: bytes, start: int = 0) -> None:
        """Count the chunks in received bytes, from `start`. Raises TooManyChunks."""
        start += self._skipped_bytes
        while (
            self._is_at_chunk_line
            and start < len(data)
            and self.line_ends <= self._max_line_ends
        ):
            end = data.find(b"\n", start)
            self._chunk_line += data[start : end if end >= 0 else None]
            start = len(data)
            if end >= 0:
                size = _chunk_size(self._chunk_line)
                self._chunk_line, self._is_at_chunk_line = b"", size > 0
                self.line_ends += 2 if size else 1
                start = end + 1 + (size + 2 if size else 0)
        self._skipped_bytes = max(0, start - len(data))
        if not self._is_at_chunk_line:
            self.line_ends += data.count(b"\r\n", start)
        if self.line_ends > self._max_line_ends:
            raise TooManyChunks


def _chunk_size(line: bytes) -> int:
    """Return the size of a chunk by its line; 0 for the last chunk and a bad line."""
    try:
        return max(0, int(line.partition(b";")[0], 16))
    except ValueError:
        return 0
