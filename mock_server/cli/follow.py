"""A journal that is followed: its stream of events, connected again when it breaks."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mock_server.client import AdminClient
from mock_server.http_call import Unreachable

# The server gives a sign of life after 15 s at the latest.
_SILENCE_SECONDS = 45.0
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0
_DIGITS = 19


class Event(NamedTuple):
    """An event of a stream: its name, its data, the number it has or 0."""

    name: str
    data: bytes
    number: int


OPENED = Event("", b"", 0)
"""Stands for a stream that has been opened."""


def events_of(lines: Iterable[bytes], max_bytes: int) -> Iterator[Event]:
    """The events in the lines of a stream (WHATWG server-sent events, 9.2.6).

    Raises Unreachable for an event of more than so many bytes.
    """
    name, data, number = "", bytearray(), 0
    for line in lines:
        field, _, value = line.rstrip(b"\r\n").partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            name = value.decode("utf-8", "replace")
        elif field == b"id" and value.isdigit() and len(value) < _DIGITS:
            number = int(value)
        elif field == b"data":
            data += value + b"\n"
            if len(data) > max_bytes:
                raise Unreachable(f"an event of more than {max_bytes} bytes")
        elif line.strip() == b"" and (name or data):
            yield Event(name, bytes(data), number)
            name, data, number = "", bytearray(), 0


@dataclass
class Follower:
    """Follows the journal of a running server from now on.

    A stream that breaks off is opened again where it was, after pauses that grow.
    When that has not worked for the client's `timeout`, or never did, Unreachable is
    raised; and Refused if the server does not want to. `tell` hears what goes wrong.
    """

    client: AdminClient
    tell: Callable[[str], object]
    _next: int | None = None
    _pause: float = _FIRST_PAUSE_SECONDS

    def events(self) -> Iterator[Event]:
        """Events as they come, without end; OPENED first, and when opened again."""
        last_contact: float | None = None
        while True:
            try:
                for event in self._once():
                    last_contact = time.monotonic()
                    yield event
                reason = f"the stream of {self.client.url} has ended"
            except Unreachable as error:
                now = time.monotonic()
                if last_contact is None or now - last_contact > self.client.timeout:
                    raise
                reason = str(error)
            self.tell(f"{reason}, asked again in {self._pause:g} s")
            time.sleep(self._pause)
            self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)

    def _once(self) -> Iterator[Event]:
        """The events of one connection, OPENED first."""
        since = "" if self._next is None else f"?since={self._next}"
        lines = self.client.lines(f"/journal/stream{since}", _SILENCE_SECONDS)
        # It begins with a comment, so that one need not wait for the first event.
        next(lines, None)
        yield OPENED
        for event in events_of(lines, self.client.limits.event_bytes):
            self._pause = _FIRST_PAUSE_SECONDS
            if event.number:
                self._next = event.number + 1
            yield event
