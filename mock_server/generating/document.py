"""A made-up fixture as a document, of which next to nothing is in memory at a time.

Lists that can be long are iterators, to be read once and in order. Whoever draws from
one has a `Chance` of its own: with other rows, the collections are the same.
"""

import hashlib
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import msgspec
from msgspec import Struct, field

from mock_server.domain.clock import format_time
from mock_server.generating.chance import Chance
from mock_server.generating.names import Names
from mock_server.generating.plan import Plan
from mock_server.generating.shape import shape

Plain = dict[str, Any]
_NOW = 1767225600000
"""2026-01-01T00:00:00Z: what is made today is the same tomorrow."""
_YEAR_MS, _MINUTE_MS = 365 * 86_400_000, 60_000
_YEARS = 3
_MOST_AMOUNT = 200
_SPOKEN = 3
"""Questions of a chat, each with an answer, at most."""
_SENTENCES = 3
"""Sentences of a data row that is a text."""


class _Made(Struct, omit_defaults=True, kw_only=True, rename="camel", gc=False):
    """A collection as it is written: flat, without what is the default."""

    id: str = field(name="_id")
    parent_id: str | None = None
    type: str
    name: str
    update_time: str
    data_amount: int = 0
    training_amount: int = 0
    external_file_id: str = ""
    tags: tuple[str, ...] = ()
    forbid: bool = False
    training_type: str = "chunk"
    raw_link: str | None = None


def document(plan: Plan, on_collection: Callable[[], object] = lambda: None) -> Plain:
    """The fixture document; `on_collection` is called for each one that is made."""
    names = Names(plan.seed, plan.locale)
    return {
        "apps": iter([_app(plan, names)]),
        "datasets": _datasets(plan, names, on_collection),
    }


def _ids(plan: Plan, kind: str) -> Callable[[int], str]:
    """Makes ids like the service's for one kind of record, each of a time."""
    # Time, place and number of a MongoDB ObjectId: the number alone makes them unique.
    place = hashlib.sha256(f"{plan.seed}/{kind}".encode()).hexdigest()[:10]
    numbers = count(1)
    return lambda ms: f"{ms // 1000:08x}{place}{next(numbers):06x}"


def _time(chance: Chance) -> int:
    """A time before now, in milliseconds; there are more of late."""
    return _NOW - 1000 - int(chance.draw() ** 2 * _YEARS * _YEAR_MS)


def _app(plan: Plan, names: Names) -> Plain:
    chance = Chance(plan.seed, "app")
    return {
        "id": _ids(plan, "app")(_NOW - _YEARS * _YEAR_MS),
        "name": names.company(chance, names.words.app),
        "chats": _chats(plan, names),
    }


def _chats(plan: Plan, names: Names) -> Iterator[Plain]:
    """Every third has another title, every sixth is pinned, every second has records.

    So that there are some of each kind however few there are; the pins go first.
    """
    chance, make_id = Chance(plan.seed, "chats"), _ids(plan, "chats")
    for number in range(plan.chats):
        ms = _time(chance)
        title = names.name(chance, names.words.questions)
        chat: Plain = {"chatId": make_id(ms), "title": title}
        if number % 3 == 1:
            chat["customTitle"] = names.name(chance, names.words.custom_titles)
        if number % 6 == 0:
            chat["top"] = True
        chat["updateTime"] = format_time(ms)
        if number % 2 == 0:
            chat["records"] = _records(names, chance, title, ms)
        yield chat


def _records(names: Names, chance: Chance, question: str, end: int) -> list[Plain]:
    """A conversation that begins with a question, and ends at a time."""
    turns = 1 + chance.below(_SPOKEN)
    found: list[Plain] = []
    for turn in range(turns):
        at = end - (turns - 1 - turn) * _MINUTE_MS
        asked = at - 1000 * (1 + chance.below(20))
        found += (
            {"obj": "Human", "text": question, "time": format_time(asked)},
            {"obj": "AI", "text": names.text(chance), "time": format_time(at)},
        )
        question = names.name(chance, names.words.questions)
    return found


def _datasets(
    plan: Plan, names: Names, on_collection: Callable[[], object]
) -> Iterator[Plain]:
    chance, make_id = Chance(plan.seed, "datasets"), _ids(plan, "datasets")
    make = _Collections(plan, names)
    for number in range(plan.datasets):
        ms = _time(chance)
        yield {
            "id": make_id(ms),
            "name": names.company(chance, names.words.dataset),
            "intro": names.text(chance),
            "updateTime": format_time(ms),
            "collections": make.of_dataset(number, on_collection),
        }


class _Collections:
    """Makes the collections of datasets, and their rows."""

    def __init__(self, plan: Plan, names: Names) -> None:
        self._plan = plan
        self._names = names
        self._chance = Chance(plan.seed, "collections")
        self._rows_chance = Chance(plan.seed, "rows")
        self._make_id = _ids(plan, "collections")
        # Untagged, or with one tag to three.
        tags = names.words.tags
        self._tags = ((),) * len(tags) + tuple(
            tuple(tags[(at + step) % len(tags)] for step in range(1 + at % 3))
            for at in range(len(tags))
        )

    def of_dataset(
        self, number: int, on_collection: Callable[[], object]
    ) -> Iterator[_Made | Plain]:
        """Those of a dataset, parents first."""
        plan = self._plan
        chance = Chance(plan.seed, f"shape {number}")
        parents: list[str | None] = [None] * (plan.depth + 1)
        for level, is_folder in shape(plan.collections, plan.depth, chance):
            made = self._folder() if is_folder else self._leaf()
            made.parent_id = parents[level]
            parents[level + 1] = made.id
            on_collection()
            if plan.rows and not is_folder:
                yield msgspec.to_builtins(made) | {"data": self._rows()}
            else:
                yield made

    def _folder(self) -> _Made:
        return self._made("folder", self._names.words.folders)

    def _leaf(self) -> _Made:
        """A file, a link, or manual entries; few are disabled or in training."""
        chance, words = self._chance, self._names.words
        drawn = chance.draw()
        if drawn < 0.6:
            made = self._made("file", words.files)
        elif drawn < 0.85:
            made = self._made("link", words.links)
            made.raw_link = f"https://www.example.com/{made.id[-6:]}"
            if drawn < 0.7:
                made.external_file_id = f"ext-{made.id[-6:]}"
        else:
            made = self._made("virtual", words.notes)
        amount = chance.below(_MOST_AMOUNT)
        made.data_amount = self._plan.rows or amount
        made.tags = chance.pick(self._tags)
        # One draw for what is rare: each takes a little of a million times.
        rare = chance.draw()
        made.forbid = rare < 0.04
        if rare > 0.9:
            made.training_type = "qa"
        if rare > 0.95:
            made.training_amount = chance.below(made.data_amount + 1)
        return made

    def _made(self, kind: str, forms: Any) -> _Made:
        ms = _time(self._chance)
        time = format_time(ms)
        name = self._names.name(self._chance, forms, time[:4])
        return _Made(id=self._make_id(ms), type=kind, name=name, update_time=time)

    def _rows(self) -> Iterator[Plain]:
        """Questions with answers, and texts without."""
        names, chance = self._names, self._rows_chance
        for _ in range(self._plan.rows):
            if chance.draw() < 0.7:
                question = names.name(chance, names.words.questions)
                yield {"q": question, "a": names.text(chance)}
            else:
                yield {"q": names.text(chance, _SENTENCES)}
