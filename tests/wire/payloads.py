"""What clients, proxies and attackers send: bytes, and what is to become of them.

Those whose sizes come of limits are made here; `payloads.txt` has the others.

A payload is what one connection carries. Each asks to pin chat-1 of app-1, if it asks
anything at all; what is ambiguous is refused with 400, ends the connection and has no
effect, whatever two parsers along the way might make of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mock_server.domain.limits import DEFAULT_LIMITS as LIMITS
from tests.said import expanded, unescaped
from tests.support import PIN

PATH = PIN.encode()
LINE = b"PUT %b HTTP/1.1" % PATH
OLD_LINE = b"PUT %b HTTP/1.0" % PATH
HOST = b"Host: x\r\n"
REST = b"Authorization: Bearer k\r\nContent-Type: application/json\r\n"
BODY = b'{"appId":"app-1","chatId":"chat-1","top":true}'
SIZE = len(BODY)
LENGTH = b"Content-Length: %d\r\n" % SIZE
CODED = b"Transfer-Encoding: chunked\r\n"
CHUNKS = b"%x\r\n%b\r\n0\r\n\r\n" % (SIZE, BODY)
GET = b"GET /other HTTP/1.1\r\nHost: x\r\n\r\n"
OPEN, CLOSED, STUCK = "open", "closed", "stuck"


@dataclass(frozen=True)
class Payload:
    """Bytes, the statuses that answer them, how the connection is left, the effect.

    Behind all of them comes one more request, a GET. The connection is open if that
    was answered as what it is, stuck if the server still waits for more; else it was
    closed, before or when that GET turned out to be no part of what had begun.
    """

    data: bytes
    statuses: tuple[int, ...]
    end: str
    pins: bool


def request(
    line: bytes = LINE,
    fields: bytes = b"",
    framing: bytes = LENGTH,
    body: bytes = BODY,
    host: bytes = HOST,
) -> bytes:
    """A pin, as it should be but for what is given."""
    return line + b"\r\n" + host + REST + fields + framing + b"\r\n" + body


def coded(body: bytes, coding: bytes = CODED, fields: bytes = b"") -> bytes:
    """A pin of which the body is framed by a transfer coding."""
    return request(fields=fields, framing=coding, body=body)


def line(length: int, start: bytes = b"X: ") -> bytes:
    """A header field of so many bytes without its line end."""
    return start + b"a" * (length - len(start)) + b"\r\n"


def head_of(size: int) -> bytes:
    """A pin of which the head, from its first to its last byte, has so many bytes."""
    left = size - len(request(body=b""))
    lines = b"".join(line(10_000) for _ in range(left // 10_002))
    return request(fields=lines + line(left - len(lines) - 2))


def url(length: int) -> bytes:
    """A pin of which the request line has so many bytes without its line end."""
    return request(LINE.replace(PATH, PATH + b"?" + b"a" * (length - len(LINE) - 1)))


GOOD, ENDING = "fine: 200 open pins", "last: 200 closed pins"
BAD, LARGE = "refused: 400 closed", "other: 413 closed"
"""Titles of parts: the statuses, how the connection is left, the effect."""
FIELD = b"X: a\r\n"
NAMES = {
    "PIN": request(), "GET": GET, "PUT": LINE + b"\r\n", "OLD": OLD_LINE + b"\r\n",
    "HOST": HOST, "REST": REST, "LENGTH": LENGTH, "CODED": CODED, "CHUNKS": CHUNKS,
    "BODY": BODY, "PATH": PATH,
}  # fmt: skip
"""What the text calls so."""


def written(file: str, names: dict[str, bytes]) -> Iterator[tuple[str, str, bytes]]:
    """The payloads of a text: the title of their part, their names, their bytes."""
    known = {name: each.decode("latin-1") for name, each in names.items()}
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    for part in text.removeprefix("== ").split("\n== "):
        title, *rows = filter(None, part.split("\n"))
        for name, _, data in (row.partition("  ") for row in rows):
            yield title, name, unescaped(expanded(data, known)).encode("latin-1")


def of_limits() -> Iterator[tuple[str, str, bytes]]:
    """Payloads around limits, like those of the text."""
    most, size, most_fields = LIMITS.head_line_bytes, b"%x;" % SIZE, LIMITS.headers
    for title, name, extension in (
        (GOOD, "at_limit", b"a" * (most - len(size))),
        (BAD, "too_long", b"a" * most),
    ):
        chunk = size + extension + b"\r\n" + BODY + b"\r\n0\r\n\r\n"
        yield title, f"extension_{name}", coded(chunk)
    for title, name, trailer in (
        (GOOD, "trailer_at_limit", line(most)),
        (GOOD, "trailers_at_limit", FIELD * most_fields),
        (BAD, "trailer_too_long", line(most + 1)),
        (BAD, "trailer_too_many", FIELD * (most_fields + 1)),
    ):
        yield title, name, coded(CHUNKS[:-2] + trailer + b"\r\n")
    for title, name, fields in (
        (GOOD, "field_at_limit", line(most)),
        (GOOD, "field_below_limit", line(most - 1)),
        (GOOD, "fields_at_limit", FIELD * (most_fields - 4)),
        (GOOD, "fields_below_limit", FIELD * (most_fields - 5)),
        (BAD, "field_over_limit", line(most + 1)),
        (BAD, "field_head_over_limit", line(10_000) * 7),
        (BAD, "field_101", FIELD * (most_fields - 3)),
    ):
        yield title, name, request(fields=fields)
    yield GOOD, "url_at_limit", url(most)
    yield GOOD, "url_below_limit", url(most - 1)
    yield BAD, "line_too_long", url(most + 1)
    yield GOOD, "head_at_limit", head_of(LIMITS.header_bytes)
    yield GOOD, "head_below_limit", head_of(LIMITS.header_bytes - 1)
    yield BAD, "head_over_limit", head_of(LIMITS.header_bytes + 1)
    yield BAD, "head_far_over_limit", head_of(LIMITS.header_bytes * 2)
    chunks = b"1\r\n \r\n" * (LIMITS.body_pieces + 1)
    yield LARGE, "too_many_chunks", coded(chunks + b"0\r\n\r\n")


def payload(title: str, data: bytes) -> Payload:
    """Bytes, and what is to become of them by the title of their part."""
    words = title.split()[1:]
    statuses = tuple(int(word) for word in words if word.isdigit())
    (end,) = {*words} & {OPEN, CLOSED, STUCK}
    return Payload(data, statuses, end, "pins" in words)


ROWS = [*written("payloads.txt", NAMES), *of_limits()]
# One request, performed; the connection stays open, or is closed then.
FINE = {name: data for title, name, data in ROWS if title == GOOD}
LAST = {name: data for title, name, data in ROWS if title == ENDING}
# Ambiguous, or no HTTP/1.1 at all.
REFUSED = {name: data for title, name, data in ROWS if title == BAD}
# Each of these after a request that is answered, and before one that must not be.
AFTER_A_GET = (
    "length_then_coding", "coding_hides_a_request", "length_twice_equal",
    "coding_gzip_chunked", "coding_identity", "coding_twice", "old_coding",
    "size_space_after", "extension_bare_cr", "chunk_line_lf", "chunk_end_missing",
    "last_chunk_end_lf", "last_chunk_bare_cr_hides_a_request", "trailer_length",
    "trailer_lf", "field_lf", "field_fold", "field_bare_cr", "field_nul",
    "field_over_limit", "head_over_limit", "field_101", "line_lf", "line_two_spaces",
    "line_too_long", "version_2_0", "version_lower_case", "host_missing",
    "host_twice", "nonsense", "tls", "all_lf", "line_space_first",
)  # fmt: skip

PAYLOADS = {name: payload(title, data) for title, name, data in ROWS} | {
    f"after_get_{name}": Payload(GET + REFUSED[name] + GET, (404, 400), CLOSED, False)
    for name in AFTER_A_GET
}
