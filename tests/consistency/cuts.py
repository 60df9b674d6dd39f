"""Connections that a client cuts, after any byte sent, or some bytes heard."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from tests.support import APP, DATASET, LIST, PIN
from tests.wire.sockets import connect

FORM = "multipart/form-data; boundary=cut"
TOGETHER = 100
"""Cuts after which all is looked at."""
_RESET = struct.pack("ii", 1, 0)
_ROUTE = "/api/core/dataset/collection"


@dataclass(frozen=True)
class Asked:
    """A request as bytes. What it leaves has a name of its own; None if nothing."""

    content: bytes
    mark: str | None = None


@dataclass(frozen=True)
class Cut:
    """Requests on one connection, of which so many bytes are sent, and so many bytes of
    the answers read before it ends: all of them if `read` is None.
    """

    asked: Sequence[Asked]
    sent: int
    read: int | None
    is_reset: bool

    def whole(self) -> list[Asked]:
        """The requests that are sent to their end."""
        ends = accumulate(len(each.content) for each in self.asked)
        return [
            each for each, end in zip(self.asked, ends, strict=True) if end <= self.sent
        ]

    def perform(self, url: str) -> bytes:
        """Send, read, cut; gives what was heard."""
        content = b"".join(each.content for each in self.asked)[: self.sent]
        with connect(url) as client:
            if self.is_reset:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            heard = b""
            try:
                client.sendall(content)
                if self.read is None:
                    client.shutdown(socket.SHUT_WR)
                while self.read is None or len(heard) < self.read:
                    most = 65_536 if self.read is None else self.read - len(heard)
                    part = client.recv(most)
                    if not part:
                        break
                    heard += part
            except ConnectionError:
                pass  # the server may be the first to end it
        return heard


def request(
    method: str, path: str, body: object, kind: str = "application/json"
) -> bytes:
    """A request as bytes; a body that is no bytes is sent as JSON."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


def _pin(_: Random, mark: str) -> Asked:
    body = {"appId": APP, "chatId": mark, "top": True}
    return Asked(request("PUT", PIN, body), mark)


def _create(_: Random, mark: str) -> Asked:
    body = {"datasetId": DATASET, "name": mark, "type": "virtual"}
    return Asked(request("POST", f"{_ROUTE}/create", body), mark)


def _upload(random: Random, mark: str) -> Asked:
    text = b"A paragraph of some length.\n\n" * random.choice((1, 100, 3_000))
    body = (
        b'--cut\r\nContent-Disposition: form-data; name="data"\r\n\r\n'
        b'{"datasetId": "%b"}\r\n--cut\r\nContent-Disposition: form-data; name="file"; '
        b'filename="%b.txt"\r\n\r\n%b\r\n--cut--\r\n'
        % (DATASET.encode(), mark.encode(), text)
    )
    return Asked(request("POST", f"{_ROUTE}/create/localFile", body, FORM), mark)


def _sandbox(_: Random, mark: str) -> Asked:
    return Asked(request("POST", "/__admin/sandboxes", {"name": mark}), mark)


def _snapshot(_: Random, mark: str) -> Asked:
    return Asked(request("PUT", f"/__admin/snapshots/{mark}", {}), mark)


def _load(_: Random, mark: str) -> Asked:
    del mark
    entry = {"name": "Large {n}", "repeat": 3_000}
    document = {"datasets": [{"id": DATASET, "collections": [entry]}]}
    return Asked(request("PUT", "/__admin/sandboxes/loading/state", document))


def _list(_: Random, mark: str) -> Asked:
    del mark
    body = {"offset": 0, "pageSize": 30, "datasetId": DATASET}
    return Asked(request("POST", LIST, body))


def _state(_: Random, mark: str) -> Asked:
    del mark
    return Asked(request("GET", "/__admin/state", b""))


def _stream(_: Random, mark: str) -> Asked:
    del mark
    return Asked(request("GET", "/__admin/journal/stream?since=1", b""))


KINDS: dict[Callable[[Random, str], Asked], float] = {
    _pin: 25,
    _create: 20,
    _upload: 15,
    _sandbox: 5,
    _snapshot: 5,
    _list: 15,
    _state: 8,
    _stream: 6,
    _load: 1,
}


def drawn(random: Random, number: int) -> Cut:
    """A cut of one request, or of several that are sent at once.

    Each name has the kind of what it is, and the number of the cut.
    """
    count = random.choice((1, 1, 1, 2, 4))
    kinds = random.choices(list(KINDS), [*KINDS.values()], k=count)
    marks = (f"{kind.__name__[1:]}-{number}-{at}" for at, kind in enumerate(kinds))
    asked = [kind(random, mark) for kind, mark in zip(kinds, marks, strict=True)]
    is_endless = _stream in kinds
    at = random.randrange(count)
    before = sum(len(each.content) for each in asked[:at])
    size = len(asked[at].content)
    everything = sum(len(each.content) for each in asked)
    # Of an upload nearly all bytes are its file's: so often near the head, or all.
    in_it = random.choice(
        (random.randrange(min(size, 300)), random.randrange(size + 1))
    )
    sent = random.choice((before + in_it, before + in_it, everything))
    read: int | None = 0
    if sent == everything:
        read = random.choice((0, 1, 60, 200, 0 if is_endless else None))
    return Cut(asked, sent, read, is_reset=random.random() < 0.5)
