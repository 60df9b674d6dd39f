"""One HTTP request and its answer, from a server that nothing is known of.

Redirects are not followed, no proxy is asked, and whatever the other side does, the
call ends in time and takes no more memory than it may.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mock_server.domain.printable import glimpse, one_line

_PIECE_BYTES = 65_536
_HEAD_BYTES = 65_536
_SHOWN_BYTES = 256
_PORTS = {"http": 80, "https": 443}


class Unreachable(Exception):
    """No server is there, or what is there is none of ours; the text says why."""


class Address(NamedTuple):
    """Where a server is; `base` is the path below which it has its own."""

    scheme: str
    host: str
    port: int
    base: str = ""

    @classmethod
    def of(cls, url: str) -> Address:
        """The address that a URL names. Raises ValueError."""
        expected = f"Expected http://HOST:PORT, got {glimpse(url)}"
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise ValueError(expected) from None
        strange = parts.username is not None or parts.query or parts.fragment
        visible = url.isascii() and url.isprintable() and " " not in url
        if parts.scheme not in _PORTS or not host or strange or not visible:
            raise ValueError(expected)
        default = _PORTS[parts.scheme]
        base = parts.path.rstrip("/")
        return cls(parts.scheme, host, default if port is None else port, base)


class Budget:
    """What one call, or several for one purpose, may take: time, and bytes received."""

    def __init__(self, seconds: float, max_bytes: int) -> None:
        self._end = time.monotonic() + seconds
        self._seconds = seconds
        self._bytes = self._max_bytes = max_bytes

    @property
    def left(self) -> float:
        """Seconds; they may have run out."""
        return self._end - time.monotonic()

    def seconds(self) -> float:
        """The seconds that are left. Raises TimeoutError if there are none."""
        left = self.left
        if left <= 0:
            raise TimeoutError
        return left

    def take(self, count: int) -> None:
        """Count bytes that have come. Raises Unreachable if they are too many."""
        self._bytes -= count
        if self._bytes < 0:
            raise Unreachable(f"an answer of more than {self._max_bytes} bytes")

    def overrun(self) -> str:
        """What is to be said when time is over."""
        return f"no whole answer in {self._seconds:.3g} s"


class Answered(NamedTuple):
    """An answer; of its headers those that clients look at, "" where they lack."""

    status: int
    body: bytes
    content_type: str = ""
    location: str = ""
    retry_after: str = ""

    def shown(self) -> str:
        """What came, in one line."""
        parts = [str(self.status)]
        if self.location:
            return f"a redirect ({self.status}) to {glimpse(self.location)}"
        if self.content_type:
            parts.append(one_line(self.content_type[:100]))
        start = self.body[:_SHOWN_BYTES].decode("utf-8", "replace")
        return " ".join([*parts, glimpse(start) if start else "without a body"])


def call(
    address: Address,
    method: str,
    path: str,
    headers: Mapping[str, str],
    content: bytes | None,
    budget: Budget,
) -> Answered:
    """Send a request and give the answer, whatever its status. Raises Unreachable."""
    with _explained(budget), closing(_connect(address, budget)) as sock:
        stream = _Stream(sock, budget)
        connection = http.client.HTTPConnection(address.host, address.port)
        connection.sock = stream
        # A server may answer before it has read everything, and close.
        with suppress(BrokenPipeError, ConnectionResetError):
            target = f"{address.base}{path}"
            fields = {"Connection": "close", **headers}
            connection.request(method, target, content, fields)
        with closing(connection.getresponse()) as response:
            stream.head_is_over()
            return _answered(response)


def _answered(response: http.client.HTTPResponse) -> Answered:
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding.strip().lower() != "identity":
        raise Unreachable(f"an answer encoded as {glimpse(encoding)}")
    pieces = bytearray()
    while piece := response.read(_PIECE_BYTES):
        pieces += piece
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    names = ("Content-Type", "Location", "Retry-After")
    said = (str(response.headers.get(name, "")) for name in names)
    return Answered(response.status, bytes(pieces), *said)


@contextmanager
def _explained(budget: Budget) -> Iterator[None]:
    """Lets everything that can go wrong be Unreachable, with a reason in one line."""
    try:
        yield
    except TimeoutError:
        raise Unreachable(budget.overrun()) from None
    except http.client.RemoteDisconnected:
        raise Unreachable("the connection was closed without an answer") from None
    except http.client.BadStatusLine as error:
        raise Unreachable(f"what came is no HTTP: {glimpse(str(error))}") from None
    except http.client.IncompleteRead:
        raise Unreachable("the answer broke off") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Unreachable(one_line(str(error) or type(error).__name__)) from None


class _Stream:
    """A socket as http.client uses one, with a budget for all that it does."""

    def __init__(self, sock: socket.socket, budget: Budget) -> None:
        self._sock = sock
        self._budget = budget
        self._received = _Received(sock, budget)

    def sendall(self, data: bytes) -> None:
        """Called by http.client."""
        view = memoryview(data)
        while view:
            self._sock.settimeout(self._budget.seconds())
            view = view[self._sock.send(view[:_PIECE_BYTES]) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        """Called by http.client."""
        del mode
        return io.BufferedReader(self._received)

    def close(self) -> None:
        """Called by http.client; the socket is closed by who has made it."""

    def head_is_over(self) -> None:
        """What comes now is the body."""
        self._received.head_bytes = None


class _Received(io.RawIOBase):
    """What comes from a socket, and no more of it than a budget allows."""

    def __init__(self, sock: socket.socket, budget: Budget) -> None:
        self._sock = sock
        self._budget = budget
        self.head_bytes: int | None = _HEAD_BYTES

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self._budget.seconds())
        count = self._sock.recv_into(buffer)
        self._budget.take(count)
        if self.head_bytes is not None:
            self.head_bytes -= count
            if self.head_bytes < 0:
                raise Unreachable(f"more than {_HEAD_BYTES} bytes of headers")
        return count


def _connect(address: Address, budget: Budget) -> socket.socket:
    """A connection, encrypted for https. Raises OSError, or ValueError for a name."""
    error: OSError = OSError("no address")
    for family, kind, protocol, _, place in _resolved(address, budget):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(budget.seconds())
            sock.connect(place)
            if address.scheme == "http":
                return sock
            sock.settimeout(budget.seconds())
            context = ssl.create_default_context()
            return context.wrap_socket(sock, server_hostname=address.host)
        except OSError as failed:
            sock.close()
            error = failed
        except BaseException:
            sock.close()
            raise
    raise error


def _resolved(address: Address, budget: Budget) -> list[Any]:
    """The socket addresses of a host."""
    host, port, kind = address.host, address.port, socket.SOCK_STREAM
    with suppress(socket.gaierror):
        return socket.getaddrinfo(host, port, type=kind, flags=socket.AI_NUMERICHOST)
    found: list[list[Any] | Exception] = []

    def resolve() -> None:
        try:
            found.append(socket.getaddrinfo(host, port, type=kind))
        except (OSError, ValueError) as error:
            found.append(error)

    # A resolver knows no deadline, so it is left behind when time is over.
    thread = Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(budget.seconds())
    if not found:
        raise TimeoutError
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]
