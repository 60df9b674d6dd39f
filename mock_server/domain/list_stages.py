"""A list request carried out stage by stage, to see what each stage keeps out.

Nothing is filtered here: what is left, and whether a stage lets a collection pass,
comes from the functions that list.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain.access import Caller, Level
from mock_server.domain.choices import Choices
from mock_server.domain.dataset import Tree
from mock_server.domain.errors import DatasetNotFound, Refusal, describe_value, quoted
from mock_server.domain.index import ANYWHERE, SORT_KEYS, Listed, Search
from mock_server.domain.list_request import ListV2, part_of, search_of
from mock_server.domain.listing import Page, list_v2
from mock_server.domain.records import Collection
from mock_server.domain.state import State

STAGES = (
    "dataset",
    "permission",
    "folder",
    "search",
    "selectFolder",
    "filterTags",
    "page",
)
"""All stages, in the order in which they are applied."""
Fields = Mapping[str, object]
"""The fields of the body of a list request, by their names in JSON."""
_OWNER = Caller("")


class Reader(Struct, frozen=True):
    """How requests are read and their callers known: as those that clients send.

    Both functions raise a Refusal.
    """

    read: Callable[[Fields, Choices], ListV2]
    authorize: Callable[[str, State], Caller]


class Ask(Struct, frozen=True):
    """A request with its key (None: an owner's) and the choices in force for it."""

    fields: Fields
    choices: Choices
    key: str | None = None


class Stages:
    """What a request shows of a dataset, and of the collection `item_id` in it.

    Raises Refusal for fields that are refused, and for a dataset that there is not.
    """

    def __init__(
        self, state: State, reader: Reader, ask: Ask, item_id: str | None = None
    ) -> None:
        # Notes of its own: no client has sent this request.
        self.state = replace(state, choices=ask.choices, notes=[])
        self.ask, self.choices, self.item_id = ask, ask.choices, item_id
        self.request = reader.read(ask.fields, ask.choices)
        dataset = state.store.dataset(self.request.dataset_id)
        if dataset is None:
            names = ", ".join(quoted(each.id) for each in state.store.datasets()[:20])
            hint = f"there are {names}" if names else "there is none"
            got = describe_value(self.request.dataset_id)
            raise DatasetNotFound("the id of a dataset", got, "dataset", hint)
        self.dataset = dataset
        self.item = None if item_id is None else dataset.tree.get(item_id)
        self.within = part_of(self.request, self.choices)
        self._reader = reader

    @cached_property
    def outcome(self) -> Page[Collection] | Refusal:
        """What a client would get."""
        try:
            return list_v2(self.state, self._caller(), self.request)
        except Refusal as refusal:
            return refusal

    @cached_property
    def may_read(self) -> bool:
        """Whether the key is known, and may read the dataset."""
        try:
            return self.dataset.level_of(self._caller()) >= Level.READ
        except Refusal:
            return False

    @property
    def shows(self) -> bool:
        """Whether a client would get the item, or without one anything."""
        if isinstance(self.outcome, Refusal):
            return False
        items = self.outcome.items
        return bool(items) if self.item_id is None else self.item in items

    @cached_property
    def left(self) -> list[Sequence[Collection]]:
        """What is left after folder, search, selectFolder and filterTags."""
        order = self.choices.list_order
        listing = self.dataset.tree.listing(self.within, order)
        found = [listing.items]
        for _, alone, sofar in self._searches():
            # What is not asked for leaves all that is there.
            found.append(self._find(listing, sofar) if alone else found[-1])
        return found

    @property
    def matching(self) -> Sequence[Collection]:
        """All that match, whoever may read them."""
        return self.left[-1]

    @cached_property
    def keepers(self) -> frozenset[str]:
        """The stages each of which by itself keeps the item out, the page apart."""
        if self.item is None:
            return frozenset(["dataset"])
        # A dataset of this collection alone, listed in the same way.
        tree, order = Tree((self.item,)), self.choices.list_order
        found = set() if self.may_read else {"permission"}
        if not tree.listing(self.within, order).items:
            found.add("folder")
        listing = tree.listing(ANYWHERE, order)
        for name, alone, _ in self._searches():
            if alone is not None and not self._find(listing, alone):
                found.add(name)
        return frozenset(found)

    @cached_property
    def index(self) -> int | None:
        """Where the item stands among all that match; None if it is kept out."""
        if self.item is None or self.keepers:
            return None
        if self.choices.list_order == "fixture":
            return [each.id for each in self.matching[:]].index(self.item.id)
        # By bisection: there may be a million, and the order is known.
        key = SORT_KEYS[self.choices.list_order]
        low, high, wanted = 0, len(self.matching), key(self.item)
        while low < high:
            middle = (low + high) // 2
            if key(self.matching[middle]) < wanted:
                low = middle + 1
            else:
                high = middle
        return low

    @cached_property
    def elsewhere(self) -> tuple[str, ...]:
        """Other datasets that have the item, if this one does not."""
        wanted = self.item_id
        if wanted is None or self.item is not None:
            return ()
        datasets = self.state.store.datasets()
        return tuple(each.id for each in datasets if wanted in each.tree)

    def _caller(self) -> Caller:
        key = self.ask.key
        return _OWNER if key is None else self._reader.authorize(key, self.state)

    def _searches(self) -> Iterator[tuple[str, Search | None, Search | None]]:
        """Each filter: its name, the search for it alone, and with those before."""
        asked = self.request
        plain = replace(asked, search_text="", folders_only=False, tags=())
        sofar = plain
        for name, only in (
            ("search", {"search_text": asked.search_text}),
            ("selectFolder", {"folders_only": asked.folders_only}),
            ("filterTags", {"tags": asked.tags}),
        ):
            sofar = replace(sofar, **only)
            alone = search_of(replace(plain, **only), self.choices)
            yield name, alone, search_of(sofar, self.choices)

    def _find(self, listing: Listed, search: Search | None) -> Sequence[Collection]:
        if search is None:
            return listing.items
        return listing.find(search, self.state.limits.cached_searches)
