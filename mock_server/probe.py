"""The health check of the image: a script, run by itself in a bare Python.

Exits 0 if the server on this machine is ready. `mock-server healthcheck` looks closer
at the answer, and says what is wrong.
"""

import sys
from _socket import AF_INET, AF_INET6, SOCK_STREAM, socket
from os import environ

_SECONDS = 1.5
_BYTES = 4096
_LOOPBACK = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
_REQUEST = (
    b"GET /__admin/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
)


def health(host: str, port: int, seconds: float) -> bytes:
    """The first bytes of what a server says of its health. Raises OSError.

    `host` is an address. No step takes longer than these seconds.
    """
    host = _LOOPBACK.get(host, host)
    connection = socket(AF_INET6 if ":" in host else AF_INET, SOCK_STREAM)
    try:
        connection.settimeout(seconds)
        connection.connect((host, port))
        connection.send(_REQUEST)
        return connection.recv(_BYTES)
    finally:
        connection.close()


def main() -> int:
    """Ask once; the exit status. Raises OSError, which exits with 1 too."""
    host = environ.get("MOCK_SERVER_HOST", "")
    port = int(environ.get("MOCK_SERVER_PORT", "8000"))
    return 0 if health(host, port, _SECONDS).startswith(b"HTTP/1.1 200 ") else 1


if __name__ == "__main__":
    sys.exit(main())
