"""Read the lists of a real service: folder by folder, page by page.

A list that fails after several tries is read again at the end. If a list changes
meanwhile, the walk starts again.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec import Struct

from mock_server.control.http_call import Unfit, Unreachable
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.messages import quoted
from mock_server.service.pull.lists import (
    Branch,
    Declined,
    GivenUp,
    ListedChat,
    ListedCollection,
    NoRoute,
    Service,
    ServicePage,
)

FOLDER = "folder"
"""The collection type whose content is always listed."""
# Not found: the HTTP status, and the service's codes for a folder and a collection.
_GONE = 404, 501_002, 501_003
# The pause before the second round, in multiples of `pull_backoff_seconds`.
_ROUND_PAUSES = 8


Lists = dict[Branch, list[Any]]
"""The items of each list, in the service's order."""


class Wanted(Struct, frozen=True):
    """The datasets and apps to pull, by id; `rows` adds the data rows."""

    datasets: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()
    rows: bool = False


class Drift(Exception):
    """A list changed while it was read; the text says how."""

    def __init__(self, branch: Branch, why: str) -> None:
        super().__init__(f"{branch} changed meanwhile: {why}")
        self.branch = branch


Count = Callable[[int], object]


def pull(service: Service, wanted: Wanted, count: Count = lambda _: None) -> Lists:
    """Return all wanted lists; `count` gets the number of items so far.

    The service's `tell` gets a line for each problem. Raises Unreachable, Unfit and
    Declined.
    """
    times = service.limits.pull_passes
    while True:
        try:
            return Walk(service, wanted, count).run()
        except Drift as drift:
            times -= 1
            if not times:
                place = service.place(drift.branch)
                passes = f"{service.limits.pull_passes} times, given up"
                raise GivenUp(f"{drift} ({passes}) - at {place}") from None
            service.tell(f"{drift}; the pull begins again")


class Walk:
    """One pass over all wanted lists; a list that changes meanwhile ends it."""

    def __init__(self, service: Service, wanted: Wanted, count: Count) -> None:
        self._service, self._wanted, self._count = service, wanted, count
        self._limits = service.limits
        self._queue: deque[Branch] = deque()
        self._depths: dict[Branch, int] = {}
        self._lists: Lists = {}
        # The list that has a collection, by dataset id and collection id.
        self._places: dict[tuple[str, str], Branch] = {}
        # Datasets in which every collection is listed like a folder.
        self._searched: set[str] = set()
        self._left_out: set[str] = set()
        self._items = 0

    def run(self) -> Lists:
        """Return all wanted lists. Raises Drift, and the errors of `pull`."""
        datasets = dict.fromkeys(self._wanted.datasets)
        self._queue.extend(Branch("collections", each) for each in datasets)
        self._queue.extend(Branch("chats", e) for e in dict.fromkeys(self._wanted.apps))
        first = self._queue[0]
        self._finish(first)
        self._queue.extend(Branch("total", each) for each in datasets)
        self._finish(first)
        return self._lists

    def _finish(self, first: Branch) -> None:
        pause = _ROUND_PAUSES * self._limits.pull_backoff_seconds
        for left in reversed(range(self._limits.pull_rounds + 1)):
            put_off = self._round(is_last=not left)
            if not put_off:
                return
            self._queue.extend(put_off)
            self._service.sleep(pause)
            pause *= 2
            # Another request in between, so that no page is requested again and again.
            with suppress(Unreachable, Unfit, Declined):
                self._service.page(first, 0, 1)

    def _round(self, *, is_last: bool) -> list[Branch]:
        """Walk until the queue is empty; return the lists that failed."""
        failed: list[Branch] = []
        while self._queue:
            branch = self._queue.popleft()
            try:
                self._walk(branch)
            except (Unreachable, Unfit) as error:
                if is_last or not self._service.may_come_back(error):
                    raise
                self._service.tell(f"put off to the end: {branch}")
                failed.append(branch)
        return failed

    def _walk(self, branch: Branch) -> None:
        if branch.kind in self._left_out or branch in self._lists:
            return
        try:
            if branch.kind == "total":
                self._compare(branch)
                return
            items = self._lists[branch] = self._read(branch)
        except NoRoute:
            had_some = any(each.kind == branch.kind for each in self._lists)
            if had_some or branch.kind not in ("chats", "rows"):
                raise
            self._left_out.add(branch.kind)
            missing = f"the service has no list of {branch.kind}"
            self._service.tell(f"{missing}: they are left out")
        except Declined as error:
            if error.code not in _GONE or branch.within is None:
                raise
            raise Drift(branch, "it has gone") from None
        else:
            if branch.kind == "collections":
                self._branch_out(branch, items)

    def _read(self, branch: Branch) -> list[Any]:
        """Return all items of a list, page by page. Raises Drift if pages disagree."""
        items: list[Any] = []
        ids: set[str] = set()
        total: int | None = None
        while len(items) != total:
            page = self._page(branch, len(items))
            if total not in (None, page.total):
                raise Drift(branch, f"its total was {total} and is {page.total}")
            total = page.total
            for each in page.items:
                if (own := _id_of(each)) in ids:
                    raise Drift(branch, f"{quoted(own)} is in it twice")
                ids.add(own)
            items += page.items
            if len(items) > total or (not page.items and len(items) < total):
                why = f"it has {len(items)} items, and a total of {total}"
                raise Drift(branch, why)
        return items

    def _page(self, branch: Branch, offset: int) -> ServicePage[Any]:
        page = self._service.page(branch, offset, Published.page_size)
        self._items += len(page.items)
        if self._items > self._limits.pull_items:
            most = self._limits.pull_items
            raise GivenUp(f"Expected at most {most} items in all, got more")
        self._count(self._items)
        return page

    def _branch_out(self, branch: Branch, items: list[ListedCollection]) -> None:
        """Queue the lists below these items. Raises Drift if a collection has moved."""
        for each in items:
            place = self._places.setdefault((branch.of, each.id), branch)
            if place != branch:
                raise Drift(branch, f"{quoted(each.id)} is in it, and in {place}")
            is_folder = each.type == FOLDER
            if is_folder or branch.of in self._searched:
                self._queue_below(branch, Branch("collections", branch.of, each.id))
            if self._wanted.rows and not is_folder and each.data_amount:
                self._queue.append(Branch("rows", branch.of, each.id))

    def _queue_below(self, branch: Branch, below: Branch) -> None:
        depth = self._depths[below] = self._depths.get(branch, 0) + 1
        if depth > DEFAULT_LIMITS.folder_depth:
            most = DEFAULT_LIMITS.folder_depth
            raise GivenUp(f"Expected at most {most} nested folders, got more: {below}")
        self._queue.append(below)

    def _compare(self, branch: Branch) -> None:
        """Queue the content of every collection if some are missing in the folders.

        Without a folder in the request, a service counts all levels, or only the top.
        """
        total, dataset = 0, branch.of
        with suppress(Declined):
            total = self._service.page(branch, 0, 1).total
        lists = {
            each: items
            for each, items in self._lists.items()
            if (each.kind, each.of) == ("collections", dataset)
        }
        found = sum(map(len, lists.values()))
        if total <= found or total == len(lists[Branch("collections", dataset)]):
            return
        self._service.tell(
            f"the service counts {total} collections of dataset "
            f"{quoted(dataset)}, {found} are in folders: the content of all "
            "others is listed too"
        )
        self._searched.add(dataset)
        for each, items in lists.items():
            self._branch_out(each, items)


def _id_of(item: Any) -> str:
    found: str = item.chat_id if isinstance(item, ListedChat) else item.id
    return found
