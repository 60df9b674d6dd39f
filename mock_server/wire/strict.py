"""Makes h11, the parser in pure Python, refuse all bytes that zttp refuses.

h11 accepts line ends without CR, folded fields, control characters in chunk lines and
any field in trailers, and then normalises them. So this module checks each line as soon
as it is complete, before h11 reads it.
"""

import re
from typing import Any

from h11._receivebuffer import ReceiveBuffer
from h11._util import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol

from mock_server.domain.limits import Limits

_TOKEN = rb"[-!#$%&'*+.^_`|~0-9A-Za-z]+"
# RFC 9112 3, with any minor version (RFC 9110 2.5). URLs have no quotes (RFC 3986 2).
_REQUEST_LINE = re.compile(_TOKEN + rb" [\x21\x23-\x7e]+ HTTP/1\.[0-9]")
# RFC 9112 5, without folded lines (5.2).
_FIELD = re.compile(rb"(" + _TOKEN + rb"):[^\x00-\x08\x0a-\x1f\x7f]*")
# RFC 9112 7.1 without spaces around the size, which must fit in 64 bits.
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})(;[^\x00-\x08\x0a-\x1f\x7f]*)?")
_LENGTH = re.compile(rb"[^:]+:[ \t]*([0-9]+)[ \t]*")
# Trailers must not change framing, routing or content (RFC 9110 6.5.1).
_FORBIDDEN_TRAILERS = frozenset(
    b"connection content-encoding content-length content-range content-type host te "
    b"trailer transfer-encoding upgrade".split()
)


class StrictH11Protocol(H11Protocol):
    """uvicorn's protocol on h11, reading from a StrictBuffer."""

    limits: Limits

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # h11 has no public way to read lines before it normalises them.
        self.conn._receive_buffer = StrictBuffer(self.limits)


class StrictBuffer(ReceiveBuffer):
    """A buffer of h11 that returns well-formed lines only.

    Raises h11's LocalProtocolError, which h11 turns into a RemoteProtocolError.
    """

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits
        self._searched_bytes = 0
        self._start_head()

    def maybe_extract_next_line(self) -> bytearray | None:
        """Return the next chunk line with its line end, None if it is incomplete."""
        line = self._next_line(0)
        if line is None:
            return None
        match = _require_match(_CHUNK_LINE, line)
        self._is_in_trailers = int(match[1], 16) == 0
        return self._take_bytes(len(line) + 2)

    def maybe_extract_lines(self) -> list[bytearray] | None:
        """Return the lines of a head, or of trailers, without line ends.

        Return None if the head or the trailers are incomplete.
        """
        while (line := self._next_line(self._next_start)) is not None:
            self._next_start += len(line) + 2
            if not line:
                return self._take_lines()
            self._lines.append(line)
            self._check_size(line)
        if not self._is_in_trailers and len(self._data) > self._limits.header_bytes:
            raise LocalProtocolError("head too long")
        return None

    def _start_head(self) -> None:
        """Start to read the first line of a head, or of trailers."""
        self._lines: list[bytearray] = []
        self._head_bytes = self._next_start = 0
        self._is_in_trailers = False

    def _take_lines(self) -> list[bytearray]:
        """Check and return all lines of a head or of trailers; begin the next one."""
        lines, is_in_trailers = self._lines, self._is_in_trailers
        self._take_bytes(self._next_start)
        self._start_head()
        if lines and not is_in_trailers:
            _require_match(_REQUEST_LINE, lines[0])
        names = [
            bytes(_require_match(_FIELD, line)[1]).lower()
            for line in lines[not is_in_trailers :]
        ]
        if is_in_trailers and not _FORBIDDEN_TRAILERS.isdisjoint(names):
            raise LocalProtocolError("a field that trailers must not have")
        # h11 would merge several equal lengths.
        if names.count(b"content-length") > 1:
            raise LocalProtocolError("two lengths")
        if b"content-length" in names:
            line = lines[names.index(b"content-length") + (not is_in_trailers)]
            # int() accepts at most 4,300 digits, and h11 at most 20 digits in a length.
            if int(_require_match(_LENGTH, line)[1][-40:]) >= 2**64:
                raise LocalProtocolError("length over 64 bits")
        return lines

    def _check_size(self, line: bytearray) -> None:
        """Count a line; in a head, count its line end too, as zttp does."""
        line_end_bytes = 0 if self._is_in_trailers else 2
        self._head_bytes += len(line) + line_end_bytes
        if self._head_bytes + line_end_bytes > self._limits.header_bytes:
            raise LocalProtocolError("head too long")
        if len(self._lines) > self._limits.headers + (not self._is_in_trailers):
            raise LocalProtocolError("too many fields")

    def _next_line(self, start: int) -> bytearray | None:
        """Return the line at `start` without its line end, None if it is incomplete."""
        end = self._data.find(b"\r", max(start, self._searched_bytes))
        line_end = self._data.find(
            b"\n", max(start, self._searched_bytes), end + 1 or None
        )
        if line_end >= 0:
            raise LocalProtocolError("bare LF")
        self._searched_bytes = len(self._data) if end < 0 else end
        line_bytes = self._searched_bytes - start
        if line_bytes > self._limits.head_line_bytes + (end < 0):
            raise LocalProtocolError("line too long")
        if end < 0 or end + 1 == len(self._data):
            return None
        if self._data[end + 1] != 0x0A:
            raise LocalProtocolError("bare CR")
        return self._data[start:end]

    def _take_bytes(self, count: int) -> bytearray:
        self._searched_bytes = 0
        return self._extract(count)


def _require_match(pattern: re.Pattern[bytes], line: bytearray) -> re.Match[bytes]:
    match = pattern.fullmatch(line)
    if match is None:
        raise LocalProtocolError("malformed line")
    return match
