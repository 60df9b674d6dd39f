"""Sends one HTTP request to an untrusted server.

Redirects are not followed and proxies are not used. Whatever the server does, the call
ends in time, and takes no more memory than the budget.
"""

from __future__ import annotations

import http.client
import io
import re
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
# http.client alone would accept 100 headers of 64 KiB each, and any number of interim
# responses (100 Continue).
_HEAD_BYTES = 65_536
_SHOWN_BYTES = 256
_EVENT_STREAM = "text/event-stream"
_PORTS = {"http": 80, "https": 443}


class Unreachable(Exception):
    """There is no usable HTTP response, for the reason in the text."""

    __module__ = "mock_server.exceptions"  # the public name in tracebacks


class UnusableResponse(Exception):
    """The server's response has an unexpected form, as the text says."""


class Address(NamedTuple):
    """The address of a server; `base` is a prefix of the path of every request."""

    scheme: str
    host: str
    port: int
    base: str = ""

    @classmethod
    def of(cls, url: str) -> Address:
        """Parse a URL. Raises ValueError, with a hint if possible."""
        # The message repeats no user and no password.
        shown = re.sub(r"^(\w+://)?.*@", r"\1", url, flags=re.DOTALL)
        expected = f"Expected http://HOST:PORT, got {glimpse(shown)}"
        if shown != url:
            expected += " with a user or a password"
        if "://" not in url and len(url) <= _SHOWN_BYTES:
            with suppress(ValueError):
                likely = f"http://{'127.0.0.1:' if url.isdigit() else ''}{url}"
                cls.of(likely)
                expected += f" (did you mean {likely}?)"
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
        has_extras = parts.username is not None or parts.query or parts.fragment
        # The whole URL is checked, because urlsplit drops tabs and line breaks.
        is_visible = url.isascii() and url.isprintable() and " " not in url
        if parts.scheme not in _PORTS or not host or has_extras or not is_visible:
            raise ValueError(expected)
        default = _PORTS[parts.scheme]
        base = parts.path.rstrip("/")
        return cls(parts.scheme, host, port or default, base)


class Budget:
    """A budget of time and received bytes, for one call or several together."""

    def __init__(self, seconds: float, max_bytes: int) -> None:
        self._end = time.monotonic() + seconds
        self.total_seconds = seconds
        self._bytes_left = self.max_bytes = max_bytes

    @property
    def left(self) -> float:
        """The seconds left, which are negative after the end."""
        return self._end - time.monotonic()

    def require_seconds(self) -> float:
        """Return the seconds left. Raises TimeoutError if no time is left."""
        seconds = self.left
        if seconds <= 0:
            raise TimeoutError
        return seconds

    def spend_bytes(self, count: int) -> None:
        """Count received bytes. Raises Unreachable if there are too many."""
        self._bytes_left -= count
        if self._bytes_left < 0:
            raise Unreachable(f"a response of more than {self.max_bytes} bytes")


_TYPE_CHARS = 100


class RawResponse(NamedTuple):
    """A response, with the headers that clients use; a missing header is ""."""

    status: int
    body: bytes
    content_type: str = ""
    location: str = ""
    retry_after: str = ""

    @property
    def retry_seconds(self) -> float | None:
        """The seconds of Retry-After, maybe from a date (RFC 9110 10.2.3), or None."""
        text = self.retry_after.strip()
        if text.isascii() and text.isdigit():
            return float(text[:9])
        try:
            until = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        time = until if until.tzinfo else until.replace(tzinfo=UTC)
        return max(0.0, (time - datetime.now(UTC)).total_seconds())

    def summary(self) -> str:
        """Return the status, the type and the start of the body, in one line."""
        parts = [str(self.status)]
        if self.location:
            return f"a redirect ({self.status}) to {glimpse(self.location)}"
        if self.content_type:
            is_long = len(self.content_type) > _TYPE_CHARS
            mark = "…" if is_long else ""
            parts.append(one_line(self.content_type[:_TYPE_CHARS] + mark))
        start = self.body[:_SHOWN_BYTES].decode("utf-8", "replace")
        return " ".join([*parts, glimpse(start) if start else "without a body"])


class Request(NamedTuple):
    """A request to send; `path` includes the query. No body is None, not b""."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes | None = None


def call(address: Address, request: Request, budget: Budget) -> RawResponse:
    """Send a request; return the response of any status. Raises Unreachable."""
    with _response(address, request, budget) as (response, _):
        return _read(response)


class NoStream(Exception):
    """The server sent a `response` that is not a stream of events."""

    def __init__(self, response: RawResponse) -> None:
        super().__init__(response.summary())
        self.response = response


def stream_lines(
    address: Address,
    request: Request,
    budget: Budget,
    line_budget: Callable[[], Budget],
) -> Iterator[bytes]:
    """Yield the lines of a stream of events, with their line ends, as they arrive.

    `budget` limits the head, and a new `line_budget` each line. Raises Unreachable, and
    NoStream for another response.
    """
    with _response(address, request, budget) as (response, stream):
        media_type = response.headers.get_content_type()
        if response.status != 200 or media_type != _EVENT_STREAM:
            raise NoStream(_read(response))
        while line := _read_line(response, stream, line_budget()):
            yield line


def _read_line(
    response: http.client.HTTPResponse, stream: _Stream, budget: Budget
) -> bytes:
    """Return the next line with its line end, or b"" at the end of the stream."""
    stream.budget = budget
    with _as_unreachable(budget):
        # Limited here too, because buffered bytes count for an earlier line.
        line = response.readline(budget.max_bytes + 1)
        budget.spend_bytes(len(line) if len(line) > budget.max_bytes else 0)
        if line and not line.endswith(b"\n"):
            raise http.client.IncompleteRead(b"", 0)
        return line


@contextmanager
def _response(
    address: Address, request: Request, budget: Budget
) -> Iterator[tuple[http.client.HTTPResponse, _Stream]]:
    """Send a request; yield the response after its head has arrived, and its stream."""
    with _as_unreachable(budget), closing(_connect(address, budget)) as sock:
        connection = http.client.HTTPConnection(address.host, address.port)
        # A socket of our own, because http.client has only a timeout for each step.
        connection.sock = stream = _Stream(sock, budget)
        # A server may respond and close before it has read the whole request.
        with suppress(BrokenPipeError, ConnectionResetError):
            target = f"{address.base}{request.path}"
            fields = {"Connection": "close", **request.headers}
            connection.request(request.method, target, request.content, fields)
        with closing(connection.getresponse()) as response:
            stream.head_bytes = None
            yield response, stream


def _read(response: http.client.HTTPResponse) -> RawResponse:
    """Read the whole body. Raises Unreachable, and IncompleteRead if it ends early."""
    # http.client requests `identity`. Another encoding could expand to far more bytes
    # than the budget allows.
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding.strip().lower() != "identity":
        raise Unreachable(f"a response encoded as {glimpse(encoding)}")
    pieces = bytearray()
    while piece := response.read(_PIECE_BYTES):
        pieces += piece
    # `read` with a size raises no error if the connection ends early.
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    names = ("Content-Type", "Location", "Retry-After")
    fields = (str(response.headers.get(name, "")) for name in names)
    return RawResponse(response.status, bytes(pieces), *fields)


@contextmanager
def _as_unreachable(budget: Budget) -> Iterator[None]:
    """Convert every error of a call to Unreachable, with a one-line reason."""
    # Subclasses of OSError and HTTPException come first.
    try:
        yield
    except TimeoutError:
        raise Unreachable(f"no full response in {budget.total_seconds:.3g} s") from None
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
    """A socket for http.client, with a budget for all operations together.

    The timeout of a socket alone would restart at every byte. The head is limited by
    `head_bytes` too.
    """

    def __init__(self, sock: socket.socket, budget: Budget) -> None:
        self._sock = sock
        self.budget = budget
        self.head_bytes: int | None = _HEAD_BYTES

    def sendall(self, data: bytes) -> None:
        """Called by http.client."""
        view = memoryview(data)
        while view:
            self._sock.settimeout(self.budget.require_seconds())
            view = view[self._sock.send(view[:_PIECE_BYTES]) :]

    def makefile(self, mode: str) -> io.BufferedReader:
        """Called by http.client."""
        del mode
        return io.BufferedReader(self)

    def close(self) -> None:
        """Called by http.client; `_response` closes the socket."""
        # Not closed here: http.client may call this before it reads the body.

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self.budget.require_seconds())
        count = self._sock.recv_into(buffer)
        self.budget.spend_bytes(count)
        if self.head_bytes is not None:
            self.head_bytes -= count
            if self.head_bytes < 0:
                raise Unreachable(f"more than {_HEAD_BYTES} bytes of headers")
        return count


def _connect(address: Address, budget: Budget) -> socket.socket:
    """Return a connection, encrypted for https. Raises OSError and ValueError."""
    error: OSError = OSError("no address")
    # Try all addresses of the name: often no server listens at ::1 of localhost.
    for family, socket_type, protocol, _, socket_address in _resolve(address, budget):
        sock = socket.socket(family, socket_type, protocol)
        try:
            sock.settimeout(budget.require_seconds())
            sock.connect(socket_address)
            if address.scheme == "http":
                return sock
            sock.settimeout(budget.require_seconds())
            context = ssl.create_default_context()
            return context.wrap_socket(sock, server_hostname=address.host)
        except OSError as attempt_error:
            sock.close()
            error = attempt_error
        except BaseException:
            sock.close()
            raise
    raise error


def _resolve(address: Address, budget: Budget) -> list[Any]:
    """Return the socket addresses of a host. Raises OSError and ValueError."""
    host, port, socket_type = address.host, address.port, socket.SOCK_STREAM
    # An IP address needs no resolver, and so no thread. It is passed as bytes: for a
    # text Python loads a codec of international names, which takes 1 to 5 ms.
    host_bytes = host.encode() if host.isascii() else host
    with suppress(socket.gaierror):
        return socket.getaddrinfo(
            host_bytes, port, type=socket_type, flags=socket.AI_NUMERICHOST
        )
    results: list[list[Any] | Exception] = []

    def resolve() -> None:
        try:
            results.append(socket.getaddrinfo(host, port, type=socket_type))
        except (OSError, ValueError) as error:
            results.append(error)

    # getaddrinfo has no timeout, so it runs in a thread, which is abandoned when the
    # budget ends.
    thread = Thread(target=resolve, daemon=True)
    thread.start()
    thread.join(budget.require_seconds())
    if not results:
        raise TimeoutError
    if isinstance(results[0], Exception):
        raise results[0]
    return results[0]
