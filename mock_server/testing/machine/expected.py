"""Computes the correct results of a client's calls, with the server's domain code."""

from collections.abc import Mapping

from mock_server.domain.access import Caller, owner_key
from mock_server.domain.call import Call
from mock_server.domain.choices.choosing import as_profile, choose
from mock_server.domain.choices.table import Value
from mock_server.domain.clock import Environment
from mock_server.domain.errors import Refusal
from mock_server.domain.listing.list_v2 import list_v2
from mock_server.domain.listing.request import ListV2
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import Collection
from mock_server.domain.pinning import UpdateHistory, update_history
from mock_server.domain.sandboxes.sandbox import Sandbox

Chat = tuple[str, str]
"""The ids of an app and of a chat session in it."""
Folder = tuple[str, str | None]
"""The ids of a dataset and of a folder in it; None is the top level."""
MISSING = "missing"
"""An id that does not exist."""
EVERYTHING = 1_000_000
"""A page size larger than any list."""


class Expected:
    """The objects that a server should have, and the correct results for `caller`."""

    def __init__(
        self, fixture: FixtureData, profile: str, choices: Mapping[str, Value]
    ) -> None:
        values = choose(profile, choices)
        environment = Environment(lambda: 0, lambda: 0.0, str)
        sandbox = Sandbox(fixture, as_profile(profile), values, environment)
        self._state = sandbox.state
        self._store = sandbox.state.store
        # The first declared owner, or any caller if none is declared.
        key = owner_key(fixture.keys, is_any_accepted=True) or ""
        self.caller = fixture.keys.get(key, Caller("any"))

    @property
    def pins(self) -> dict[Chat, bool]:
        """The pin state of every chat session."""
        return {
            (app.id, chat.chat_id): chat.top
            for app in self._store.apps()
            for chat in self._store.chats(app)
        }

    @property
    def chats(self) -> list[Chat]:
        """Every chat session, and an unknown one."""
        return [*self.pins, *((app.id, MISSING) for app in self._store.apps()[:1])]

    @property
    def datasets(self) -> list[str]:
        return [each.id for each in self._store.datasets()]

    @property
    def known_folders(self) -> list[Folder]:
        """Every folder, and the top level of every dataset."""
        datasets = self._store.datasets()
        return [(dataset.id, None) for dataset in datasets] + [
            (dataset.id, each.id)
            for dataset in datasets
            for each in dataset.tree
            if each.type == "folder"
        ]

    @property
    def folders(self) -> list[Folder]:
        """The known folders, an unknown folder, and the top of an unknown dataset."""
        missing: list[Folder] = [(dataset, MISSING) for dataset in self.datasets[:1]]
        return [*self.known_folders, *missing, (MISSING, None)]

    def pin(self, chat: Chat, top: bool) -> bool:
        """Pin or unpin a chat session; return False if the request is refused."""
        try:
            update_history(self._call(self.caller), UpdateHistory(*chat, top))
        except Refusal:
            return False
        return True

    def set_pin(self, chat: Chat, top: bool | None) -> None:
        """Set the pin state that a server has for a chat; None removes the chat."""
        app = self._store.app(chat[0])
        has_chat = app and self._store.chat(app, chat[1])
        if app and has_chat and top is None:
            self._store.remove_chats(app, chat[1])
        elif top is not None:
            update_history(self._call(Caller("any")), UpdateHistory(*chat, top))

    def page(
        self,
        dataset: str,
        parent: str | None,
        offset: int = 0,
        page_size: int = EVERYTHING,
    ) -> list[str] | None:
        """Return the ids in a folder, in order; None if the request is refused."""
        return self._ids(ListV2(dataset, offset, page_size, parent))

    def search(self, dataset: str, text: str) -> list[str] | None:
        """Return the ids that match in a dataset; None if the request is refused."""
        return self._ids(ListV2(dataset, 0, EVERYTHING, search_text=text))

    def add(self, folder: Folder, collection_id: str, name: str) -> None:
        """Add a collection at the end of a folder."""
        dataset = self._store.dataset(folder[0])
        if dataset is not None:
            collection = Collection(collection_id, name, folder[1])
            self._store.put_collection(dataset, collection)

    def _call(self, caller: Caller) -> Call:
        return Call.for_caller(self._state, caller)

    def _ids(self, request: ListV2) -> list[str] | None:
        try:
            page = list_v2(self._call(self.caller), request)
        except Refusal:
            return None
        return [each.id for each in page.items]
