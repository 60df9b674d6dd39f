"""Sends requests to a server, one after the other, and asks again while it is busy."""

import time
from collections.abc import Callable, Mapping

import msgspec

from mock_server.conformance.answer import Answer, parse, told
from mock_server.domain.limits import Limits
from mock_server.http_call import (
    Address,
    Budget,
    RawResponse,
    Unfit,
    Unreachable,
    call,
)
from mock_server.service import without_key

_BUSY = (429, 502, 503, 504)
_JSON = {"Content-Type": "application/json"}


class Asker:
    """A client with one key; the whole of its calls ends after so many seconds.

    `tell` is given a line whenever it waits to ask again.
    """

    def __init__(
        self,
        address: Address,
        key: str,
        seconds: float,
        tell: Callable[[str], object],
        limits: Limits = Limits(),
    ) -> None:
        self._address, self._key, self.tell = address, key, tell
        self._limits = limits
        self._whole = Budget(seconds, 0)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        key: str | None = "",
        token: str = "",
        is_json: bool = True,
    ) -> Answer:
        """The answer to a request with a JSON body, or with none.

        `key` is another one than usual, None for no Authorization; `token` that of a
        login. Raises Unreachable, and Unfit if it stays busy.
        """
        headers = dict(_JSON if is_json else {})
        notes = [] if is_json else ["without Content-Type"]
        if key is not None:
            headers["Authorization"] = f"Bearer {key or self._key}"
        notes += ["without Authorization"] if key is None else []
        notes += ["with another key"] if key else []
        if token:
            headers["token"] = token
            notes.append("with a login")
        content = None if body is None else msgspec.json.encode(body)
        request = told(method, path, body, *notes)
        return parse(request, self._send(request, method, path, headers, content))

    def renew(self) -> None:
        """Allow one more call's time, to put things back."""
        self._whole = Budget(self._limits.verify_call_seconds, 0)

    def _send(
        self,
        request: str,
        method: str,
        path: str,
        headers: Mapping[str, str],
        content: bytes | None,
    ) -> RawResponse:
        tries = self._limits.verify_tries
        for attempt in range(1, tries + 1):
            response = self._call(request, method, path, headers, content)
            if response.status not in _BUSY:
                return response
            if attempt < tries:
                seconds = min(self._pause(response), max(self._whole.left, 0))
                said = f"{response.status}, asking again in {seconds:g} s"
                self.tell(f"{said}: {request}")
                time.sleep(seconds)
        raise Unfit(
            f"Expected an answer, got {response.summary()} {tries} times - at {request}"
        )

    def _call(
        self,
        request: str,
        method: str,
        path: str,
        headers: Mapping[str, str],
        content: bytes | None,
    ) -> RawResponse:
        seconds = min(self._limits.verify_call_seconds, self._whole.left)
        if seconds <= 0:
            raise Unreachable(f"the time is over - at {request}")
        budget = Budget(seconds, self._limits.answer_bytes)
        try:
            response = call(self._address, method, path, headers, content, budget)
            return without_key(response, self._key)
        except Unreachable as error:
            raise Unreachable(f"{error} - at {request}") from None

    def _pause(self, response: RawResponse) -> float:
        """Seconds to wait, as the server says, within bounds."""
        asked = response.retry_seconds
        return min(1.0 if asked is None else asked, self._limits.verify_pause_seconds)
