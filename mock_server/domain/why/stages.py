"""Perform a list request stage by stage, to see what each stage removes.

Nothing is filtered here: the functions that list decide what remains and what passes a
stage. The choices of a stage are those that these functions read.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain.access import Caller, Level
from mock_server.domain.call import Call, DatasetNotFound
from mock_server.domain.choices.reading import read_by
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import Refusal
from mock_server.domain.listing.list_v2 import Page, list_v2
from mock_server.domain.listing.request import ListV2, part_of, search_of
from mock_server.domain.messages import quoted, whose_name
from mock_server.domain.objects.dataset import Tree
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.index import Search
from mock_server.domain.objects.models import Collection
from mock_server.domain.sandboxes.state import State

STAGES = (
    "dataset",
    "permission",
    "folder",
    "search",
    "selectFolder",
    "filterTags",
    "page",
)
"""All stages, in the order of application."""
Fields = Mapping[str, object]
"""Fields of a list request's body, by their JSON names."""
_OWNER = Caller("")


class Reader(Struct, frozen=True):
    """Functions that read requests and authorize keys, as for clients.

    Both raise a Refusal.
    """

    read: Callable[[Fields, Choices], ListV2]
    authorize: Callable[[str, State], Caller]


class Ask(Struct, frozen=True):
    """A request with its key (None: an owner's) and its choices."""

    fields: Fields
    choices: Choices
    key: str | None = None


class Stages:
    """The result of a request, for all of a dataset and for one collection in it.

    Raises Refusal for refused fields and for an unknown dataset.
    """

    def __init__(
        self, state: State, reader: Reader, ask: Ask, item_id: str | None = None
    ) -> None:
        # Separate notes, as no client has sent this request.
        self.state = replace(state, choices=ask.choices, notes=[])
        self.ask, self.choices, self.item_id = ask, ask.choices, item_id
        self.request = reader.read(ask.fields, ask.choices)
        dataset = state.store.dataset(self.request.dataset_id)
        if dataset is None:
            every, own_id = state.store.datasets(), self.request.dataset_id
            names = ", ".join(quoted(each.id) for each in every[:20])
            there_are = f"there are {names}" if names else "there is none"
            is_name = whose_name(own_id, ((each.id, each.name) for each in every))
            hint = "; ".join(filter(None, (is_name, there_are)))
            raise DatasetNotFound.of(own_id, "the id of a dataset", "dataset", hint)
        self.dataset = dataset
        self.item = None if item_id is None else dataset.tree.get(item_id)
        self.within = part_of(self.request, self.choices)
        self.search = search_of(self.request, self.choices) or Search()
        self._reader = reader

    def reads(self, stage: str) -> list[str]:
        """Return the names of the choices that a stage depends on, in order."""
        by: Callable[[Choices], object]
        if stage == "permission":
            by = self._caller
        elif stage == "folder":
            by = lambda choices: part_of(self.request, choices)  # noqa: E731
        elif stage == "search":
            by = lambda choices: search_of(self.request, choices)  # noqa: E731
        else:
            by = lambda choices: self._reader.read(self.ask.fields, choices)  # noqa: E731
        return read_by(by, self.choices)

    @cached_property
    def outcome(self) -> Page[Collection] | Refusal:
        try:
            call = Call.of(self.state, self._caller(self.choices))
            return list_v2(call, self.request)
        except Refusal as refusal:
            return refusal

    @cached_property
    def may_read(self) -> bool:
        """True if the key is accepted and may read the dataset."""
        try:
            caller = self._caller(self.choices)
        except Refusal:
            return False
        return self.dataset.level_of(caller) >= Level.READ

    @property
    def page(self) -> Sequence[Collection]:
        return () if isinstance(self.outcome, Refusal) else self.outcome.items

    @property
    def shows(self) -> bool:
        """True if the page has the item, or without an item, anything."""
        return bool(self.page) if self.item_id is None else self.item in self.page

    @cached_property
    def matching(self) -> Sequence[Collection]:
        """All matches, whether the caller may read them or not."""
        return self._found(self.search)

    @cached_property
    def left(self) -> list[int]:
        size = len(self.dataset.tree)
        if not self.may_read:
            return [size, *[0] * (len(STAGES) - 1)]
        sofar = (len(self._found(search)) for _, _, search in self.search.parts())
        return [size, size, len(self._found(Search())), *sofar, len(self.page)]

    @cached_property
    def keepers(self) -> frozenset[str]:
        """The stages that each remove the item by themselves, except the page."""
        return frozenset(self._keepers())

    def _keepers(self) -> Iterator[str]:
        if self.item is None:
            yield "dataset"
            return
        if not self.may_read:
            yield "permission"
        # List a dataset of this collection alone in the same way.
        alone = Tree((self.item,)).listing(self.within, self.choices.list_order)
        if not alone.items:
            yield "folder"
        texts = [fold(each) for each in (self.item.name, *self.item.tags)]
        for name, search, _ in self.search.parts():
            if not search.matches(self.item, texts):
                yield name

    @cached_property
    def index(self) -> int | None:
        """The item's index among all matches; None if it is removed."""
        if self.item is None or self.keepers:
            return None
        key = self.dataset.tree.key(self.choices.list_order)
        return bisect_left(self.matching, key(self.item), key=key)

    @cached_property
    def elsewhere(self) -> tuple[str, ...]:
        """Other datasets with the item, if this one does not have it."""
        wanted = self.item_id
        if wanted is None or self.item is not None:
            return ()
        datasets = self.state.store.datasets()
        return tuple(each.id for each in datasets if wanted in each.tree)

    def _caller(self, choices: Choices) -> Caller:
        key = self.ask.key
        if key is None:
            return _OWNER
        return self._reader.authorize(key, replace(self.state, choices=choices))

    def _found(self, search: Search) -> Sequence[Collection]:
        order, kept = self.choices.list_order, self.state.limits.cached_searches
        wanted = search if search.restricts else None
        return self.dataset.tree.found(self.within, order, wanted, kept)[1]
