"""Calls the admin API of a running server.

Another program may listen at the address, so every response is checked against the type
of the admin API. Unknown fields are ignored, because the server may be newer.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlencode, urlsplit

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from mock_server.admin.views import JournalView, Verified
from mock_server.api.envelope import Failure
from mock_server.control import http_call
from mock_server.control.http_call import Budget, RawResponse, Request, Unreachable
from mock_server.control.json_body import to_json
from mock_server.domain.limits import ClientLimits
from mock_server.domain.messages import CUT_MARK
from mock_server.domain.printable import one_line

T = TypeVar("T")

# pytest then shows a failing call at the line of the test.
__tracebackhide__ = True

JSON, YAML = "application/json", "application/yaml"
TIMEOUT_SECONDS = 30.0
# The minimum pause, because `Retry-After: 0` would make a busy loop.
_MIN_PAUSE_SECONDS = 0.1
_MESSAGE_CHARS = 16_384
_NO_ROUTE = "routeNotFound", "methodNotAllowed"
_OUT_OF_REACH = "cannot reach {}: {} (is mock-server running there?)"
_EXPECTED = "Expected a response of a mock server, got"


Sender = Callable[[http_call.Address, Request, Budget], RawResponse]
"""Sends a request and returns the response, as `http_call.call` does."""


class NotRunning(RuntimeError):
    """The server has not been started, or has been stopped, as the text says."""

    __module__ = "mock_server.exceptions"  # the public name in tracebacks


class Refused(Exception):
    """The server returned an error; the text is its message, `status_text` its kind."""

    __module__ = "mock_server.exceptions"  # the public name in tracebacks

    def __init__(self, status: int, failure: Failure) -> None:
        self.status = status
        self.status_text = failure.status_text
        message = failure.message
        is_long = len(message) > _MESSAGE_CHARS
        shown = message[:_MESSAGE_CHARS] + CUT_MARK if is_long else message
        super().__init__(one_line(shown))

    def with_names(self, names: Mapping[str, str]) -> "Refused":
        """Replace the JSON names of fields by the caller's names; return the error."""
        text = str(self)
        for field, name in names.items():
            text = text.replace(f"unknown field '{field}'", f"unknown field '{name}'")
            text = text.replace(f" - at $.{field}", f" - at $.{name}")
        self.args = (text,)
        return self


class Response(Struct, Generic[T], frozen=True):
    """A valid response: its status, its value, and the JSON text of the value."""

    status: int
    value: T
    text: str

    def plain(self) -> dict[str, Any]:
        """Return the JSON as plain data, with all its fields. Raises Unreachable."""
        try:
            return msgspec.json.decode(self.text, type=dict[str, Any])
        except RecursionError:
            raise Unreachable(f"{_EXPECTED} one nested too deep") from None


class AppOrDataset(Struct):
    """An app or a dataset of a state. Its objects, which can be many, stay JSON."""

    id: str
    chats: list[Raw] = []
    collections: list[Raw] = []


class StateView(Struct):
    """A fixture document as `GET state` returns it."""

    keys: list[dict[str, Raw]]
    apps: list[AppOrDataset]
    datasets: list[AppOrDataset]
    clock: str | None = None


@dataclass(frozen=True, slots=True)
class AdminClient:
    """A client of the admin API at `url`, for a sandbox or for the whole server.

    A call takes at most `timeout` seconds. If the server is busy (503, Retry-After),
    the call is retried within that time, and `log` is called with a line. The admin
    token `token` is sent to `url` only: redirects are not followed. `send` sends the
    requests, by default over a socket. Raises ValueError for an invalid URL.
    """

    url: str
    sandbox: str | None = None
    token: str | None = None
    timeout: float = TIMEOUT_SECONDS
    log: Callable[[str], object] = lambda _: None
    limits: ClientLimits = ClientLimits()
    send: Sender = http_call.call

    def __post_init__(self) -> None:
        base = http_call.Address.of(self.url).base
        for path in ("/__admin", "/__sandboxes"):
            if path in base:
                expected = f"Expected the address of a server, without {path}"
                raise ValueError(f"{expected}, got {one_line(self.url)!r}")

    def call(
        self,
        response_type: Callable[..., T],
        method: str,
        path: str,
        body: object = b"",
        *,
        content_type: str = JSON,
        statuses: tuple[int, ...] = (200, 201),
        budget: Budget | None = None,
    ) -> Response[T]:
        """Call a route by its path below `/__admin` (or below the sandbox).

        A `body` is sent as JSON, unless it is bytes. The response must have one of the
        `statuses`, and be JSON of the type `response_type`. Raises Refused, or
        Unreachable if the response is not from a mock server.
        """
        content: bytes | None = None
        # `json` passes a body for every method, but GET and DELETE have none (RFC 9110
        # 9.3.1, 9.3.5).
        if method in ("POST", "PUT"):
            content = body if isinstance(body, bytes) else to_json(body)
        headers = {"Content-Type": content_type, "Accept": JSON}
        request = self._request(method, path, headers, content)
        place = self._place(method, path)
        with self._hidden_token():
            response = self._send(request, budget or self.budget())
            if response.status in statuses:
                return _decode(response, response_type, place)
            raise self._failure(response, place)

    def json(
        self, form: Callable[..., Any], method: str, path: str, /, **fields: Any
    ) -> dict[str, Any]:
        """Call a route with these fields as `call` does; return plain data."""
        return self.call(form, method, path, fields).plain()

    def budget(self, max_bytes: int | None = None) -> Budget:
        """Return a budget of time and bytes for one call, or several together."""
        max_bytes = self.limits.answer_bytes if max_bytes is None else max_bytes
        return Budget(self.timeout, max_bytes)

    def state(self) -> Response[StateView]:
        """Return the whole state. Raises the errors of `call`."""
        budget = self.budget(self.limits.state_answer_bytes)
        return self.call(StateView, "GET", "/state", budget=budget)

    def journal(self, criteria: Mapping[str, object]) -> str:
        """Return all entries that match, as the JSON of one page.

        `criteria` are query parameters of `GET journal`. Raises the errors of `call`.
        """
        budget = self.budget(self.limits.journal_answer_bytes)
        query, entries = dict(criteria), list[Raw]()
        kept = since = 0
        while True:
            path = f"/journal?{urlencode(query)}"
            page = self.call(JournalView, "GET", path, budget=budget)
            if page.value.next < since:
                place = "the field next of the journal"
                raise Unreachable(f"Expected {since} or more, got less - at {place}")
            # Raw, because decoding would change numbers such as 1.50 and long integers.
            fields = msgspec.json.decode(page.text, type=dict[str, Raw])
            page_entries = msgspec.json.decode(fields["entries"], type=list[Raw])
            entries += page_entries
            # Stop after as many entries as the first page counted: others may follow.
            kept = kept or page.value.kept
            if not page_entries or len(entries) >= kept:
                return msgspec.json.encode({**fields, "entries": entries}).decode()
            query["since"] = since = page.value.next

    def verify(self, criteria: Mapping[str, object]) -> Response[Verified]:
        """Check a journal assertion (`POST journal/verify`). Errors as in `call`."""
        # Status 409 is a valid response: the assertion was checked, and is false.
        path = "/journal/verify"
        response = self.call(Verified, "POST", path, criteria, statuses=(200, 409))
        if response.value.ok != (response.status == 200):
            summary = RawResponse(response.status, response.text.encode()).summary()
            place = self._place("POST", path)
            with self._hidden_token():
                raise Unreachable(f"{_EXPECTED} {summary} - at {place}")
        return response

    def lines(self, path: str, max_silence: float) -> Iterator[bytes]:
        """Yield the lines of an endless stream of events; see `stream_lines`.

        Raises the errors of `call`, also after a pause of `max_silence` seconds.
        """
        request = self._request("GET", path, {"Accept": "text/event-stream"})
        line_budget = partial(Budget, max_silence, self.limits.event_bytes)
        with self._hidden_token():
            try:
                address, budget = http_call.Address.of(self.url), self.budget()
                yield from http_call.stream_lines(address, request, budget, line_budget)
            except Unreachable as error:
                raise Unreachable(_OUT_OF_REACH.format(self.url, error)) from None
            except http_call.NoStream as no_stream:
                place = self._place("GET", path)
                raise self._failure(no_stream.response, place) from None

    @contextmanager
    def _hidden_token(self) -> Iterator[None]:
        """Hide the token in an error, as what responds may repeat the request."""
        try:
            yield
        except (Refused, Unreachable) as error:
            if self.token:
                # Imported late, as importing takes long.
                from mock_server.api.redaction import RequestSecrets, redacted_text

                secrets = RequestSecrets.from_declared([self.token.encode()])
                error.args = (redacted_text(str(error), secrets),)
            raise

    def _failure(self, response: RawResponse, place: str) -> Refused | Unreachable:
        """Return the error for a failed response, or raise Unreachable."""
        if not 400 <= response.status <= 599:
            return Unreachable(f"{_EXPECTED} {response.summary()} - at {place}")
        failure = _decode(response, Failure, place).value
        if failure.status_text in _NO_ROUTE:
            # A server of the same version has all routes that this client calls.
            hint = f"is {self.url} an older mock-server?"
            message = f"{failure.message} ({hint})"
            if (path := urlsplit(self.url).path).strip("/"):
                expected = "Expected the address of a mock server"
                hint = f"did you mean {self.url.removesuffix(path)}?"
                message = f"{expected}, got one with a path - at {place} ({hint})"
            failure = replace(failure, message=message)
        return Refused(response.status, failure)

    def _request(
        self,
        method: str,
        path: str,
        headers: dict[str, str],
        content: bytes | None = None,
    ) -> Request:
        """Return a request for a path below the sandbox, with the admin token."""
        prefix = f"/sandboxes/{quote(self.sandbox, safe='')}" if self.sandbox else ""
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        return Request(method, f"/__admin{prefix}{path}", headers, content)

    def _send(self, request: Request, budget: Budget) -> RawResponse:
        """Send a request; retry while the server is busy and there is time."""
        address = http_call.Address.of(self.url)
        busy_response: RawResponse | None = None
        while True:
            try:
                response = self.send(address, request, budget)
            except Unreachable as error:
                if busy_response is not None and budget.left <= 0:
                    return busy_response  # says more than a timeout
                raise Unreachable(_OUT_OF_REACH.format(self.url, error)) from None
            delay = response.retry_seconds if response.status == 503 else None
            seconds = max(_MIN_PAUSE_SECONDS, delay or 0.0)
            # A longer pause would turn a clear refusal into a timeout.
            if delay is None or seconds >= budget.left:
                return response
            busy_response, pause = response, f"retrying in {round(seconds, 1):g} s"
            self.log(f"{self.url} is busy (503), {pause}")
            time.sleep(seconds)

    def _place(self, method: str, path: str) -> str:
        url = f"{self.url.rstrip('/')}/__admin{path.partition('?')[0]}"
        return one_line(f"{method} {url}")


def _decode(
    response: RawResponse, response_type: Callable[..., T], place: str
) -> Response[T]:
    """Decode the body of a response as JSON of the type `response_type`.

    Raises Unreachable, with `place` in the message, if the body is something else.
    """
    try:
        text = response.body.decode()
        value: T = msgspec.json.decode(response.body, type=response_type)
    except UnicodeDecodeError:
        reason = "not UTF-8"
    except RecursionError:
        reason = "nested too deep"
    except msgspec.MsgspecError as error:
        reason = one_line(str(error))
    else:
        return Response(response.status, value, text)
    raise Unreachable(f"{_EXPECTED} {response.summary()} - at {place} ({reason})")
