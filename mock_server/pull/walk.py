"""The walk through a service: folder by folder, page by page.

What fails after several tries is put off until the rest is done.
"""

from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from mock_server.domain.errors import quoted
from mock_server.http_call import Unfit, Unreachable
from mock_server.pull.asking import Asking, Sleep, Tell
from mock_server.pull.branches import Branch, Drift, Lists, Wanted, id_of
from mock_server.pull.part_file import PartFile
from mock_server.pull.reading import Reading
from mock_server.service import Declined, GivenUp, NoRoute, Service

FOLDER = "folder"
"""The type of the collections that are always asked for what is in them."""
# By HTTP; a folder and a collection by the service's business codes.
_GONE = 404, 501_002, 501_003
# The pause before the second round, in first pauses between two tries.
_ROUND_PAUSES = 8


class Walk:
    """Pulls what is wanted; `tell` gets a line for all that does not go smoothly."""

    def __init__(
        self,
        service: Service,
        part: PartFile,
        *,
        sleep: Sleep,
        tell: Tell,
        count: Callable[[int], object] = lambda _: None,
    ) -> None:
        self._service = service
        self._limits = service.limits
        self._sleep, self._tell = sleep, tell
        self._asking = Asking(service.limits, sleep, tell)
        self._reading = Reading(service, part, self._asking, tell, count)
        self._queue: deque[Branch] = deque()
        self._depths: dict[Branch, int] = {}
        # How many rows collections have, as the lists say in which they stand.
        self._amounts: dict[Branch, int] = {}
        self._lists: Lists = {}
        # Where a collection stands, by its dataset and its id.
        self._places: dict[tuple[str, str], Branch] = {}
        # Datasets of which every collection is asked for what is in it.
        self._searched: set[str] = set()
        self._left_out: set[str] = set()
        # What a list was may be gone by the end, and one page alone has nothing to
        # compare it with: so each list is looked at again then.
        self._unsure: dict[Branch, None] = {}
        self._has_rows = False

    def run(self, wanted: Wanted) -> Lists:
        """All lists that are wanted; some may not be part of the tree any longer.

        Raises Unreachable, Unfit and Declined, and OSError if the file for pages cannot
        be written.
        """
        self._has_rows = wanted.rows
        self._finish(wanted.branches())
        for dataset in dict.fromkeys(wanted.datasets):
            self._finish([Branch("total", dataset)])
        return self._lists

    def _finish(self, branches: list[Branch]) -> None:
        """Walk these, and what they lead to."""
        self._queue.extend(branches)
        pause = _ROUND_PAUSES * self._limits.pull_backoff_seconds
        for left in reversed(range(self._limits.pull_rounds + 1)):
            failed = self._round(is_last=not left)
            if not failed:
                return
            # Another request too, so that no page is asked for again and again.
            self._sleep(pause)
            pause *= 2
            with suppress(Unreachable, Unfit, Declined):
                branches[0].ask(self._service, 0, 1)
            self._queue.extend(failed)

    def _round(self, *, is_last: bool) -> list[Branch]:
        """Walk until nothing is queued; gives what has failed, to be tried again."""
        failed: list[Branch] = []
        while True:
            if not self._queue:
                self._queue.extend(each for each in self._unsure if each not in failed)
            if not self._queue:
                return failed
            branch = self._queue.popleft()
            try:
                self._walk(branch)
            except (Unreachable, Unfit) as error:
                if is_last or not self._asking.may_come_back(error):
                    raise
                self._tell(f"put off to the end: {branch}")
                failed.append(branch)

    def _walk(self, branch: Branch) -> None:
        if branch.kind in self._left_out:
            return
        try:
            if branch.kind == "total":
                self._compare(branch.of)
            elif branch not in self._lists:
                self._read(branch)
            elif branch in self._unsure:
                self._reading.check(branch, self._lists[branch])
                del self._unsure[branch]
        except Drift as drift:
            self._read_again(branch, str(drift))
        except NoRoute:
            had_some = any(each.kind == branch.kind for each in self._lists)
            if had_some or branch.kind not in ("chats", "rows"):
                raise
            self._left_out.add(branch.kind)
            self._tell(f"the service has no list of {branch.kind}: they are left out")
        except Declined as error:
            if error.code not in _GONE or branch.within is None:
                raise
            self._unsure.pop(branch, None)
            self._read_above(branch)

    def _read(self, branch: Branch) -> None:
        items = self._lists[branch] = self._reading.read(branch)
        if len(items) != self._amounts.get(branch):
            self._unsure[branch] = None
        if branch.kind == "collections":
            self._branch_out(branch, items)

    def _branch_out(self, branch: Branch, items: Iterable[Any]) -> None:
        """Queue what is below the items of a list, if none of them is elsewhere too."""
        moved = [
            (each.id, place)
            for each in items
            if (place := self._places.setdefault((branch.of, each.id), branch))
            != branch
        ]
        for own, place in moved:
            why = f"{quoted(own)} stands in it, and in {{}}"
            for here, there in ((branch, place), (place, branch)):
                if here in self._lists:
                    self._read_again(here, why.format(there))
        if moved:
            return
        for each in items:
            is_folder = each.type == FOLDER
            if is_folder or branch.of in self._searched:
                self._queue_below(branch, Branch("collections", branch.of, each.id))
            if self._has_rows and not is_folder and each.data_amount:
                rows = Branch("rows", branch.of, each.id)
                self._amounts[rows] = each.data_amount
                self._queue.append(rows)

    def _queue_below(self, branch: Branch, below: Branch) -> None:
        depth = self._depths[below] = self._depths.get(branch, 0) + 1
        if depth > self._limits.folder_depth:
            most = self._limits.folder_depth
            raise GivenUp(f"Expected at most {most} nested folders, got more: {below}")
        self._queue.append(below)

    def _read_above(self, branch: Branch) -> None:
        """A folder or collection has gone: read again the list where it stood."""
        own = branch.within or ""
        place = self._places.get((branch.of, own))
        if place in self._lists:
            self._read_again(place, f"{quoted(own)} has gone")

    def _read_again(self, branch: Branch, why: str) -> None:
        self._reading.discard(branch, why)
        self._unsure.pop(branch, None)
        for each in self._lists.pop(branch):
            if self._places.get((branch.of, id_of(each))) == branch:
                del self._places[branch.of, id_of(each)]
        self._queue.append(branch)

    def _compare(self, dataset: str) -> None:
        """Look for collections below others than folders.

        Services count all levels, or the top one only, if a request names none.
        """
        try:
            total = self._asking.ask(lambda: self._service.total(dataset))
        except Declined:
            return
        lists = {
            each: items
            for each, items in self._lists.items()
            if (each.kind, each.of) == ("collections", dataset)
        }
        found = sum(map(len, lists.values()))
        if total <= found or total == len(lists[Branch("collections", dataset)]):
            return
        self._tell(
            f"the service counts {total} collections of dataset "
            f"{quoted(dataset)}, {found} are in folders: all others are asked "
            "for what is in them"
        )
        self._searched.add(dataset)
        for each, items in lists.items():
            self._branch_out(each, items)
