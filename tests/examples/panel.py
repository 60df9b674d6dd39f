"""A client as an application would have it: pins chats, reads datasets, tries again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Self, TypedDict

import httpx2

AGAIN = {429, 500, 502, 503}


class Failed(Exception):
    """The service has refused, or could not be reached often enough."""


class Collection(TypedDict):
    """What a panel shows of a collection."""

    _id: str
    name: str
    type: str
    tags: list[str]


class Page(TypedDict):
    """A part of a list, and how long the whole list is."""

    list: list[Collection]
    total: int


class Panel:
    """What a panel beside a chat needs of the service.

    A call that fails for now is made again, `attempts` times in all. Between them are
    the seconds that the service asks for, or `pause`, twice as many each time.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        page_size: int = 30,
        attempts: int = 4,
        pause: float = 0.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._client = httpx2.Client(base_url=url, headers=headers, timeout=60)
        self._page_size = page_size
        self._attempts, self._pause, self._sleep = attempts, pause, sleep

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._client.close()

    def pin(self, app_id: str, chat_id: str, *, top: bool = True) -> None:
        """Pin a chat session, or unpin it; doing it twice does no harm."""
        body = {"appId": app_id, "chatId": chat_id, "top": top}
        self._call("PUT", "/api/core/chat/history/updateHistory", body)

    def folder(
        self, dataset_id: str, parent_id: str | None = None
    ) -> Iterator[Collection]:
        """Everything in a folder, page by page; None is the top level."""
        return self._every({"datasetId": dataset_id, "parentId": parent_id})

    def tree(self, dataset_id: str, parent_id: str | None = None) -> Iterator[str]:
        """The paths of all collections: `Guides`, `Guides/Install`."""
        for each in self.folder(dataset_id, parent_id):
            yield each["name"]
            if each["type"] == "folder":
                below = self.tree(dataset_id, each["_id"])
                yield from (f"{each['name']}/{path}" for path in below)

    def search(self, dataset_id: str, text: str) -> Iterator[Collection]:
        """The collections of a dataset, in whatever folder, with this name or tag."""
        return self._every({"datasetId": dataset_id, "searchText": text})

    def _every(self, wanted: dict[str, Any]) -> Iterator[Collection]:
        offset, total = 0, 1
        while offset < total:
            body = wanted | {"offset": offset, "pageSize": self._page_size}
            page: Page = self._call("POST", "/api/core/dataset/collection/listV2", body)
            yield from page["list"]
            offset, total = offset + len(page["list"]), page["total"]
            if not page["list"]:
                return

    def _call(self, method: str, path: str, body: dict[str, Any]) -> Any:
        """The data of a success; all operations can be repeated without harm."""
        reason, pause = "", self._pause
        for _ in range(self._attempts):
            try:
                response = self._client.request(method, path, json=body)
                envelope = response.json()
            except (httpx2.TransportError, ValueError) as error:
                reason = str(error)
                continue
            if envelope["code"] == 200:
                return envelope["data"]
            reason = envelope["message"]
            if response.status_code not in AGAIN:
                break
            self._sleep(float(response.headers.get("Retry-After", pause)))
            pause *= 2
        raise Failed(reason)
