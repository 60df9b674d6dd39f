"""Requests pages of one dataset by listV2 (spec 4.2), and caches them."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from mock_server.domain.limits import Published
from mock_server.service.conformance import exchange

PATH = "/api/core/dataset/collection/listV2"
MAX_SIZE = Published.page_size
PAST_END = 1_000_000
"""An offset past the end of any dataset."""
Item = Mapping[str, Any]


class Lists:
    """The lists of one dataset.

    `unknown` is a text that occurs nowhere in the dataset. All methods raise
    NotObservable if the options name no dataset. Methods that return pages or items
    also raise it if the server refuses a page; `ask` returns the refusal.
    """

    def __init__(
        self, client: exchange.Client, options: exchange.VerifyOptions
    ) -> None:
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
    ) -> exchange.Response:
        """Return the response to a list request; leave out fields that are `...`."""
        if self._dataset is None:
            raise exchange.NotObservable("needs --dataset")
        all_fields = {"offset": 0, "datasetId": self._dataset, **fields}
        body = {name: value for name, value in all_fields.items() if value is not ...}
        return self._client.ask(
            method, PATH, body, key=key, token=token, is_json=is_json
        )

    def page(self, **fields: object) -> exchange.Response:
        """Return a page. Raises NotObservable if the server refuses it."""
        return self.ask(**fields).require_success()  # type: ignore[arg-type]

    def walk(self, **fields: object) -> Sequence[exchange.Response]:
        """Return all pages of a list.

        Stop at a short page, at a page without new ids, or at the limit.
        """
        pages: list[exchange.Response] = []
        seen: set[str] = set()
        while len(seen) < self._client.limits.verify_collections:
            page = self.page(offset=len(pages) * MAX_SIZE, pageSize=MAX_SIZE, **fields)
            pages.append(page)
            is_new = bool(set(page.ids) - seen)
            seen.update(page.ids)
            if not is_new or len(page.items) < MAX_SIZE:
                break
        return pages

    def finds(self, item: Item, text: str) -> bool:
        """Return whether a search for `text`, in an item's folder, finds the item."""
        pages = self.walk(searchText=text, parentId=item.get("parentId"))
        items = set(chain.from_iterable(page.ids for page in pages))
        if exchange.id_of(item) not in items and pages[0].total > len(items):
            raise exchange.NotObservable("a search has fewer items than its total")
        return exchange.id_of(item) in items

    @cached_property
    def pages(self) -> Sequence[exchange.Response]:
        """Return all pages of the list without `parentId`."""
        return self.walk()

    @cached_property
    def top_pages(self) -> Sequence[exchange.Response]:
        """Return all pages of the top level."""
        return self.walk(parentId=None)

    @cached_property
    def folder_pages(self) -> Mapping[str, exchange.Response]:
        """Return the first page of each known folder by its id, up to a limit."""
        items = [*_items(self.pages), *_items(self.top_pages)]
        ids = dict.fromkeys(
            exchange.id_of(each) for each in items if each.get("type") == "folder"
        )
        first = list(ids)[: self._client.limits.verify_folders]
        return {each: self.page(parentId=each, pageSize=MAX_SIZE) for each in first}

    @cached_property
    def items(self) -> Sequence[Item]:
        """Return every known collection once."""
        pages = *self.pages, *self.top_pages, *self.folder_pages.values()
        return list({exchange.id_of(item): item for item in _items(pages)}.values())

    @cached_property
    def top_items(self) -> Sequence[Item]:
        """Return the collections of the top level."""
        return list(_items(self.top_pages))

    @cached_property
    def largest_list(self) -> tuple[Mapping[str, object], int]:
        """Return the fields that request the largest list, and its total."""
        items: list[tuple[Mapping[str, object], int]] = [
            ({}, self.pages[0].total),
            ({"parentId": None}, self.top_pages[0].total),
        ]
        items += [
            ({"parentId": folder}, each.total)
            for folder, each in self.folder_pages.items()
        ]
        return max(items, key=lambda each: each[1])

    @cached_property
    def largest_pages(self) -> Sequence[exchange.Response]:
        """Return all pages of the largest list."""
        fields, _ = self.largest_list
        return self.walk(**fields) if fields else self.pages

    @property
    def ids(self) -> Sequence[str]:
        return [each for page in self.largest_pages for each in page.ids]

    @property
    def is_at_limit(self) -> bool:
        """Return whether the largest list was read only up to the limit."""
        return len(self.ids) >= self._client.limits.verify_collections

    def ask_largest(self, **fields: object) -> exchange.Response:
        """Return the response to a request for a page of the largest list."""
        return self.ask(**{**self.largest_list[0], **fields})  # type: ignore[arg-type]

    @cached_property
    def page_past_end(self) -> exchange.Response:
        """Return a page past the end of the largest list."""
        return self.page(**self.largest_list[0], offset=PAST_END, pageSize=MAX_SIZE)

    @cached_property
    def page_of_two(self) -> exchange.Response:
        """Return a page for pageSize 2. Raises NotObservable below 4 collections."""
        exchange.require(
            len(self.ids) >= 4, "the dataset shows fewer than 4 collections"
        )
        return self.page(**self.largest_list[0], pageSize=2)

    @cached_property
    def varies_with_fields(self) -> bool:
        """Return whether requests with different fields get different responses."""
        responses = self.page(searchText=self.unknown), self.page(pageSize=1)
        pages = *responses, self.page_past_end, self.ask(parentId=self.unknown)
        return any(each.document != self.pages[0].document for each in pages)

    @cached_property
    def refuses_wrong_list(self) -> bool:
        """Return whether the server refuses a list request without datasetId."""
        return self.ask(datasetId=...).is_refusal

    def require_varying_responses(self) -> None:
        """Raise NotObservable without collections, or if all responses are equal."""
        exchange.require(self.items, "the dataset shows no collections")
        exchange.require(
            self.varies_with_fields, "every list request gets the same response"
        )

    def require_refusals(self) -> None:
        """Raise NotObservable if the server accepts even wrong requests."""
        self.require_varying_responses()
        if not self.refuses_wrong_list:
            got = "nothing is refused, not even a list without datasetId"
            raise exchange.NotObservable(got)


def _items(pages: Sequence[exchange.Response]) -> Sequence[Item]:
    return [item for page in pages for item in page.items]
