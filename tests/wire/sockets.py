"""Requests over a socket of their own."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from tests.support import LIST, SECONDS

BODY = b'{"offset": 0, "datasetId": "6593e137231a2be9c5603ba7"}'
REQUEST = (
    b"POST %b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n"
    b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
) % (LIST.encode(), len(BODY), BODY)


def connect(url: str) -> socket.socket:
    parts = urlsplit(url)
    where = (str(parts.hostname), int(parts.port or 0))
    return socket.create_connection(where, timeout=SECONDS)


def exchange(client: socket.socket, more: bytes = b"") -> bytes:
    """One request (and `more` bytes) and its whole answer; empty if there is none."""
    client.sendall(REQUEST + more)
    answer = b""
    while b"\r\n\r\n" not in answer:
        part = client.recv(65_536)
        if not part:
            return b""
        answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(body) < length:
        part = client.recv(65_536)
        if not part:
            return b""
        body += part
    return head + b"\r\n\r\n" + body
