"""Read the lists of a service page by page, and retry failed requests.

A response is accepted only if it has one of the types below.
"""

from __future__ import annotations  # kinds of pages stand above what makes them

import random
import time
from collections.abc import Mapping
from typing import Any, Generic, Literal, NoReturn, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from mock_server.control.http_call import Address, RawResponse, Request, Unfit
from mock_server.domain.clock import is_time
from mock_server.domain.limits import ClientLimits
from mock_server.domain.messages import describe_value, quoted
from mock_server.domain.printable import one_line
from mock_server.domain.validation.convert import with_integers
from mock_server.fixture.document import ChatPart, Count, Id, RowPart, SingleCollection
from mock_server.service.client import Busy, KeyedClient, Sleep, Tell, keep_trying

LIST_V2 = "/api/core/dataset/collection/listV2"
HISTORIES = "/api/core/chat/history/getHistories"
ROWS = "/api/core/dataset/data/v2/list"
# The service's business code for a bad API key.
_BAD_KEY = 514
_KEY_CODES = 401, 403, _BAD_KEY
_BUSY_CODES = 408, 425, 429
_NEVER_CODES = 501, 505
"""The method or the HTTP version is unknown to the server: retrying cannot help."""
_FIRST_BUSINESS_CODE = 1_000
_NO_ROUTE_TEXTS = "", "routeNotFound", "methodNotAllowed"

T = TypeVar("T")


class NoRoute(Unfit):
    """The service has no such route."""


class GivenUp(Unfit):
    """The pull cannot succeed, and retrying cannot help."""


class Declined(Exception):
    """The service refused a valid request."""

    def __init__(self, place: str, code: int, text: str) -> None:
        super().__init__(f"refused with {code} {text}".rstrip() + f" - at {place}")
        self.code = code

    @property
    def is_for_the_key(self) -> bool:
        """Return whether another API key might be accepted."""
        return self.code in _KEY_CODES

    @property
    def is_for_the_object(self) -> bool:
        """Return whether the requested object is unknown, or hidden from the key."""
        code = self.code
        return self.is_for_the_key or code == 404 or code >= _FIRST_BUSINESS_CODE


class ListedCollection(SingleCollection, forbid_unknown_fields=False, kw_only=True):
    """A collection as listV2 returns it (spec 2.2), without `permission`.

    The service omits empty fields; those that every client needs are required.
    """

    id: Id = msgspec.field(name="_id")
    parent_id: str | UnsetType | None = UNSET  # type: ignore[assignment]
    type: str
    update_time: str


class ListedChat(ChatPart, forbid_unknown_fields=False, kw_only=True):
    """A chat session as getHistories returns it."""

    chat_id: Id
    update_time: str


class ListedRow(RowPart, forbid_unknown_fields=False, kw_only=True):
    """A data row as lists return it, without its indexes."""

    id: Id = msgspec.field(name="_id")


class ServicePage(Struct, Generic[T]):
    """A page of a list, and the total number of items."""

    items: list[T] = msgspec.field(name="list")
    total: Count


class Branch(Struct, frozen=True):
    """One list: the chats of an app, the collections of a folder, or the rows of one.

    `of` is the id of the app or dataset, `within` that of the folder or collection,
    None for the top level. Kind `total` counts all levels of a dataset, or the top one.
    """

    kind: Literal["collections", "chats", "rows", "total"]
    of: str
    within: str | None = None

    def __str__(self) -> str:
        whose = "app" if self.kind == "chats" else "dataset"
        inside = "" if self.within is None else f" in {quoted(self.within)}"
        return f"{self.kind}{inside} of {whose} {quoted(self.of)}"

    @property
    def fields(self) -> Mapping[str, object]:
        """Return the request fields that select the list."""
        if self.kind == "chats":
            return {"appId": self.of}
        if self.kind == "rows":
            return {"collectionId": self.within}
        if self.kind == "total":
            return {"datasetId": self.of}
        return {"datasetId": self.of, "parentId": self.within}


_LISTS: Mapping[str, tuple[str, Any]] = {
    "collections": (LIST_V2, ServicePage[ListedCollection]),
    "chats": (HISTORIES, ServicePage[ListedChat]),
    "rows": (ROWS, ServicePage[ListedRow]),
    "total": (LIST_V2, ServicePage[ListedCollection]),
}
"""The path and the page type of each kind of list."""


class Envelope(Struct, rename="camel"):
    """The envelope of every response (spec 2.3)."""

    code: int
    data: Raw
    status_text: str = ""
    message: str = ""


class Service:
    """A service at `url`, called with API key `key`.

    A request is tried up to `pull_tries` times; `tell` gets a line for each retry. All
    methods raise Unreachable, Declined, Unfit and NoRoute. Raises ValueError for an
    invalid URL.
    """

    def __init__(
        self,
        url: str,
        key: str,
        limits: ClientLimits = ClientLimits(),
        *,
        tell: Tell = lambda _: None,
        sleep: Sleep = time.sleep,
    ) -> None:
        self.url = url
        self.limits, self.tell, self.sleep = limits, tell, sleep
        self._client = KeyedClient(Address.of(url), key, limits)
        self._has_succeeded = False

    def page(self, branch: Branch, offset: int, size: int) -> ServicePage[Any]:
        page = keep_trying(
            lambda: self._page(branch, offset, size), self._pause, self.tell, self.sleep
        )
        self._has_succeeded = True
        return page

    def place(self, branch: Branch) -> str:
        """Return the request for a list as messages name it."""
        return self._place(_LISTS[branch.kind][0], branch.fields)

    def may_come_back(self, error: Exception) -> bool:
        """Return whether a request that failed in all its tries may succeed later."""
        return self._has_succeeded and self._is_worth_it(error)

    def _page(self, branch: Branch, offset: int, size: int) -> ServicePage[Any]:
        path, kind = _LISTS[branch.kind]
        body = {**branch.fields, "offset": offset, "pageSize": size}
        page: ServicePage[Any] = self._fetched(path, body, kind)
        if wrong := _wrong_in(page, branch, size):
            raise Unfit(f"{wrong} - at {self._place(path, body)}")
        return page

    def _fetched(self, path: str, body: Mapping[str, object], kind: type[T]) -> T:
        place = self._place(path, body)
        head = {
            "Authorization": f"Bearer {self._client.key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        request = Request("POST", path, head, msgspec.json.encode(body))
        raw = self._client.send(place, request, self.limits.pull_seconds)
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

    def _is_worth_it(self, error: Exception) -> bool:
        if isinstance(error, Busy):
            return (error.seconds or 0) <= self.limits.pull_pause_seconds
        return not isinstance(error, NoRoute | GivenUp)

    def _pause(self, error: Exception, failures: int) -> float | None:
        """Return the pause in seconds: doubled each time, or as Retry-After says."""
        if failures == self.limits.pull_tries or not self._is_worth_it(error):
            return None
        base, most = self.limits.pull_backoff_seconds, self.limits.pull_pause_seconds
        backoff = min(base * 2.0 ** (failures - 1), most)
        backoff += random.uniform(0, base)  # noqa: S311
        wanted = error.seconds if isinstance(error, Busy) else None
        return max(wanted or 0.0, backoff)

    def _check(self, raw: RawResponse, envelope: Envelope | None, place: str) -> None:
        code = raw.status if envelope is None else envelope.code
        got = raw.summary()
        if raw.status == code == 200:
            return
        has_failed = 500 <= code < 600 and code not in (_BAD_KEY, *_NEVER_CODES)
        if has_failed or code in _BUSY_CODES:
            pause = raw.retry_seconds
            wish = "" if pause is None else f", retry after {pause:.0f} s"
            raise Busy(f"got {got}{wish} - at {place}", raw)
        text = "" if envelope is None else envelope.status_text
        if code in (404, 405) and text in _NO_ROUTE_TEXTS:
            base, doubled, _ = f"{self.url.rstrip('/')}/".partition("/api/")
            own = f"the address is the part before /api: did you mean {base}?"
            hint = f" ({own})" if doubled else ""
            expected = f"Expected a route of the service, got {got}"
            raise NoRoute(f"{expected} - at {place}{hint}")
        if envelope is not None and code != 200:
            reason = one_line(f"{text} {envelope.message[:200]}".strip())
            raise Declined(place, code, reason)
        self._wrong(raw, place, "")

    def _wrong(self, raw: RawResponse, place: str, why: str) -> NoReturn:
        expected = "Expected a response as in the spec"
        reason = f" ({one_line(why[:200])})" if why else ""
        got = raw.summary()
        raise Unfit(f"{expected}, got {got} - at {place}{reason}")

    def _place(self, path: str, body: Mapping[str, object]) -> str:
        asked = msgspec.json.encode(body).decode()
        url = self.url.rstrip("/")
        return one_line(f"POST {url}{path} {asked[:600]}")


def _wrong_in(page: ServicePage[Any], branch: Branch, size: int) -> str:
    """Return why this cannot be a page of the list; "" if it can."""
    if len(page.items) > size:
        return f"Expected at most {size} items, got {len(page.items)}"
    for each in page.items:
        for text in (each.update_time, getattr(each, "create_time", None)):
            if text is not None and not is_time(text):
                return f"Expected a date-time, got {describe_value(text)}"
        if branch.kind == "collections":
            parent = branch.within
            if each.parent_id not in (UNSET, parent, parent or ""):
                expected = f"Expected items of parentId {describe_value(parent)}"
                return f"{expected}, got one of {describe_value(each.parent_id)}"
    return ""


def _decoded(content: bytes, kind: type[T]) -> T:
    """Decode JSON as a type, where 3.0 is an integer. Raises ValueError."""
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
