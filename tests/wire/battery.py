"""Raw requests, good and bad, and how to send them."""

from __future__ import annotations

import socket
from contextlib import suppress

from mock_server.domain.limits import DEFAULT_LIMITS
from tests.api import requests
from tests.api.bad_requests import BAD_JSON
from tests.support import LIST, PIN
from tests.wire import payloads
from tests.wire.sockets import answer, connect

PIN_BODY = b'{"appId":"app-1","chatId":"chat-1","top":true}'
LIST_BODY = b'{"offset":0,"datasetId":"dataset-1"}'
PIN_LINE, LIST_LINE = f"PUT {PIN} HTTP/1.1", f"POST {LIST} HTTP/1.1"
AUTH = b"Authorization: Bearer k\r\n"
TYPE = b"Content-Type: application/json\r\n"
HOST = b"Host: x\r\n"
GOOD = HOST + AUTH + TYPE
CLOSE = b"Connection: close\r\n"


def raw(
    line: str = f"PUT {PIN} HTTP/1.1",
    headers: bytes = GOOD,
    body: bytes = PIN_BODY,
    length: bytes | None = None,
) -> bytes:
    """A request; `length` replaces the true Content-Length header."""
    framing = b"Content-Length: %d\r\n" % len(body) if length is None else length
    return line.encode() + b"\r\n" + headers + framing + CLOSE + b"\r\n" + body


def chunked(*chunks: bytes) -> bytes:
    """A pin whose body comes in these chunks."""
    parts = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    return raw(length=payloads.CODED, body=parts + b"0\r\n\r\n")


NAMES = {
    "PUT": PIN_LINE.encode() + b"\r\n", "PATH": PIN.encode(), "LIST": LIST.encode(),
    "HOST": HOST, "AUTH": AUTH, "TYPE": TYPE, "REST": AUTH + TYPE, "CLOSE": CLOSE,
    "LENGTH": payloads.LENGTH, "CODED": payloads.CODED, "CHUNKS": payloads.CHUNKS,
    "BODY": PIN_BODY, "LISTED": LIST_BODY,
}  # fmt: skip
"""What `requests.txt` calls so."""
ROWS = [*payloads.written("requests.txt", NAMES)]
ACCEPTED = {name: data for status, name, data in ROWS if status == "200"} | {
    "chunked_in_bytes": chunked(*(bytes([byte]) for byte in PIN_BODY)),
    "chunked_in_1900": chunked(*[b" "] * 1_899, PIN_BODY),
    "chunked_lines": chunked(b"\r\n" * 20_000, *[b"\r\n"] * 4_000, PIN_BODY),
}
REFUSED = {
    name: (int(status), data) for status, name, data in ROWS if status != "200"
} | {
    "pieces_over": (413, chunked(*[b" "] * (DEFAULT_LIMITS.body_pieces + 1))),
    "chunks_over": (413, chunked(*[b" " * 65_536] * 17)),
    "header_count": (400, raw(headers=GOOD + b"X: a\r\n" * DEFAULT_LIMITS.headers)),
    "binary": (400, bytes(range(256)) * 2),
}
BAD_BODIES: dict[str, tuple[int, bytes]] = {
    f"{path.rpartition('/')[2]}_{name}": (
        400,
        raw(f"{method} {path} HTTP/1.1", body=body),
    )
    for method, path in (("PUT", PIN), ("POST", LIST))
    for name, body in BAD_JSON.items()
}
for _case in requests.TEXT.cases:
    if _case.said.startswith("400 ") and _case.given.startswith(tuple(requests.GOOD)):
        _method, _path, _body = requests.parsed(_case.given)
        BAD_BODIES[_case.given[:80]] = (
            400,
            raw(f"{_method} {_path} HTTP/1.1", body=_body),
        )


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
