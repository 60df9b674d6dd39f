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
    return answer(client)


def answer(client: socket.socket) -> bytes:
    """The next whole answer, by its length; empty if the connection ends before.

    After an early answer a server still reads what it does not want, for a second:
    who waits for the end of the connection waits for that.
    """
    heard = b""
    while not is_whole(heard):
        try:
            part = client.recv(65_536)
        except ConnectionError:
            part = b""
        if not part:
            return b""
        heard += part
    return heard


def is_whole(heard: bytes) -> bool:
    """Whether this is an answer to its end, beside a 100 Continue before it."""
    while heard.startswith(b"HTTP/1.1 100"):
        heard = heard.partition(b"\r\n\r\n")[2]
    head, found, body = heard.partition(b"\r\n\r\n")
    _, has_length, rest = head.lower().partition(b"content-length: ")
    return bool(found and has_length) and len(body) >= int(rest.split(b"\r\n")[0])
