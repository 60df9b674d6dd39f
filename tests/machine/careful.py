"""A client that is right, and the machine that drives it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import httpx2

from mock_server.strategies import ClientMachine
from tests.support import LIST, PIN, client_of

AGAIN = {429, 500, 502, 503}
Items = list[dict[str, Any]]


class Failed(Exception):
    """The service has refused, or could not be asked often enough."""


class Gone(Failed):
    """No answer has come, or none that can be read."""


class Careful:
    """Tries again what has failed for now, waits when told to, trusts no page alone."""

    attempts = 4

    def __init__(
        self, url: str, key: str, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self.http = client_of(url)
        self.key, self.sleep = key, sleep

    def close(self) -> None:
        """Close its connections."""
        self.http.close()

    def pin(self, app_id: str, chat_id: str, top: bool) -> None:
        """Pin a chat session, or unpin it."""
        self.call("PUT", PIN, {"appId": app_id, "chatId": chat_id, "top": top})

    def folder(self, dataset_id: str, parent_id: str | None) -> Items:
        """All that is directly in a folder."""
        return self.every({"datasetId": dataset_id, "parentId": parent_id})

    def search(self, dataset_id: str, text: str) -> Items:
        """What the text finds in all folders."""
        return self.every({"datasetId": dataset_id, "searchText": text})

    def page(self, wanted: dict[str, Any], offset: int, size: int = 30) -> Any:
        """A part of a list, and how long all of it is."""
        return self.call("POST", LIST, wanted | {"offset": offset, "pageSize": size})

    def every(self, wanted: dict[str, Any]) -> Items:
        """All pages of a list; read again if it has changed meanwhile."""
        for _ in range(self.attempts):
            items, totals = self.read(wanted)
            ids = {each["_id"] for each in items}
            if totals == {len(ids)} == {len(items)}:
                return items
        raise Failed("the list changes all the time")

    def read(self, wanted: dict[str, Any]) -> tuple[Items, set[int]]:
        """All pages of a list, and what they say of its length."""
        items: Items = []
        totals: set[int] = set()
        while True:
            page = self.page(wanted, len(items))
            totals.add(page["total"])
            items += page["list"]
            if not page["list"] or len(items) >= page["total"]:
                return items, totals

    def call(self, method: str, path: str, body: dict[str, Any]) -> Any:
        """The data of a success."""
        for left in reversed(range(self.attempts)):
            try:
                answer = self.send(method, path, body)
            except (httpx2.TransportError, ValueError) as error:
                if not left:
                    raise Gone(str(error)) from None
                continue
            if self.is_success(answer):
                return answer.json()["data"]
            if answer.status_code not in AGAIN or not left:
                break
            self.wait(answer)
        raise Failed(answer.json()["message"])

    def send(self, method: str, path: str, body: dict[str, Any]) -> httpx2.Response:
        """An answer that is JSON. Raises TransportError or ValueError."""
        headers = {"Authorization": f"Bearer {self.key}"}
        answer = self.http.request(method, path, json=body, headers=headers)
        answer.json()
        return answer

    def is_success(self, answer: httpx2.Response) -> bool:
        """Whether all went well: spec 2.3."""
        return bool(answer.json()["code"] == 200)

    def wait(self, answer: httpx2.Response) -> None:
        """Wait as long as the service asks for."""
        self.sleep(float(answer.headers.get("Retry-After", 0)))


class CarefulMachine(ClientMachine):
    """Drives the client of a class, `make`."""

    make: Callable[..., Careful] = Careful
    faults = (*ClientMachine.faults, *ClientMachine.drift)
    attempts = Careful.attempts
    retried = (*AGAIN, "reset", "empty", "truncate", "malformed_json")
    errors = (Failed,)

    def start(self, url: str, key: str) -> None:
        self.client = type(self).make(url, key, self.sleep)

    def stop(self) -> None:
        self.client.close()

    def pin(self, app_id: str, chat_id: str, top: bool) -> None:
        self.client.pin(app_id, chat_id, top)

    def list_folder(self, dataset_id: str, parent_id: str | None) -> Iterable[Any]:
        return self.client.folder(dataset_id, parent_id)

    def search(self, dataset_id: str, text: str) -> Iterable[Any]:
        return self.client.search(dataset_id, text)

    def list_page(
        self, dataset_id: str, parent_id: str | None, offset: int, page_size: int
    ) -> Iterable[Any]:
        wanted = {"datasetId": dataset_id, "parentId": parent_id}
        return list(self.client.page(wanted, offset, page_size)["list"])
