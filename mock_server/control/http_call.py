"""Send one HTTP request to an untrusted server.

Redirects are not followed and proxies are not used. Whatever the server does, the call
ends in time and takes no more memory than its budget allows.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mock_server.domain.printable import glimpse, one_line

__tracebackhide__ = True  # see `client`

_PIECE_BYTES = 65_536
# http.client alone would take 100 fields of 64 KiB each, and interim responses
# (100 Continue) without end.
_HEAD_BYTES = 65_536
_SHOWN_BYTES = 256
_EVENT_STREAM = "text/event-stream"
_PORTS = {"http": 80, "https": 443}


class Unreachable(Exception):
    """No usable HTTP response came; the text says why."""


class Unfit(Exception):
    """The server's response does not fit the spec."""


class Address(NamedTuple):
    """The address of a server; `base` is the path before every path of a request."""

    scheme: str
    host: str
    port: int
    base: str = ""

    @classmethod
    def of(cls, url: str) -> Address:
        """Parse a URL. Raises ValueError, with what may have been meant."""
        expected = f"Expected http://HOST:PORT, got {glimpse(url)}"
        if "://" not in url and len(url) <= _SHOWN_BYTES:
            with suppress(ValueError):
                cls.of(f"http://{url}")
                expected += f" (did you mean http://{url}?)"
        try:
            parts = urlsplit(url)
            host = parts.hostname
        except ValueError:
            raise ValueError(expected) from None
        try:
            port = parts.port
        except ValueError:
            hint = "(a port is a number from 1 to 65535)"
            raise ValueError(f"{expected} {hint}") from None
        strange = parts.username is not None or parts.query or parts.fragment
        # The whole URL is checked: urlsplit drops tabs and line breaks silently.
        visible = url.isascii() and url.isprintable() and " " not in url
        if parts.scheme not in _PORTS or not host or strange or not visible:
            raise ValueError(expected)
        default = _PORTS[parts.scheme]
        base = parts.path.rstrip("/")
        return cls(parts.scheme, host, default if port is None else port, base)


class Budget:
    """The time and the received bytes that one call, or several together, may take."""

    def __init__(self, seconds: float, max_bytes: int) -> None:
        self._end = time.monotonic() + seconds
        self.whole_seconds = seconds
        self._bytes = self.max_bytes = max_bytes

    @property
    def left(self) -> float:
        """Return the seconds left; negative after the end."""
        return self._end - time.monotonic()

    def seconds(self) -> float:
        """Return the seconds left. Raises TimeoutError if there are none."""
        left = self.left
        if left <= 0:
            raise TimeoutError
        return left

    def take(self, count: int) -> None:
        """Count received bytes. Raises Unreachable if there are too many."""
        self._bytes -= count
        if self._bytes < 0:
            raise Unreachable(f"a response of more than {self.max_bytes} bytes")


class RawResponse(NamedTuple):
    """A response, with the headers that clients use; "" for a missing header."""

    status: int
    body: bytes
    content_type: str = ""
    location: str = ""
    retry_after: str = ""

    @property
    def retry_seconds(self) -> float | None:
        """Return the seconds of Retry-After, which may be a date (RFC 9110 10.2.3)."""
        text = self.retry_after.strip()
        if text.isascii() and text.isdigit():
            return float(text[:9])
        try:
            until = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        moment = until if until.tzinfo else until.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())

    def summary(self) -> str:
        """Return status, type and beginning of the body, in one line."""
        parts = [str(self.status)]
        if self.location:
            return f"a redirect ({self.status}) to {glimpse(self.location)}"
        if self.content_type:
            parts.append(one_line(self.content_type[:100]))
        start = self.body[:_SHOWN_BYTES].decode("utf-8", "replace")
        return " ".join([*parts, glimpse(start) if start else "without a body"])


class Request(NamedTuple):
    """A request to send; `path` includes the query, `content` is None for no body."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes | None = None


def call(address: Address, request: Request, budget: Budget) -> RawResponse:
    """Send a request; return the response, whatever its status. Raises Unreachable."""
    with _response(address, request, budget) as (response, _):
        return _read(response)


class NoStream(Exception):
    """The server sent a `response` that is no stream of events."""

    def __init__(self, response: RawResponse) -> None:
        super().__init__(response.summary())
        self.response = response


def stream_lines(
    address: Address,
    request: Request,
    budget: Budget,
    line_budget: Callable[[], Budget],
) -> Iterator[bytes]:
    """Yield the lines of a stream of events, with their ends, as they come.

    The head keeps to `budget`, each line to a budget of its own. Ends when the server
    ends the stream. Raises Unreachable, and NoStream for another response.
    """
    with _response(address, request, budget) as (response, stream):
        kind = response.headers.get_content_type()
        if response.status != 200 or kind != _EVENT_STREAM:
            raise NoStream(_read(response))
        while line := _line(response, stream, line_budget()):
            yield line


def _line(response: http.client.HTTPResponse, stream: _Stream, budget: Budget) -> bytes:
    """Return the next line with its end; empty at the end of the stream."""
    stream.budget = budget
    with _as_unreachable(budget):
        # Buffered bytes have been counted before, so each line is limited here too.
        line = response.readline(budget.max_bytes + 1)
        budget.take(len(line) if len(line) > budget.max_bytes else 0)
        if line and not line.endswith(b"\n"):
            raise http.client.IncompleteRead(b"", 0)
        return line


@contextmanager
def _response(
    address: Address, request: Request, budget: Budget
) -> Iterator[tuple[http.client.HTTPResponse, _Stream]]:
    """Send a request; yield the response once its head has come, and its socket."""
    with _as_unreachable(budget), closing(_connect(address, budget)) as sock:
        connection = http.client.HTTPConnection(address.host, address.port)
        # With a socket http.client does not connect: it has only a timeout per step.
        connection.sock = stream = _Stream(sock, budget)
        # A server may respond before it has read everything, and close.
        with suppress(BrokenPipeError, ConnectionResetError):
            target = f"{address.base}{request.path}"
            fields = {"Connection": "close", **request.headers}
            connection.request(request.method, target, request.content, fields)
        with closing(connection.getresponse()) as response:
            stream.head_bytes = None
            yield response, stream


def _read(response: http.client.HTTPResponse) -> RawResponse:
    # http.client asks for identity. Anything else could unpack to far more bytes than
    # the budget has counted.
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding.strip().lower() != "identity":
        raise Unreachable(f"a response encoded as {glimpse(encoding)}")
    pieces = bytearray()
    while piece := response.read(_PIECE_BYTES):
        pieces += piece
    # A read in pieces ends at an early end of the connection without an error.
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    names = ("Content-Type", "Location", "Retry-After")
    fields = (str(response.headers.get(name, "")) for name in names)
    return RawResponse(response.status, bytes(pieces), *fields)


@contextmanager
def _as_unreachable(budget: Budget) -> Iterator[None]:
    """Turn every error of a call into Unreachable, with a one-line reason."""
    # Subclasses of OSError and HTTPException first.
    try:
        yield
    except TimeoutError:
        raise Unreachable(f"no full response in {budget.whole_seconds:.3g} s") from None
    except http.client.RemoteDisconnected:
        raise Unreachable("the connection was closed without a response") from None
    except http.client.BadStatusLine as error:
        raise Unreachable(f"the response is not HTTP: {glimpse(str(error))}") from None
    except http.client.IncompleteRead:
        raise Unreachable("the response ended early") from None
    except ssl.SSLCertVerificationError as error:
        raise Unreachable(one_line(str(error))) from None
    except ssl.SSLError as error:
        raise Unreachable(f"{one_line(str(error))} (does it speak https?)") from None
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Unreachable(one_line(str(error) or type(error).__name__)) from None


class _Stream(io.RawIOBase):
    """A socket as http.client uses it; each operation keeps to the budget.

    A timeout of the socket would restart at every byte. The head may have `head_bytes`,
    the rest as many bytes as the budget allows.
    """

    def __init__(self, sock: socket.socket, budget: Budget) -> None:
        self._sock = sock
        self.budget = budget
        self.head_bytes: int | None = _HEAD_BYTES

    def sendall(self, data: bytes) -> None:
        """Called by http.client."""
        view = memoryview(data)
        while view:
            self._sock.settimeout(self.budget.seconds())
            view = view[self._sock.send(view[:_PIECE_BYTES]) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        """Called by http.client."""
        del mode
        return io.BufferedReader(self)

    def close(self) -> None:
        """Called by http.client; `call` closes the socket."""
        # After a head with `Connection: close` this comes before the body is read.

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self.budget.seconds())
        count = self._sock.recv_into(buffer)
        self.budget.take(count)
        if self.head_bytes is not None:
            self.head_bytes -= count
            if self.head_bytes < 0:
                raise Unreachable(f"more than {_HEAD_BYTES} bytes of headers")
        return count


def _connect(address: Address, budget: Budget) -> socket.socket:
    """Return a connection, encrypted for https. Raises OSError and ValueError."""
    error: OSError = OSError("no address")
    # A name can have addresses where nobody listens, as localhost often has ::1.
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
    """Return the socket addresses of a host. Raises OSError and ValueError."""
    host, port, kind = address.host, address.port, socket.SOCK_STREAM
    # An IP address needs no resolver, and so no thread. As bytes: for a text, Python
    # loads its codec of international names, which takes 1 to 5 ms.
    address_like = host.encode() if host.isascii() else host
    with suppress(socket.gaierror):
        return socket.getaddrinfo(
            address_like, port, type=kind, flags=socket.AI_NUMERICHOST
        )
    found: list[list[Any] | Exception] = []

    def resolve() -> None:
        try:
            found.append(socket.getaddrinfo(host, port, type=kind))
        except (OSError, ValueError) as error:
            found.append(error)

    # getaddrinfo takes no timeout, so it runs in a thread, which is abandoned when the
    # time is over.
    thread = Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(budget.seconds())
    if not found:
        raise TimeoutError
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]
