"""A collection that is made to see how a server trains and deletes, and deleted."""

import time
from functools import cached_property
from urllib.parse import quote

from mock_server.conformance.answer import NotObservable, id_of
from mock_server.conformance.asker import Asker
from mock_server.conformance.lists import Item, Lists

_COLLECTION = "/api/core/dataset/collection"
_PUSH = "/api/core/dataset/data/pushData"
ROWS = 40
_TOO_LATE = 2.0
"""Seconds after which so many rows might have been trained step by step too."""
_UNSEEN = "the collection that was made is not shown"


class Temporary:
    """A collection of its own in the dataset; both are neighbours' work."""

    def __init__(
        self, asker: Asker, lists: Lists, dataset: str | None, *, may_write: bool
    ) -> None:
        self._asker, self._lists, self._dataset = asker, lists, dataset
        self._may_write, self._is_there = may_write, False

    @cached_property
    def id(self) -> str:
        """Its id; it is made for that. Raises NotObservable if it cannot be."""
        if not self._may_write:
            raise NotObservable("needs --write")
        if self._dataset is None:
            raise NotObservable("needs --dataset")
        name = f"verify {self._lists.unknown}"
        body = {"datasetId": self._dataset, "name": name, "type": "virtual"}
        answer = self._asker.ask("POST", f"{_COLLECTION}/create", body)
        found = answer.fields.get("data")
        if not answer.is_success or not isinstance(found, str):
            raise NotObservable(f"got {answer.status} - at {answer.request}")
        self._is_there = True
        return found

    def training(self) -> str:
        """Whether rows are trained at once. Raises NotObservable."""
        body = {"collectionId": self.id, "data": [{"q": f"Row {n}"} for n in _NUMBERS]}
        begun = time.monotonic()
        pushed = self._asker.ask("POST", _PUSH, body)
        shown = self._shown()
        seconds = time.monotonic() - begun
        if not pushed.is_success:
            raise NotObservable(f"got {pushed.status} - at POST {_PUSH}")
        if shown is None:
            raise NotObservable(_UNSEEN)
        if shown.get("dataAmount") != ROWS:
            return "stepped"
        if seconds > _TOO_LATE:
            raise NotObservable(f"all were trained {seconds:.1f} s later")
        return "instant"

    def query_delete(self) -> str:
        """Whether a DELETE needs no content type. Raises NotObservable."""
        if self.id and self._shown() is None:
            raise NotObservable(_UNSEEN)
        for is_json, value in ((False, "accept"), (True, "needs_json_type")):
            if self._delete(is_json=is_json) and self._shown() is None:
                return value
        raise NotObservable("the collection that was made cannot be deleted")

    def restore(self) -> None:
        """Delete it if it is still there."""
        if self._is_there:
            self._delete(is_json=True)

    def _shown(self) -> Item | None:
        """The collection as lists show it."""
        pages = self._lists.walk(parentId=None)
        items = (item for page in pages for item in page.items)
        return next((each for each in items if id_of(each) == self.id), None)

    def _delete(self, *, is_json: bool) -> bool:
        path = f"{_COLLECTION}/delete?id={quote(self.id, safe='')}"
        if self._asker.ask("DELETE", path, is_json=is_json).is_success:
            self._is_there = False
        return not self._is_there


_NUMBERS = range(ROWS)
