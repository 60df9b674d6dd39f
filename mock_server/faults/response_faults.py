"""The kinds of faults that replace a response, break or delay it, or break its connection."""

import asyncio
import re
from collections.abc import Sequence
from itertools import pairwise
from math import ceil
from typing import Annotated

from msgspec import Meta, field
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from mock_server.decoding.validation import FieldError
from mock_server.errors import REFUSALS_BY_STATUS_TEXT, RateLimited
from mock_server.faults.fault import Fault
from mock_server.http.connection import BrokenResponse, watch_client
from mock_server.http.responses import ErrorEnvelope, error_response, json_response
from mock_server.rules.rule import Candidate, Count, Rule, Seconds, Times
from mock_server.service.handling import Handling
from mock_server.store.replies import MAX_HOLD_MS, Pause
from mock_server.text.wording import did_you_mean

MAX_WINDOWS = 10_000
LIMIT_HEADER = "x-ratelimit-limit"
REMAINING_HEADER = "x-ratelimit-remaining"
RESET_HEADER = "x-ratelimit-reset"
_JSON_END = re.compile(rb"(?<!\[DONE)[}\]](?=\n\n|\Z)")
"""The last byte of a JSON body, or of an event whose data is JSON."""
_IN_CHARACTER = re.compile(rb"[\x80-\xbf]")
_IN_EVENT = re.compile(rb"(?<!\n)[^\n]")


class ResponseFault(Fault, frozen=True):
    """A fault that replaces, breaks or delays responses, whatever they say."""

    acts_on = "responses"


class Error(ResponseFault, tag="error", frozen=True):
    """An error with exactly this status, in every profile; `code` is the status by default.

    Or a `refusal` of FastGPT by its statusText, as the profile sends it.
    """

    status: Annotated[int, Meta(ge=400, le=599)] = 503
    code: int | None = None
    status_text: Annotated[str, Meta(max_length=1024)] = "injected"
    message: Annotated[str, Meta(max_length=1024)] = "Injected by a fault"
    retry_after: Count | None = None
    refusal: str | None = None

    def __post_init__(self) -> None:
        if self.refusal is None:
            return
        if self.refusal not in REFUSALS_BY_STATUS_TEXT:
            suggestion = did_you_mean(self.refusal, REFUSALS_BY_STATUS_TEXT)
            raise FieldError(
                f"{', '.join(REFUSALS_BY_STATUS_TEXT)}, got {self.refusal!r}{suggestion}",
                "refusal",
            )
        # The form of a refusal is that of the profile.
        usual = Error()
        if (self.status, self.code, self.status_text) != (usual.status, None, usual.status_text):
            raise ValueError("Expected refusal, or status, code and statusText")

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        if self.refusal is not None:
            refusal = REFUSALS_BY_STATUS_TEXT[self.refusal]("")
            refusal.message = self.message
            response = handling.refusal_response(refusal, handling.call)
        else:
            code = self.status if self.code is None else self.code
            response = json_response(
                ErrorEnvelope(code, self.status_text, self.message), self.status
            )
        if self.retry_after is not None:
            response.headers["retry-after"] = str(self.retry_after)
        return response


class Delay(ResponseFault, tag="delay", frozen=True):
    """A late response: by `ms`, or by `min` to `max`."""

    ms: Pause | None = None
    min: Pause | None = None
    max: Pause | None = None

    def __post_init__(self) -> None:
        names = {it for it in ("ms", "min", "max") if getattr(self, it) is not None}
        if names not in ({"ms"}, {"min", "max"}) or (self.min or 0) > (self.max or 0):
            raise ValueError("Expected ms, or min up to max")

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        ms = self.ms
        if ms is None:
            ms = firing.random.uniform(self.min or 0, self.max or 0)
        return await handling.delayed_response(ms)


class Hang(ResponseFault, tag="hang", frozen=True):
    """No response; the connection is closed after `seconds`, if the client has not left before."""

    seconds: Seconds = 60.0

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        # Without a connection this raises, before the wait.
        close = handling.connection.close
        goes_on = await handling.pause(self.seconds * 1000, firing.active, for_client=True)
        is_ended = handling.call.exchange.client_left or firing.active.is_removed
        firing.active.outwaited += goes_on and not is_ended
        return BrokenResponse(close)


class Hold(ResponseFault, tag="hold", frozen=True):
    """The request waits until the fault is removed, at most ten minutes; then it goes on."""

    @property
    def holds(self) -> bool:
        return True

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        return await handling.delayed_response(MAX_HOLD_MS, firing.active)


class Reset(ResponseFault, tag="reset", frozen=True):
    """The connection is reset (RST) without a response."""

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        return BrokenResponse(handling.connection.reset)


class Empty(ResponseFault, tag="empty", frozen=True):
    """The connection is closed (FIN) without a response."""

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        return BrokenResponse(handling.connection.close)


class Garbage(ResponseFault, tag="garbage", frozen=True):
    """Bytes that are not HTTP, then the connection is closed."""

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        return BrokenResponse(handling.connection.garble)


class BodyFault(ResponseFault, frozen=True):
    """A fault in the body of a response."""

    def applies(self, handling: Handling) -> bool:
        return bool(handling.outcome().response.body)


class Truncate(BodyFault, tag="truncate", frozen=True):
    """The connection is closed after some bytes of the body, by default half of them."""

    size: Count | None = field(default=None, name="bytes")

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        # Without a connection this raises, before anything is kept.
        close = handling.connection.close
        # The client cannot know whether a write is stored; with phase `before` it is not.
        response = await handling.commit_outcome(stores_account=False)
        whole_size = len(response.body)
        size = whole_size // 2
        if self.size is not None:
            # At least one byte is missing.
            size = min(self.size, whole_size - 1)
        response.body = bytes(response.body)[:size]
        return BrokenResponse(close, response)


class MalformedJson(ResponseFault, tag="malformed_json", frozen=True):
    """A 200 with wrong JSON: the last byte of the body, or of an event in mid-stream, is wrong."""

    def applies(self, handling: Handling) -> bool:
        return _JSON_END.search(handling.outcome().response.body) is not None

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        response = await handling.commit_outcome(stores_account=False)
        body = bytes(response.body)
        ends = [*_JSON_END.finditer(body)]
        end = ends[len(ends) // 2]
        # The bracket has the wrong form, so the body stays as long as it was.
        bracket = b"]" if end[0] == b"}" else b"}"
        response.body = body[: end.start()] + bracket + body[end.end() :]
        response.status_code = 200
        return response


class Dribble(BodyFault, tag="dribble", frozen=True):
    """The response comes in pieces, with `ms` between them."""

    chunks: Annotated[int, Meta(ge=2, le=1000)] = 10
    ms: Annotated[float, Meta(ge=0, le=1000)] = 100.0

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        response = await handling.commit_outcome()
        body = bytes(response.body)
        size = ceil(len(body) / self.chunks)
        cuts = [cut_position(body, it, it + size - 1) for it in range(size, len(body), size)]
        return SplitResponse(response, cuts, self.ms)


class SplitResponse(Response):
    """A response whose body is split at some positions, with `ms` after each."""

    def __init__(self, response: Response, cuts: Sequence[int], ms: float) -> None:
        super().__init__()
        self.raw_headers = response.raw_headers
        self._response = response
        self._cuts = cuts
        self._ms = ms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = 0

        async def send_pieces(message: Message) -> None:
            nonlocal sent
            body = message.get("body", b"")
            cuts = [it - sent for it in self._cuts if sent <= it < sent + len(body)]
            sent += len(body)
            for start, end in pairwise((0, *cuts)):
                if end > start:
                    await send({**message, "body": body[start:end], "more_body": True})
                await asyncio.wait([client_left], timeout=self._ms / 1000)
            if cuts:
                message = {**message, "body": body[cuts[-1] :]}
            # Nothing is sent to a client that has left, or after a reset.
            if not client_left.done():
                await send(message)

        with watch_client(receive) as client_left:
            await self._response(scope, receive, send_pieces)


def cut_position(body: bytes, first: int, last: int) -> int:
    """A position where a body is cut: within a character, or an event, if there is one."""
    match = _IN_CHARACTER.search(body, first, last) or _IN_EVENT.search(body, first, last)
    if match is None:
        return first
    return match.start()


class RateLimit(ResponseFault, tag="rate_limit", frozen=True, kw_only=True):
    """A 429 for each request of a key above `limit` in a `window`, on the sandbox's clock."""

    limit: Annotated[int, Meta(ge=1, le=1_000_000)]
    window: Annotated[int, Meta(ge=1, le=86_400)]
    times: Times | None = None

    def lets_pass(self, candidate: Candidate[Rule]) -> bool:
        _, count = self.window_of(candidate)
        return count < self.limit

    def count_passed(self, candidate: Candidate[Rule]) -> dict[str, str]:
        start, count = self.window_of(candidate)
        windows = candidate.active.rate_windows
        key = candidate.exchange.request.api_key or ""
        # Clients may send any number of keys: the number of windows is limited.
        if key not in windows and len(windows) >= MAX_WINDOWS:
            windows.clear()
        windows[key] = (start, count + 1)
        return self.limit_headers(candidate)

    def window_of(self, candidate: Candidate[Rule]) -> tuple[int, int]:
        """The start (ms) of the key's window, and how many requests have passed in it."""
        now = candidate.exchange.time_ms
        key = candidate.exchange.request.api_key or ""
        start, count = candidate.active.rate_windows.get(key, (now, 0))
        # A test may have set the clock back.
        if not start <= now < start + self.window * 1000:
            return now, 0
        return start, count

    def limit_headers(self, candidate: Candidate[Rule]) -> dict[str, str]:
        """The headers that describe the limit; RESET_HEADER has the seconds left."""
        start, count = self.window_of(candidate)
        remaining_ms = start + self.window * 1000 - candidate.exchange.time_ms
        return {
            LIMIT_HEADER: str(self.limit),
            REMAINING_HEADER: str(self.limit - count),
            RESET_HEADER: str(ceil(remaining_ms / 1000)),
        }

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        headers = self.limit_headers(firing)
        headers["retry-after"] = headers[RESET_HEADER]
        expected = f"at most {self.limit} requests in {self.window} s, got one more"
        return error_response(RateLimited(expected, headers=headers), handling.choices)


AnyResponseFault = (
    Error
    | Delay
    | Hold
    | Hang
    | Reset
    | Empty
    | Garbage
    | Truncate
    | MalformedJson
    | Dribble
    | RateLimit
)
