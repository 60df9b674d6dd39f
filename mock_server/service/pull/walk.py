"""Reads the lists of a real service, folder by folder and page by page.

If a list fails in all its tries, it is read again at the end. If a list changes while
it is read, the walk starts again.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec import Struct

from mock_server.control.http_call import Unreachable, UnusableResponse
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.messages import quoted
from mock_server.service.pull.lists import (
    ListedChat,
    ListedCollection,
    ListRef,
    NoRoute,
    PermanentFailure,
    ServiceClient,
    ServicePage,
    ServiceRefused,
)

FOLDER = "folder"
"""The collection type whose content is always listed."""
# Codes for a deleted list: the HTTP status, and FastGPT's for folder and collection.
_GONE = 404, 501_002, 501_003
# The length of the pause before the second round, in `pull_backoff_seconds`.
_ROUND_PAUSES = 8


Lists = dict[ListRef, list[Any]]
"""The items of each list, in the order of the service."""


class Selection(Struct, frozen=True):
    """The datasets and apps to pull, by id; `rows` adds the data rows."""

    datasets: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    rows: bool = False


class ListChanged(Exception):
    """A list changed while it was read; the text says how."""

    def __init__(self, list_ref: ListRef, reason: str) -> None:
        super().__init__(f"{list_ref} changed meanwhile: {reason}")
        self.list_ref = list_ref


ReportCount = Callable[[int], object]


def pull(
    service: ServiceClient,
    selection: Selection,
    report_count: ReportCount = lambda _: None,
) -> Lists:
    """Return all lists of the selection.

    `report_count` gets the number of items so far; the service's `report` gets a line
    for each problem. Raises Unreachable, UnusableResponse and ServiceRefused.
    """
    passes_left = service.limits.pull_passes
    while True:
        try:
            return Walk(service, selection, report_count).run()
        except ListChanged as change:
            passes_left -= 1
            if not passes_left:
                place = service.request_text(change.list_ref)
                passes = f"{service.limits.pull_passes} times, given up"
                raise PermanentFailure(f"{change} ({passes}) - at {place}") from None
            service.report(f"{change}; the pull begins again")


class Walk:
    """One pass over all lists of the selection; it ends if a list changes meanwhile."""

    def __init__(
        self, service: ServiceClient, selection: Selection, report_count: ReportCount
    ) -> None:
        self._service, self._selection = service, selection
        self._report_count = report_count
        self._limits = service.limits
        self._queue: deque[ListRef] = deque()
        self._depths: dict[ListRef, int] = {}
        self._lists: Lists = {}
        # The list that contains each collection, by dataset id and collection id.
        self._list_of: dict[tuple[str, str], ListRef] = {}
        # The datasets in which every collection is listed like a folder.
        self._with_all_content: set[str] = set()
        self._missing_kinds: set[str] = set()
        self._items = 0

    def run(self) -> Lists:
        """Return all lists of the selection. Raises ListChanged, and as `pull` does."""
        datasets = dict.fromkeys(self._selection.datasets)
        self._queue.extend(ListRef("collections", each) for each in datasets)
        self._queue.extend(
            ListRef("chats", each) for each in dict.fromkeys(self._selection.apps)
        )
        first = self._queue[0]
        self._finish(first)
        self._queue.extend(ListRef("total", each) for each in datasets)
        self._finish(first)
        return self._lists

    def _finish(self, first: ListRef) -> None:
        pause = _ROUND_PAUSES * self._limits.pull_backoff_seconds
        for rounds_left in reversed(range(self._limits.pull_rounds + 1)):
            failed = self._round(is_last=not rounds_left)
            if not failed:
                return
            self._queue.extend(failed)
            self._service.sleep(pause)
            pause *= 2
            # Send another request, so that no page is requested twice in a row.
            with suppress(Unreachable, UnusableResponse, ServiceRefused):
                self._service.page(first, 0, 1)

    def _round(self, *, is_last: bool) -> list[ListRef]:
        """Read lists until the queue is empty; return the lists that failed."""
        failed: list[ListRef] = []
        while self._queue:
            list_ref = self._queue.popleft()
            try:
                self._walk(list_ref)
            except (Unreachable, UnusableResponse) as error:
                if is_last or not self._service.may_recover(error):
                    raise
                self._service.report(f"put off to the end: {list_ref}")
                failed.append(list_ref)
        return failed

    def _walk(self, list_ref: ListRef) -> None:
        if list_ref.kind in self._missing_kinds or list_ref in self._lists:
            return
        try:
            if list_ref.kind == "total":
                self._compare_total(list_ref)
                return
            items = self._lists[list_ref] = self._read(list_ref)
        except NoRoute:
            had_some = any(each.kind == list_ref.kind for each in self._lists)
            if had_some or list_ref.kind not in ("chats", "rows"):
                raise
            self._missing_kinds.add(list_ref.kind)
            missing = f"the service has no list of {list_ref.kind}"
            self._service.report(f"{missing}: they are left out")
        except ServiceRefused as error:
            if error.code not in _GONE or list_ref.parent_id is None:
                raise
            raise ListChanged(list_ref, "it has gone") from None
        else:
            if list_ref.kind == "collections":
                self._queue_content(list_ref, items)

    def _read(self, list_ref: ListRef) -> list[Any]:
        """Read all items of a list, page by page. Raises ListChanged."""
        items: list[Any] = []
        ids: set[str] = set()
        total: int | None = None
        while len(items) != total:
            page = self._page(list_ref, len(items))
            if total not in (None, page.total):
                raise ListChanged(
                    list_ref, f"its total was {total} and is {page.total}"
                )
            total = page.total
            for each in page.items:
                if (item_id := _id_of(each)) in ids:
                    raise ListChanged(list_ref, f"{quoted(item_id)} is in it twice")
                ids.add(item_id)
            items += page.items
            if len(items) > total or (not page.items and len(items) < total):
                reason = f"it has {len(items)} items, and a total of {total}"
                raise ListChanged(list_ref, reason)
        return items

    def _page(self, list_ref: ListRef, offset: int) -> ServicePage[Any]:
        page = self._service.page(list_ref, offset, Published.page_size)
        self._items += len(page.items)
        if self._items > self._limits.pull_items:
            limit = self._limits.pull_items
            raise PermanentFailure(f"Expected at most {limit} items in all, got more")
        self._report_count(self._items)
        return page

    def _queue_content(self, list_ref: ListRef, items: list[ListedCollection]) -> None:
        """Queue the lists below these items.

        Raises ListChanged if a collection is in two lists.
        """
        for each in items:
            place = self._list_of.setdefault((list_ref.owner_id, each.id), list_ref)
            if place != list_ref:
                raise ListChanged(
                    list_ref, f"{quoted(each.id)} is in it, and in {place}"
                )
            is_folder = each.type == FOLDER
            if is_folder or list_ref.owner_id in self._with_all_content:
                self._queue_below(
                    list_ref, ListRef("collections", list_ref.owner_id, each.id)
                )
            if self._selection.rows and not is_folder and each.data_amount:
                self._queue.append(ListRef("rows", list_ref.owner_id, each.id))

    def _queue_below(self, list_ref: ListRef, child: ListRef) -> None:
        depth = self._depths[child] = self._depths.get(list_ref, 0) + 1
        if depth > DEFAULT_LIMITS.folder_depth:
            limit = DEFAULT_LIMITS.folder_depth
            raise PermanentFailure(
                f"Expected at most {limit} nested folders, got more: {child}"
            )
        self._queue.append(child)

    def _compare_total(self, list_ref: ListRef) -> None:
        """Compare the total of a dataset with its collections that were found.

        If some are missing, queue the content of every collection. A request without a
        folder counts all levels or, in some services, only the top.
        """
        total, dataset = 0, list_ref.owner_id
        with suppress(ServiceRefused):
            total = self._service.page(list_ref, 0, 1).total
        lists = {
            each: items
            for each, items in self._lists.items()
            if (each.kind, each.owner_id) == ("collections", dataset)
        }
        count = sum(map(len, lists.values()))
        if total <= count or total == len(lists[ListRef("collections", dataset)]):
            return
        self._service.report(
            f"the service counts {total} collections of dataset "
            f"{quoted(dataset)}, {count} are in folders: the content of all "
            "others is listed too"
        )
        self._with_all_content.add(dataset)
        for each, items in lists.items():
            self._queue_content(each, items)


def _id_of(item: Any) -> str:
    own_id: str = item.chat_id if isinstance(item, ListedChat) else item.id
    return own_id
