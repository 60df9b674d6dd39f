"""A client of a server that claims this interface, of which nothing else is known.

The key goes to that server only, as redirects are not followed, and stands in no
message.
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
"""Seconds to wait after a failure, of so many in a row; None for no further try."""


class Busy(http_call.Unreachable):
    """The server cannot answer now: `response` says so, and perhaps for how long."""

    def __init__(self, message: str, response: RawResponse) -> None:
        super().__init__(message)
        self.response = response
        self.seconds = response.retry_seconds


@dataclass(frozen=True, slots=True)
class KeyedClient:
    """Sends requests to an address; its key is taken out of all that comes back."""

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
        """The response with `***` for the key, which a server may repeat anywhere.

        What is as short as a word is left where it is.
        """
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
    """What the first attempt gives that is no failure: no Unreachable, no Unfit.

    Raises the failure after which `pause` is None, and whatever else is raised.
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
            tell(f"{error}, asked again in {round(seconds, 1):g} s")
            sleep(seconds)
