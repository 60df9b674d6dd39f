"""The data of a sandbox: an immutable fixture, and an overlay of changes.

Any number of stores share a fixture, so creating and resetting a sandbox takes the same
time for any size. Callers pass the time; nothing here awaits.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from hashlib import sha256
from itertools import chain
from sys import getsizeof
from typing import Self, cast

from msgspec.structs import replace

from mock_server.domain.errors import LimitReached
from mock_server.domain.memory import Kind, Memory
from mock_server.domain.objects.dataset import Dataset, Tree
from mock_server.domain.objects.fixture_data import Generation, JobsOf
from mock_server.domain.objects.models import ApiKey, App, Collection, LoginCode, Row
from mock_server.domain.objects.rows import RowPlace, Rows, next_due, size_of_jobs
from mock_server.domain.objects.uploads import File, Ticket
from mock_server.domain.replies import Turns
from mock_server.domain.storage.changed_tree import ChangedTree
from mock_server.domain.storage.chat_store import ChatStore
from mock_server.domain.storage.overlay import Overlay


class Store(ChatStore):
    """The current chats, datasets, collections and rows of one sandbox.

    A new store over the same fixture is a reset. Data besides the fixture are charged
    to `memory`, as `kind`.
    """

    def __init__(
        self,
        generation: Generation,
        memory: Memory | None = None,
        kind: Kind = "changes",
    ) -> None:
        self.generation = generation
        self._apps = generation.apps
        # The loaded content of each app or dataset that was put whole; its memory stays
        # charged while it is here.
        self._loaded_apps: dict[str, Generation] = {}
        # Charged bytes of each app that was put without loaded content.
        self._app_sizes: dict[str, int] = {}
        self._loaded_datasets: dict[str, Generation] = {}
        self._memory = Memory() if memory is None else memory
        holding = self._memory.hold(kind)
        super().__init__(holding)
        self._datasets = Overlay(generation.datasets, holding, _size_of_dataset)
        self.rows = Rows(holding)
        """The rows, which are removed with their collections."""
        self.jobs = Overlay(generation.jobs_by_collection, holding, size_of_jobs)
        """Jobs of training, by dataset and collection id."""
        self.due = next_due(generation.jobs) if generation.jobs else None
        """When training continues, in milliseconds; None without training."""
        self.files = Overlay[str, File]({}, holding, _size_of_file)
        """Uploaded files, by id."""
        self.tickets = Overlay[str, Ticket]({}, holding, _size_of_file)
        """Files to upload, or in no collection yet, by key, by age."""
        self.turns: dict[str, Turns] = {}
        """Turns of the replies of an app; "" for the replies of all apps."""
        self.login_codes: Overlay[str, LoginCode] = Overlay(
            {}, holding, lambda _: _CODE_BYTES
        )
        """Codes for logins, by user name, by age."""
        self.logged_out: Overlay[str | None, str] = Overlay(
            {}, holding, lambda _: _CODE_BYTES
        )
        """Users who have logged out, by name."""
        self.api_keys = Overlay(generation.api_keys, holding, _size_of_api_key)
        """API keys that logins created, by id."""
        self.exported: int | None = None
        """Time of the last export, in milliseconds."""
        self._last_id = 0

    @property
    def size(self) -> int:
        """Estimated bytes besides the fixture."""
        return self._holding.size

    def copy(self, kind: Kind = "changes") -> Self:
        """Return an independent copy with the same data. Raises LimitReached."""
        copy = type(self)(self.generation, self._memory, kind)
        holding = copy._holding
        holding.charge(_STORE_BYTES + self.size)
        self._copy_chats(copy)
        if self._apps is not self.generation.apps:
            copy._apps = {**self._apps}
        copy._loaded_apps = self._loaded_apps.copy()
        copy._app_sizes = self._app_sizes.copy()
        copy._loaded_datasets = self._loaded_datasets.copy()
        copy._datasets = self._datasets.copy(holding)
        for dataset_id, dataset in self._datasets.changed.items():
            if dataset is not None and isinstance(dataset.tree, ChangedTree):
                own = replace(dataset, tree=dataset.tree.copy(holding))
                copy._datasets.changed[dataset_id] = own
        copy.rows = self.rows.copy(holding)
        copy.jobs, copy.due = self.jobs.copy(holding), self.due
        copy.files = self.files.copy(holding)
        copy.tickets = self.tickets.copy(holding)
        copy.turns, copy._last_id = self.turns.copy(), self._last_id
        copy.exported = self.exported
        copy.login_codes = self.login_codes.copy(holding)
        copy.logged_out = self.logged_out.copy(holding)
        copy.api_keys = self.api_keys.copy(holding)
        return copy

    def new_id(self) -> str:
        """Return an unused id of 24 hex digits, the same after a reset.

        Ids increase, as the service's do, which lists rows by id.

        Raises NotReady at the first call, so get ids before writing.
        """
        return self.new_ids(1)[0]

    def new_ids(self, count: int) -> list[str]:
        """Return several new ids. Raises NotReady."""
        made: list[str] = []
        while wanted := count - len(made):
            numbers = range(self._last_id + 1, self._last_id + 1 + wanted)
            # An id is no secret: it only has to look like one and be unique.
            digits = (sha256(b"%d" % each).hexdigest() for each in numbers)
            some = [
                f"{_IDS + number:x}{each}"[:_ID_CHARS]
                for number, each in zip(numbers, digits, strict=True)
            ]
            # Numbers are never reused: only a saved and reloaded state can have such an
            # id.
            for part in self._parts():
                some = [each for each in some if not part.has(each)]
            self._last_id += wanted
            made += some
        return made

    def check_room(self, size: int) -> None:
        """Raise LimitReached unless `size` more bytes fit."""
        self._memory.check_room(size, "path")

    def check_waiting(self, more: int) -> None:
        """Raise LimitReached unless `more` rows can wait for training."""
        most = self._memory.limits.waiting_rows
        jobs = chain.from_iterable(self.jobs.values())
        if sum(len(job.rows) or 1 for job in jobs) + more > most:
            expected = f"at most {most} data rows that wait for training"
            hint = "advance the clock, or use choice training=instant"
            raise LimitReached(expected, f"{more} more", "body", hint)

    def app(self, app_id: str) -> App | None:
        return self._apps.get(app_id)

    def apps(self) -> list[App]:
        """Return all current apps, put ones last."""
        return list(self._apps.values())

    def put_app(self, app: App) -> None:
        """Store an app; if its id exists, the chats stay.

        Raises LimitReached.
        """
        apps, size = self._own_apps(), _size_of_app(app)
        self._holding.charge(size - self._app_sizes.get(app.id, 0))
        apps[app.id], self._app_sizes[app.id] = app, size

    def put_whole_app(self, app: App, part: Generation) -> None:
        """Replace an app by one that was loaded with `part`.

        Its chats and records replace the former ones. Raises LimitReached.
        """
        self._own_apps()[app.id] = app
        self._forget_app(app.id)
        self._loaded_apps[app.id] = part

    def remove_apps(self, ids: Set[str]) -> None:
        """Remove existing apps with their chats and their API keys.

        Raises LimitReached.
        """
        apps = self._own_apps()
        for app_id in ids:
            del apps[app_id]
        kept = self._app_sizes, self._loaded_apps, self._chats, self._records
        for app_id in ids & set(chain(*kept, self._orders)):
            self._forget_app(app_id)
        keys = self.api_keys.values()
        self.api_keys.remove(*[each.id for each in keys if each.app_id in ids])

    def clear_chats(self, app: App) -> None:
        """Remove all chats of an app. Raises LimitReached."""
        self.put_app(replace(app, chats={}, records={}))
        self._forget_changes(app.id)

    def _forget_app(self, app_id: str) -> None:
        """Drop the changes of an app and the memory charged for it."""
        self._forget_changes(app_id)
        self._holding.grow(-self._app_sizes.pop(app_id, 0))
        self._loaded_apps.pop(app_id, None)

    def dataset(self, dataset_id: str) -> Dataset | None:
        return self._datasets.get(dataset_id)

    def datasets(self) -> list[Dataset]:
        """Return all current datasets, created ones last."""
        return list(self._datasets.values())

    def put_dataset(self, dataset: Dataset) -> None:
        """Store a dataset; if its id exists, the collections stay.

        Raises LimitReached.
        """
        old = self._datasets.get(dataset.id)
        if old is not None:
            dataset = replace(dataset, tree=old.tree, rows=old.rows)
        self._datasets.put(dataset.id, dataset)

    def put_whole_dataset(self, dataset: Dataset, part: Generation) -> None:
        """Replace a dataset by one that was loaded with `part`.

        Its collections and rows replace the former ones. Raises LimitReached.
        """
        old = self._datasets.changed.get(dataset.id)
        self._datasets.put(dataset.id, dataset)
        self._forget_inside({dataset.id: old})
        self._loaded_datasets[dataset.id] = part

    def remove_datasets(self, ids: Set[str]) -> None:
        """Remove existing datasets with their collections, rows and files.

        Datasets in a removed folder stay, unless `ids` has them.
        """
        olds = {each: self._datasets.changed.get(each) for each in ids}
        self._datasets.remove(*ids)
        self._forget_inside(olds)
        for dataset_id in self._loaded_datasets.keys() & ids:
            del self._loaded_datasets[dataset_id]

    def _forget_inside(self, olds: Mapping[str, Dataset | None]) -> None:
        """Drop the changes in datasets; `olds` has the datasets that were put."""
        for old in olds.values():
            if old is not None and isinstance(old.tree, ChangedTree):
                self._holding.grow(-old.tree.size)
        self.rows.remove_all(olds.keys())
        self._forget_work(lambda place: place[0] in olds)
        tickets = self.tickets.values()
        self.tickets.remove(*[it.key for it in tickets if it.dataset_id in olds])

    def find_collection(self, collection_id: str) -> tuple[Dataset, Collection] | None:
        """Return the first collection with this id and its dataset, or None."""
        for dataset in self._datasets.values():
            collection = dataset.tree.get(collection_id)
            if collection is not None:
                return dataset, collection
        return None

    def put_collection(self, dataset: Dataset, collection: Collection) -> None:
        """Store a collection, or replace the one with its id. Raises LimitReached."""
        tree = self._changed_tree(dataset)
        # A hidden collection may have had this id: its rows must not come back.
        comes_back = collection.id in dataset.rows and collection.id not in tree
        tree.put(collection)
        if comes_back:
            self.rows.remove(dataset, [collection.id])

    def put_collections(
        self, dataset: Dataset, collections: Sequence[Collection]
    ) -> None:
        """Store several collections of a dataset, or none. Raises LimitReached."""
        self._changed_tree(dataset).put_all(collections)

    def remove_collections(self, dataset: Dataset, ids: Iterable[str]) -> int:
        """Remove collections of a dataset, all below them, and their rows.

        Returns the number of removed collections. Raises LimitReached.
        """
        tree = self._changed_tree(dataset)
        before = len(tree)
        gone = {*tree.remove(ids)}
        if before - len(tree) > len(gone):
            gone.update(each for each in self.rows.put_in(dataset) if each not in tree)
        self.rows.remove(dataset, gone)
        self._forget_work(lambda at: at[0] == dataset.id and at[1] not in tree)
        return before - len(tree)

    def find_row(self, row_id: str) -> tuple[Dataset, Collection, Row] | None:
        found = self.rows.find(row_id, self._loaded_place)
        if found is None:
            return None
        place, is_put = found
        dataset = self._datasets.get(place.dataset_id)
        collection = None if dataset is None else dataset.tree.get(place.collection_id)
        if dataset is None or collection is None:
            return None
        if not (is_put or self.rows.has(dataset, place)):
            return None
        return dataset, collection, place.row

    def _parts(self) -> list[Generation]:
        """Return all loaded contents."""
        loaded = self._loaded_apps.values(), self._loaded_datasets.values()
        return [*chain(*loaded), self.generation]

    def _loaded_place(self, row_id: str) -> RowPlace | None:
        """Return where a row was loaded, unless its dataset was replaced since."""
        for part in self._parts():
            place = part.row_places.get(row_id)
            if place is not None:
                dataset_id = place.dataset_id
                if self._loaded_datasets.get(dataset_id, self.generation) is part:
                    return place
        return None

    def _own_apps(self) -> dict[str, App]:
        """Return the apps for changes. Raises LimitReached."""
        if self._apps is self.generation.apps:
            self._holding.charge(_APP_SLOT_BYTES * len(self._apps))
            self._apps = {**self._apps}
        return cast("dict[str, App]", self._apps)

    def _changed_tree(self, dataset: Dataset) -> ChangedTree:
        """Return the tree of a dataset for changes. Raises LimitReached."""
        now = self.dataset(dataset.id) or dataset
        if isinstance(now.tree, ChangedTree):
            return now.tree
        tree = ChangedTree(cast(Tree, now.tree), self._holding)
        self._datasets.put(now.id, replace(now, tree=tree))
        return tree

    def _forget_work(self, is_gone: Callable[[JobsOf], bool]) -> None:
        """Drop the training and the files of collections that are gone."""
        self.jobs.remove(*filter(is_gone, self.jobs))
        files = self.files.values()
        self.files.remove(*[file.id for file in files if is_gone(file.place)])


# Estimated bytes: of a copied store without its data; an app's slot in a mapping; an
# app, a dataset without texts; a changed tree; a login code; a file without content; an
# API key without its name.
_STORE_BYTES, _APP_SLOT_BYTES, _APP_BYTES = 1_024, 120, 700
_DATASET_BYTES, _TREE_BYTES, _CODE_BYTES, _FILE_BYTES = 500, 1_500, 500, 400
_API_KEY_BYTES = 500


_ID_CHARS, _IDS = 24, 0xFF000000
"""Start of new ids, greater than nearly all ids of fixtures."""


def _size_of_api_key(key: ApiKey) -> int:
    return _API_KEY_BYTES + getsizeof(key.name)


def _size_of_app(app: App) -> int:
    texts = app.name, app.intro, app.avatar, *app.question_guide
    return _APP_BYTES + sum(map(getsizeof, texts))


def _size_of_file(file: File | Ticket) -> int:
    return _FILE_BYTES + len(file.content)


def _size_of_dataset(dataset: Dataset) -> int:
    more = _TREE_BYTES if isinstance(dataset.tree, ChangedTree) else 0
    texts = getsizeof(dataset.name) + getsizeof(dataset.intro)
    return _DATASET_BYTES + more + texts
