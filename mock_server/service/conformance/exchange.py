"""Requests to a server of which nothing is known, and what it made of them."""

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
    """What was asked does not show in the answers; the text says why."""


def needs(found: object, why: str) -> None:
    """Raises NotObservable with `why` unless something is found."""
    if not found:
        raise NotObservable(why)


class Differs(Exception):
    """An answer is not as the interface description says."""

    def __init__(self, expected: str, got: str, answer: "Answer") -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected, self.got, self.answer = cut(expected), cut(got), answer


class Answer(Struct, frozen=True):
    """An answer; `document` is its JSON, None if it has none.

    `request` is the one that was sent, without the key.
    """

    request: str
    response: http_call.RawResponse
    document: Any = None

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the envelope; none if it is no object."""
        return self.document if isinstance(self.document, dict) else {}

    @property
    def is_success(self) -> bool:
        """Whether it says that the request was carried out, and holds data."""
        is_ok = self.fields.get("code", 200) in _OK
        return self.status // 100 == 2 and is_ok and "data" in self.fields

    @property
    def is_refusal(self) -> bool:
        """Whether it says that the request was not carried out."""
        return self.status >= 400 or self.fields.get("code", 200) not in _OK

    @property
    def sign(self) -> tuple[object, ...]:
        """What answers for the same reason have in common."""
        found = self.fields
        return self.status, str(found.get("code")), str(found.get("statusText"))

    @property
    def data(self) -> Mapping[str, Any]:
        """The fields of the data; none if it is no object."""
        found = self.fields.get("data")
        return found if isinstance(found, dict) else {}

    @property
    def items(self) -> Sequence[Mapping[str, Any]]:
        """The items of a page that are objects with an id."""
        found = self.data.get("list")
        items = found if isinstance(found, list) else []
        return [item for item in items if isinstance(item, dict) and id_of(item)]

    @property
    def ids(self) -> Sequence[str]:
        return [id_of(item) for item in self.items]

    @property
    def total(self) -> int:
        """How many there are in all, as a page says. Raises NotObservable."""
        found = self.data.get("total")
        if isinstance(found, int) and not isinstance(found, bool):
            return found
        raise NotObservable("pages say no total")

    @property
    def unclear(self) -> NotObservable:
        """What to raise where the answer fits nothing."""
        return NotObservable(f"got {self.summary()} - at {self.request}")

    def good(self) -> "Answer":
        """The answer itself. Raises NotObservable if it is no success."""
        if not self.is_success:
            raise self.unclear
        return self

    def summary(self) -> str:
        """The status and the beginning of the answer, in one line."""
        return self.response.summary()


def cut(text: str) -> str:
    """The beginning of a text, if it is a long one."""
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def id_of(item: Mapping[str, Any]) -> str:
    """The id of an item; empty if it has none."""
    return text_of(item, "_id")


def text_of(item: Mapping[str, Any], name: str) -> str:
    """A text of an item; empty if it has none of that name."""
    found = item.get(name)
    return found if isinstance(found, str) else ""


_BUSY = (429, 502, 503, 504)


class Options(Struct, frozen=True):
    """What a caller says of a server: ids, keys of others, and what is allowed.

    `reader` is a key that may only read the dataset, `outsider` one that may not,
    `token` that of a login. `unknown` is a text that the server has never seen.
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
    """A client with one key; the whole of its calls ends after so many seconds.

    `tell` is given a line whenever it waits to ask again.
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
        """The answer to a request with a JSON body, or with none.

        `key` is another one than usual, None for no Authorization; `token` that of a
        login. Raises Unreachable, and Unfit if it stays busy.
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
        told = [method, path]
        told += [] if content is None else [cut(content.decode())]
        told += [f"({', '.join(notes)})"] if notes else []
        place = one_line(" ".join(told))
        response = self._send(place, http_call.Request(method, path, headers, content))
        try:
            return Answer(place, response, msgspec.json.decode(response.body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return Answer(place, response)

    def renew(self) -> None:
        """Allow one more call's time, to put things back."""
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
            expected = f"Expected an answer, got {got} {tries} times"
            raise http_call.Unfit(f"{expected} - at {place}") from None
