"""A client of one untrusted server, with one API key.

The client sends the API key to no other server, because it follows no redirects. No
message shows the key, or the login token.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from mock_server.api.redaction import RequestSecrets, redacted_text
from mock_server.control import http_call
from mock_server.control.http_call import Address, RawResponse, Request
from mock_server.domain.access import secret_part
from mock_server.domain.limits import ClientLimits

T = TypeVar("T")
Report = Callable[[str], object]
Sleep = Callable[[float], object]
Pause = Callable[[Exception, int], float | None]
"""Returns the seconds to wait after a failure and its number in a row; None to stop."""


class Busy(http_call.Unreachable):
    """The server is busy; `seconds` is the wait that its response requests, or None."""

    def __init__(self, message: str, response: RawResponse) -> None:
        super().__init__(message)
        self.response = response
        self.seconds = response.retry_seconds


@dataclass(frozen=True, slots=True)
class KeyedClient:
    """Sends requests to one address, and hides its API key in all responses.

    `others` are credentials that some requests have, and that are hidden in all.
    """

    address: Address
    key: str
    limits: ClientLimits = ClientLimits()
    others: tuple[str, ...] = ()

    def send(self, place: str, request: Request, seconds: float) -> RawResponse:
        """Send a request within `seconds`; messages name it `place`.

        Raises Unreachable.
        """
        budget = http_call.Budget(seconds, self.limits.answer_bytes)
        secrets = self._secrets()
        try:
            raw = http_call.call(self.address, request, budget)
        except http_call.Unreachable as error:
            text = f"{redacted_text(str(error), secrets)} - at {place}"
            raise http_call.Unreachable(text) from None
        texts = map(secrets.redact_text, (raw.content_type, raw.location))
        content_type, location = texts
        body = secrets.redact(raw.body)
        return raw._replace(body=body, content_type=content_type, location=location)

    def _secrets(self) -> RequestSecrets:
        """Return all credentials, unless they are short."""
        keys = self.key, *self.others
        # The service may repeat a key without the app id that follows it.
        forms = (*keys, *map(secret_part, keys))
        return RequestSecrets.from_declared(map(str.encode, forms))


def keep_trying(
    attempt: Callable[[], T], pause: Pause, report: Report, sleep: Sleep = time.sleep
) -> T:
    """Return the result of `attempt`; repeat it after Unreachable or UnusableResponse.

    `report` gets a line before each retry. Raises the failure for which `pause` returns
    None, and every other exception.
    """
    failures = 0
    while True:
        try:
            return attempt()
        except (http_call.Unreachable, http_call.UnusableResponse) as error:
            failures += 1
            seconds = pause(error, failures)
            if seconds is None:
                raise
            report(f"{error}, retrying in {round(seconds, 1):g} s")
            sleep(seconds)
