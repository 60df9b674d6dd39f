"""One list read whole, in a pass in which nothing moved."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from mock_server.domain.limits import Limits
from mock_server.pull.asking import Asking, Tell
from mock_server.pull.branches import Branch, Drift, Pass, compare
from mock_server.pull.part_file import PartFile
from mock_server.service import GivenUp, Service, ServicePage


class Reading:
    """Reads lists; a list that changes meanwhile is read again, and that is told.

    `count` is called with the number of items so far, those of discarded passes too.
    """

    def __init__(
        self,
        service: Service,
        part: PartFile,
        asking: Asking,
        tell: Tell,
        count: Callable[[int], object],
    ) -> None:
        self._service = service
        self._part = part
        self._asking = asking
        self._tell, self._count = tell, count
        self._passes: dict[Branch, Pass] = {}
        self._again: Counter[Branch] = Counter()
        self._items = 0

    @property
    def _limits(self) -> Limits:
        return self._service.limits

    def read(self, branch: Branch) -> list[Any]:
        """All items of a list, of one pass.

        After an error it can be called again, and goes on with the page that failed.
        Raises what `Service` raises, GivenUp, and OSError of the file for pages.
        """
        while True:
            under_way = self._passes.setdefault(branch, Pass())
            try:
                while not under_way.is_over:
                    offset = len(under_way.items)
                    under_way.add(self._page(branch, offset, Limits.page_size))
            except Drift as drift:
                self.discard(branch, str(drift))
                continue
            del self._passes[branch]
            return under_way.items

    def check(self, branch: Branch, items: list[Any]) -> None:
        """Ask for the last item of a list again. Raises Drift, and as `read`."""
        compare(items, self._page(branch, max(0, len(items) - 1), 1))

    def discard(self, branch: Branch, why: str) -> None:
        """What has been read of a list is to be read again. Raises GivenUp."""
        self._passes.pop(branch, None)
        # What an earlier run has seen does not count, or it could never go on.
        self._again[branch] += not self._part.waits(branch)
        changed = f"{branch} changed meanwhile: {why}"
        if self._again[branch] > self._limits.pull_passes:
            times = self._again[branch]
            ended = f"{changed} ({times} times, given up)"
            raise GivenUp(f"{ended} - at {branch.place(self._service)}")
        self._tell(f"{changed}; asked again from its start")

    def _page(self, branch: Branch, offset: int, size: int) -> ServicePage[Any]:
        page = self._part.take(branch, offset, size)
        if page is None:
            page = self._asking.ask(lambda: branch.ask(self._service, offset, size))
            self._part.add(branch, offset, size, page)
        self._items += len(page.items)
        if self._items > self._limits.pull_items:
            most = self._limits.pull_items
            raise GivenUp(f"Expected at most {most} items in all, got more")
        self._count(self._items)
        return page
