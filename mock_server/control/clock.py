"""The clock of a server."""

from datetime import datetime

from mock_server.admin.resources.clock import ClockView
from mock_server.client import AdminClient
from mock_server.control.durations import Duration, seconds

__tracebackhide__ = True


class SandboxClock:
    """The clock of a sandbox."""

    def __init__(self, client: AdminClient) -> None:
        self._client = client

    @property
    def now(self) -> str:
        """The time, as `2026-01-01T00:00:00.000Z`."""
        return str(self._client.json(ClockView, "GET", "/clock")["now"])

    def freeze(self, now: str | datetime | None = None) -> None:
        """Stop the clock, at a time like `2026-01-01T00:00:00Z` or where it is.

        A datetime has to know its time zone. Raises ValueError.
        """
        if now is not None and not isinstance(now, str | datetime):
            expected = "a time such as '2026-01-01T00:00:00Z', or a datetime"
            raise TypeError(f"Expected {expected}, got {now!r}")
        if isinstance(now, datetime):
            if now.utcoffset() is None:
                raise ValueError(f"Expected a datetime with a time zone, got {now!r}")
            now = now.isoformat()
        self._client.json(ClockView, "PUT", "/clock", now=now, frozen=True)

    def run(self) -> None:
        """Let the clock run."""
        self._client.json(ClockView, "PUT", "/clock", frozen=False)

    def advance(self, duration: Duration) -> None:
        """Set the clock forward, whether it is running or frozen."""
        ahead = seconds(duration)
        self._client.json(ClockView, "POST", "/clock/advance", seconds=ahead)
