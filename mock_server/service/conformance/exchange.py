"""Sends requests to an unknown server, and reads its responses."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from mock_server.control import http_call
from mock_server.domain.limits import ClientLimits
from mock_server.domain.printable import one_line
from mock_server.service.client import Busy, KeyedClient, Report, keep_trying

_OK = (200, "200")
_SHOWN_CHARS = 300


class NotObservable(Exception):
    """The responses do not show how the server behaves; the text is the reason."""


def require(condition: object, reason: str) -> None:
    """Raise NotObservable with this `reason` if `condition` is false."""
    if not condition:
        raise NotObservable(reason)


class Breach(Exception):
    """A response breaks the spec."""

    def __init__(self, expected: str, got: str, response: "Response") -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected, self.got, self.response = cut(expected), cut(got), response


class Response(Struct, frozen=True):
    """A response; `document` is its JSON value, None if the body is no JSON.

    `request` describes the request, without the API key.
    """

    request: str
    raw: http_call.RawResponse
    document: Any = None

    @property
    def status(self) -> int:
        return self.raw.status

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the fields of the envelope; {} if the JSON is not an object."""
        return self.document if isinstance(self.document, dict) else {}

    @property
    def is_success(self) -> bool:
        """Return whether the response reports success and has data."""
        is_ok = self.fields.get("code", 200) in _OK
        return self.status // 100 == 2 and is_ok and "data" in self.fields

    @property
    def is_refusal(self) -> bool:
        """Return whether the response reports an error."""
        return self.status >= 400 or self.fields.get("code", 200) not in _OK

    @property
    def error_kind(self) -> tuple[object, ...]:
        """Return the parts that two refusals for the same reason have in common."""
        fields = self.fields
        return self.status, str(fields.get("code")), str(fields.get("statusText"))

    @property
    def data(self) -> Mapping[str, Any]:
        """Return the fields of `data`; {} if it is not an object."""
        data = self.fields.get("data")
        return data if isinstance(data, dict) else {}

    @property
    def items(self) -> Sequence[Mapping[str, Any]]:
        """Return the items of a page that are objects with an id."""
        value = self.data.get("list")
        items = value if isinstance(value, list) else []
        return [item for item in items if isinstance(item, dict) and id_of(item)]

    @property
    def ids(self) -> Sequence[str]:
        return [id_of(item) for item in self.items]

    @property
    def total(self) -> int:
        """Return the total of a page. Raises NotObservable if it has none."""
        total = self.data.get("total")
        if isinstance(total, int) and not isinstance(total, bool):
            return total
        raise NotObservable("pages have no total")

    @property
    def unknown_response(self) -> NotObservable:
        """Return the error to raise for a response that is no known case."""
        return NotObservable(f"got {self.summary()} - at {self.request}")

    def require_success(self) -> "Response":
        """Return the response itself. Raises NotObservable if it is no success."""
        if not self.is_success:
            raise self.unknown_response
        return self

    def summary(self) -> str:
        """Return the status and the beginning of the response, in one line."""
        return self.raw.summary()


def cut(text: str) -> str:
    """Return a text, cut to 300 characters."""
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def id_of(item: Mapping[str, Any]) -> str:
    """Return the id of an item, "" without one."""
    return text_of(item, "_id")


def text_of(item: Mapping[str, Any], name: str) -> str:
    """Return the text in a field of an item, "" without one."""
    text = item.get(name)
    return text if isinstance(text, str) else ""


_BUSY = (429, 502, 503, 504)


class VerifyOptions(Struct, frozen=True):
    """Options of `verify`: ids, more API keys, and permission to change data.

    `reader` is an API key that may only read the dataset, `outsider` an API key that
    may not even read it, `token` a login token. `unknown` is a text that occurs nowhere
    on the server.
    """

    unknown: str
    dataset: str | None = None
    app: str | None = None
    chat: str | None = None
    reader: str | None = None
    outsider: str | None = None
    token: str | None = None
    may_write: bool = False

    @property
    def credentials(self) -> tuple[str, ...]:
        """Return the API keys and the login token."""
        return tuple(filter(None, (self.reader, self.outsider, self.token)))


class Client:
    """A client with one API key, which may take `seconds` for all its calls together.

    `report` gets a line before each retry. `others` are the credentials of some calls;
    no response shows them.
    """

    def __init__(
        self,
        address: http_call.Address,
        key: str,
        seconds: float,
        report: Report,
        others: tuple[str, ...],
    ) -> None:
        self.report, self.limits = report, ClientLimits()
        self._keyed = KeyedClient(address, key, self.limits, others)
        self._total_budget = http_call.Budget(seconds, 0)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        key: str | None = "",
        token: str = "",
        is_json: bool = True,
    ) -> Response:
        """Send a request with a JSON body, if given, and return the response.

        `key` replaces the client's API key; None leaves out Authorization. `token` is a
        login token. Raises Unreachable, and UnusableResponse if the server stays busy.
        """
        headers: dict[str, str] = {}
        notes = []
        if is_json:
            headers["Content-Type"] = "application/json"
        else:
            notes.append("without Content-Type")
        if key is not None:
            headers["Authorization"] = f"Bearer {key or self._keyed.key}"
        if key != "":
            notes.append("with another key" if key else "without Authorization")
        if token:
            headers["token"] = token
            notes.append("with a login")
        content = None if body is None else msgspec.json.encode(body)
        place_words = [method, path]
        place_words += [] if content is None else [cut(content.decode())]
        place_words += [f"({', '.join(notes)})"] if notes else []
        place = one_line(" ".join(place_words))
        raw = self._send(place, http_call.Request(method, path, headers, content))
        try:
            return Response(place, raw, msgspec.json.decode(raw.body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return Response(place, raw)

    def extend_deadline(self) -> None:
        """Allow the seconds of one more call, so that changes can be undone."""
        self._total_budget = http_call.Budget(self.limits.verify_call_seconds, 0)

    def _send(self, place: str, request: http_call.Request) -> http_call.RawResponse:
        tries = self.limits.verify_tries

        def attempt() -> http_call.RawResponse:
            seconds = min(self.limits.verify_call_seconds, self._total_budget.left)
            if seconds <= 0:
                raise http_call.Unreachable(f"the time is over - at {place}")
            raw = self._keyed.send(place, request, seconds)
            if raw.status in _BUSY:
                raise Busy(f"got {raw.summary()} - at {place}", raw)
            return raw

        def pause(error: Exception, failures: int) -> float | None:
            if not isinstance(error, Busy) or failures == tries:
                return None
            requested = 1.0 if error.seconds is None else error.seconds
            max_seconds = min(self.limits.verify_pause_seconds, self._total_budget.left)
            return min(requested, max(max_seconds, 0))

        try:
            return keep_trying(attempt, pause, self.report)
        except Busy as busy:
            got = busy.response.summary()
            expected = f"Expected a response, got {got} {tries} times"
            raise http_call.UnusableResponse(f"{expected} - at {place}") from None
