"""What a server shows of one dataset by listV2 (spec 4.2)."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from mock_server.domain.limits import Published
from mock_server.service.conformance import exchange

PATH = "/api/core/dataset/collection/listV2"
SIZE = Published.page_size
FAR = 1_000_000
"""An offset that no dataset reaches."""
Item = Mapping[str, Any]


class Lists:
    """Asks for pages of a dataset, and keeps what several checks look at.

    `unknown` is a text that nothing in the dataset has, nor is named by. Whatever is
    asked for raises NotObservable where no dataset is known, or a page is refused.
    """

    def __init__(self, client: exchange.Client, options: exchange.Options) -> None:
        self._client, self._dataset = client, options.dataset
        self.unknown = options.unknown

    def ask(
        self,
        *,
        method: str = "POST",
        key: str | None = "",
        token: str = "",
        is_json: bool = True,
        **fields: object,
    ) -> exchange.Answer:
        """The answer to a list request; a field that is `...` is left out."""
        if self._dataset is None:
            raise exchange.NotObservable("needs --dataset")
        whole = {"offset": 0, "datasetId": self._dataset, **fields}
        body = {name: value for name, value in whole.items() if value is not ...}
        return self._client.ask(
            method, PATH, body, key=key, token=token, is_json=is_json
        )

    def page(self, **fields: object) -> exchange.Answer:
        """A page. Raises NotObservable if it is refused."""
        return self.ask(**fields).good()  # type: ignore[arg-type]

    def walk(self, **fields: object) -> Sequence[exchange.Answer]:
        """Page after page to the end, or until there is nothing new, or too much."""
        pages: list[exchange.Answer] = []
        seen: set[str] = set()
        while len(seen) < self._client.limits.verify_collections:
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
        if exchange.id_of(item) not in found and pages[0].total > len(found):
            raise exchange.NotObservable("not all that a search counts is on its pages")
        return exchange.id_of(item) in found

    @cached_property
    def pages(self) -> Sequence[exchange.Answer]:
        """All pages without `parentId`."""
        return self.walk()

    @cached_property
    def top_pages(self) -> Sequence[exchange.Answer]:
        """All pages of the top level."""
        return self.walk(parentId=None)

    @cached_property
    def inside(self) -> Mapping[str, exchange.Answer]:
        """The first page of some folders, by the folder's id."""
        found = [*_items(self.pages), *_items(self.top_pages)]
        ids = dict.fromkeys(
            exchange.id_of(each) for each in found if each.get("type") == "folder"
        )
        some = list(ids)[: self._client.limits.verify_folders]
        return {each: self.page(parentId=each, pageSize=SIZE) for each in some}

    @cached_property
    def items(self) -> Sequence[Item]:
        """Every collection that has been seen, once."""
        pages = *self.pages, *self.top_pages, *self.inside.values()
        return list({exchange.id_of(item): item for item in _items(pages)}.values())

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
    def wide(self) -> Sequence[exchange.Answer]:
        """All pages of the part that lists the most collections."""
        fields, _ = self.widest
        return self.walk(**fields) if fields else self.pages

    @property
    def ids(self) -> Sequence[str]:
        return [each for page in self.wide for each in page.ids]

    @property
    def is_cut(self) -> bool:
        """Whether there may be more on them than has been looked at."""
        return len(self.ids) >= self._client.limits.verify_collections

    def part(self, **fields: object) -> exchange.Answer:
        """The answer to a request for a page of that part."""
        return self.ask(**{**self.widest[0], **fields})  # type: ignore[arg-type]

    @cached_property
    def far(self) -> exchange.Answer:
        """A page past the end."""
        return self.page(**self.widest[0], offset=FAR, pageSize=SIZE)

    @cached_property
    def small(self) -> exchange.Answer:
        """A page of two. Raises NotObservable where there are not more than that."""
        exchange.needs(len(self.ids) >= 4, "the dataset shows fewer than 4 collections")
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
        exchange.needs(self.items, "the dataset shows no collections")
        exchange.needs(self.is_listening, "every list request has the same answer")

    def check_refusing(self) -> None:
        """Raises NotObservable where to be served means nothing."""
        self.check_listening()
        if not self.refuses:
            got = "nothing is refused, not even a list without datasetId"
            raise exchange.NotObservable(got)


def _items(pages: Sequence[exchange.Answer]) -> Sequence[Item]:
    return [item for page in pages for item in page.items]
