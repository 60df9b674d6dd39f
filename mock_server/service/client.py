"""A client of an untrusted server, with one API key.

The API key is sent to that server only, since redirects are not followed, and no
message shows it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from mock_server.control import http_call
from mock_server.control.http_call import Address, RawResponse, Request
from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.limits import ClientLimits

T = TypeVar("T")
Tell = Callable[[str], object]
Sleep = Callable[[float], object]
Pause = Callable[[Exception, int], float | None]
"""Returns the seconds to wait after the Nth failure in a row; None: no retry."""


class Busy(http_call.Unreachable):
    """The server cannot serve now; `response` may say for how many `seconds`."""

    def __init__(self, message: str, response: RawResponse) -> None:
        super().__init__(message)
        self.response = response
        self.seconds = response.retry_seconds


@dataclass(frozen=True, slots=True)
class KeyedClient:
    """Sends requests to an address, and removes the API key from all responses."""

    address: Address
    key: str
    limits: ClientLimits = ClientLimits()

    def send(self, place: str, request: Request, seconds: float) -> RawResponse:
        """Send one request, which messages name `place`. Raises Unreachable."""
        budget = http_call.Budget(seconds, self.limits.answer_bytes)
        try:
            raw = http_call.call(self.address, request, budget)
        except http_call.Unreachable as error:
            raise http_call.Unreachable(f"{error} - at {place}") from None
        return self._without_key(raw)

    def _without_key(self, raw: RawResponse) -> RawResponse:
        """Return the response with `***` for the key, unless it is short as a word."""
        if len(self.key) < MIN_REDACTABLE_LENGTH:
            return raw
        body = raw.body.replace(self.key.encode(), b"***")
        kind, location = (
            text.replace(self.key, "***") for text in (raw.content_type, raw.location)
        )
        return raw._replace(body=body, content_type=kind, location=location)


def keep_trying(
    attempt: Callable[[], T], pause: Pause, tell: Tell, sleep: Sleep = time.sleep
) -> T:
    """Return the result of the first attempt without Unreachable or Unfit.

    Raises the failure after which `pause` returns None, and every other exception.
    """
    failures = 0
    while True:
        try:
            return attempt()
        except (http_call.Unreachable, http_call.Unfit) as error:
            failures += 1
            seconds = pause(error, failures)
            if seconds is None:
                raise
            tell(f"{error}, retrying in {round(seconds, 1):g} s")
            sleep(seconds)
