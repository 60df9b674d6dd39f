"""Reads pages of the lists of a service, and retries failed requests.

A response is accepted only if it has one of the types below.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from typing import Any, Generic, Literal, NoReturn, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from mock_server.control.http_call import (
    Address,
    RawResponse,
    Request,
    UnusableResponse,
)
from mock_server.domain.clock import is_time
from mock_server.domain.limits import ClientLimits, Published
from mock_server.domain.messages import describe_value, quoted
from mock_server.domain.objects.rows import oversize
from mock_server.domain.printable import one_line
from mock_server.domain.validation.convert import fitted
from mock_server.fixture.document import ChatPart, Count, Id, RowPart, SingleCollection
from mock_server.service.client import Busy, KeyedClient, Report, Sleep, keep_trying

LIST_V2 = "/api/core/dataset/collection/listV2"
HISTORIES = "/api/core/chat/history/getHistories"
ROWS = "/api/core/dataset/data/v2/list"
# FastGPT's own code for a bad API key.
_BAD_KEY = 514
_KEY_CODES = 401, 403, _BAD_KEY
_BUSY_CODES = 408, 425, 429
_UNSUPPORTED_CODES = 501, 505
"""The server does not support the method or HTTP version, so retrying cannot help."""
_FIRST_BUSINESS_CODE = 1_000
_NO_ROUTE_TEXTS = "", "routeNotFound", "methodNotAllowed"

T = TypeVar("T")


class NoRoute(UnusableResponse):
    """The service does not have the requested route."""


class PermanentFailure(UnusableResponse):
    """The pull cannot succeed, and retrying cannot help."""


class ServiceRefused(Exception):
    """The service refused a valid request."""

    def __init__(self, place: str, code: int, text: str) -> None:
        super().__init__(f"refused with {code} {text}".rstrip() + f" - at {place}")
        self.code = code

    @property
    def is_about_key(self) -> bool:
        """Return whether the service refused the API key."""
        return self.code in _KEY_CODES

    @property
    def is_about_object(self) -> bool:
        """Return whether the requested object is unknown, or hidden from the key."""
        code = self.code
        return self.is_about_key or code == 404 or code >= _FIRST_BUSINESS_CODE


class ListedCollection(SingleCollection, forbid_unknown_fields=False, kw_only=True):
    """A collection as listV2 returns it (spec 2.2), without `permission`.

    Only the fields that every client needs are required: FastGPT omits empty fields.
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
    """A data row as lists return it, without its indexes; texts too large are cut."""

    id: Id = msgspec.field(name="_id")

    def __post_init__(self) -> None:
        while size := oversize((self.q, self.a)):
            kept = Published.row_bytes / size
            self.q = self.q[: int(len(self.q) * kept)]
            self.a = self.a[: int(len(self.a) * kept)]


class ServicePage(Struct, Generic[T]):
    """A page of a list, and the total number of items."""

    items: list[T] = msgspec.field(name="list")
    total: Count


class ListRef(Struct, frozen=True):
    """One list: the chats of an app, the collections of a folder, rows of a collection.

    `owner_id` is the id of the app or dataset. `parent_id` is the id of the folder
    or collection, None for the top level. The kind `total` is only for a count: of all
    collections of a dataset or, in some services, of its top level.
    """

    kind: Literal["collections", "chats", "rows", "total"]
    owner_id: str
    parent_id: str | None = None

    def __str__(self) -> str:
        owner = "app" if self.kind == "chats" else "dataset"
        parent_text = "" if self.parent_id is None else f" in {quoted(self.parent_id)}"
        return f"{self.kind}{parent_text} of {owner} {quoted(self.owner_id)}"

    @property
    def fields(self) -> Mapping[str, object]:
        """Return the request fields that select the list."""
        if self.kind == "chats":
            return {"appId": self.owner_id}
        if self.kind == "rows":
            return {"collectionId": self.parent_id}
        if self.kind == "total":
            return {"datasetId": self.owner_id}
        return {"datasetId": self.owner_id, "parentId": self.parent_id}


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


class ServiceClient:
    """A client of the service at `url`, with the API key `key`.

    A request is tried up to `pull_tries` times; `report` gets a line for each retry.
    `page` raises Unreachable, ServiceRefused, UnusableResponse and NoRoute. The
    constructor raises ValueError for an invalid URL.
    """

    def __init__(
        self,
        url: str,
        key: str,
        limits: ClientLimits = ClientLimits(),
        *,
        report: Report = lambda _: None,
        sleep: Sleep = time.sleep,
    ) -> None:
        self.url = url
        self.limits, self.report, self.sleep = limits, report, sleep
        self._client = KeyedClient(Address.of(url), key, limits)
        self._has_succeeded = False

    def page(self, list_ref: ListRef, offset: int, size: int) -> ServicePage[Any]:
        """Return `size` items of a list, from index `offset`."""
        page = keep_trying(
            lambda: self._page(list_ref, offset, size),
            self._pause,
            self.report,
            self.sleep,
        )
        self._has_succeeded = True
        return page

    def request_text(self, list_ref: ListRef) -> str:
        """Return the text by which messages name the request for a list."""
        return self._place(_LISTS[list_ref.kind][0], list_ref.fields)

    def may_recover(self, error: Exception) -> bool:
        """Return whether a request may succeed later, though all its tries failed."""
        return self._has_succeeded and self._can_retry(error)

    def _page(self, list_ref: ListRef, offset: int, size: int) -> ServicePage[Any]:
        path, page_type = _LISTS[list_ref.kind]
        body = {**list_ref.fields, "offset": offset, "pageSize": size}
        page: ServicePage[Any] = self._fetch(path, body, page_type)
        if problem := _page_problem(page, list_ref, size):
            raise UnusableResponse(f"{problem} - at {self._place(path, body)}")
        return page

    def _fetch(self, path: str, body: Mapping[str, object], data_type: type[T]) -> T:
        place = self._place(path, body)
        headers = {
            "Authorization": f"Bearer {self._client.key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        request = Request("POST", path, headers, msgspec.json.encode(body))
        raw = self._client.send(place, request, self.limits.pull_seconds)
        try:
            envelope = _decode(raw.body, Envelope)
        except ValueError as error:
            self._check(raw, None, place)
            self._raise_unfit(raw, place, str(error))
        self._check(raw, envelope, place)
        try:
            return _decode(bytes(envelope.data), data_type)
        except ValueError as error:
            self._raise_unfit(raw, place, str(error).replace("`$", "`$.data"))

    def _can_retry(self, error: Exception) -> bool:
        if isinstance(error, Busy):
            return (error.seconds or 0) <= self.limits.pull_pause_seconds
        return not isinstance(error, NoRoute | PermanentFailure)

    def _pause(self, error: Exception, failures: int) -> float | None:
        """Return the pause in seconds: it doubles each time, or follows Retry-After."""
        if failures == self.limits.pull_tries or not self._can_retry(error):
            return None
        base, cap = self.limits.pull_backoff_seconds, self.limits.pull_pause_seconds
        backoff = min(base * 2.0 ** (failures - 1), cap)
        backoff += random.uniform(0, base)  # noqa: S311
        delay = error.seconds if isinstance(error, Busy) else None
        return max(delay or 0.0, backoff)

    def _check(self, raw: RawResponse, envelope: Envelope | None, place: str) -> None:
        code = raw.status if envelope is None else envelope.code
        got = raw.summary()
        if raw.status == code == 200:
            return
        has_failed = 500 <= code < 600 and code not in (_BAD_KEY, *_UNSUPPORTED_CODES)
        if has_failed or code in _BUSY_CODES:
            pause = raw.retry_seconds
            requested_pause = "" if pause is None else f", retry after {pause:.0f} s"
            raise Busy(f"got {got}{requested_pause} - at {place}", raw)
        text = "" if envelope is None else envelope.status_text
        if code in (404, 405) and text in _NO_ROUTE_TEXTS:
            base, api_part, _ = f"{self.url.rstrip('/')}/".partition("/api/")
            address_hint = f"the address is the part before /api: did you mean {base}?"
            hint = f" ({address_hint})" if api_part else ""
            expected = f"Expected a route of the service, got {got}"
            raise NoRoute(f"{expected} - at {place}{hint}")
        if envelope is not None and code != 200:
            reason = one_line(f"{text} {envelope.message[:200]}".strip())
            raise ServiceRefused(place, code, reason)
        self._raise_unfit(raw, place, "")

    def _raise_unfit(self, raw: RawResponse, place: str, detail: str) -> NoReturn:
        expected = "Expected a response as in the spec"
        reason = f" ({one_line(detail[:200])})" if detail else ""
        got = raw.summary()
        raise UnusableResponse(f"{expected}, got {got} - at {place}{reason}")

    def _place(self, path: str, body: Mapping[str, object]) -> str:
        body_text = msgspec.json.encode(body).decode()
        url = self.url.rstrip("/")
        return one_line(f"POST {url}{path} {body_text[:600]}")


def _page_problem(page: ServicePage[Any], list_ref: ListRef, size: int) -> str:
    """Return the reason why a response is no page of the list; "" if it is one."""
    if len(page.items) > size:
        return f"Expected at most {size} items, got {len(page.items)}"
    for each in page.items:
        for text in (each.update_time, getattr(each, "create_time", None)):
            if text is not None and not is_time(text):
                return f"Expected a date-time, got {describe_value(text)}"
        if list_ref.kind == "collections":
            parent = list_ref.parent_id
            if each.parent_id not in (UNSET, parent, parent or ""):
                expected = f"Expected items of parentId {describe_value(parent)}"
                return f"{expected}, got one of {describe_value(each.parent_id)}"
    return ""


def _decode(content: bytes, data_type: type[T]) -> T:
    """Decode JSON as a type; accept 3.0 as an integer, and cut texts for a fixture.

    Raises ValueError.
    """
    try:
        try:
            return msgspec.json.decode(content, type=data_type)
        except msgspec.ValidationError:
            if data_type is Envelope:  # an envelope keeps its data as JSON
                raise
            plain = fitted(msgspec.json.decode(content), data_type)
            return msgspec.convert(plain, data_type)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None
