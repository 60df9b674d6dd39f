"""A server on a socket, and one connection to it that is kept open."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import urlencode

from mock_server import MockServer
from tests.model.service import Request
from tests.model.world import PASSWORD, USER, WITH_KEYS
from tests.support import SECONDS
from tests.wire.sockets import connect

CONTRACT = (
    "content-type",
    "cache-control",
    "x-mock-sandbox",
    "x-mock-generation",
    "x-mock-hint",
    "allow",
    "retry-after",
    "www-authenticate",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
)
"""The headers that the contract names."""


class Reply(NamedTuple):
    """Status, headers of the contract, and body of an answer."""

    status: int
    headers: dict[str, str]
    body: bytes


class Wire:
    """A connection to a server, made again whenever an answer closes it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._socket: socket.socket | None = None

    def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, request: Request) -> Reply:
        """The answer to a request."""
        if self._socket is None:
            self._socket = connect(self._url)
            self._socket.settimeout(SECONDS)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(written(request))
        return self._reply(self._socket)

    def _reply(self, connection: socket.socket) -> Reply:
        heard = connection.recv(65_536)
        while b"\r\n\r\n" not in heard:
            heard += self._more(connection)
        head, _, body = heard.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {}
        for line in lines:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
        while len(body) < int(headers["content-length"]):
            body += self._more(connection)
        if headers.get("connection") == "close":
            self.close()
        known = {name: headers[name] for name in CONTRACT if name in headers}
        return Reply(int(first.split(" ")[1]), known, body)

    @staticmethod
    def _more(connection: socket.socket) -> bytes:
        part = connection.recv(65_536)
        assert part, "the server has closed the connection in an answer"
        return part

    def admin(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """The status and the data of an admin call."""
        content = (
            b"" if method in ("GET", "DELETE") else json.dumps(body or {}).encode()
        )
        kind = "application/json" if content else None
        reply = self.send(
            Request(method, f"/__admin{path}", {}, (), None, kind, content)
        )
        return reply.status, json.loads(reply.body)

    def log_in(self, key: str | None) -> str:
        """The token of the user, in the sandbox of a key."""
        account = "/api/support/user/account/"
        given = () if key is None else (f"Bearer {key}",)
        query = {"username": USER}
        asked = Request("GET", f"{account}preLogin", query, given, None, None, b"")
        code = json.loads(self.send(asked).body)["data"]["code"]
        fields = {"password": sha256(PASSWORD.encode()).hexdigest(), "code": code}
        content = json.dumps(query | fields).encode()
        path, kind = f"{account}loginByPassword", "application/json"
        reply = self.send(Request("POST", path, {}, given, None, kind, content))
        return str(json.loads(reply.body)["data"]["token"])


def written(request: Request) -> bytes:
    """A request as its bytes."""
    query = f"?{urlencode(request.query)}" if request.query else ""
    lines = [f"{request.method} {request.path}{query} HTTP/1.1", "Host: localhost"]
    lines += [f"Authorization: {each}" for each in request.authorization]
    if request.token is not None:
        lines.append(f"Token: {request.token}")
    if request.content_type is not None:
        lines.append(f"Content-Type: {request.content_type}")
    if request.content or request.method in ("POST", "PUT"):
        lines.append(f"Content-Length: {len(request.content)}")
    return "\r\n".join([*lines, "", ""]).encode() + request.content


class Subject(NamedTuple):
    """A server that is compared with the model, and a token of its user."""

    wire: Wire
    profile: str
    token: str


@contextmanager
def served(profile: str) -> Iterator[Subject]:
    """A server of a profile, while the context lasts."""
    with MockServer(WITH_KEYS, profile=profile) as server:
        wire = Wire(server.url)
        try:
            wire.admin("PUT", "/choices", {"profile": "deployed"})
            yield Subject(wire, profile, wire.log_in(None))
        finally:
            wire.close()
