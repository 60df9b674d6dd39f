"""Raw requests, good and bad, and how to send them."""

from __future__ import annotations

import json
import socket
from contextlib import suppress

from mock_server.domain.limits import DEFAULT_LIMITS
from tests.api.bad_requests import BAD_JSON, BAD_LISTS, BAD_PINS
from tests.support import LIST, PIN
from tests.wire.sockets import answer, connect

PIN_BODY = b'{"appId":"app-1","chatId":"chat-1","top":true}'
LIST_BODY = b'{"offset":0,"datasetId":"dataset-1"}'
PIN_LINE, LIST_LINE = f"PUT {PIN} HTTP/1.1", f"POST {LIST} HTTP/1.1"
AUTH = b"Authorization: Bearer k\r\n"
TYPE = b"Content-Type: application/json\r\n"
HOST = b"Host: x\r\n"
NO_KEY = HOST + TYPE
GOOD = HOST + AUTH + TYPE
CLOSE = b"Connection: close\r\n"


def raw(
    line: str | bytes = f"PUT {PIN} HTTP/1.1",
    headers: bytes = GOOD,
    body: bytes = PIN_BODY,
    length: bytes | None = None,
) -> bytes:
    """A request; `length` replaces the true Content-Length header."""
    start = line.encode("latin-1") if isinstance(line, str) else line
    framing = b"Content-Length: %d\r\n" % len(body) if length is None else length
    return start + b"\r\n" + headers + framing + CLOSE + b"\r\n" + body


def chunked(
    *chunks: bytes, end: bytes = b"0\r\n\r\n", coding: bytes = b"chunked"
) -> bytes:
    parts = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    framing = b"Transfer-Encoding: " + coding + b"\r\n"
    return raw(length=framing, body=parts + end)


def put(path: str) -> bytes:
    return raw(f"PUT {path} HTTP/1.1")


def with_field(operation: str, field: str, value: object) -> bytes:
    """A request of which one field is replaced, or left out for `...`."""
    line, body = (PIN_LINE, PIN_BODY) if operation == "pin" else (LIST_LINE, LIST_BODY)
    fields = json.loads(body) | {field: value}
    present = {name: each for name, each in fields.items() if each is not ...}
    return raw(line, body=json.dumps(present).encode())


ACCEPTED = {
    "pin": raw(),
    "http_1_0": raw(f"PUT {PIN} HTTP/1.0"),
    "http_1_2": raw(f"PUT {PIN} HTTP/1.2"),
    "chunked": chunked(PIN_BODY),
    "chunked_in_bytes": chunked(*(bytes([byte]) for byte in PIN_BODY)),
    "chunked_in_1900": chunked(*[b" "] * 1_899, PIN_BODY),
    "chunked_lines": chunked(b"\r\n" * 20_000, *[b"\r\n"] * 4_000, PIN_BODY),
    "chunk_extension": raw(
        length=b"Transfer-Encoding: chunked\r\n",
        body=b"%x;a=b\r\n%b\r\n0\r\n\r\n" % (len(PIN_BODY), PIN_BODY),
    ),
    "trailer": chunked(PIN_BODY, end=b"0\r\nX-T: 1\r\n\r\n"),
    "upgrade_h2c": raw(
        headers=HOST
        + AUTH
        + TYPE
        + b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
    ),
    "expect": raw(headers=GOOD + b"Expect: 100-continue\r\n"),
    "query": put(PIN + "?top=false"),
    "forwarded": raw(headers=GOOD + b"X-Forwarded-For: 1.2.3.4\r\n"),
    "original_url": raw(headers=GOOD + b"X-Original-URL: /__admin\r\n"),
    "latin_1_header": raw(headers=GOOD + b"X-A: \xe9\r\n"),
    "many_headers": raw(headers=GOOD + b"X-A: b\r\n" * 90),
    "upper_case_names": raw(headers=GOOD.replace(b"Bearer", b"BEARER")),
    "spaces_around_values": raw(
        headers=HOST + b"Authorization:  \t Bearer k \t\r\n" + TYPE
    ),
    "leading_zero_length": raw(length=b"Content-Length: 00%d\r\n" % len(PIN_BODY)),
}
REFUSED: dict[str, tuple[int, bytes]] = {
    "get": (405, raw(f"GET {PIN} HTTP/1.1")),
    "post": (405, raw(f"POST {PIN} HTTP/1.1")),
    "delete": (405, raw(f"DELETE {PIN} HTTP/1.1")),
    "patch": (405, raw(f"PATCH {PIN} HTTP/1.1")),
    "trace": (405, raw(f"TRACE {PIN} HTTP/1.1")),
    "options": (405, raw(f"OPTIONS {PIN} HTTP/1.1")),
    "lower_case_method": (405, raw(f"put {PIN} HTTP/1.1")),
    "unknown_method": (405, raw(f"FOO {PIN} HTTP/1.1")),
    "put_on_list": (405, raw(f"PUT {LIST} HTTP/1.1", body=LIST_BODY)),
    "get_on_list": (405, raw(f"GET {LIST} HTTP/1.1", body=LIST_BODY)),
    "root": (404, put("/")),
    "favicon": (404, put("/favicon.ico")),
    "trailing_slash": (404, put(PIN + "/")),
    "double_slash": (404, put("/" + PIN)),
    "dot": (404, put(PIN.replace("/core/", "/./core/"))),
    "dot_dot": (404, put(PIN.replace("/core/", "/x/../core/"))),
    "case": (404, put(PIN.upper())),
    "semicolon": (404, put(PIN + ";a=b")),
    "percent_nul": (404, put(PIN + "%00")),
    "percent_ff": (404, put(PIN + "%ff")),
    "percent_bad": (404, put(PIN + "%zz")),
    "percent_slash": (404, put(PIN.replace("chat/", "chat%2F"))),
    "percent_letter": (404, put(PIN.replace("/api", "/%61pi"))),
    "admin_percent": (404, put("/%5f%5fadmin/health")),
    "admin_upper": (404, put("/__ADMIN/health")),
    "admin_double_slash": (404, put("//__admin/health")),
    "admin_method": (405, put("/__admin/health")),
    "star": (404, raw("OPTIONS * HTTP/1.1")),
    "no_authorization": (401, raw(headers=NO_KEY)),
    "empty_authorization": (401, raw(headers=NO_KEY + b"Authorization: \r\n")),
    "no_key": (401, raw(headers=NO_KEY + b"Authorization: Bearer\r\n")),
    "blank_key": (401, raw(headers=NO_KEY + b"Authorization: Bearer \r\n")),
    "tab_before_key": (401, raw(headers=NO_KEY + b"Authorization: Bearer\tk\r\n")),
    "basic": (401, raw(headers=NO_KEY + b"Authorization: Basic k\r\n")),
    "raw_key": (401, raw(headers=NO_KEY + b"Authorization: k\r\n")),
    "two_keys": (
        401,
        raw(headers=NO_KEY + b"Authorization: Bearer k, Bearer k\r\n"),
    ),
    "two_words": (401, raw(headers=NO_KEY + b"Authorization: Bearer k k\r\n")),
    "two_authorizations": (401, raw(headers=HOST + TYPE + AUTH + AUTH)),
    "latin_1_key": (401, raw(headers=NO_KEY + b"Authorization: Bearer k\xe9\r\n")),
    "utf_8_key": (
        401,
        raw(headers=NO_KEY + "Authorization: Bearer ké\r\n".encode()),
    ),
    "key_in_query": (
        401,
        raw(f"PUT {PIN}?access_token=k HTTP/1.1", headers=NO_KEY),
    ),
    "no_type": (415, raw(headers=HOST + AUTH)),
    "text": (415, raw(headers=HOST + AUTH + b"Content-Type: text/plain\r\n")),
    "utf_16": (
        415,
        raw(
            headers=HOST + AUTH + b"Content-Type: application/json; charset=utf-16\r\n"
        ),
    ),
    "two_types": (415, raw(headers=GOOD + TYPE)),
    "gzip": (415, raw(headers=GOOD + b"Content-Encoding: gzip\r\n")),
    "huge_length": (413, raw(length=b"Content-Length: 1000000000000000\r\n", body=b"")),
    "over_length": (413, raw(length=b"Content-Length: 1048577\r\n", body=b"x")),
    "pieces_over": (413, chunked(*[b" "] * (DEFAULT_LIMITS.body_pieces + 1))),
    "chunks_over": (413, chunked(*[b" " * 65_536] * 17)),
    "no_body": (400, raw(body=b"", length=b"")),
    "empty_body": (400, raw(body=b"")),
    "blank_body": (400, raw(body=b" \n")),
    "array": (400, raw(body=b"[]")),
    "null": (400, raw(body=b"null")),
    "half": (400, raw(body=PIN_BODY[:-1])),
    "nan": (400, raw(body=PIN_BODY.replace(b"true", b"NaN"))),
    "bom": (400, raw(body=b"\xef\xbb\xbf" + PIN_BODY)),
    "not_utf_8": (400, raw(body=PIN_BODY.replace(b"chat-1", b"\xff"))),
    "surrogate": (400, raw(body=PIN_BODY.replace(b"chat-1", rb"\ud800"))),
    "integer_for_boolean": (400, raw(body=PIN_BODY.replace(b"true", b"1"))),
    "unknown_app": (404, raw(body=PIN_BODY.replace(b"app-1", b"app-x"))),
    "unknown_chat": (404, raw(body=PIN_BODY.replace(b"chat-1", b"chat-x"))),
    "no_host": (400, raw(headers=AUTH + TYPE)),
    "two_hosts": (400, raw(headers=HOST + HOST + AUTH + TYPE)),
    "lengths_differ": (400, raw(length=b"Content-Length: 5\r\nContent-Length: 6\r\n")),
    "length_plus": (400, raw(length=b"Content-Length: +46\r\n")),
    "length_minus": (400, raw(length=b"Content-Length: -1\r\n")),
    "length_hex": (400, raw(length=b"Content-Length: 0x2e\r\n")),
    "length_exponent": (400, raw(length=b"Content-Length: 1e1\r\n")),
    "length_empty": (400, raw(length=b"Content-Length: \r\n")),
    "coding_unknown": (400, chunked(PIN_BODY, coding=b"xchunked")),
    "coding_identity": (400, chunked(PIN_BODY, coding=b"identity")),
    "coding_twice": (400, chunked(PIN_BODY, coding=b"chunked, chunked")),
    "coding_before_colon": (
        400,
        raw(length=b"Transfer-Encoding : chunked\r\n", body=b"0\r\n\r\n"),
    ),
    "chunk_negative": (
        400,
        raw(length=b"Transfer-Encoding: chunked\r\n", body=b"-1\r\n\r\n"),
    ),
    "chunk_end_wrong": (
        400,
        raw(length=b"Transfer-Encoding: chunked\r\n", body=b"1\r\nxx\r\n0\r\n\r\n"),
    ),
    "header_without_colon": (400, raw(headers=GOOD + b"nonsense\r\n")),
    "header_space_before_colon": (400, raw(headers=GOOD + b"X : 1\r\n")),
    "header_nul": (400, raw(headers=GOOD + b"X: \x00\r\n")),
    "header_bare_cr": (400, raw(headers=GOOD + b"X: a\rb\r\n")),
    "header_name_empty": (400, raw(headers=GOOD + b": a\r\n")),
    "header_70_kb": (
        400,
        raw(headers=GOOD + b"X: " + b"a" * 70_000 + b"\r\n"),
    ),
    "two_framings": (
        400,
        raw(length=b"Content-Length: 46\r\nTransfer-Encoding: chunked\r\n"),
    ),
    "header_control": (400, raw(headers=GOOD + b"X: \x01\r\n")),
    "header_count": (400, raw(headers=GOOD + b"X: a\r\n" * 100)),
    "tls_hello": (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    "version_2": (400, raw(f"PUT {PIN} HTTP/2.0")),
    "version_nonsense": (400, raw(f"PUT {PIN} HTTP/x.y")),
    "no_version": (400, raw(f"PUT {PIN}")),
    "spaces_in_line": (400, raw(f"PUT  {PIN}  HTTP/1.1")),
    "raw_byte_in_path": (400, raw(b"PUT " + PIN.encode() + b"\xff HTTP/1.1")),
    "garbage": (400, b"nonsense\r\n\r\n"),
    "binary": (400, bytes(range(256)) * 2),
    "http_2_preface": (400, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
}
BAD_BODIES: dict[str, tuple[int, bytes]] = {
    f"{path.rpartition('/')[2]}_{name}": (
        400,
        raw(f"{method} {path} HTTP/1.1", body=body),
    )
    for method, path in (("PUT", PIN), ("POST", LIST))
    for name, (body, _) in BAD_JSON.items()
}
BAD_BODIES |= {
    f"{operation}_{number}_{field}": (400, with_field(operation, field, value))
    for operation, cases in (("pin", BAD_PINS), ("list", BAD_LISTS))
    for number, (field, value, *_) in enumerate(cases)
}


def said(url: str, request: bytes, *, step: int | None = None) -> bytes:
    """The server's answer; `step` sends so many bytes at a time."""
    with connect(url) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # What is refused early may be cut off while it is sent.
        with suppress(ConnectionError):
            for start in range(0, len(request), step or len(request)):
                client.sendall(request[start : start + (step or len(request))])
        return answer(client)


def status(answer: bytes) -> int:
    """The status of the final answer, which is an envelope."""
    while answer.startswith(b"HTTP/1.1 100"):
        answer = answer.partition(b"\r\n\r\n")[2]
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/json" in head.lower(), answer[:200]
    assert body.startswith(b'{"code":'), answer[:200]
    return int(head.split()[1])
