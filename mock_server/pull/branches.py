"""The lists that a pull walks through, and the one pass through a list that counts."""

from __future__ import annotations  # a branch makes branches

from collections.abc import Sequence
from typing import Any, Literal

from msgspec import Struct

from mock_server.domain.errors import quoted
from mock_server.service import (
    HISTORIES,
    LIST_V2,
    ROWS,
    ListedChat,
    ListedCollection,
    ListedRow,
    Service,
    ServicePage,
)

PAGES = {
    "collections": ServicePage[ListedCollection],
    "chats": ServicePage[ListedChat],
    "rows": ServicePage[ListedRow],
}


class Branch(Struct, frozen=True):
    """One list: the chats of an app, or of a dataset a folder or a collection's rows.

    `of` is the id of the app or dataset, `within` that of the folder or collection,
    None for the top level. A `total` is no list, but stands in line with them.
    """

    kind: Literal["collections", "chats", "rows", "total"]
    of: str
    within: str | None = None

    def __str__(self) -> str:
        whose = "app" if self.kind == "chats" else "dataset"
        inside = "" if self.within is None else f" in {quoted(self.within)}"
        return f"{self.kind}{inside} of {whose} {quoted(self.of)}"

    def place(self, service: Service) -> str:
        """The request for it, as messages name it."""
        if self.kind == "chats":
            return service.place(HISTORIES, {"appId": self.of})
        if self.kind == "rows":
            return service.place(ROWS, {"collectionId": self.within})
        return service.place(LIST_V2, {"datasetId": self.of, "parentId": self.within})

    def ask(self, service: Service, offset: int, size: int) -> ServicePage[Any]:
        """A page of it. Raises what the service's methods raise."""
        if self.kind == "chats":
            return service.chats(self.of, offset, size)
        if self.kind == "rows":
            return service.rows(self.within or "", offset, size)
        return service.collections(self.of, self.within, offset, size)


Lists = dict[Branch, list[Any]]
"""The items of lists, in the order in which the service has them."""


class Wanted(Struct, frozen=True):
    """What to pull: datasets and apps by their ids, and whether data rows too."""

    datasets: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    rows: bool = False

    def branches(self) -> list[Branch]:
        """The lists to begin with, each once."""
        datasets = (Branch("collections", each) for each in self.datasets)
        apps = (Branch("chats", each) for each in self.apps)
        return [*dict.fromkeys(datasets), *dict.fromkeys(apps)]


class Drift(Exception):
    """A list has changed while it was read; the text says how that shows."""


def id_of(item: Any) -> str:
    """The id of what stands in a list."""
    found: str = item.chat_id if isinstance(item, ListedChat) else item.id
    return found


class Pass:
    """One pass through a list, which counts only if nothing moved meanwhile.

    Between pages that shows in their totals and ids.
    """

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._ids: set[str] = set()
        self._total: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether there are no more pages to ask for."""
        return len(self.items) == self._total

    def add(self, page: ServicePage[Any]) -> None:
        """Take the next page. Raises Drift."""
        if self._total not in (None, page.total):
            raise Drift(f"its total was {self._total} and is {page.total}")
        self._total = page.total
        for each in page.items:
            if (own := id_of(each)) in self._ids:
                raise Drift(f"{quoted(own)} stands in it twice")
            self._ids.add(own)
        self.items += page.items
        count = len(self.items)
        if count > page.total or (not page.items and count < page.total):
            raise Drift(f"it has {count} items, and a total of {page.total}")


def compare(items: Sequence[Any], last: ServicePage[Any]) -> None:
    """Raises Drift unless a list still is what it was, as its last item shows."""
    if last.total != len(items):
        raise Drift(f"its total was {len(items)} and is {last.total}")
    # Not just the last one: those of one time may stand in any order.
    if not {id_of(each) for each in last.items} <= {id_of(each) for each in items}:
        raise Drift("its last item is a new one")
