"""Requests and responses as they stand on the wire, and faults added to a server."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from tests.support import APP, CHAT, PIN, SECONDS, Api


def request(
    path: str = PIN, method: str = "PUT", key: str = "any", **body: Any
) -> bytes:
    """A request as it stands on the wire."""
    content = json.dumps({"appId": APP, "chatId": CHAT, "top": True} | body).encode()
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


@contextmanager
def connected(api: Api) -> Iterator[socket.socket]:
    url = urlsplit(str(api.client.base_url))
    with socket.create_connection(
        (url.hostname, url.port), timeout=SECONDS
    ) as connection:
        yield connection


def received(connection: socket.socket) -> tuple[bytes, str]:
    """All bytes until the end, and what the end was: FIN or RST."""
    content = b""
    try:
        while piece := connection.recv(65_536):
            content += piece
    except ConnectionResetError:
        return content, "RST"
    return content, "FIN"


def exchanged(api: Api, content: bytes | None = None) -> tuple[bytes, str]:
    with connected(api) as connection:
        connection.sendall(content or request())
        return received(connection)


def add(api: Api, kind: str, **fields: Any) -> None:
    answer = api.admin("POST", "/faults", {"kind": kind} | fields)
    assert answer.status_code == 201, answer.text
