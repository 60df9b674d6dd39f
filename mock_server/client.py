"""A client of the admin API of a running server.

Anything may listen at an address, so a response counts only if it is of the type that
the admin API gives. Further fields are let through: the server may be newer.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode

import msgspec
from msgspec import Raw, Struct, field
from msgspec.structs import replace

from mock_server.domain.limits import Limits
from mock_server.domain.printable import one_line
from mock_server.http_call import (
    Address,
    Budget,
    NoStream,
    RawResponse,
    Unreachable,
    call,
    stream_lines,
)
from mock_server.views import Failure, JournalView, Verified

T = TypeVar("T")

# Told by pytest: a failing call is shown at the line of the test that made it.
__tracebackhide__ = True

JSON, YAML = "application/json", "application/yaml"
SECONDS = 30.0
# Else `Retry-After: 0` would make a loop that never rests.
_MIN_PAUSE_SECONDS = 0.1
_MESSAGE_CHARS = 16_384
_NO_ROUTE = "routeNotFound", "methodNotAllowed"
_EXPECTED = "Expected an answer of a mock server, got"


Send = Callable[
    [Address, str, str, Mapping[str, str], bytes | None, Budget], RawResponse
]
"""What sends a request and gives the response, as `http_call.call` does."""


class NotRunning(RuntimeError):
    """A server that has not been started, or has been stopped; the text says which."""


class Refused(Exception):
    """An error response; the text is its message, `status_text` its kind."""

    def __init__(self, status: int, failure: Failure) -> None:
        self.status = status
        self.status_text = failure.status_text
        super().__init__(one_line(failure.message[:_MESSAGE_CHARS]))


class Response(Struct, Generic[T], frozen=True):
    """A good response: its status, its value, and the JSON text of that value."""

    status: int
    value: T
    text: str

    def plain(self) -> Any:
        """The JSON as plain data, with all its fields. Raises Unreachable."""
        try:
            return msgspec.json.decode(self.text)
        except RecursionError:
            raise Unreachable(f"{_EXPECTED} one nested too deep") from None


class AppOrDataset(Struct):
    """A part of a state; its records, which can be many, are not decoded."""

    id: str
    chats: list[Raw] = []
    collections: list[Raw] = []


class StateView(Struct):
    """A fixture document as `GET state` gives it."""

    keys: list[dict[str, Raw]]
    apps: list[AppOrDataset]
    datasets: list[AppOrDataset]
    clock: str | None = None


class HarPageLog(Struct):
    """Entries of a journal, which are not decoded, and the number after them."""

    entries: list[Raw]
    next: int = field(name="_next")


class HarPage(Struct):
    """A part of a journal as HAR."""

    log: HarPageLog


@dataclass(frozen=True, slots=True)
class AdminClient:
    """A running server at `url`, and the name of one of its sandboxes, or None.

    A call takes `timeout` seconds at most. A server that is busy (503, Retry-After) is
    asked again within that time, and `tell` is called with a line that says so. `token`
    is sent to `url` only, as redirects are not followed. `send` is how: over a socket
    by default. Raises ValueError for a URL that is none.
    """

    url: str
    sandbox: str | None = None
    token: str | None = None
    timeout: float = SECONDS
    tell: Callable[[str], object] = lambda _: None
    limits: Limits = Limits()
    send: Send = call

    def __post_init__(self) -> None:
        base = Address.of(self.url).base
        for further in ("/__admin", "/__sandboxes"):
            if further in base:
                given = one_line(self.url)
                expected = f"Expected the address of a server, without {further}"
                raise ValueError(f"{expected}, got {given!r}")

    def ask(
        self,
        answer: Callable[..., T],
        method: str,
        path: str,
        content: bytes = b"",
        *,
        content_type: str = JSON,
        statuses: tuple[int, ...] = (200, 201),
        budget: Budget | None = None,
    ) -> Response[T]:
        """Call a route by its path below `/__admin` (or below the sandbox).

        The response must have one of `statuses`, and be JSON of the type `answer`.
        Raises Refused, or Unreachable if this is no response of a mock server.
        """
        # The body of a GET or DELETE means nothing (RFC 9110 9.3.1, 9.3.5), and `json`
        # has one for every method.
        data = content if method in ("POST", "PUT") else None
        raw = self._send(method, path, data, content_type, budget or self.budget())
        place = self._place(method, path)
        if raw.status in statuses:
            return _decoded(raw, answer, place)
        if 400 <= raw.status <= 599:
            failure = _decoded(raw, Failure, place).value
            if failure.status_text in _NO_ROUTE:
                # All routes that this client calls are there in a server of its age.
                message = f"{failure.message} (is {self.url} an older mock-server?)"
                failure = replace(failure, message=message)
            raise Refused(raw.status, failure)
        raise Unreachable(f"{_EXPECTED} {raw.summary()} - at {place}")

    def json(
        self, answer: Callable[..., Any], method: str, path: str, /, **fields: Any
    ) -> Any:
        """As `ask`, with a body of these fields; gives the response as plain data."""
        return self.ask(answer, method, path, msgspec.json.encode(fields)).plain()

    def budget(self, max_bytes: int | None = None) -> Budget:
        """The time and the bytes that one call, or several together, may take."""
        max_bytes = self.limits.answer_bytes if max_bytes is None else max_bytes
        return Budget(self.timeout, max_bytes)

    def state(self) -> Response[StateView]:
        """The whole state. Raises as `ask`."""
        budget = self.budget(self.limits.state_answer_bytes)
        return self.ask(StateView, "GET", "/state", budget=budget)

    def journal(self, criteria: Mapping[str, object]) -> str:
        """All entries that meet the criteria, as the JSON of one page.

        `criteria` are the query parameters of `GET journal`. Raises as `ask`.
        """
        budget = self.budget(self.limits.journal_answer_bytes)
        page = self._journal_page(criteria, budget)
        kept, fields = page.value.kept, _raw_fields(page)
        entries = more = msgspec.json.decode(fields["entries"], type=list[Raw])
        # Entries that arrive meanwhile are left out; there might be no end of them.
        while more and len(entries) < kept:
            since = page.value.next
            page = self._journal_page({**criteria, "since": since}, budget)
            if page.value.next < since:
                place = "the field next of the journal"
                raise Unreachable(f"Expected {since} or more, got less - at {place}")
            fields = _raw_fields(page)
            more = msgspec.json.decode(fields["entries"], type=list[Raw])
            entries += more
        return msgspec.json.encode({**fields, "entries": entries}).decode()

    def journal_as_har(self, criteria: Mapping[str, object]) -> str:
        """All entries that meet the criteria, as HAR. Raises as `ask`."""
        budget = self.budget(self.limits.journal_answer_bytes)
        # Entries that arrive meanwhile are left out; there might be no end of them.
        end = self._journal_page({"since": self.limits.integer}, budget).value.next
        entries, since, following = list[Raw](), -1, 0
        while since < following < end:
            since = following
            asked = urlencode({**criteria, "format": "har", "since": since})
            page = self.ask(HarPage, "GET", f"/journal?{asked}", budget=budget)
            entries += page.value.log.entries
            following = page.value.log.next
        fields = _raw_fields(page)
        log = msgspec.json.decode(fields["log"], type=dict[str, Raw])
        log["entries"] = Raw(msgspec.json.encode(entries))
        fields["log"] = Raw(msgspec.json.encode(log))
        return msgspec.json.encode(fields).decode()

    def _journal_page(
        self, criteria: Mapping[str, object], budget: Budget
    ) -> Response[JournalView]:
        path = f"/journal?{urlencode(criteria)}"
        return self.ask(JournalView, "GET", path, budget=budget)

    def verify(self, asked: Mapping[str, object]) -> Response[Verified]:
        """Whether the journal is as asked (`POST journal/verify`). Raises as `ask`."""
        # Status 409 is a good answer: the verification was made, and is false.
        path, content = "/journal/verify", msgspec.json.encode(asked)
        given = self.ask(Verified, "POST", path, content, statuses=(200, 409))
        if given.value.ok != (given.status == 200):
            summary = RawResponse(given.status, given.text.encode()).summary()
            place = self._place("POST", path)
            raise Unreachable(f"{_EXPECTED} {summary} - at {place}")
        return given

    def lines(self, path: str, silence: float) -> Iterator[bytes]:
        """The lines of a stream of events, without end; see `stream_lines`.

        No line takes longer than `silence` seconds. Raises as `ask`.
        """
        address, target = Address.of(self.url), self._target(path)
        most = self.limits.event_bytes
        try:
            yield from stream_lines(
                address,
                target,
                {"Accept": "text/event-stream", **self._credentials()},
                self.budget(),
                lambda: Budget(silence, most),
            )
        except Unreachable as error:
            raise Unreachable(f"cannot reach {self.url}: {error}") from None
        except NoStream as other:
            raw, place = other.response, self._place("GET", path)
            if 400 <= raw.status <= 599:
                failure = _decoded(raw, Failure, place).value
                raise Refused(raw.status, failure) from None
            message = f"{_EXPECTED} {raw.summary()} - at {place}"
            raise Unreachable(message) from None

    def _target(self, path: str) -> str:
        part = f"/sandboxes/{quote(self.sandbox, safe='')}" if self.sandbox else ""
        return f"/__admin{part}{path}"

    def _credentials(self) -> dict[str, str]:
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}

    def _send(
        self,
        method: str,
        path: str,
        content: bytes | None,
        content_type: str,
        budget: Budget,
    ) -> RawResponse:
        """Any response, after waiting for a busy server as long as there is time."""
        headers = {"Content-Type": content_type, "Accept": JSON, **self._credentials()}
        address, target = Address.of(self.url), self._target(path)
        busy: RawResponse | None = None
        while True:
            try:
                raw = self.send(address, method, target, headers, content, budget)
            except Unreachable as error:
                if busy is not None and budget.left <= 0:
                    return busy  # tells more than that time is over
                raise Unreachable(f"cannot reach {self.url}: {error}") from None
            pause = _pause_seconds(raw)
            # To wait beyond the end would turn a clear refusal into a timeout.
            if pause is None or pause >= budget.left:
                return raw
            self.tell(f"{self.url} is busy (503), asked again in {pause:g} s")
            time.sleep(pause)
            busy = raw

    def _place(self, method: str, path: str) -> str:
        url = f"{self.url.rstrip('/')}/__admin{path.partition('?')[0]}"
        return one_line(f"{method} {url}")


def _decoded(raw: RawResponse, answer: Callable[..., T], place: str) -> Response[T]:
    """The response, its body decoded as JSON of the type `answer`.

    Raises Unreachable, with `place` in the message, if the body is something else.
    """
    try:
        text = raw.body.decode()
        value: T = msgspec.json.decode(raw.body, type=answer)
    except UnicodeDecodeError:
        why = "not UTF-8"
    except RecursionError:
        why = "nested too deep"
    except msgspec.MsgspecError as error:
        why = one_line(str(error))
    else:
        return Response(raw.status, value, text)
    raise Unreachable(f"{_EXPECTED} {raw.summary()} - at {place} ({why})")


def _raw_fields(page: Response[Any]) -> dict[str, Raw]:
    """The fields of an object, each as the JSON text that came."""
    # Decoded and encoded again, 1.50 and long integers would be other numbers.
    return msgspec.json.decode(page.text, type=dict[str, Raw])


def _pause_seconds(raw: RawResponse) -> float | None:
    """After how long a busy server wants to be asked again; None if it is not busy."""
    # It may be a date too (RFC 9110 10.2.3); a mock server gives seconds. The check for
    # ASCII is needed, since "²" is a digit to Python, but no number.
    text = raw.retry_after.strip()
    if raw.status != 503 or not (text.isascii() and text.isdigit()):
        return None
    return max(float(text[:9]), _MIN_PAUSE_SECONDS)
