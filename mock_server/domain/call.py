"""`Call`: state and caller of a request, with look-ups that check permissions."""

from collections.abc import Hashable, Iterable, Mapping
from itertools import islice
from typing import Any, TypeVar
from weakref import ref

from msgspec import Struct

from mock_server.domain import errors
from mock_server.domain.access import Caller, Level, Share
from mock_server.domain.errors import refusal
from mock_server.domain.faults.firing import Request
from mock_server.domain.messages import hint_of_name, known_names_hint, quoted
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.models import DEFAULT_TMB_ID, App, Chat, Collection, Row
from mock_server.domain.objects.pending import NotReady, Pending, Steps
from mock_server.domain.replies import StoredReply
from mock_server.domain.sandboxes.state import State
from mock_server.domain.storage.store import Store
from mock_server.domain.versions import Facts

AppNotFound = refusal("AppNotFound", "404 appNotFound", "500 502000 appUnExist")
AppForbidden = refusal("AppForbidden", "403 forbidden", "500 502001 unAuthApp")
DatasetNotFound = refusal(
    "DatasetNotFound", "404 datasetNotFound", "500 501002 unExistDataset"
)
DatasetForbidden = refusal(
    "DatasetForbidden", "403 forbidden", "500 501004 unAuthDataset"
)
ParentNotFound = refusal(
    "ParentNotFound", "404 parentNotFound", "500 501002 unExistDataset"
)
ShareNotFound = refusal("ShareNotFound", "404 shareNotFound", "500 501 linkUnInvalid")
ChatForbidden = refusal("ChatForbidden", "403 forbidden", "500 504000 unAuthChat")
RowNotFound = refusal("RowNotFound", "404 rowNotFound", "500 500 error")
CollectionNotFound = refusal(
    "CollectionNotFound", "404 collectionNotFound", "500 501003 unExistCollection"
)

APP = (AppNotFound, AppForbidden)
DATASET = (DatasetNotFound, DatasetForbidden)
COLLECTION = (CollectionNotFound, DatasetForbidden)
ROW = (RowNotFound, DatasetForbidden)
"""The refusals that a look-up of each kind of object raises, in this order."""


Holder = TypeVar("Holder", App, Dataset)
V = TypeVar("V")
_COMPARED_HOLDERS = 1_000
"""Maximum number of apps or datasets that are compared with an unknown id."""


class Call(Struct, frozen=True, gc=False):
    """The input of an operation, apart from the fields of the request.

    `store` has the data of the sandbox. `reply` is the scripted reply of a completion;
    `request` is compared with the `match` of the fixture's replies.

    `results` are those of `compute`, which a request keeps while it is repeated.

    Look-ups take the level that the caller needs: `Level.NONE` checks only that the
    object exists. Their refusals name the `place`.
    """

    state: State
    caller: Caller
    store: Store
    reply: StoredReply | None = None
    request: Request | None = None
    results: dict[Hashable, Pending[Any]] | None = None

    @classmethod
    def for_caller(
        cls,
        state: State,
        caller: Caller,
        results: dict[Hashable, Pending[Any]] | None = None,
    ) -> "Call":
        """Return a call with the store of `state`."""
        return cls(state, caller, state.store, results=results)

    def compute(
        self, name: str, steps: Steps[V], *of: str, is_change: bool = False
    ) -> V:
        """Return the value that `steps` compute. Raises NotReady, and what they raise.

        A request that is repeated gets the value for the data that it first met: writes
        of others cannot keep it waiting for ever. `of` are the ids of the object that
        the value is of, if another may be found when the request is repeated.
        `is_change`: the steps change data, so the request must be repeated on the same
        state, and begins after other such changes.
        """
        results = {} if self.results is None else self.results
        key = name, id(self.store), *of
        pending = results.get(key)
        if pending is None:
            running = self.store.running_change()
            if is_change and running is not None and running.is_unfinished:
                raise NotReady(running)
            # With the store, so that its identity is not used again.
            pending = Pending(steps, (key, self.store), is_change=is_change)
            if is_change:
                self.store.running_change = ref(pending)
            pending.start()
            results[key] = pending
        value: V = pending.result()
        return value

    @property
    def now(self) -> int:
        """The sandbox's time in milliseconds."""
        return self.state.clock.now()

    @property
    def facts(self) -> Facts:
        """The facts of the version in force."""
        return self.state.facts

    @property
    def member(self) -> str:
        """The id of the member who owns the objects that the caller creates."""
        return self.caller.member or DEFAULT_TMB_ID

    def app(
        self, app_id: str, level: Level = Level.READ, place: str = "$.appId"
    ) -> App:
        """Return the app with this id. Raises APP."""
        app = self.store.app(app_id)
        if app is None:
            hint = self.unknown_id_hint(app_id, self.store.apps())
            raise AppNotFound.of(app_id, "the id of an app", place, hint)
        return self.require(app, level, place)

    def dataset(self, dataset_id: str, level: Level, place: str = "$.id") -> Dataset:
        """Return the dataset with this id. Raises DATASET."""
        dataset = self.store.dataset(dataset_id)
        if dataset is None:
            hint = self.unknown_id_hint(dataset_id, self.store.datasets())
            raise DatasetNotFound.of(dataset_id, "the id of a dataset", place, hint)
        return self.require(dataset, level, place)

    def collection(
        self, collection_id: str, level: Level, place: str = "$.id"
    ) -> tuple[Dataset, Collection]:
        """Return the collection with this id, and its dataset. Raises COLLECTION."""
        match = self.store.find_collection(collection_id)
        return self._require_collection(match, collection_id, level, place)

    def collections(
        self, ids: Mapping[str, str], level: Level
    ) -> dict[str, tuple[Dataset, Collection]]:
        """Return the collections with these ids, and their datasets, by place.

        `ids` has the id at each place in the request. Raises COLLECTION, NotReady.
        """
        found = self.store.find_collections({*ids.values()})
        return {
            place: self._require_collection(found.get(each), each, level, place)
            for place, each in ids.items()
        }

    def _require_collection(
        self,
        match: tuple[Dataset, Collection] | None,
        collection_id: str,
        level: Level,
        place: str,
    ) -> tuple[Dataset, Collection]:
        """Return the collection with this id, and its dataset. Raises COLLECTION."""
        if match is None:
            expected, hint = "the _id of a collection", self._kind_hint(collection_id)
            raise CollectionNotFound.of(collection_id, expected, place, hint)
        self.require(match[0], level, place)
        return match

    def row(
        self, row_id: str, level: Level, place: str = "$.id"
    ) -> tuple[Dataset, Collection, Row]:
        """Return the row with this id, its dataset and its collection. Raises ROW."""
        match = self.store.find_row(row_id)
        if match is None:
            raise RowNotFound.of(row_id, "the id of a data row", place)
        self.require(match[0], level, place)
        return match

    @property
    def share(self) -> Share | None:
        """The visitor's share link; None for any other caller."""
        visitor = self.caller.visitor
        return None if visitor is None else visitor.share

    def visited_share(self) -> Share:
        """Return the visitor's share link. Raises ShareNotFound."""
        if self.share is None:
            expected = "the shareId of a share link, and an outLinkUid"
            hint = "`shares:` of the fixture declares links, "
            hint += "GET /__admin/sandboxes lists their ids in each sandbox"
            raise ShareNotFound(expected, "none that counts here", "$.shareId", hint)
        return self.share

    def may_see(self, chat: Chat) -> bool:
        """Return False if the caller is a visitor and the chat is not the visitor's."""
        visitor = self.caller.visitor
        if visitor is None:
            return True
        return visitor.owns(chat.share_id, chat.out_link_uid)

    def visible_chat(self, app: App, chat_id: str) -> Chat | None:
        """Return the chat with this id, or None if it does not exist.

        Raises ChatForbidden if the chat is not the visitor's.
        """
        chat = self.store.chat(app, chat_id)
        if chat is not None and not self.may_see(chat):
            expected = "a chat session of this visitor of the share link"
            raise ChatForbidden.of(chat_id, expected, "$.chatId")
        return chat

    def require(self, holder: Holder, level: Level, place: str = "$.id") -> Holder:
        """Return the app or dataset `holder` if the caller has this level on it.

        Raises AppForbidden, DatasetForbidden.
        """
        if holder.level_of(self.caller) < level:
            is_app = isinstance(holder, App)
            permission = f"{level.name.lower()} permission on"
            name = f"{'app' if is_app else 'dataset'} {quoted(holder.id)}"
            kind = AppForbidden if is_app else DatasetForbidden
            raise kind(f"a key with {permission} {name}", "a key without it", place)
        return holder

    def unknown_id_hint(self, own_id: str, holders: Iterable[Holder]) -> str:
        """Return a hint for an unknown id: a similar id, and ids that exist.

        The hint names only those of `holders` that the caller may read.
        """
        first = islice(holders, _COMPARED_HOLDERS)
        readable = [each for each in first if each.level_of(self.caller) >= Level.READ]
        name_hint = hint_of_name(own_id, ((each.id, each.name) for each in readable))
        ids = [each.id for each in readable]
        ids_hint = known_names_hint(own_id, ids, len(ids)) if ids else ""
        return "; ".join(filter(None, (self._kind_hint(own_id), name_hint, ids_hint)))

    def _kind_hint(self, own_id: str) -> str:
        """Return `that is the id of an app` if another kind of object has this id.

        Return "" otherwise.
        """
        objects = {
            "an app": self.store.app(own_id),
            "a dataset": self.store.dataset(own_id),
            "a collection": self.store.find_collection(own_id),
        }
        names = [name for name, each in objects.items() if each is not None]
        return f"that is the id of {names[0]}" if names else ""

    def check_room(
        self, count: int, limit: int, noun: str, place: str = "body", hint: str = ""
    ) -> None:
        """Raise LimitReached if `limit` objects exist already; `count` is their number.

        `noun` names these objects in the message, `place` is in the request.
        """
        if count >= limit:
            raise errors.LimitReached(
                f"at most {limit} {noun}", "one more", place, hint
            )
