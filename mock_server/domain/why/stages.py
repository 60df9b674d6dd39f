"""Run a list request stage by stage, and count the collections that each stage removes.

This module has no filters of its own: the functions of `listing` decide which
collections pass a stage, and the choices that they read are the choices of the stage.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from mock_server.domain.access import Caller, Level
from mock_server.domain.call import Call, DatasetNotFound
from mock_server.domain.choices.reading import choices_read
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import Refusal
from mock_server.domain.listing.list_v2 import Page, list_v2
from mock_server.domain.listing.request import ListV2, scope_of, search_of
from mock_server.domain.messages import hint_of_name, quoted
from mock_server.domain.objects.dataset import Tree
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
"""Names of all stages, in the order in which they are applied."""
Fields = Mapping[str, object]
"""Fields of a list request's body, by their JSON names."""
_OWNER = Caller("")


class RequestReader(Struct, frozen=True):
    """Functions that read fields and authorize API keys, as for requests of clients.

    `read` returns the checked request, `authorize` the caller of a key. Both raise
    Refusal. `fold` may keep what it returns: each remedy that is tried needs it.
    """

    read: Callable[[Fields, Choices], ListV2]
    authorize: Callable[[str, State], Caller]
    fold: Callable[[str], str]


class TriedRequest(Struct, frozen=True):
    """A list request to explain or to try: its fields, choices and API key.

    If `key` is None, the caller has all permissions.
    """

    fields: Fields
    choices: Choices
    key: str | None = None


class Stages:
    """The result of a request at each stage: for all collections, and for one of them.

    Raises Refusal for refused fields and for an unknown dataset.
    """

    def __init__(
        self,
        state: State,
        reader: RequestReader,
        tried: TriedRequest,
        item_id: str | None = None,
    ) -> None:
        # No client has sent this request, so its notes must not reach the journal.
        self.state = replace(state, choices=tried.choices, notes=[])
        self.tried, self.choices, self.item_id = tried, tried.choices, item_id
        self.request = reader.read(tried.fields, tried.choices)
        dataset = state.store.dataset(self.request.dataset_id)
        if dataset is None:
            datasets, dataset_id = state.store.datasets(), self.request.dataset_id
            names = ", ".join(quoted(each.id) for each in datasets[:20])
            known_text = f"there are {names}" if names else "there is none"
            ids_and_names = ((each.id, each.name) for each in datasets)
            name_hint = hint_of_name(dataset_id, ids_and_names)
            hint = "; ".join(filter(None, (name_hint, known_text)))
            raise DatasetNotFound.of(dataset_id, "the id of a dataset", "dataset", hint)
        self.dataset = dataset
        self.item = None if item_id is None else dataset.tree.get(item_id)
        self.scope = scope_of(self.request, self.choices)
        self.search = search_of(self.request, self.choices) or Search()
        self._reader = reader

    def reads(self, stage: str) -> list[str]:
        """Return the names of the choices that a stage reads, in order."""
        run: Callable[[Choices], object]
        if stage == "permission":
            run = self._caller
        elif stage == "folder":
            run = lambda choices: scope_of(self.request, choices)  # noqa: E731
        elif stage == "search":
            run = lambda choices: search_of(self.request, choices)  # noqa: E731
        else:
            run = lambda choices: self._reader.read(self.tried.fields, choices)  # noqa: E731
        return choices_read(run, self.choices)

    @cached_property
    def outcome(self) -> Page[Collection] | Refusal:
        """The page that the request gets, or the refusal."""
        try:
            call = Call.for_caller(self.state, self._caller(self.choices))
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
        """The collections on the page; none after a refusal."""
        return () if isinstance(self.outcome, Refusal) else self.outcome.items

    @property
    def is_shown(self) -> bool:
        """True if the page has the item, or any collection if there is no `item_id`."""
        return bool(self.page) if self.item_id is None else self.item in self.page

    @cached_property
    def matching(self) -> Sequence[Collection]:
        """All matches, whether the caller may read them or not."""
        return self._matches(self.search)

    @cached_property
    def remaining(self) -> list[int]:
        """The number of collections that remain after each stage of STAGES."""
        size = len(self.dataset.tree)
        if not self.may_read:
            return [size, *[0] * (len(STAGES) - 1)]
        filtered = (len(self._matches(search)) for _, _, search in self.search.stages())
        return [size, size, len(self._matches(Search())), *filtered, len(self.page)]

    @property
    def filters(self) -> tuple[str, ...]:
        """The stages `selectFolder` and `filterTags`, if the request has them."""
        _, *filters = self.search.stages()
        return tuple(name for name, search, _ in filters if search.has_restriction)

    @cached_property
    def hiding_stages(self) -> frozenset[str]:
        """The stages, except `page`, that each remove the item by themselves."""
        return frozenset(self._find_hiding_stages())

    def _find_hiding_stages(self) -> Iterator[str]:
        if self.item is None:
            yield "dataset"
            return
        if not self.may_read:
            yield "permission"
        # Run the same listing on a dataset with this collection only.
        listing = Tree((self.item,)).listing(self.scope, self.choices.list_order)
        if not listing.items:
            yield "folder"
        texts = [*map(self._reader.fold, (self.item.name, *self.item.tags))]
        for name, search, _ in self.search.stages():
            if not search.matches(self.item, texts):
                yield name

    @cached_property
    def index(self) -> int | None:
        """The item's index among all matches; None if a stage removes the item."""
        if self.item is None or self.hiding_stages:
            return None
        key = self.dataset.tree.key(self.choices.list_order)
        return bisect_left(self.matching, key(self.item), key=key)

    @cached_property
    def elsewhere(self) -> tuple[str, ...]:
        """Ids of other datasets with the item, if this dataset does not have it."""
        item_id = self.item_id
        if item_id is None or self.item is not None:
            return ()
        datasets = self.state.store.datasets()
        return tuple(each.id for each in datasets if item_id in each.tree)

    def _caller(self, choices: Choices) -> Caller:
        key = self.tried.key
        if key is None:
            return _OWNER
        return self._reader.authorize(key, replace(self.state, choices=choices))

    def _matches(self, search: Search) -> Sequence[Collection]:
        order, max_cached = self.choices.list_order, self.state.limits.cached_searches
        restriction = search if search.has_restriction else None
        return self.dataset.tree.search(self.scope, order, restriction, max_cached)[1]
