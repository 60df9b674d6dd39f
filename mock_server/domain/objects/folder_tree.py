"""The folder tree of a dataset, with or without changes, as its users see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from mock_server.domain.objects.index import (
    ANYWHERE,
    SORT_KEYS,
    AnyListing,
    Listing,
    Order,
    Scope,
    Search,
)
from mock_server.domain.objects.models import Collection
from mock_server.domain.objects.pending import Steps

if TYPE_CHECKING:
    from mock_server.domain.objects.dataset import Tree

LARGE_SIZE = 500
"""From this number of collections, a scan or folding may take over a millisecond."""

_FOLDERS_PER_STEP = 64
"""Number of folders whose content is read in one step."""
_FIRST_SIZE = 5_000
"""Number of collections that hints know."""


class FolderTree(ABC):
    """The collections of a dataset: folders, look-ups by id, and sorted listings."""

    created = 0
    """Number of collections that were created after loading."""

    @property
    @abstractmethod
    def collections(self) -> Sequence[Collection]:
        """All collections in fixture order."""

    @abstractmethod
    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Collection]:
        return (each for each in self.items_and_gaps() if each is not None)

    @abstractmethod
    def items_and_gaps(self) -> Iterator[Collection | None]:
        """Yield all collections in fixture order, and None for each removed one.

        A caller can count the gaps, which may be many.
        """

    def first_names(self) -> Iterator[tuple[str, str]]:
        """Yield the ids and names of the first collections, for hints.

        Removed collections count too, because passing over many of them takes long.
        """
        first = islice(self.items_and_gaps(), _FIRST_SIZE)
        return ((each.id, each.name) for each in first if each is not None)

    def __contains__(self, collection_id: str) -> bool:
        return self.get(collection_id) is not None

    @abstractmethod
    def get(self, collection_id: str) -> Collection | None:
        """Return the collection with this id, or None."""

    @property
    @abstractmethod
    def loaded(self) -> Tree:
        """The tree as it was loaded."""

    @property
    @abstractmethod
    def put_ids(self) -> Set[str]:
        """The ids of the collections that are new, or have changed."""

    def first(self, search: Search) -> Collection | None:
        """Return the first match in fixture order, or None. Raises NotReady."""
        matches = self.listing(ANYWHERE, "fixture").find(search, max_cached=1)
        return matches[0] if matches else None

    @abstractmethod
    def listing(self, scope: Scope, order: Order) -> AnyListing:
        """Return the sorted collections of a folder, the top level or ANYWHERE.

        `_id` decides ties. Raises NotReady.
        """

    def search(
        self, scope: Scope, order: Order, search: Search | None, max_cached: int
    ) -> tuple[int, Sequence[Collection]]:
        """Return the size of a listing, and the matches in it (without search: all).

        The results of `max_cached` searches are cached. Raises NotReady.
        """
        listing = self.listing(scope, order)
        items = listing.items
        return len(items), items if search is None else listing.find(search, max_cached)

    def prepare(self, order: Order) -> None:
        """Prepare listings, look-ups and searches, so that no request has to wait."""
        for listing in self.large(order).values():
            listing.fold()
        if len(self) >= LARGE_SIZE:
            self.get("")  # builds the look-up by id

    @abstractmethod
    def large(self, order: Order) -> Mapping[Scope, Listing]:
        """Return the loaded listings of LARGE_SIZE collections or more, sorted."""

    @abstractmethod
    def number(self, item: Collection) -> int:
        """Return the sort key of a collection in fixture order."""

    def key(self, order: Order) -> Callable[[Collection], Any]:
        """Return the function that returns the sort key of a collection in an order."""
        return self.number if order == "fixture" else SORT_KEYS[order]

    @abstractmethod
    def children(self, folder: str | None) -> Sequence[Collection]:
        """Return the collections in a folder, in any order."""

    def child_count(self, folder: str | None) -> int:
        """Return the number of collections in a folder."""
        return len(self.children(folder))

    def descendants(self, collection_id: str) -> list[Collection]:
        """Return the descendants of a collection, the direct children first."""
        folders = self._folders_below(collection_id)
        return [*chain.from_iterable(map(self.children, folders))]

    def ids_below(self, collection_id: str, max_count: int) -> Steps[Set[str] | None]:
        """Return the ids of the descendants; None if they are more than `max_count`.

        What changes during the steps is read before or after its change.
        """
        ids: dict[str, None] = {}
        for number, folder in enumerate(self._folders_below(collection_id), 1):
            if len(ids) + self.child_count(folder) > max_count:
                return None
            ids |= dict.fromkeys(each.id for each in self.children(folder))
            if number % _FOLDERS_PER_STEP == 0:
                yield
        return ids.keys()

    def _folders_below(self, collection_id: str) -> Iterator[str]:
        """Yield a folder and the folders below it, level by level."""
        folders = [collection_id]
        for folder in folders:  # the list grows here
            yield folder
            folders += self.folders_in(folder)

    @abstractmethod
    def folders_in(self, folder: str | None) -> Iterable[str]:
        """Return the ids of the collections in a folder that may hold collections."""

    @abstractmethod
    def has_level(self, folder: str, level: int) -> bool:
        """Return whether a level below a folder has collections.

        The direct children of the folder are on level 1, the folder itself is on 0.
        Levels that have lost their content since loading may count too.
        """

    def folder_path(self, folder: str | None) -> Iterator[str]:
        """Yield the ids of a folder and of the folders above it, outermost last."""
        while folder is not None:
            yield folder
            collection = self.get(folder)
            folder = None if collection is None else collection.parent_id

    def depth(self, folder: str | None) -> int:
        """Return the depth of a folder's content: 0 for the top level (None)."""
        return sum(1 for _ in self.folder_path(folder))
