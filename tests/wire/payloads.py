"""What clients, proxies and attackers send: bytes, and what is to become of them.

A payload is what one connection carries. Each asks to pin chat-1 of app-1, if it asks
anything at all; what is ambiguous is refused with 400, ends the connection and has no
effect, whatever two parsers along the way might make of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mock_server.domain.limits import DEFAULT_LIMITS
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


def sized(size: bytes, data: bytes = BODY) -> bytes:
    """A pin in one chunk, of which this is the line with the size."""
    return coded(size + b"\r\n" + data + b"\r\n0\r\n\r\n")


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


# One request, performed; the connection stays open.
FINE: dict[str, bytes] = {
    "plain": request(),
    "chunked": coded(CHUNKS),
    "two_chunks": coded(b"1\r\n{\r\n%x\r\n%b\r\n0\r\n\r\n" % (SIZE - 1, BODY[1:])),
    "coding_upper_case": coded(CHUNKS, b"Transfer-Encoding: CHUNKED\r\n"),
    "coding_name_upper_case": coded(CHUNKS, b"TRANSFER-ENCODING: chunked\r\n"),
    "coding_tab": coded(CHUNKS, b"Transfer-Encoding:\tchunked\r\n"),
    "coding_no_space": coded(CHUNKS, b"Transfer-Encoding:chunked\r\n"),
    "coding_spaces_after": coded(CHUNKS, b"Transfer-Encoding: chunked \t \r\n"),
    "length_zeros": request(framing=b"Content-Length: 000%d\r\n" % SIZE),
    "length_tab": request(framing=b"Content-Length:\t%d\t\r\n" % SIZE),
    "length_no_space": request(framing=b"content-length:%d\r\n" % SIZE),
    "size_upper_case": sized(b"%X" % SIZE),
    "size_zeros": sized(b"%016x" % SIZE),
    "extension": sized(b"%x;a=b" % SIZE),
    "extension_quoted": sized(b'%x;a="b c"' % SIZE),
    "extension_quote_open": sized(b'%x;a="b' % SIZE),
    "extension_empty": sized(b"%x;" % SIZE),
    "extension_tab": sized(b"%x;a\tb" % SIZE),
    "extension_latin_1": sized(b"%x;a=\xe9" % SIZE),
    "extension_of_last": coded(b"%x\r\n%b\r\n0;a=b\r\n\r\n" % (SIZE, BODY)),
    "last_many_zeros": coded(b"%x\r\n%b\r\n0000\r\n\r\n" % (SIZE, BODY)),
    "extension_at_limit": sized(
        b"%x;" % SIZE + b"a" * (DEFAULT_LIMITS.head_line_bytes - len(b"%x;" % SIZE))
    ),
    "trailer": coded(CHUNKS[:-2] + b"X-T: 1\r\n\r\n"),
    "trailer_at_limit": coded(
        CHUNKS[:-2] + line(DEFAULT_LIMITS.head_line_bytes) + b"\r\n"
    ),
    "trailers_at_limit": coded(
        CHUNKS[:-2] + b"X: a\r\n" * DEFAULT_LIMITS.headers + b"\r\n"
    ),
    "value_latin_1": request(fields=b"X: \xe9\r\n"),
    "value_utf_8": request(fields="X: é\r\n".encode()),
    "value_empty": request(fields=b"X:\r\n"),
    "value_blank": request(fields=b"X: \t \r\n"),
    "value_tab_inside": request(fields=b"X: a\tb\r\n"),
    "value_colons": request(fields=b"X: a:b: c\r\n"),
    "name_symbols": request(fields=b"!#$%&'*+-.^_`|~09: a\r\n"),
    "field_at_limit": request(fields=line(DEFAULT_LIMITS.head_line_bytes)),
    "field_below_limit": request(fields=line(DEFAULT_LIMITS.head_line_bytes - 1)),
    "url_at_limit": url(DEFAULT_LIMITS.head_line_bytes),
    "url_below_limit": url(DEFAULT_LIMITS.head_line_bytes - 1),
    "head_at_limit": head_of(DEFAULT_LIMITS.header_bytes),
    "head_below_limit": head_of(DEFAULT_LIMITS.header_bytes - 1),
    "fields_at_limit": request(fields=b"X: a\r\n" * (DEFAULT_LIMITS.headers - 4)),
    "fields_below_limit": request(fields=b"X: a\r\n" * (DEFAULT_LIMITS.headers - 5)),
    "host_port": request(host=b"Host: x:80\r\n"),
    "host_upper_case": request(host=b"HOST: X\r\n"),
    "query": request(b"PUT %b?a=b HTTP/1.1" % PATH),
    "connection_keep_alive": request(fields=b"Connection: keep-alive\r\n"),
    "upgrade_h2c": request(fields=b"Connection: Upgrade\r\nUpgrade: h2c\r\n"),
    "length_in_another_name": request(fields=b"X-Content-Length: 5\r\n"),
    "length_with_underscore": request(fields=b"Content_Length: 5\r\n"),
    "coding_with_underscore": request(fields=b"Transfer_Encoding: chunked\r\n"),
    "length_many_zeros": request(framing=b"Content-Length: %0100d\r\n" % SIZE),
    "version_1_2": request(b"PUT %b HTTP/1.2" % PATH),
    "version_1_9": request(b"PUT %b HTTP/1.9" % PATH),
    "host_empty": request(host=b"Host:\r\n"),
    "host_blank": request(host=b"Host: \t \r\n"),
    "host_with_user": request(host=b"Host: u@x\r\n"),
    "host_with_path": request(host=b"Host: x/y?z\r\n"),
    "host_list": request(host=b"Host: x, y\r\n"),
    "host_bracket_open": request(host=b"Host: [::1\r\n"),
    "host_latin_1": request(host=b"Host: \xe9\r\n"),
    "te": request(fields=b"TE: chunked\r\n"),
}
# One request, performed; then the connection is closed.
LAST: dict[str, bytes] = {
    "old": request(OLD_LINE),
    "old_without_host": request(OLD_LINE, host=b""),
    "old_keep_alive": request(OLD_LINE, fields=b"Connection: keep-alive\r\n"),
    "old_expecting": request(OLD_LINE, fields=b"Expect: 100-continue\r\n"),
    "connection_close": request(fields=b"Connection: close\r\n"),
    "connection_close_then_another": request(fields=b"Connection: close\r\n") + GET,
}
# Ambiguous, or no HTTP/1.1 at all.
REFUSED: dict[str, bytes] = {
    # Content-Length and Transfer-Encoding together
    "length_then_coding": coded(CHUNKS, LENGTH + CODED),
    "coding_then_length": coded(CHUNKS, CODED + LENGTH),
    "length_0_then_coding": coded(CHUNKS, b"Content-Length: 0\r\n" + CODED),
    "length_of_chunks_then_coding": coded(
        CHUNKS, b"Content-Length: %d\r\n" % len(CHUNKS) + CODED
    ),
    "length_4_hides_a_request": coded(
        b"0\r\n\r\n" + request(), b"Content-Length: 4\r\n" + CODED
    ),
    "coding_hides_a_request": coded(
        b"0\r\n\r\n" + request(),
        b"Content-Length: %d\r\n" % (5 + len(request())) + CODED,
    ),
    "length_then_odd_coding": coded(
        CHUNKS, LENGTH + b"Transfer-Encoding: xchunked\r\n"
    ),
    "length_then_coding_empty": request(framing=LENGTH + b"Transfer-Encoding:\r\n"),
    "length_then_identity": request(
        framing=LENGTH + b"Transfer-Encoding: identity\r\n"
    ),
    "length_empty_then_coding": coded(CHUNKS, b"Content-Length:\r\n" + CODED),
    # Transfer-Encoding
    **{
        f"coding_{name}": coded(CHUNKS, b"Transfer-Encoding:" + value + b"\r\n")
        for name, value in {
            "xchunked": b" xchunked",
            "chunkedx": b" chunkedx",
            "chunked_twice": b" chunked, chunked",
            "gzip_chunked": b" gzip, chunked",
            "chunked_gzip": b" chunked, gzip",
            "deflate_chunked": b" deflate,chunked",
            "identity": b" identity",
            "identity_chunked": b" identity, chunked",
            "chunked_identity": b" chunked, identity",
            "trailers_chunked": b" trailers, chunked",
            "gzip": b" gzip",
            "empty": b"",
            "blank": b" \t",
            "comma_before": b" , chunked",
            "comma_after": b" chunked,",
            "comma_alone": b" ,",
            "quoted": b' "chunked"',
            "apostrophes": b" 'chunked'",
            "parameter": b" chunked;a=b",
            "semicolon": b" chunked;",
            "spaced": b" chunk ed",
            "vertical_tab": b"\x0bchunked",
            "form_feed": b" \x0cchunked",
            "nul_before": b" \x00chunked",
            "nul_after": b" chunked\x00",
            "bare_cr": b" \rchunked",
            "bare_cr_after": b" chunked\r",
            "bare_lf_before": b"\nchunked",
            "fold": b"\r\n chunked",
            "fold_tab": b"\r\n\tchunked",
            "fold_after": b" chunked\r\n identity",
            "latin_1": b" chunked\xff",
            "no_break_space": b" \xa0chunked",
            "x_comma": b" x, chunked",
            "cow_chunked": b" cow chunked",
            "backslash": b" chunked\\",
        }.items()
    },
    "coding_twice": coded(CHUNKS, CODED + CODED),
    "coding_then_identity": coded(CHUNKS, CODED + b"Transfer-Encoding: identity\r\n"),
    "coding_then_odd": coded(CHUNKS, CODED + b"Transfer-Encoding: cow\r\n"),
    "coding_identity_first": coded(CHUNKS, b"Transfer-Encoding: identity\r\n" + CODED),
    "coding_gzip_first": coded(CHUNKS, b"Transfer-Encoding: gzip\r\n" + CODED),
    "coding_empty_first": coded(CHUNKS, b"Transfer-Encoding:\r\n" + CODED),
    "coding_space_before_colon": coded(CHUNKS, b"Transfer-Encoding : chunked\r\n"),
    "coding_tab_before_colon": coded(CHUNKS, b"Transfer-Encoding\t: chunked\r\n"),
    "coding_space_before_name": coded(CHUNKS, b" Transfer-Encoding: chunked\r\n"),
    "coding_tab_before_name": coded(CHUNKS, b"\tTransfer-Encoding: chunked\r\n"),
    "coding_nul_in_name": coded(CHUNKS, b"Transfer\x00-Encoding: chunked\r\n"),
    "coding_control_before": coded(CHUNKS, b"\x01Transfer-Encoding: chunked\r\n"),
    "coding_high_byte_before": coded(CHUNKS, b"\xffTransfer-Encoding: chunked\r\n"),
    "coding_quoted_name": coded(CHUNKS, b'"Transfer-Encoding": chunked\r\n'),
    "coding_no_colon": coded(CHUNKS, b"Transfer-Encoding chunked\r\n"),
    "coding_equals": coded(CHUNKS, b"Transfer-Encoding= chunked\r\n"),
    "coding_space_before_colon_with_length": coded(
        CHUNKS, LENGTH + b"Transfer-Encoding : chunked\r\n"
    ),
    "coding_after_bare_cr": coded(
        CHUNKS, LENGTH + b"X: a\rTransfer-Encoding: chunked\r\n"
    ),
    "coding_after_bare_lf": coded(
        CHUNKS, LENGTH + b"X: a\nTransfer-Encoding: chunked\r\n"
    ),
    "coding_fold_of_name": coded(
        CHUNKS, LENGTH + b"Transfer-Encoding\r\n : chunked\r\n"
    ),
    "old_coding": request(OLD_LINE, framing=CODED, body=CHUNKS),
    "old_coding_without_host": request(OLD_LINE, framing=CODED, body=CHUNKS, host=b""),
    "old_coding_and_length": request(OLD_LINE, framing=LENGTH + CODED, body=CHUNKS),
    "old_coding_keep_alive": request(
        OLD_LINE,
        fields=b"Connection: keep-alive\r\n",
        framing=CODED,
        body=CHUNKS + GET,
    ),
    # Content-Length
    **{
        f"length_{name}": request(framing=b"Content-Length:" + value + b"\r\n")
        for name, value in {
            "plus": b" +%d" % SIZE,
            "minus": b" -%d" % SIZE,
            "minus_0": b" -0",
            "hex": b" 0x2e",
            "hex_0": b" 0x0",
            "octal": b" 0o56",
            "exponent": b" 4e1",
            "fraction": b" %d.0" % SIZE,
            "comma": b" %d,%d" % (SIZE, SIZE),
            "comma_space": b" %d, %d" % (SIZE, SIZE),
            "comma_differing": b" %d, 5" % SIZE,
            "comma_after": b" %d," % SIZE,
            "comma_before": b" ,%d" % SIZE,
            "semicolon": b" %d;a" % SIZE,
            "space_inside": b" 4 6",
            "tab_inside": b" 4\t6",
            "underscore": b" 4_6",
            "quoted": b' "%d"' % SIZE,
            "letters": b" %dabc" % SIZE,
            "word": b" chunked",
            "empty": b"",
            "blank": b" ",
            "nul": b" %d\x00" % SIZE,
            "vertical_tab": b" \x0b%d" % SIZE,
            "bare_cr": b" \r%d" % SIZE,
            "bare_lf": b" \n%d" % SIZE,
            "fold": b"\r\n %d" % SIZE,
            "fold_more": b" 4\r\n 6",
            "arabic_digits": " ٤٦".encode(),
            "full_width": " ４６".encode(),
            "2_64": b" 18446744073709551662",
            "2_128": b" 340282366920938463463374607431768211456",
            "parenthesis": b" (%d)" % SIZE,
            "slash": b" %d/1" % SIZE,
        }.items()
    },
    "length_twice_equal": request(framing=LENGTH + LENGTH),
    "length_twice_differing": request(framing=LENGTH + b"Content-Length: 5\r\n"),
    "length_twice_differing_order": request(framing=b"Content-Length: 5\r\n" + LENGTH),
    "length_twice_zeros": request(framing=LENGTH + b"Content-Length: 0%d\r\n" % SIZE),
    "length_twice_other_case": request(
        framing=LENGTH + b"content-length: %d\r\n" % SIZE
    ),
    "length_twice_and_no_body": (
        b"DELETE /__admin/journal HTTP/1.1\r\nHost: x\r\n"
        b"Content-Length: 0\r\nContent-Length: 0\r\n\r\n"
    ),
    "length_0_and_more": request(framing=b"Content-Length: 0\r\n" + LENGTH),
    "length_space_before_colon": request(framing=b"Content-Length : %d\r\n" % SIZE),
    "length_tab_before_colon": request(framing=b"Content-Length\t: %d\r\n" % SIZE),
    "length_space_before_name": request(framing=b" " + LENGTH),
    "length_no_colon": request(framing=b"Content-Length %d\r\n" % SIZE),
    # Chunks
    **{
        f"size_{name}": sized(size)
        for name, size in {
            "0x": b"0x%x" % SIZE,
            "plus": b"+%x" % SIZE,
            "minus": b"-1",
            "space_before": b" %x" % SIZE,
            "space_after": b"%x " % SIZE,
            "tab_after": b"%x\t" % SIZE,
            "space_before_extension": b"%x ;a=b" % SIZE,
            "17_digits": b"%017x" % SIZE,
            "40_digits": b"%040x" % SIZE,
            "2_64": b"10000000000000000",
            "2_64_and_more": b"1000000000000002e",
            "underscore": b"2_e",
            "empty": b"",
            "word": b"xyz",
            "h": b"2eh",
            "comma": b"2e,2e",
            "point": b"2e.0",
            "nul": b"2e\x00",
            "bare_cr": b"2e\r",
            "cr_before": b"\r2e",
            "quoted": b'"2e"',
            "high_byte": b"2e\xff",
        }.items()
    },
    **{
        f"extension_{name}": sized(b"%x;" % SIZE + extension)
        for name, extension in {
            "bare_cr": b"a\rb",
            "bare_cr_quoted": b'a="\r"',
            "bare_cr_last": b"a\r",
            "bare_lf": b"a\nb",
            "bare_lf_quoted": b'a="\n"',
            "nul": b"a\x00",
            "control": b"a\x01",
            "delete": b"a\x7f",
            "too_long": b"a" * DEFAULT_LIMITS.head_line_bytes,
            "100_kb": b"a" * 100_000,
        }.items()
    },
    "chunk_line_lf": coded(b"%x\n%b\r\n0\r\n\r\n" % (SIZE, BODY)),
    "chunk_line_cr": coded(b"%x\r%b\r\n0\r\n\r\n" % (SIZE, BODY)),
    "chunk_end_lf": coded(b"%x\r\n%b\n0\r\n\r\n" % (SIZE, BODY)),
    "chunk_end_cr": coded(b"%x\r\n%b\r0\r\n\r\n" % (SIZE, BODY)),
    "chunk_end_missing": coded(b"%x\r\n%b0\r\n\r\n" % (SIZE, BODY)),
    "chunk_end_other": coded(b"%x\r\n%bxx0\r\n\r\n" % (SIZE, BODY)),
    "chunk_end_twice": coded(b"%x\r\n%b\r\n\r\n0\r\n\r\n" % (SIZE, BODY)),
    "chunk_too_short": coded(b"%x\r\n%b\r\n0\r\n\r\n" % (SIZE - 1, BODY)),
    "chunk_too_long": coded(b"%x\r\n%b\r\n0\r\n\r\n" % (SIZE + 1, BODY)),
    "chunks_begin_with_line_end": coded(b"\r\n" + CHUNKS),
    "chunks_are_a_body": coded(BODY),
    "last_chunk_lf": coded(b"%x\r\n%b\r\n0\n\r\n" % (SIZE, BODY)),
    "last_chunk_end_lf": coded(b"%x\r\n%b\r\n0\r\n\n" % (SIZE, BODY)),
    "last_chunk_end_cr": coded(b"%x\r\n%b\r\n0\r\n\r\r" % (SIZE, BODY)),
    "last_chunk_lf_lf": coded(b"%x\r\n%b\r\n0\n\n" % (SIZE, BODY)),
    "last_chunk_minus_0": coded(b"%x\r\n%b\r\n-0\r\n\r\n" % (SIZE, BODY)),
    "last_chunk_0x0": coded(b"%x\r\n%b\r\n0x0\r\n\r\n" % (SIZE, BODY)),
    "last_chunk_bare_cr_hides_a_request": coded(
        b"%x\r\n%b\r\n0;a\r\r\n\r\n" % (SIZE, BODY) + request()
    ),
    "extension_lf_hides_a_request": coded(
        b"2;\nxx\r\n%x\r\n0\r\n\r\n" % len(request()) + request() + b"\r\n0\r\n\r\n"
    ),
    # Trailers
    **{
        f"trailer_{name}": coded(CHUNKS[:-2] + trailer + b"\r\n")
        for name, trailer in {
            "length": LENGTH,
            "length_upper_case": b"CONTENT-LENGTH: 5\r\n",
            "coding": CODED,
            "host": HOST,
            "type": b"Content-Type: text/plain\r\n",
            "content_encoding": b"Content-Encoding: gzip\r\n",
            "content_range": b"Content-Range: bytes 0-1/2\r\n",
            "connection": b"Connection: close\r\n",
            "te": b"TE: trailers\r\n",
            "trailer": b"Trailer: x\r\n",
            "upgrade": b"Upgrade: h2c\r\n",
            "fold": b"X: a\r\n b\r\n",
            "fold_first": b" X: a\r\n",
            "lf": b"X: a\n",
            "bare_cr": b"X: a\rb\r\n",
            "no_colon": b"X\r\n",
            "no_name": b": a\r\n",
            "space_before_colon": b"X : a\r\n",
            "nul": b"X: \x00\r\n",
            "control": b"X: \x01\r\n",
            "request_line": b"GET / HTTP/1.1\r\n",
            "too_long": line(DEFAULT_LIMITS.head_line_bytes + 1),
            "too_many": b"X: a\r\n" * (DEFAULT_LIMITS.headers + 1),
        }.items()
    },
    # Header fields
    **{
        f"field_{name}": request(fields=field)
        for name, field in {
            "lf": b"X: a\n",
            "lf_hides_a_field": b"X: a\nY: b\r\n",
            "bare_cr": b"X: a\rb\r\n",
            "bare_cr_last": b"X: a\r\r\n",
            "bare_cr_first": b"\rX: a\r\n",
            "cr_in_name": b"X\r: a\r\n",
            "lf_in_name": b"X\n: a\r\n",
            "fold": b"X: a\r\n b\r\n",
            "fold_tab": b"X: a\r\n\tb\r\n",
            "fold_blank": b"X: a\r\n \r\n",
            "fold_lf": b"X: a\n b\r\n",
            "nul": b"X: a\x00b\r\n",
            "nul_in_name": b"X\x00: a\r\n",
            "control": b"X: \x01\r\n",
            "control_1f": b"X: a\x1fb\r\n",
            "delete": b"X: \x7f\r\n",
            "vertical_tab": b"X: a\x0bb\r\n",
            "escape": b"X: \x1b[31m\r\n",
            "no_colon": b"nonsense\r\n",
            "no_name": b": a\r\n",
            "space_before_colon": b"X : a\r\n",
            "tab_before_colon": b"X\t: a\r\n",
            "space_in_name": b"X Y: a\r\n",
            "space_first": b" X: a\r\n",
            "latin_1_in_name": b"X\xe9: a\r\n",
            "bracket_in_name": b"X[0]: a\r\n",
            "slash_in_name": b"X/Y: a\r\n",
            "at_in_name": b"X@Y: a\r\n",
            "over_limit": line(DEFAULT_LIMITS.head_line_bytes + 1),
            "100_kb": line(100_000),
            "head_over_limit": line(10_000) * 7,
            "101": b"X: a\r\n" * (DEFAULT_LIMITS.headers - 3),
            "1000": b"X: a\r\n" * 1_000,
        }.items()
    },
    "head_over_limit": head_of(DEFAULT_LIMITS.header_bytes + 1),
    "head_far_over_limit": head_of(DEFAULT_LIMITS.header_bytes * 2),
    "space_before_first_field": LINE + b"\r\n " + request()[len(LINE) + 2 :],
    "line_lf": LINE + b"\n" + request()[len(LINE) + 2 :],
    "line_cr": LINE + b"\r" + request()[len(LINE) + 2 :],
    "line_cr_cr_lf": LINE + b"\r\r\n" + request()[len(LINE) + 2 :],
    "all_lf": request(body=b"").replace(b"\r\n", b"\n") + BODY,
    "all_cr": request(body=b"").replace(b"\r\n", b"\r") + BODY,
    "head_end_lf": request(body=b"")[:-2] + b"\n" + BODY,
    "head_end_lf_lf": request(body=b"")[:-4] + b"\n\n" + BODY,
    # Request lines
    **{
        f"line_{name}": request(first)
        for name, first in {
            "two_spaces": LINE.replace(b" ", b"  "),
            "two_spaces_after_method": LINE.replace(b"PUT ", b"PUT  "),
            "two_spaces_before_version": LINE.replace(b" HTTP", b"  HTTP"),
            "tabs": LINE.replace(b" ", b"\t"),
            "space_first": b" " + LINE,
            "tab_first": b"\t" + LINE,
            "space_last": LINE + b" ",
            "tab_last": LINE + b"\t",
            "word_last": LINE + b" x",
            "no_version": b"PUT " + PATH,
            "no_target": b"PUT HTTP/1.1",
            "no_target_two_spaces": b"PUT  HTTP/1.1",
            "no_method": PATH + b" HTTP/1.1",
            "method_only": b"PUT",
            "space_in_target": LINE.replace(b"/core", b"/co re"),
            "tab_in_target": LINE.replace(b"/core", b"/co\tre"),
            "nul_in_target": LINE.replace(b"/core", b"/co\x00re"),
            "control_in_target": LINE.replace(b"/core", b"/co\x01re"),
            "delete_in_target": LINE.replace(b"/core", b"/co\x7fre"),
            "cr_in_target": LINE.replace(b"/core", b"/co\rre"),
            "lf_in_target": LINE.replace(b"/core", b"/co\nre"),
            "high_byte_in_target": LINE.replace(b"/core", b"/co\xffre"),
            "utf_8_in_target": LINE.replace(b"/core", "/coré".encode()),
            "high_byte_in_query": LINE.replace(b" HTTP", b"?\xff HTTP"),
            "nul_in_method": b"P\x00" + LINE[1:],
            "bracket_in_method": b"P[" + LINE[1:],
            "colon_in_method": b"P:" + LINE[1:],
            "high_byte_in_method": b"P\xff" + LINE[1:],
            "space_in_version": LINE.replace(b"HTTP/", b"HTTP/ "),
            "too_long": LINE.replace(
                PATH, PATH + b"?" + b"a" * (DEFAULT_LIMITS.head_line_bytes - len(LINE))
            ),
            "100_kb": LINE.replace(PATH, PATH + b"a" * 100_000),
            "method_100_kb": b"P" * 100_000 + LINE,
        }.items()
    },
    **{
        f"version_{name}": request(b"PUT %b %b" % (PATH, version))
        for name, version in {
            "0_9": b"HTTP/0.9",
            "2_0": b"HTTP/2.0",
            "3_0": b"HTTP/3.0",
            "9_9": b"HTTP/9.9",
            "1": b"HTTP/1",
            "2": b"HTTP/2",
            "1_10": b"HTTP/1.10",
            "01_1": b"HTTP/01.1",
            "1_01": b"HTTP/1.01",
            "11_1": b"HTTP/11.1",
            "1_1_1": b"HTTP/1.1.1",
            "1_x": b"HTTP/1.x",
            "x_y": b"HTTP/x.y",
            "1_comma_1": b"HTTP/1,1",
            "minus": b"HTTP/-1.1",
            "plus": b"HTTP/+1.1",
            "lower_case": b"http/1.1",
            "mixed_case": b"Http/1.1",
            "other_name": b"HTTPS/1.1",
            "no_slash": b"HTTP1.1",
            "icy": b"ICY/1.1",
            "rtsp": b"RTSP/1.0",
            "nul": b"HTTP/1.1\x00",
            "empty": b"",
        }.items()
    },
    # Host
    "host_missing": request(host=b""),
    "host_twice": request(host=HOST + HOST),
    "host_twice_differing": request(host=HOST + b"Host: y\r\n"),
    "host_twice_other_case": request(host=HOST + b"hOST: x\r\n"),
    "host_space_before_colon": request(host=b"Host : x\r\n"),
    "host_fold": request(host=b"Host:\r\n x\r\n"),
    "host_control": request(host=b"Host: x\x01\r\n"),
    "old_host_twice": request(OLD_LINE, host=HOST + HOST),
    # What is no HTTP/1.1 at all
    "nonsense": b"nonsense\r\n\r\n",
    "binary": bytes(range(256)),
    "tls": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "http_2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "http_0_9": b"GET /\r\n",
    "answer": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    "line_end_first": b"\r\n" + request(),
    "line_ends_first": b"\r\n\r\n" + request(),
    "line_ends_alone": b"\r\n" * 1_000,
    "cr_first": b"\r" + request(),
    "lf_only": b"\n" + request(),
    "lf_lf": b"\n\n" + request(),
    "nul_first": b"\x00" + request(),
    "high_byte_first": b"\xff" + request(),
    "byte_order_mark": b"\xef\xbb\xbf" + request(),
}
# Whole and well formed, but not performed.
OTHER: dict[str, Payload] = {
    "no_framing": Payload(request(framing=b""), (400, 400), CLOSED, False),
    "length_0_and_body": Payload(
        request(framing=b"Content-Length: 0\r\n"), (400, 400), CLOSED, False
    ),
    "length_short": Payload(
        request(framing=b"Content-Length: 5\r\n"), (400, 400), CLOSED, False
    ),
    "length_long": Payload(
        request(framing=b"Content-Length: %d\r\n" % (SIZE + 9)),
        (400, 400),
        CLOSED,
        False,
    ),
    "length_10_15": Payload(
        request(framing=b"Content-Length: 1000000000000000\r\n"), (413,), CLOSED, False
    ),
    "method_lower_case": Payload(
        request(LINE.replace(b"PUT", b"put")), (405,), CLOSED, False
    ),
    "method_symbols": Payload(
        request(LINE.replace(b"PUT", b"P!#$%&'*+-.^_`|~9")), (405,), CLOSED, False
    ),
    "method_long": Payload(
        request(LINE.replace(b"PUT", b"P" * 5_000)), (405,), CLOSED, False
    ),
    "target_star": Payload(request(b"PUT * HTTP/1.1"), (404,), CLOSED, False),
    "target_authority": Payload(request(b"PUT x:80 HTTP/1.1"), (404,), CLOSED, False),
    "target_no_slash": Payload(
        request(b"PUT @x%b HTTP/1.1" % PATH), (404,), CLOSED, False
    ),
    "target_absolute": Payload(
        request(b"PUT http://x%b HTTP/1.1" % PATH), (404,), CLOSED, False
    ),
    "target_absolute_foreign": Payload(
        request(b"PUT http://y%b HTTP/1.1" % PATH), (404,), CLOSED, False
    ),
    "target_fragment": Payload(
        request(b"PUT %b#f HTTP/1.1" % PATH), (404,), CLOSED, False
    ),
    "target_two_slashes": Payload(
        request(b"PUT /%b HTTP/1.1" % PATH), (404,), CLOSED, False
    ),
    "target_backslash": Payload(
        request(b"PUT \\%b HTTP/1.1" % PATH[1:]), (404,), CLOSED, False
    ),
    "options_star": Payload(
        b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", (404,), OPEN, False
    ),
    "connect": Payload(
        b"CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n", (404,), OPEN, False
    ),
    "trace": Payload(
        b"TRACE %b HTTP/1.1\r\nHost: x\r\n\r\n" % PATH, (405,), OPEN, False
    ),
    "get": Payload(b"GET %b HTTP/1.1\r\nHost: x\r\n\r\n" % PATH, (405,), OPEN, False),
    "get_with_body": Payload(
        request(LINE.replace(b"PUT", b"GET")), (405,), CLOSED, False
    ),
    "too_many_chunks": Payload(
        coded(b"1\r\n \r\n" * (DEFAULT_LIMITS.body_pieces + 1) + b"0\r\n\r\n"),
        (413,),
        CLOSED,
        False,
    ),
    "size_2_63": Payload(sized(b"8000000000000000"), (), STUCK, False),
    "chunk_unfinished": Payload(coded(CHUNKS[:-4]), (400,), CLOSED, False),
    "head_unfinished": Payload(request(body=b"")[:-2], (400,), CLOSED, False),
    "line_unfinished": Payload(LINE, (400,), CLOSED, False),
    # 100-continue
    "expecting": Payload(
        request(fields=b"Expect: 100-continue\r\n"), (100, 200), OPEN, True
    ),
    "expecting_upper_case": Payload(
        request(fields=b"Expect: 100-CONTINUE\r\n"), (100, 200), OPEN, True
    ),
    "expecting_twice": Payload(
        request(fields=b"Expect: 100-continue\r\n" * 2), (100, 200), OPEN, True
    ),
    "expecting_listed": Payload(
        request(fields=b"Expect: 100-continue, x\r\n"), (100, 200), OPEN, True
    ),
    "expecting_other": Payload(
        request(fields=b"Expect: 200-ok\r\n"), (200,), OPEN, True
    ),
    "expecting_empty": Payload(request(fields=b"Expect:\r\n"), (200,), OPEN, True),
    "expecting_chunked": Payload(
        coded(CHUNKS, fields=b"Expect: 100-continue\r\n"), (100, 200), OPEN, True
    ),
    "expecting_without_body": Payload(
        b"GET %b HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n" % PATH,
        (405,),
        OPEN,
        False,
    ),
    "old_expecting_body_held_back": Payload(
        request(OLD_LINE, fields=b"Expect: 100-continue\r\n", body=b""),
        (400,),
        CLOSED,
        False,
    ),
    "expecting_body_held_back": Payload(
        request(fields=b"Expect: 100-continue\r\n", body=b""),
        (100, 400, 400),
        CLOSED,
        False,
    ),
    # Several requests
    "three": Payload(request() * 3, (200, 200, 200), OPEN, True),
    "three_chunked": Payload(coded(CHUNKS) * 3, (200, 200, 200), OPEN, True),
    "chunked_then_get": Payload(coded(CHUNKS) + GET, (200, 404), OPEN, True),
    "get_then_pin": Payload(GET + request(), (404, 200), OPEN, True),
    "pin_then_half": Payload(request() + LINE, (200, 400), CLOSED, True),
    "pin_then_half_chunk": Payload(
        request() + coded(CHUNKS[:-9]), (200, 400), CLOSED, True
    ),
    "pin_then_line_end": Payload(request() + b"\r\n" + GET, (200, 400), CLOSED, True),
    "pin_then_old": Payload(request() + request(OLD_LINE), (200, 200), CLOSED, True),
    "trailer_then_get": Payload(
        coded(CHUNKS[:-2] + b"X: a\r\n\r\n") + GET, (200, 404), OPEN, True
    ),
    "get_then_expecting": Payload(
        GET + request(fields=b"Expect: 100-continue\r\n"), (404, 100, 200), OPEN, True
    ),
}
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

PAYLOADS: dict[str, Payload] = {
    **{name: Payload(data, (200,), OPEN, True) for name, data in FINE.items()},
    **{name: Payload(data, (200,), CLOSED, True) for name, data in LAST.items()},
    **{name: Payload(data, (400,), CLOSED, False) for name, data in REFUSED.items()},
    **{
        f"after_get_{name}": Payload(
            GET + REFUSED[name] + GET, (404, 400), CLOSED, False
        )
        for name in AFTER_A_GET
    },
    **OTHER,
}
