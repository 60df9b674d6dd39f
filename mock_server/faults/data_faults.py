"""The kinds of faults in data: a lost write, and wrong pages of lists.

A page is a response whose `data` has `list` and `total`. Faults find items of other pages in the
list that the outcome names. If it names none, as for an answer of a test, the page is all there is.
"""

from contextlib import suppress
from random import Random
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct, field
from starlette.responses import Response

from mock_server.decoding.json_values import NOT_JSON
from mock_server.faults.fault import Fault
from mock_server.rules.rule import Candidate, Count
from mock_server.service.call import Call, Listing
from mock_server.service.handling import Handling
from mock_server.store.objects import pick

ItemCount = Annotated[int, Meta(ge=1, le=100)]
Item = dict[str, Any]


class DecodedPage(Struct):
    """The page of a response."""

    envelope: dict[str, Any]
    """The body as it was sent."""
    items: list[Item]
    """The items in the order of the list, which may be the reverse of that on the page."""
    total: int
    listing: Listing


class LostWrite(Fault, tag="lost_write", frozen=True):
    """A write succeeds and is not stored."""

    acts_on = "writes"
    phase: Literal["before"] = "before"
    """`after` is not possible: the write would be stored."""

    def applies(self, handling: Handling) -> bool:
        return handling.outcome().changes_account

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        return await handling.commit_outcome(stores_account=False)


class PageFault(Fault, frozen=True):
    """A fault that changes a page, and leaves other responses alone."""

    acts_on = "pages"

    def applies(self, handling: Handling) -> bool:
        return decode_page(handling.outcome()) is not None

    async def apply(self, firing: Candidate[Fault], handling: Handling) -> Response:
        response = await handling.commit_outcome()
        page = decode_page(handling.outcome())
        if page is None:
            return response
        self.change(page, firing.random)
        if page.listing.is_reversed:
            page.items.reverse()
        data = page.envelope["data"]
        # The total keeps the form in which it was sent.
        changed = data | {"list": page.items, "total": type(data["total"])(page.total)}
        response.body = msgspec.json.encode(page.envelope | {"data": changed})
        response.headers["content-length"] = str(len(response.body))
        return response

    def change(self, page: DecodedPage, random: Random) -> None:
        raise NotImplementedError


class WrongTotal(PageFault, tag="wrong_total", frozen=True):
    """The total of a page is off."""

    by: int = 1

    def change(self, page: DecodedPage, random: Random) -> None:
        page.total = max(0, page.total + self.by)


class Alter(PageFault, tag="alter", frozen=True):
    """Fields of every item of a page are set, or removed."""

    added: dict[str, Any] = field(default={}, name="set")
    removed: tuple[str, ...] = field(default=(), name="remove")

    def __post_init__(self) -> None:
        if not self.added and not self.removed:
            raise ValueError("Expected set or remove")

    def change(self, page: DecodedPage, random: Random) -> None:
        for item in page.items:
            item.update(self.added)
            for name in self.removed:
                item.pop(name, None)


class DuplicateItem(PageFault, tag="duplicate_item", frozen=True):
    """A page begins with the last item of the page before; page one repeats its first item."""

    def change(self, page: DecodedPage, random: Random) -> None:
        listing = page.listing
        repeated = max(0, listing.offset - 1)
        # A page past the end of its list has no page before it that is full.
        if repeated < len(listing.items):
            page.items = [listing.item(repeated), *page.items][: listing.size]


class PageDrift(PageFault, tag="page_drift", frozen=True):
    """The list has changed since the page before: items have appeared or vanished at an index."""

    at: Count = 0
    insert: ItemCount | None = None
    remove: ItemCount | None = None

    def __post_init__(self) -> None:
        if (self.insert is None) == (self.remove is None):
            raise ValueError("Expected insert or remove")

    def change(self, page: DecodedPage, random: Random) -> None:
        listing = page.listing
        count = len(listing.items)
        at = min(self.at, count)
        inserted = self.insert or 0
        removed = min(self.remove or 0, count - at)
        # The changed list, by the indexes of its items in the old list; new items have none.
        indexes = [*range(at), *[None] * inserted, *range(at + removed, count)]
        # New items are made like the one before them.
        sample: Item = {}
        if count:
            sample = listing.item(max(0, at - 1))
        # An answer that lists nothing does not tell how many its pages have.
        end = listing.offset + (listing.size or inserted)
        page.items = []
        for number, index in enumerate(indexes[listing.offset : end], listing.offset):
            if index is None:
                page.items.append(new_item(sample, number, random))
            else:
                page.items.append(listing.item(index))
        page.total += inserted - removed


AnyDataFault = LostWrite | WrongTotal | Alter | DuplicateItem | PageDrift


def new_item(sample: Item, index: int, random: Random) -> Item:
    """An item like another one, with ids and a name of its own."""
    item = sample or {"_id": "", "name": ""}
    ids = pick(item, ("_id", "id", "dataId", "chatId"))
    own_ids = {name: f"{random.getrandbits(96):024x}" for name in ids}
    return item | own_ids | dict.fromkeys(pick(item, ("name", "title")), f"New item {index}")


def decode_page(outcome: Call) -> DecodedPage | None:
    """The page of an outcome; None for a response that is not a page.

    An operation names the list of its page. The answer of a test is a page if it looks like one.
    """
    if outcome.listing is None and not outcome.is_answered:
        return None
    envelope: Any = None
    with suppress(*NOT_JSON):
        envelope = msgspec.json.decode(outcome.response.body)
    match envelope:
        case {"code": 200, "data": {"list": list() as items, "total": int() | str() as total}}:
            if str(total).isdecimal() and all(isinstance(it, dict) for it in items):
                listing = outcome.listing or Listing(items, 0, len(items), lambda it: it)
                if listing.is_reversed:
                    items = items[::-1]
                return DecodedPage(envelope, items, int(total), listing)
    return None
