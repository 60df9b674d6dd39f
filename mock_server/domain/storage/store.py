"""The data of a sandbox: an immutable fixture, and the changes on top of it.

Any number of stores share a fixture, so the size of the fixture does not matter for the
time to create or reset a sandbox. Callers pass the time.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence, Set
from hashlib import sha256
from itertools import chain, islice
from sys import getsizeof
from typing import Any, Self, cast

from msgspec.structs import replace

from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Published
from mock_server.domain.memory import Kind, Memory
from mock_server.domain.objects.chat_order import LoadedChats
from mock_server.domain.objects.dataset import Dataset, Tree
from mock_server.domain.objects.fixture_data import NEW_ID_START, FixtureData, JobsKey
from mock_server.domain.objects.models import ApiKey, App, Collection, LoginCode, Row
from mock_server.domain.objects.pending import STEP, Pending, Steps, compute, pieces
from mock_server.domain.objects.rows import (
    Job,
    RowPlace,
    Rows,
    amount_of,
    common_keys,
    next_due_time,
    size_of_jobs,
)
from mock_server.domain.objects.uploads import File, Ticket
from mock_server.domain.replies import ReplyTurns
from mock_server.domain.storage.changed_tree import ChangedTree, Removal
from mock_server.domain.storage.chat_store import ChatStore
from mock_server.domain.storage.overlay import Overlay


class Store(ChatStore):
    """The current data of one sandbox: apps, chats, datasets, rows, files, API keys.

    A reset makes a new store on the same `fixture`. All other data is
    charged to `memory`, as `kind`.
    """

    def __init__(
        self,
        fixture: FixtureData,
        memory: Memory | None = None,
        kind: Kind = "changes",
    ) -> None:
        self.fixture = fixture
        self._apps = fixture.apps
        # The loaded data of each app that was put whole. The reference keeps the memory
        # of this data charged.
        self._loaded_apps: dict[str, FixtureData] = {}
        # Charged bytes of each app that was put without loaded data.
        self._app_sizes: dict[str, int] = {}
        # The loaded data of the replies of each app whose replies were put alone.
        self._loaded_replies: dict[str, FixtureData] = {}
        # As `_loaded_apps`, for datasets.
        self._loaded_datasets: dict[str, FixtureData] = {}
        self._memory = Memory() if memory is None else memory
        charge = self._memory.charge(kind)
        super().__init__(charge)
        self._datasets = Overlay(fixture.datasets, charge, _size_of_dataset)
        # Ids of datasets whose changed trees are shared with no other store.
        self._own_trees: set[str] = set()
        self.rows = Rows(charge)
        """The data rows; they are removed with their collections."""
        self.jobs = Overlay(fixture.jobs_by_collection, charge, size_of_jobs)
        """Jobs of training, by the ids of dataset and collection."""
        self.due_time = next_due_time(fixture.jobs) if fixture.jobs else None
        """Time (ms) of the next step of training; None if no row waits for training."""
        self.files = Overlay[str, File]({}, charge, _size_of_file)
        """Uploaded files, by id."""
        self.tickets = Overlay[str, Ticket]({}, charge, _size_of_file)
        """Tickets for uploads, and uploaded files without a collection, by key.

        The oldest comes first.
        """
        self.turns: dict[str, ReplyTurns] = {}
        """Turns of the replies, by app id; the key "" is for the fixture's replies."""
        self.login_codes: Overlay[str, LoginCode] = Overlay(
            {}, charge, lambda _: _CODE_BYTES
        )
        """Codes for logins, by user name, oldest first."""
        self.logged_out: Overlay[str | None, str] = Overlay(
            {}, charge, lambda _: _CODE_BYTES
        )
        """Users who have logged out, by name."""
        self.api_keys = Overlay(fixture.api_keys, charge, _size_of_api_key)
        """API keys that logins created, by id."""
        self.export_time: int | None = None
        """Time of the last export in milliseconds; None before the first export."""
        self.running_change: Callable[[], Pending[Any] | None] = lambda: None
        """Returns the change in steps for whose end others wait."""
        self._last_id = 0
        # Ids that `new_ids` would make later, and callers chose, as after a reset.
        self._taken_ids: set[str] = set()
        # Charged bytes of the store itself, if it is a copy.
        self._own_bytes = 0

    def __del__(self) -> None:
        # Thousands of changed trees: to free them at once would take long.
        self._memory.free_soon([self._datasets.changes])
        # A copy that shares trees is charged for them, but refers to this charge.
        self._charge.release()

    @property
    def size(self) -> int:
        """Estimated bytes of all data that is not in the fixture."""
        return self._charge.size

    def copy(self, kind: Kind = "changes") -> Self:
        """Return an independent copy with the same data. Raises LimitReached.

        Both stores share changed trees until they change them.
        """
        copy = type(self)(self.fixture, self._memory, kind)
        charge = copy._charge
        copy._own_bytes = _STORE_BYTES
        # Without the orders of chats, which a copy makes anew.
        orders_size = sum(each.size for each in self._orders.values())
        charge.add(_STORE_BYTES + self.size - self._own_bytes - orders_size)
        self._copy_chats(copy)
        if self._apps is not self.fixture.apps:
            copy._apps = {**self._apps}
        copy._loaded_apps = self._loaded_apps.copy()
        copy._loaded_replies = self._loaded_replies.copy()
        copy._app_sizes = self._app_sizes.copy()
        copy._loaded_datasets = self._loaded_datasets.copy()
        copy._datasets = self._datasets.copy(charge)
        self._own_trees.clear()
        copy.rows = self.rows.copy(charge)
        copy.jobs, copy.due_time = self.jobs.copy(charge), self.due_time
        copy.files = self.files.copy(charge)
        copy.tickets = self.tickets.copy(charge)
        copy.turns, copy._last_id = self.turns.copy(), self._last_id
        copy._taken_ids = self._taken_ids.copy()
        copy.export_time = self.export_time
        copy.login_codes = self.login_codes.copy(charge)
        copy.logged_out = self.logged_out.copy(charge)
        copy.api_keys = self.api_keys.copy(charge)
        return copy

    def new_id(self) -> str:
        """Return an unused id of 24 hex digits; a reset repeats the same ids.

        Each id is greater than the ids before it, as in the service, which lists rows
        by id. May raise NotReady, so get ids before you change anything.
        """
        return self.new_ids(1)[0]

    def new_ids(self, count: int) -> list[str]:
        """Return `count` new ids, as `new_id` does. May raise NotReady."""
        created: list[str] = []
        while missing := count - len(created):
            numbers = range(self._last_id + 1, self._last_id + 1 + missing)
            ids = [*map(_made_id, numbers)]
            loaded = (each.ids_of_sandboxes for each in self._loaded_sources())
            for known_ids in (self._taken_ids, *loaded):
                if known_ids:
                    ids = [each for each in ids if each not in known_ids]
            self._last_id += missing
            created += ids
        return created

    def check_room(self, size: int) -> None:
        """Raise LimitReached unless `size` more bytes fit."""
        self._memory.check_room(size, "path")

    def check_waiting(self, more: int) -> None:
        """Raise LimitReached unless `more` further rows can wait for training."""
        limit = self._memory.limits.waiting_rows
        jobs = chain.from_iterable(self.jobs.values())
        if sum(len(job.rows) or 1 for job in jobs) + more > limit:
            expected = f"at most {limit} data rows that wait for training"
            hint = "advance the clock, or use choice training=instant"
            raise LimitReached(expected, f"{more} more", "body", hint)

    def app(self, app_id: str) -> App | None:
        return self._apps.get(app_id)

    def apps(self) -> list[App]:
        """Return all current apps; new ones come last."""
        return list(self._apps.values())

    def put_app(self, app: App) -> None:
        """Add an app, or replace the app with this id but keep its changed chats.

        Raises LimitReached.
        """
        apps, size = self._own_apps(), _size_of_app(app)
        self._charge.add(size - self._app_sizes.get(app.id, 0))
        apps[app.id], self._app_sizes[app.id] = app, size

    def put_app_fields(self, app: App, source: FixtureData) -> None:
        """Add an app, or replace the app with this id but keep all its chats.

        Replies that differ start their turns again. `source` is the data from which
        `app` comes. Raises LimitReached.
        """
        old = self.app(app.id) or app
        self.put_app(replace(app, chats=old.chats, records=old.records))
        self._loaded_replies[app.id] = source
        if old.replies != app.replies:
            self.turns.pop(app.id, None)

    def put_whole_app(self, app: App, source: FixtureData) -> None:
        """Add an app, or replace the app with this id and all its chats and records.

        `source` is the data from which `app` comes. Raises LimitReached.
        """
        self._own_apps()[app.id] = app
        self._forget_app(app.id)
        self._loaded_apps[app.id] = source

    def remove_apps(self, ids: Set[str]) -> None:
        """Remove existing apps with their chats and their API keys.

        Raises LimitReached.
        """
        apps = self._own_apps()
        for app_id in ids:
            del apps[app_id]
        by_app = self._app_sizes, self._loaded_apps, self._chats, self._records
        for app_id in ids & set(chain(*by_app, self._orders, self.turns)):
            self._forget_app(app_id)
        keys = self.api_keys.values()
        self.api_keys.remove(*[each.id for each in keys if each.app_id in ids])

    def clear_chats(self, app: App) -> None:
        """Remove all chats of an app. Raises LimitReached."""
        self.put_app(replace(app, chats=LoadedChats(), records={}))
        self._forget_changes(app.id)

    def _forget_app(self, app_id: str) -> None:
        """Drop the changes of an app, and release the memory charged for the app."""
        self._forget_changes(app_id)
        self._charge.add_unchecked(-self._app_sizes.pop(app_id, 0))
        self._loaded_apps.pop(app_id, None)
        self._loaded_replies.pop(app_id, None)
        self.turns.pop(app_id, None)

    def dataset(self, dataset_id: str) -> Dataset | None:
        return self._datasets.get(dataset_id)

    def datasets(self) -> list[Dataset]:
        """Return all current datasets; new ones come last."""
        return list(self._datasets.values())

    def put_dataset(self, dataset: Dataset) -> None:
        """Add a dataset, or replace the dataset with this id but keep its collections.

        Raises LimitReached.
        """
        old = self._datasets.get(dataset.id)
        if old is not None:
            dataset = replace(dataset, tree=old.tree, rows=old.rows)
        self._datasets.put(dataset.id, dataset)

    def put_whole_dataset(self, dataset: Dataset, source: FixtureData) -> None:
        """Add a dataset, or replace the dataset with this id and all its content.

        Rows go on waiting for training where the amounts of a collection count them.
        `source` is the data from which `dataset` comes. Raises LimitReached.
        """
        old = self._datasets.changes.get(dataset.id)
        self._datasets.put(dataset.id, dataset)
        self._forget_contents({dataset.id: old})
        self._loaded_datasets[dataset.id] = source
        own = (each for each in self.jobs.items() if each[0][0] == dataset.id)
        ended = [place for place, jobs in own if not _goes_on(dataset, place[1], jobs)]
        self.jobs.remove(*ended)

    def remove_datasets(self, ids: Set[str]) -> None:
        """Remove existing datasets with their collections, rows and files.

        Datasets in a removed folder stay, unless `ids` contains their ids.
        """
        olds = {each: self._datasets.changes.get(each) for each in ids}
        self._datasets.remove(*ids)
        self._forget_contents(olds)
        tickets = self.tickets.values()
        self.tickets.remove(*[each.key for each in tickets if each.dataset_id in ids])
        for dataset_id in self._loaded_datasets.keys() & ids:
            del self._loaded_datasets[dataset_id]

    def _forget_contents(self, olds: Mapping[str, Dataset | None]) -> None:
        """Drop the changes in the datasets of these ids.

        A value is the dataset that was put before, or None.
        """
        for old in olds.values():
            if old is not None and isinstance(old.tree, ChangedTree):
                self._charge.add_unchecked(-old.tree.size)
        self.rows.forget_datasets(olds.keys())
        self._forget_work(olds)

    def find_collection(self, collection_id: str) -> tuple[Dataset, Collection] | None:
        """Return the first collection with this id and its dataset, or None."""
        for dataset in self._datasets.values():
            collection = dataset.tree.get(collection_id)
            if collection is not None:
                return dataset, collection
        return None

    def find_collections(self, ids: Set[str]) -> dict[str, tuple[Dataset, Collection]]:
        """Return the first collection with each id and its dataset; skip unknown ids.

        Raises NotReady.
        """
        datasets = self.datasets()
        loaded = [each.tree.loaded for each in datasets]
        key = "known", frozenset(ids), *map(id, loaded)
        loaded_ids = compute(self, key, _ids_in(loaded, ids))
        found: dict[str, tuple[Dataset, Collection]] = {}
        missing = {*ids}
        for dataset, known_ids in zip(datasets, loaded_ids, strict=True):
            for each in known_ids & missing | dataset.tree.put_ids & missing:
                collection = dataset.tree.get(each)
                if collection is not None:
                    found[each] = dataset, collection
                    missing.remove(each)
        return found

    def put_collection(self, dataset: Dataset, collection: Collection) -> None:
        """Add a collection, or replace the collection with this id.

        Raises LimitReached.
        """
        tree = self._changed_tree(dataset)
        # The rows of a removed collection with this id must not appear again.
        had_rows = collection.id in dataset.rows and collection.id not in tree
        tree.put(collection)
        if _is_made_after(self._last_id, collection.id):
            self._charge.add_unchecked(
                _ID_BYTES * (collection.id not in self._taken_ids)
            )
            self._taken_ids.add(collection.id)
        if had_rows:
            self.rows.remove(dataset, [collection.id])

    def put_whole_collection(self, dataset: Dataset, collection: Collection) -> None:
        """Add or replace a collection with its amounts. Raises LimitReached.

        Rows go on waiting for training where the amounts count them.
        """
        self.put_collection(dataset, collection)
        place = dataset.id, collection.id
        jobs = self.jobs.get(place)
        if jobs and collection.training_amount < amount_of(jobs):
            self.jobs.remove(place)

    def update_cost(self, dataset: Dataset, collection: Collection) -> int:
        """Return how long the texts of a collection hold up `put_collection`."""
        return self._changed_tree(dataset).update_cost([collection])

    def growth_of(self, dataset: Dataset, collections: Iterable[Collection]) -> int:
        """Return how many more bytes these collections take if they are put."""
        return self._changed_tree(dataset).growth_of(collections)

    def put_collections(
        self, dataset: Dataset, collections: Sequence[Collection]
    ) -> None:
        """Put all these collections in a dataset.

        If memory is short, put none of them and raise LimitReached.
        """
        self._changed_tree(dataset).put_all(collections)

    def remove_collections(self, *removals: tuple[Dataset, Iterable[str]]) -> int:
        """Remove collections of datasets, their descendants, and the rows of both.

        Each removal is a dataset and the ids of collections in it. Returns the number
        of removed collections. Removes none and raises LimitReached if memory is short,
        or for too many datasets or changed collections. Raises NotReady.
        """
        if len(removals) > Published.deleted_from:
            expected = f"collections of at most {Published.deleted_from} datasets"
            got, hint = f"{len(removals)} datasets", "delete them in several requests"
            raise LimitReached(expected, got, "request", hint)
        is_in_many = len(removals) > 1
        if is_in_many:
            datasets = [dataset for dataset, _ in removals]
            key = "prepared", *(id(each.tree.loaded) for each in datasets)
            compute(self, key, self._prepare_in_steps(datasets))
        trees = {dataset.id: self._changed_tree(dataset) for dataset, _ in removals}
        planned: list[tuple[Dataset, Removal]] = []
        room = Published.deleted_changes
        for dataset, ids in removals:
            removal = trees[dataset.id].plan_removal(ids, room, is_large=is_in_many)
            planned.append((dataset, removal))
            room -= removal.changes
        self._charge.add(sum(removal.growth for _, removal in planned))
        count = sum(
            self._remove_with_rows(dataset, trees[dataset.id], removal)
            for dataset, removal in planned
        )
        self._forget_work(trees)
        return count

    def _remove_with_rows(
        self, dataset: Dataset, tree: ChangedTree, removal: Removal
    ) -> int:
        """Remove collections, descendants and rows; return how many collections."""
        size_before = len(tree)
        removed = {*tree.apply(removal)}
        if size_before - len(tree) > len(removed):
            changed = self.rows.changed_collections(dataset)
            removed.update(each for each in changed if each not in tree)
        self.rows.remove(dataset, removed)
        return size_before - len(tree)

    def find_row(self, row_id: str) -> tuple[Dataset, Collection, Row] | None:
        """Return the row with this id, its dataset and its collection, or None.

        Raises NotReady.
        """
        match = self.rows.find(row_id, self._loaded_place)
        return None if match is None else self._row_at(*match)

    def _row_at(
        self, place: RowPlace, is_added: bool
    ) -> tuple[Dataset, Collection, Row] | None:
        """Return the row at a place, as `find_row` does, or None if it is gone."""
        dataset = self._datasets.get(place.dataset_id)
        collection = None if dataset is None else dataset.tree.get(place.collection_id)
        if dataset is None or collection is None:
            return None
        if not (is_added or self.rows.has(dataset, place)):
            return None
        return dataset, collection, place.row

    def places_elsewhere(
        self, part: FixtureData, dataset_id: str, max_count: int
    ) -> list[RowPlace]:
        """Return places of rows that have the id of a row in `part`.

        Those in the dataset with this id count only if they go on waiting for training.
        Raises NotReady.
        """
        sources = self._loaded_sources() if part.row_places else []
        by_source = [(each, each.row_places) for each in sources]
        steps = self._loaded_elsewhere(by_source, part, dataset_id, max_count)
        # A reset brings removed rows back, in another store of the same sources.
        places = compute(part, ("elsewhere", self, *map(id, sources)), steps)
        added = (
            each
            for each in self.rows.added_places(part.row_places)
            if each.dataset_id != dataset_id and self._row_at(each, is_added=True)
        )
        waiting = (
            RowPlace(*place, row)
            for place, jobs in self.jobs.items()
            if place[0] != dataset_id
            or _goes_on(part.datasets[dataset_id], place[1], jobs)
            for row in chain.from_iterable(job.rows for job in jobs)
            if row.id in part.row_places
        )
        return [*places, *islice(chain(added, waiting), max_count)]

    def _loaded_elsewhere(
        self,
        by_source: Iterable[tuple[FixtureData, Mapping[str, RowPlace]]],
        part: FixtureData,
        dataset_id: str,
        max_count: int,
    ) -> Steps[list[RowPlace]]:
        """Do the same for loaded rows; removed ones never return.

        `by_source` has the places of the rows in all loaded data.
        """
        found: list[RowPlace] = []
        for source, places_by_id in by_source:
            ids = yield from common_keys(places_by_id, part.row_places)
            places = map(places_by_id.__getitem__, ids)
            others = [each for each in places if each.dataset_id != dataset_id]
            for _, chunk in pieces(sorted(others, key=lambda each: each.row.id)):
                found += [
                    each
                    for each in chunk
                    if self._source_of(each.dataset_id) is source
                    and self._row_at(each, is_added=False)
                ]
                if len(found) >= max_count:
                    return found[:max_count]
                yield
        return found

    def _source_of(self, dataset_id: str) -> FixtureData:
        """Return the loaded data of a dataset."""
        return self._loaded_datasets.get(dataset_id, self.fixture)

    def _loaded_sources(self) -> list[FixtureData]:
        """Return all loaded data, the fixture last."""
        sources = self._loaded_apps.values(), self._loaded_datasets.values()
        return [*chain(*sources), self.fixture]

    def _loaded_place(self, row_id: str) -> RowPlace | None:
        """Return the place of a loaded row; None if it was replaced or removed."""
        for source in self._loaded_sources():
            place = source.row_places.get(row_id)
            if place is None or self._source_of(place.dataset_id) is not source:
                continue
            if self._row_at(place, is_added=False):
                return place
        return None

    def _own_apps(self) -> dict[str, App]:
        """Return a copy of the apps that may be changed. Raises LimitReached."""
        if self._apps is self.fixture.apps:
            self._charge.add(_APP_SLOT_BYTES * len(self._apps))
            self._apps = {**self._apps}
        return cast("dict[str, App]", self._apps)

    def _changed_tree(self, dataset: Dataset) -> ChangedTree:
        """Return the tree of a dataset that may be changed. Raises LimitReached."""
        current = self.dataset(dataset.id) or dataset
        if not isinstance(current.tree, ChangedTree):
            tree = ChangedTree(cast(Tree, current.tree), self._charge)
            self._datasets.put(current.id, replace(current, tree=tree))
        elif current.id in self._own_trees:
            return current.tree
        else:
            tree = current.tree.copy(self._charge)
            self._datasets.changes[current.id] = replace(current, tree=tree)
        self._own_trees.add(current.id)
        return tree

    def _prepare_in_steps(self, datasets: Iterable[Dataset]) -> Steps[None]:
        """Prepare trees for the removal of folders, and copy those that are shared."""
        for dataset in datasets:
            loaded = dataset.tree.loaded
            is_ready = dataset.id in self._own_trees and "spans" in vars(loaded)
            # Others may have removed the dataset since.
            if not is_ready and self.dataset(dataset.id) is not None:
                self._changed_tree(dataset)
                loaded.spans  # noqa: B018
                yield

    def _forget_work(self, dataset_ids: Container[str]) -> None:
        """Drop the jobs and the files of collections that datasets no longer have."""

        def is_removed(place: JobsKey) -> bool:
            if place[0] not in dataset_ids:
                return False
            dataset = self.dataset(place[0])
            return dataset is None or place[1] not in dataset.tree

        self.jobs.remove(*filter(is_removed, self.jobs))
        files = self.files.values()
        self.files.remove(*[file.id for file in files if is_removed(file.owner_ids)])


def _ids_in(trees: Iterable[Tree], ids: Set[str]) -> Steps[list[Set[str]]]:
    """Return for each tree which of the ids it has."""
    found: list[Set[str]] = []
    looked_up = 0
    for tree in trees:
        found.append(tree.by_id.keys() & ids)
        looked_up += len(ids)
        if looked_up > _LOOKUPS_PER_STEP:
            yield
            looked_up = 0
    return found


def _goes_on(dataset: Dataset, collection_id: str, jobs: Iterable[Job]) -> bool:
    """Return whether the amount of a collection of the dataset counts these jobs."""
    collection = dataset.tree.get(collection_id)
    return collection is not None and collection.training_amount >= amount_of(jobs)


# Estimated bytes of a copied store without its data, of an app's slot in a mapping, of
# an app or a dataset without texts, of a changed tree, of a login code, of a file
# without content, of an API key without its name, and of an id.
_STORE_BYTES, _APP_SLOT_BYTES, _APP_BYTES = 1_024, 120, 490
_DATASET_BYTES, _TREE_BYTES, _CODE_BYTES, _FILE_BYTES = 290, 1_500, 500, 400
_API_KEY_BYTES = 500
_ID_BYTES = 150


_LOOKUPS_PER_STEP = 8 * STEP
_ID_CHARS = 24
"""Length of a new id. Most ids of fixtures are smaller, so new rows are the latest."""


def _made_id(number: int) -> str:
    """Return a new id. It need not be secret, but unique, and look like a real one."""
    digits = sha256(b"%d" % number).hexdigest()
    return f"{NEW_ID_START}{number:06x}{digits}"[:_ID_CHARS]


def _is_made_after(last: int, own_id: str) -> bool:
    """Return whether an id is one that is made later than the number `last`."""
    start = len(NEW_ID_START)
    if not own_id.startswith(NEW_ID_START) or len(own_id) != _ID_CHARS:
        return False
    try:
        number = int(own_id[start : start + 6], 16)
    except ValueError:
        return False
    return number > last and own_id == _made_id(number)


def _size_of_api_key(key: ApiKey) -> int:
    return _API_KEY_BYTES + getsizeof(key.name)


def _size_of_app(app: App) -> int:
    guide = sum(map(getsizeof, app.question_guide))
    return _APP_BYTES + _size_of_fields(app) + guide


def _size_of_fields(holder: App | Dataset) -> int:
    texts = holder.name, holder.intro, holder.avatar, holder.type, holder.tmb_id
    permissions = holder.permissions
    return sum(map(getsizeof, (*texts, holder.parent_id, permissions, *permissions)))


def _size_of_file(file: File | Ticket) -> int:
    return _FILE_BYTES + len(file.content)


def _size_of_dataset(dataset: Dataset) -> int:
    tree_bytes = _TREE_BYTES if isinstance(dataset.tree, ChangedTree) else 0
    return _DATASET_BYTES + tree_bytes + _size_of_fields(dataset)
