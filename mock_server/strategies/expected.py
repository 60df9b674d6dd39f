"""The plain model: what the server holds, and so what a client is to be told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mock_server.domain.access import Caller, Level
from mock_server.domain.choices import Choices
from mock_server.domain.generation import Generation
from mock_server.domain.haystack import fold
from mock_server.domain.index import in_order
from mock_server.domain.records import Collection

Chat = tuple[str, str]
"""The ids of an app and of a chat session in it."""
Folder = tuple[str, str | None]
"""The ids of a dataset and of a folder in it; None is the top level."""
MISSING = "missing"
"""An id of nothing."""


class Expected:
    """The records of a server as they should be, for a caller that may change."""

    def __init__(self, generation: Generation, choices: Choices) -> None:
        self.choices = choices
        self.caller = first_caller(generation)
        self.items = {each.id: list(each.tree) for each in generation.datasets.values()}
        self.tops = {
            (app.id, chat_id): chat.top
            for app in generation.apps.values()
            for chat_id, chat in app.chats.items()
        }
        self._generation = generation

    @property
    def chats(self) -> list[Chat]:
        """Every chat session, and one that there is not."""
        return [*self.tops, *((app, MISSING) for app in [*self._generation.apps][:1])]

    @property
    def known_folders(self) -> list[Folder]:
        """Every top level and folder."""
        within: list[Folder] = [(dataset, None) for dataset in self.items]
        return within + [
            (dataset, each.id)
            for dataset, items in self.items.items()
            for each in items
            if each.type == "folder"
        ]

    @property
    def folders(self) -> list[Folder]:
        """Every folder, one that there is not, and one in no dataset."""
        missing: list[Folder] = [(dataset, MISSING) for dataset in [*self.items][:1]]
        return [*self.known_folders, *missing, (MISSING, None)]

    def pins(self, chat: Chat) -> bool | None:
        """Whether a pin of a chat session changes it; None if it is refused."""
        app = self._generation.apps[chat[0]]
        if app.level_of(self.caller) < Level.READ:
            return None
        if chat in self.tops:
            return True
        return {"not_found": None, "create": True}.get(self.choices.chat_unknown, False)

    def folder(self, folder: Folder) -> list[str] | None:
        """The ids of what is in a folder, in order; None if that is refused."""
        dataset, parent = folder
        if not self._may_read(dataset):
            return None
        is_unknown = parent is not None and parent not in self._ids(dataset)
        if is_unknown and self.choices.parent_unknown == "not_found":
            return None
        return [each.id for each in self._ordered(dataset) if each.parent_id == parent]

    def found(self, dataset: str, text: str) -> list[str] | None:
        """The ids that a search in a whole dataset finds; None if it is refused."""
        if not self._may_read(dataset):
            return None
        choices, items = self.choices, self._ordered(dataset)
        if choices.parent_omitted == "root" and choices.search_scope == "folder":
            items = [each for each in items if each.parent_id is None]
        tags = choices.search_fields == "name_and_tags"
        return [
            each.id
            for each in items
            if any(
                fold(text) in fold(one)
                for one in (each.name, *(each.tags if tags else ()))
            )
        ]

    def add(self, folder: Folder, collection_id: str, name: str) -> None:
        """Something new in a folder, behind all else."""
        dataset, parent = folder
        self.items[dataset].append(Collection(collection_id, name, parent))

    def _may_read(self, dataset: str) -> bool:
        found = self._generation.datasets.get(dataset)
        return found is not None and found.level_of(self.caller) >= Level.READ

    def _ids(self, dataset: str) -> set[str]:
        return {each.id for each in self.items[dataset]}

    def _ordered(self, dataset: str) -> Sequence[Collection]:
        return in_order(self.items[dataset], self.choices.list_order)


def first_caller(generation: Generation) -> Caller:
    """Who calls at the beginning: the first owner that is declared, or anybody."""
    owners = (each for each in generation.keys.values() if each.level is Level.OWNER)
    return next(owners, Caller("any"))


def difference(
    got: Sequence[str], expected: Sequence[str], in_order: bool
) -> str | None:
    """How a list of ids is another one than it should be, in words; None if not."""
    count = Counter(got)
    twice = [each for each, often in count.items() if often > 1]
    if twice:
        return f"{_named(twice)} more than once"
    missing = [each for each in expected if each not in count]
    if missing:
        return f"{len(got)} of {len(expected)}, without {_named(missing)}"
    known = set(expected)
    further = [each for each in got if each not in known]
    if further:
        return f"also {_named(further)}"
    for at, (one, other) in enumerate(zip(got, expected, strict=True)):
        if in_order and one != other:
            return f"{one!r} in place {at}, where {other!r} is"
    return None


def _named(ids: Sequence[str]) -> str:
    shown = ", ".join(map(repr, ids[:3]))
    return shown if len(ids) <= 3 else f"{shown} and {len(ids) - 3} more"
