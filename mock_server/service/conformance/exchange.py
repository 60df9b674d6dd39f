"""Send requests to an unknown server, and judge its responses."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from mock_server.control import http_call
from mock_server.domain.limits import ClientLimits
from mock_server.domain.printable import one_line
from mock_server.service.client import Busy, KeyedClient, Tell, keep_trying

_OK = (200, "200")
_SHOWN_CHARS = 300


class NotObservable(Exception):
    """The responses do not show the wanted behaviour; the text says why."""


def needs(found: object, why: str) -> None:
    """Raises NotObservable with `why` unless something is found."""
    if not found:
        raise NotObservable(why)


class Differs(Exception):
    """A response breaks the spec."""

    def __init__(self, expected: str, got: str, answer: "Answer") -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected, self.got, self.answer = cut(expected), cut(got), answer


class Answer(Struct, frozen=True):
    """A response; `document` is its JSON, None if it has none.

    `request` is the request that was sent, without the API key.
    """

    request: str
    response: http_call.RawResponse
    document: Any = None

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def fields(self) -> Mapping[str, Any]:
        """Return the fields of the envelope; none if the JSON is not an object."""
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
    def sign(self) -> tuple[object, ...]:
        """Return what responses for the same reason have in common."""
        found = self.fields
        return self.status, str(found.get("code")), str(found.get("statusText"))

    @property
    def data(self) -> Mapping[str, Any]:
        """Return the fields of `data`; none if it is not an object."""
        found = self.fields.get("data")
        return found if isinstance(found, dict) else {}

    @property
    def items(self) -> Sequence[Mapping[str, Any]]:
        """Return the items of a page that are objects with an id."""
        found = self.data.get("list")
        items = found if isinstance(found, list) else []
        return [item for item in items if isinstance(item, dict) and id_of(item)]

    @property
    def ids(self) -> Sequence[str]:
        return [id_of(item) for item in self.items]

    @property
    def total(self) -> int:
        """Return the total that a page states. Raises NotObservable."""
        found = self.data.get("total")
        if isinstance(found, int) and not isinstance(found, bool):
            return found
        raise NotObservable("pages say no total")

    @property
    def unclear(self) -> NotObservable:
        """Return the error to raise for a response that fits no case."""
        return NotObservable(f"got {self.summary()} - at {self.request}")

    def good(self) -> "Answer":
        """Return the response itself. Raises NotObservable if it is no success."""
        if not self.is_success:
            raise self.unclear
        return self

    def summary(self) -> str:
        """Return the status and the beginning of the response, in one line."""
        return self.response.summary()


def cut(text: str) -> str:
    """Return a text, shortened if it is long."""
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def id_of(item: Mapping[str, Any]) -> str:
    """Return the id of an item; empty if it has none."""
    return text_of(item, "_id")


def text_of(item: Mapping[str, Any], name: str) -> str:
    """Return a text field of an item; empty if it has none of that name."""
    found = item.get(name)
    return found if isinstance(found, str) else ""


_BUSY = (429, 502, 503, 504)


class Options(Struct, frozen=True):
    """Options of `verify`: ids, further API keys, and permission to write.

    `reader` is an API key that may only read the dataset, `outsider` one that may not,
    `token` a login token. `unknown` is a text that the server has never seen.
    """

    unknown: str
    dataset: str | None = None
    app: str | None = None
    chat: str | None = None
    reader: str | None = None
    outsider: str | None = None
    token: str | None = None
    may_write: bool = False


class Client:
    """A client with one API key, and a limit of `seconds` for all its calls together.

    `tell` gets a line before each retry.
    """

    def __init__(
        self, address: http_call.Address, key: str, seconds: float, tell: Tell
    ) -> None:
        self.tell, self.limits = tell, ClientLimits()
        self._keyed = KeyedClient(address, key, self.limits)
        self._whole = http_call.Budget(seconds, 0)

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
        """Return the response to a request with a JSON body, or with none.

        `key` replaces the usual API key; None leaves out Authorization. `token` is a
        login token. Raises Unreachable, and Unfit if the server stays busy.
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
        words = [method, path]
        words += [] if content is None else [cut(content.decode())]
        words += [f"({', '.join(notes)})"] if notes else []
        place = one_line(" ".join(words))
        response = self._send(place, http_call.Request(method, path, headers, content))
        try:
            return Answer(place, response, msgspec.json.decode(response.body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return Answer(place, response)

    def renew(self) -> None:
        """Allow the time of one more call, to undo changes."""
        self._whole = http_call.Budget(self.limits.verify_call_seconds, 0)

    def _send(self, place: str, request: http_call.Request) -> http_call.RawResponse:
        tries = self.limits.verify_tries

        def attempt() -> http_call.RawResponse:
            seconds = min(self.limits.verify_call_seconds, self._whole.left)
            if seconds <= 0:
                raise http_call.Unreachable(f"the time is over - at {place}")
            raw = self._keyed.send(place, request, seconds)
            if raw.status in _BUSY:
                raise Busy(f"got {raw.summary()} - at {place}", raw)
            return raw

        def pause(error: Exception, failures: int) -> float | None:
            if not isinstance(error, Busy) or failures == tries:
                return None
            wanted = 1.0 if error.seconds is None else error.seconds
            most = min(self.limits.verify_pause_seconds, self._whole.left)
            return min(wanted, max(most, 0))

        try:
            return keep_trying(attempt, pause, self.tell)
        except Busy as busy:
            got = busy.response.summary()
            expected = f"Expected a response, got {got} {tries} times"
            raise http_call.Unfit(f"{expected} - at {place}") from None
