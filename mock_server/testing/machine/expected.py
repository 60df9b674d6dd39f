"""The correct results of a client's calls, by the server's own domain code."""

from collections.abc import Mapping

from mock_server.domain.access import Caller, owner_key
from mock_server.domain.call import Call
from mock_server.domain.chats import UpdateHistory, update_history
from mock_server.domain.choices.choosing import as_profile, choose
from mock_server.domain.choices.table import Value
from mock_server.domain.clock import Environment
from mock_server.domain.errors import Refusal
from mock_server.domain.listing.list_v2 import list_v2
from mock_server.domain.listing.request import ListV2
from mock_server.domain.objects.fixture_data import Generation
from mock_server.domain.objects.models import Collection
from mock_server.domain.sandboxes.sandbox import Sandbox

Chat = tuple[str, str]
"""The ids of an app and of a chat session in it."""
Folder = tuple[str, str | None]
"""The ids of a dataset and of a folder in it; None is the top level."""
MISSING = "missing"
"""An id that does not exist."""
EVERYTHING = 1_000_000
"""A page size that holds any list."""


class Expected:
    """The objects that a server should have, and the results for a `caller`."""

    def __init__(
        self, generation: Generation, profile: str, choices: Mapping[str, Value]
    ) -> None:
        chosen = choose(profile, choices)
        outside = Environment(lambda: 0, lambda: 0.0, str)
        sandbox = Sandbox(generation, as_profile(profile), chosen, outside)
        self._state = sandbox.state
        self._store = sandbox.state.store
        # The first owner that is declared, or any caller.
        key = owner_key(generation.keys, any_key=True) or ""
        self.caller = generation.keys.get(key, Caller("any"))

    @property
    def tops(self) -> dict[Chat, bool]:
        """Return the pin state of every chat session."""
        return {
            (app.id, chat.chat_id): chat.top
            for app in self._store.apps()
            for chat in self._store.chats(app)
        }

    @property
    def chats(self) -> list[Chat]:
        """Return every chat session, and an unknown one."""
        return [*self.tops, *((app.id, MISSING) for app in self._store.apps()[:1])]

    @property
    def datasets(self) -> list[str]:
        return [each.id for each in self._store.datasets()]

    @property
    def known_folders(self) -> list[Folder]:
        """Return every top level and folder."""
        datasets = self._store.datasets()
        return [(dataset.id, None) for dataset in datasets] + [
            (dataset.id, each.id)
            for dataset in datasets
            for each in dataset.tree
            if each.type == "folder"
        ]

    @property
    def folders(self) -> list[Folder]:
        """Return every folder, an unknown one, and one in an unknown dataset."""
        missing: list[Folder] = [(dataset, MISSING) for dataset in self.datasets[:1]]
        return [*self.known_folders, *missing, (MISSING, None)]

    def pin(self, chat: Chat, top: bool) -> bool:
        """Pin or unpin a chat session; return False if that is refused."""
        try:
            update_history(self._call(self.caller), UpdateHistory(*chat, top))
        except Refusal:
            return False
        return True

    def learn(self, chat: Chat, top: bool | None) -> None:
        """Set the pin state that a server has for a chat; None removes the chat."""
        app = self._store.app(chat[0])
        found = app and self._store.chat(app, chat[1])
        if app and found and top is None:
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
        return self._listed(ListV2(dataset, offset, page_size, parent))

    def found(self, dataset: str, text: str) -> list[str] | None:
        """Return the ids that a search of a dataset finds; None if it is refused."""
        return self._listed(ListV2(dataset, 0, EVERYTHING, search_text=text))

    def add(self, folder: Folder, collection_id: str, name: str) -> None:
        """Add a collection at the end of a folder."""
        dataset = self._store.dataset(folder[0])
        if dataset is not None:
            collection = Collection(collection_id, name, folder[1])
            self._store.put_collection(dataset, collection)

    def _call(self, caller: Caller) -> Call:
        return Call.for_caller(self._state, caller)

    def _listed(self, request: ListV2) -> list[str] | None:
        try:
            page = list_v2(self._call(self.caller), request)
        except Refusal:
            return None
        return [each.id for each in page.items]
