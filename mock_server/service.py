"""A client of a service that claims this interface, of which nothing else is known.

What it answers counts only if it is of the types below. The key goes to the service
only, as redirects are not followed, and stands in no message.
"""

from __future__ import annotations  # kinds of pages stand above what makes them

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, NoReturn, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from mock_server.domain.access import MIN_REDACTABLE_LENGTH
from mock_server.domain.clock import parse_time
from mock_server.domain.errors import describe_value
from mock_server.domain.limits import Limits
from mock_server.domain.printable import one_line
from mock_server.fixture.document import ChatPart, Count, Id, RowPart, SingleCollection
from mock_server.http_call import (
    Address,
    Budget,
    RawResponse,
    Unfit,
    Unreachable,
    call,
)
from mock_server.validation.convert import with_integers

LIST_V2 = "/api/core/dataset/collection/listV2"
HISTORIES = "/api/core/chat/history/getHistories"
ROWS = "/api/core/dataset/data/v2/list"
# Among the service's business codes, one that is the key's.
_BAD_KEY = 514
_KEY_CODES = 401, 403, _BAD_KEY
_BUSY_CODES = 408, 425, 429
_NEVER_CODES = 501, 505
"""Statuses of servers that do not know the method, or HTTP as it is spoken here."""
_FIRST_BUSINESS_CODE = 1_000
_NO_ROUTE_TEXTS = "", "routeNotFound", "methodNotAllowed"

T = TypeVar("T")


class NoRoute(Unfit):
    """The service has no such route."""


class GivenUp(Unfit):
    """What the service answers does not become right by asking again."""


class Busy(Unreachable):
    """The service cannot answer now; it wants to be asked again after `pause` s."""

    def __init__(self, message: str, pause: float | None) -> None:
        super().__init__(message)
        self.pause = pause


class Declined(Exception):
    """The service refused a request in good order."""

    def __init__(self, place: str, code: int, text: str) -> None:
        super().__init__(f"refused with {code} {text}".rstrip() + f" - at {place}")
        self.code = code

    @property
    def is_for_the_key(self) -> bool:
        """Whether another key might have been let through."""
        return self.code in _KEY_CODES

    @property
    def is_for_the_asked(self) -> bool:
        """Whether what was asked for is not there, or not for this key."""
        code = self.code
        return self.is_for_the_key or code == 404 or code >= _FIRST_BUSINESS_CODE


class ListedCollection(SingleCollection, forbid_unknown_fields=False, kw_only=True):
    """A collection as listV2 shows it (spec 2.2), without `permission`.

    The service leaves out what is empty; what no client can do without is required.
    """

    id: Id = msgspec.field(name="_id")
    parent_id: str | UnsetType | None = UNSET  # type: ignore[assignment]
    type: str
    update_time: str


class ListedChat(ChatPart, forbid_unknown_fields=False, kw_only=True):
    """A chat session as getHistories shows it."""

    chat_id: Id
    update_time: str


class ListedRow(RowPart, forbid_unknown_fields=False, kw_only=True):
    """A data row as lists show it, without its indexes."""

    id: Id = msgspec.field(name="_id")


class ServicePage(Struct, Generic[T]):
    """A page of a list, and how many there are in all."""

    items: list[T] = msgspec.field(name="list")
    total: Count


class Envelope(Struct, rename="camel"):
    """What holds every answer (spec 2.3)."""

    code: int
    data: Raw
    status_text: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True)
class Service:
    """A service at `url`, asked with `key`; a request takes `seconds` at most.

    All methods raise Unreachable, Busy, Declined, Unfit and NoRoute. Raises ValueError
    for a URL that is none.
    """

    url: str
    key: str
    seconds: float = 30.0
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        Address.of(self.url)

    def collections(
        self, dataset: str, parent: str | None, offset: int, size: int
    ) -> ServicePage[ListedCollection]:
        """A page of a folder's collections; without `parent`, of the top level."""
        asked = {"datasetId": dataset, "parentId": parent}
        page = self._page(LIST_V2, asked, offset, size, ServicePage[ListedCollection])
        for each in page.items:
            if each.parent_id not in (UNSET, parent, parent or ""):
                expected = f"Expected items of parentId {describe_value(parent)}"
                got = describe_value(each.parent_id)
                self._unfit(f"{expected}, got one of {got}", LIST_V2, asked)
        return page

    def total(self, dataset: str) -> int:
        """What listV2 counts without a `parentId`: all levels, or the top one."""
        asked = {"datasetId": dataset}
        kind = ServicePage[ListedCollection]
        return self._page(LIST_V2, asked, 0, 1, kind).total

    def chats(self, app: str, offset: int, size: int) -> ServicePage[ListedChat]:
        """A page of an application's chat sessions."""
        asked = {"appId": app}
        return self._page(HISTORIES, asked, offset, size, ServicePage[ListedChat])

    def rows(self, collection: str, offset: int, size: int) -> ServicePage[ListedRow]:
        """A page of a collection's data rows."""
        asked = {"collectionId": collection}
        return self._page(ROWS, asked, offset, size, ServicePage[ListedRow])

    def _page(
        self,
        path: str,
        asked: Mapping[str, object],
        offset: int,
        size: int,
        kind: type[ServicePage[T]],
    ) -> ServicePage[T]:
        body = {**asked, "offset": offset, "pageSize": size}
        page: ServicePage[Any] = self._ask(path, body, kind)
        if len(page.items) > size:
            expected = f"Expected at most {size} items, got {len(page.items)}"
            self._unfit(expected, path, body)
        for each in page.items:
            for time in (each.update_time, getattr(each, "create_time", None)):
                if time is not None and not _is_time(time):
                    got = describe_value(time)
                    self._unfit(f"Expected a date-time, got {got}", path, body)
        return page

    def _ask(self, path: str, body: Mapping[str, object], kind: type[T]) -> T:
        """The `data` of the answer to a POST, as a type."""
        place = self.place(path, body)
        head = {
            "Authorization": f"Bearer {self.key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        budget = Budget(self.seconds, self.limits.answer_bytes)
        content = msgspec.json.encode(body)
        try:
            raw = call(Address.of(self.url), "POST", path, head, content, budget)
            raw = without_key(raw, self.key)
        except Unreachable as error:
            raise Unreachable(f"{error} - at {place}") from None
        try:
            envelope = _decoded(raw.body, Envelope)
        except ValueError as error:
            self._check(raw, None, place)
            self._wrong(raw, place, str(error))
        self._check(raw, envelope, place)
        try:
            return _decoded(bytes(envelope.data), kind)
        except ValueError as error:
            self._wrong(raw, place, str(error).replace("`$", "`$.data"))

    def _check(self, raw: RawResponse, envelope: Envelope | None, place: str) -> None:
        """Raises unless this may be a success."""
        code = raw.status if envelope is None else envelope.code
        got = raw.summary()
        if raw.status == code == 200:
            return
        if code in _BUSY_CODES or (
            500 <= code < 600 and code not in (_BAD_KEY, *_NEVER_CODES)
        ):
            pause = raw.retry_seconds
            wish = "" if pause is None else f", to be asked again in {pause:.0f} s"
            raise Busy(f"got {got}{wish} - at {place}", pause)
        text = "" if envelope is None else envelope.status_text
        if code in (404, 405) and text in _NO_ROUTE_TEXTS:
            doubled = self.url.rstrip("/").endswith("/api")
            hint = " (did you mean the address without /api?)" if doubled else ""
            expected = f"Expected a route of the service, got {got}"
            raise NoRoute(f"{expected} - at {place}{hint}")
        if envelope is not None and code != 200:
            said = one_line(f"{text} {envelope.message[:200]}".strip())
            raise Declined(place, code, said)
        self._wrong(raw, place, "")

    def _wrong(self, raw: RawResponse, place: str, why: str) -> NoReturn:
        expected = "Expected an answer as in the interface description"
        reason = f" ({one_line(why[:200])})" if why else ""
        got = raw.summary()
        raise Unfit(f"{expected}, got {got} - at {place}{reason}")

    def _unfit(self, what: str, path: str, body: Mapping[str, object]) -> NoReturn:
        raise Unfit(f"{what} - at {self.place(path, body)}")

    def place(self, path: str, body: Mapping[str, object]) -> str:
        """A request as messages name it, in one line."""
        asked = msgspec.json.encode(body).decode()
        url = self.url.rstrip("/")
        return one_line(f"POST {url}{path} {asked[:600]}")


def without_key(raw: RawResponse, key: str) -> RawResponse:
    """The response with `***` for a key, which a server may repeat anywhere.

    What is as short as a word is left where it is.
    """
    if len(key) < MIN_REDACTABLE_LENGTH:
        return raw
    body = raw.body.replace(key.encode(), b"***")
    kind, location = (
        text.replace(key, "***") for text in (raw.content_type, raw.location)
    )
    return raw._replace(body=body, content_type=kind, location=location)


def _decoded(content: bytes, kind: type[T]) -> T:
    """JSON as a type, where 3.0 is an integer. Raises ValueError, with the reason."""
    try:
        try:
            return msgspec.json.decode(content, type=kind)
        except msgspec.ValidationError:
            if kind is Envelope:  # its data is still to be decoded
                raise
            return with_integers(msgspec.json.decode(content), kind)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None


def _is_time(text: str) -> bool:
    try:
        parse_time(text)
    except ValueError:
        return False
    return True
