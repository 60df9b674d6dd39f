"""A client as an application would have it: pins chats, lists folders, tries again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Self

import httpx2

AGAIN = {429, 500, 502, 503}
PAGE = 30


class Failed(Exception):
    """The service has refused, or could not be reached often enough."""


class Panel:
    """What a panel beside a chat needs of the service."""

    def __init__(self, url: str, key: str, *, attempts: int = 4) -> None:
        headers = {"Authorization": f"Bearer {key}"}
        self._client = httpx2.Client(base_url=url, headers=headers, timeout=5)
        self._attempts = attempts

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
    ) -> Iterator[dict[str, Any]]:
        """Everything in a folder, page by page; None is the top level."""
        offset, total = 0, 1
        while offset < total:
            page = self.page(dataset_id, parent_id, offset)
            yield from page["list"]
            offset, total = offset + len(page["list"]), page["total"]
            if not page["list"]:
                return

    def page(self, dataset_id: str, parent_id: str | None, offset: int) -> Any:
        """One page: `list` and `total`."""
        body = {"datasetId": dataset_id, "parentId": parent_id}
        paging = {"offset": offset, "pageSize": PAGE}
        return self._call("POST", "/api/core/dataset/collection/listV2", body | paging)

    def _call(self, method: str, path: str, body: dict[str, Any]) -> Any:
        """The data of a success; both operations can be repeated without harm."""
        reason = ""
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
            time.sleep(float(response.headers.get("Retry-After", 0)))
        raise Failed(reason)
