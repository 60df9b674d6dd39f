"""Clients with a bug each, as they are found in the field."""

from __future__ import annotations

import logging
from typing import Any

import httpx2

from tests.machine.careful import Careful, Failed, Gone, Items
from tests.support import LIST, PIN


class FirstPage(Careful):
    """Stops at the first page."""

    def every(self, wanted: dict[str, Any]) -> Items:
        return list(self.page(wanted, 0)["list"])


class FixedSteps(Careful):
    """Leaves the page size to the service, and takes it for 10."""

    def every(self, wanted: dict[str, Any]) -> Items:
        items: Items = []
        offset, total = 0, 1
        while offset < total:
            page = self.call("POST", LIST, wanted | {"offset": offset})
            items += page["list"]
            offset, total = offset + 10, page["total"]
        return items


class Swallows(Careful):
    """Shows an empty list where there was an error."""

    def every(self, wanted: dict[str, Any]) -> Items:
        try:
            return super().every(wanted)
        except Failed:
            return []


class Believes(Careful):
    """Takes a pin for done of which no answer came."""

    def pin(self, app_id: str, chat_id: str, top: bool) -> None:
        try:
            super().pin(app_id, chat_id, top)
        except Gone:
            return


class Stubborn(Careful):
    """Tries again whatever was answered."""

    def pin(self, app_id: str, chat_id: str, top: bool) -> None:
        while True:
            try:
                return super().pin(app_id, chat_id, top)
            except Failed:
                continue


class Trusting(Careful):
    """Takes every page as it comes, also of a list that changes."""

    def every(self, wanted: dict[str, Any]) -> Items:
        return self.read(wanted)[0]


class Greedy(Careful):
    """Asks for more than there may be on a page."""

    def page(self, wanted: dict[str, Any], offset: int, size: int = 50) -> Any:
        return super().page(wanted, offset, size)


class Stringly(Careful):
    """Sends numbers as texts."""

    def page(self, wanted: dict[str, Any], offset: int, size: int = 30) -> Any:
        texts = {"offset": str(offset), "pageSize": str(size)}
        return self.call("POST", LIST, wanted | texts)


class Particular(Careful):
    """Has to have tags, where there need not be any."""

    def every(self, wanted: dict[str, Any]) -> Items:
        return [each | {"n": len(each["tags"])} for each in super().every(wanted)]


class Impatient(Careful):
    """Comes again at once, whatever Retry-After says."""

    def wait(self, _: httpx2.Response) -> None:
        self.sleep(0)


class Sharing(Careful):
    """Keeps lists for everybody, whoever asks."""

    def __init__(self, url: str, key: str, sleep: Any) -> None:
        super().__init__(url, key, sleep)
        # As long as the machine of an example: examples are not to see each other's.
        self.kept: dict[str, Items] = vars(sleep.__self__).setdefault("kept", {})

    def every(self, wanted: dict[str, Any]) -> Items:
        name = f"{wanted}"
        if name not in self.kept:
            self.kept[name] = super().every(wanted)
        return self.kept[name]


class StatusOnly(Careful):
    """Looks at the HTTP status, and not at the code."""

    def is_success(self, answer: httpx2.Response) -> bool:
        return answer.status_code == 200


class Chatty(Careful):
    """Logs what it sends, with the key."""

    def send(self, method: str, path: str, body: dict[str, Any]) -> httpx2.Response:
        logging.getLogger("chatty").warning("%s %s", path, self.key)
        return super().send(method, path, body)


class Endless(Careful):
    """Asks until it has as many as the total says."""

    def every(self, wanted: dict[str, Any]) -> Items:
        items: Items = []
        total = 1
        while len(items) < total:
            page = self.page(wanted, len(items))
            items, total = [*items, *page["list"]], page["total"]
        return items


class Flat(Careful):
    """Leaves the parent out, to see the top level."""

    def folder(self, dataset_id: str, parent_id: str | None) -> Items:
        if parent_id is None:
            return self.every({"datasetId": dataset_id})
        return super().folder(dataset_id, parent_id)


class Narrow(Careful):
    """Searches in the top level, and takes it for the whole dataset."""

    def search(self, dataset_id: str, text: str) -> Items:
        wanted = {"datasetId": dataset_id, "parentId": None, "searchText": text}
        return self.every(wanted)


class Sticky(Careful):
    """Pins, and never unpins."""

    def pin(self, app_id: str, chat_id: str, top: bool) -> None:
        body = {"appId": app_id, "chatId": chat_id, "top": top or True}
        self.call("PUT", PIN, body)


class Crashing(Careful):
    """Does not look what an answer is before it reads it."""

    def send(self, method: str, path: str, body: dict[str, Any]) -> httpx2.Response:
        answer = super().send(method, path, body)
        if method == "POST":
            logging.debug("%s items", len(answer.json()["data"]["list"]))
        return answer


class Muddled(Careful):
    """Sorts what it shows by name."""

    def every(self, wanted: dict[str, Any]) -> Items:
        return sorted(super().every(wanted), key=lambda each: str(each["name"]))
