"""Lines of JSON in place of text, for `--log-format json`."""

import time

import msgspec

from mock_server.cli.output import LineWriter
from mock_server.domain.clock import format_time
from mock_server.domain.printable import json_text


class JsonLines:
    """Writes what a server says of itself as lines of JSON, beside those of requests.

    Each line is an object with `time` and `message`.
    """

    def __init__(self, lines: LineWriter) -> None:
        self._lines = lines

    def write(self, text: str) -> None:
        """Write each line of a text as an object."""
        now = format_time(time.time_ns() // 1_000_000)
        for line in text.splitlines():
            fields = msgspec.json.encode({"time": now, "message": line}).decode()
            self._lines.write(json_text(fields))

    def flush(self) -> None:
        """Called by the handler of logging."""

    def close(self) -> None:
        self._lines.close()
