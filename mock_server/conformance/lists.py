"""What a server shows of one dataset by listV2 (spec 4.2)."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from mock_server.conformance.answer import Answer, NotObservable, id_of
from mock_server.conformance.asker import Asker
from mock_server.domain.limits import Limits

PATH = "/api/core/dataset/collection/listV2"
SIZE = Limits.page_size
FAR = 1_000_000
"""An offset that no dataset reaches."""
Item = Mapping[str, Any]


class Lists:
    """Asks for pages of a dataset, and keeps what several checks look at.

    `unknown` is a text that nothing in the dataset has, nor is named by. Whatever is
    asked for raises NotObservable where no dataset is known, or a page is refused.
    """

    def __init__(
        self, asker: Asker, dataset: str | None, unknown: str, limits: Limits
    ) -> None:
        self._asker, self._dataset = asker, dataset
        self.unknown, self._limits = unknown, limits

    def ask(
        self,
        *,
        method: str = "POST",
        key: str | None = "",
        token: str = "",
        is_json: bool = True,
        **fields: object,
    ) -> Answer:
        """The answer to a list request; a field that is `...` is left out."""
        if self._dataset is None:
            raise NotObservable("needs --dataset")
        whole = {"offset": 0, "datasetId": self._dataset, **fields}
        body = {name: value for name, value in whole.items() if value is not ...}
        return self._asker.ask(
            method, PATH, body, key=key, token=token, is_json=is_json
        )

    def page(self, **fields: object) -> Answer:
        """A page. Raises NotObservable if it is refused."""
        answer = self.ask(**fields)  # type: ignore[arg-type]
        if not answer.is_success:
            raise NotObservable(f"got {answer.summary()} - at {answer.request}")
        return answer

    def walk(self, **fields: object) -> Sequence[Answer]:
        """Page after page to the end, or until there is nothing new, or too much."""
        pages: list[Answer] = []
        seen: set[str] = set()
        while len(seen) < self._limits.verify_collections:
            page = self.page(offset=len(pages) * SIZE, pageSize=SIZE, **fields)
            pages.append(page)
            is_new = bool(set(page.ids) - seen)
            seen.update(page.ids)
            if not is_new or len(page.items) < SIZE:
                break
        return pages

    def finds(self, item: Item, text: str) -> bool:
        """Whether a search for a text, where an item is, finds it."""
        pages = self.walk(searchText=text, parentId=item.get("parentId"))
        found = set(chain.from_iterable(page.ids for page in pages))
        if id_of(item) not in found and pages[0].total > len(found):
            raise NotObservable("not all that a search counts is on its pages")
        return id_of(item) in found

    @cached_property
    def pages(self) -> Sequence[Answer]:
        """All pages without `parentId`."""
        return self.walk()

    @cached_property
    def top_pages(self) -> Sequence[Answer]:
        """All pages of the top level."""
        return self.walk(parentId=None)

    @cached_property
    def inside(self) -> Mapping[str, Answer]:
        """The first page of some folders, by the folder's id."""
        found = [*_items(self.pages), *_items(self.top_pages)]
        ids = dict.fromkeys(id_of(each) for each in found if _is_folder(each))
        some = list(ids)[: self._limits.verify_folders]
        return {each: self.page(parentId=each, pageSize=SIZE) for each in some}

    @cached_property
    def items(self) -> Sequence[Item]:
        """Every collection that has been seen, once."""
        pages = *self.pages, *self.top_pages, *self.inside.values()
        return list({id_of(item): item for item in _items(pages)}.values())

    @cached_property
    def top(self) -> Sequence[Item]:
        """The collections of the top level."""
        return list(_items(self.top_pages))

    @cached_property
    def widest(self) -> tuple[Mapping[str, object], int]:
        """The fields that list the most collections, and how many these are."""
        found: list[tuple[Mapping[str, object], int]] = [
            ({}, self.pages[0].total),
            ({"parentId": None}, self.top_pages[0].total),
        ]
        found += [({"parentId": at}, each.total) for at, each in self.inside.items()]
        return max(found, key=lambda each: each[1])

    @cached_property
    def wide(self) -> Sequence[Answer]:
        """All pages of the part that lists the most collections."""
        fields, _ = self.widest
        return self.walk(**fields) if fields else self.pages

    @property
    def ids(self) -> Sequence[str]:
        """The ids of these pages, in order."""
        return [each for page in self.wide for each in page.ids]

    @property
    def is_cut(self) -> bool:
        """Whether there may be more on them than has been looked at."""
        return len(self.ids) >= self._limits.verify_collections

    def part(self, **fields: object) -> Answer:
        """The answer to a request for a page of that part."""
        return self.ask(**{**self.widest[0], **fields})  # type: ignore[arg-type]

    @cached_property
    def far(self) -> Answer:
        """A page past the end."""
        return self.page(**self.widest[0], offset=FAR, pageSize=SIZE)

    @cached_property
    def small(self) -> Answer:
        """A page of two. Raises NotObservable where there are not more than that."""
        if len(self.ids) < 4:
            raise NotObservable("the dataset shows fewer than 4 collections")
        return self.page(**self.widest[0], pageSize=2)

    @cached_property
    def is_listening(self) -> bool:
        """Whether different requests have different answers."""
        asked = self.page(searchText=self.unknown), self.page(pageSize=1)
        others = *asked, self.far, self.ask(parentId=self.unknown)
        return any(each.document != self.pages[0].document for each in others)

    @cached_property
    def refuses(self) -> bool:
        """Whether what cannot be carried out is refused: a list of no dataset."""
        return self.ask(datasetId=...).is_refusal

    def check_listening(self) -> None:
        """Raises NotObservable where the requests make no difference."""
        if not self.items:
            raise NotObservable("the dataset shows no collections")
        if not self.is_listening:
            raise NotObservable("every list request has the same answer")

    def check_refusing(self) -> None:
        """Raises NotObservable where to be served means nothing."""
        self.check_listening()
        if not self.refuses:
            raise NotObservable("nothing is refused, not even a list without datasetId")


def _is_folder(item: Item) -> bool:
    return item.get("type") == "folder"


def _items(pages: Sequence[Answer]) -> Sequence[Item]:
    return [item for page in pages for item in page.items]
