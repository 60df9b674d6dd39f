"""HTTP/1.1 on a connection: uvicorn's protocol with httptools, and what both of them leave out."""

from typing import Any

from httptools import HttpParserError, HttpParserUpgrade
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from mock_server.http.connection import TRANSPORT

REFUSED = "Invalid HTTP request received."
MAX_HEADERS = 100
MAX_PART_BYTES = 16_384
"""How long the target of a request may be, and each of its headers."""
MAX_HEAD_BYTES = 65_536
"""How long the target and the headers of a request may be in all."""


class HttpProtocol(HttpToolsProtocol):
    """An HTTP connection with limits, which httptools does not have, and without upgrades."""

    _pending_bytes = 0
    """How many bytes came since the last end of a head, or part of a body."""

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._pending_bytes += len(data)
        try:
            self._parse(data)
        except HttpParserError:
            self.send_400_response(REFUSED)

    def _parse(self, data: bytes) -> None:
        """Start the requests in these bytes. Raises HttpParserError."""
        while data:
            try:
                self.parser.feed_data(data)
                data = b""
            except HttpParserUpgrade as upgrade:
                if self.parser.get_method() == b"CONNECT":
                    raise HttpParserError from None
                # The parser has skipped the body. Java's client sends one when it offers HTTP/2.
                (head_length,) = upgrade.args
                data = self._head_without_upgrade() + data[head_length:]
        if self._pending_bytes > MAX_HEAD_BYTES:
            raise HttpParserError

    def _head_without_upgrade(self) -> bytes:
        """The head of the request, to parse again, without its offer of an upgrade."""
        version = self.parser.get_http_version().encode()
        lines = [b"%s %s HTTP/%s" % (self.parser.get_method(), self.url, version)]
        lines += [b"%s: %s" % it for it in self.scope["headers"] if it[0] != b"upgrade"]
        return b"\r\n".join([*lines, b"", b""])

    def _should_upgrade(self) -> bool:
        # uvicorn does not start a request for which this is true: it is parsed again.
        return True

    def on_headers_complete(self) -> None:
        self._pending_bytes = 0
        # Of a header also count the colon, the space and the line break.
        sizes = [len(name) + len(value) + 4 for name, value in self.headers]
        sizes.append(len(self.url))
        is_too_long = max(sizes) > MAX_PART_BYTES or sum(sizes) > MAX_HEAD_BYTES
        if is_too_long or len(self.headers) > MAX_HEADERS:
            raise HttpParserError
        scope: Any = self.scope
        scope[TRANSPORT] = self.transport
        # uvicorn would log to any handler, as pytest gives one to each logger.
        self.access_log = self.config.access_log
        super().on_headers_complete()
        # The scope has the headers now. Trailers are added to this list, and so ignored.
        self.headers = []

    def on_body(self, body: bytes) -> None:
        self._pending_bytes = 0
        super().on_body(body)
