"""The runs of a test under other choices, and which choices its first run read."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from mock_server.domain.choices import choosing
from mock_server.domain.choices import table as choice_table
from mock_server.domain.choices.table import Choices, Value
from mock_server.domain.messages import did_you_mean

BASELINE = "baseline"
ALL, REALLY_ALL = "all", "all!"


@dataclass(frozen=True, slots=True)
class Variant:
    """One choice with another value than a test's baseline; its text is NAME=VALUE."""

    name: str
    value: Value

    def __str__(self) -> str:
        return f"{self.name}={self.value}"

    @classmethod
    def of(cls, text: str) -> "Variant":
        """The variant of a text. Raises UnknownChoice."""
        name, _, value = text.partition("=")
        choice = choosing.choice(name)
        return cls(choice.name, choice.parse(value))

    def differs_from(self, choices: Choices) -> bool:
        return bool(getattr(choices, self.name) != self.value)


@dataclass(frozen=True, slots=True)
class Selection:
    """The values to try, by choice; whether those too that cannot matter to a test."""

    values: Mapping[str, tuple[Value, ...]]
    is_forced: bool = False

    @classmethod
    def of(cls, text: str) -> "Selection":
        """What `all`, `all!`, or a list such as `list_order,tags_empty=absent` selects.

        Raises ValueError for what is none.
        """
        words = [word.strip() for word in text.split(",")]
        values: dict[str, tuple[Value, ...]] = {}
        for word in words:
            for name, more in _selected(word).items():
                known = values.get(name, ())
                values[name] = known + tuple(v for v in more if v not in known)
        return cls(values, REALLY_ALL in words)

    def is_all(self) -> bool:
        """Whether nothing is left out."""
        every = _selected(ALL)
        return all(set(every[name]) <= set(self.values.get(name, ())) for name in every)

    def variants(
        self, baseline: Choices | None, fixed: Iterable[str] = ()
    ) -> Iterator[Variant]:
        """Every other value than the baseline's, of every choice that is not `fixed`.

        If the baseline is not known, every value.
        """
        for name, values in self.values.items():
            for variant in (Variant(name, value) for value in values):
                is_other = baseline is None or variant.differs_from(baseline)
                if name not in fixed and is_other:
                    yield variant


def _selected(word: str) -> Mapping[str, tuple[Value, ...]]:
    """The values that one word selects, by choice. Raises ValueError."""
    if word in (ALL, REALLY_ALL):
        return {
            name: _worth_trying(each) for name, each in choice_table.table().items()
        }
    if not word:
        raise ValueError("Expected all, or names of choices, got an empty word")
    name, is_value, _ = word.partition("=")
    if hint := "" if is_value else did_you_mean(name, (ALL, REALLY_ALL)):
        raise ValueError(f"Expected all, or names of choices, got {name!r}{hint}")
    choice = choosing.choice(name)
    if is_value:
        return {choice.name: (Variant.of(word).value,)}
    return {choice.name: _worth_trying(choice)}


def _worth_trying(choice: choice_table.Choice) -> tuple[Value, ...]:
    # Of a range only the first and the last value say anything new.
    values = choice.values
    return (values[0], values[-1]) if choice.is_range else values


def test_of(node_id: str, parameters: str, run: str) -> str:
    """The id of a test, from that of one of its runs: without the run's parameter."""
    head = node_id.removesuffix(f"[{parameters}]")
    found = re.search(rf"(?:^|-){re.escape(run)}(?=-|$)", parameters)
    if found is None:
        return node_id
    before, after = parameters[: found.start()], parameters[found.end() :]
    rest = before + after if found.start() else after.removeprefix("-")
    return f"{head}[{rest}]" if rest else head


class RecordedChoices(Choices):
    """Choices that add the name of each one that is read to a set.

    They are what a sandbox has in force, so resets, snapshots and journal entries carry
    them along. The server reads them in a thread of its own: adding to a set is atomic.
    """

    __slots__ = ("_read",)

    _read: set[str]

    def __new__(cls, **values: Any) -> Choices:  # type: ignore[misc]
        """Plain ones: whoever copies these field by field has read them all."""
        return Choices(**values)

    @classmethod
    def of(cls, choices: Choices, read: set[str]) -> Choices:
        """The same choices; names of what is read are added to `read`."""
        recorded = object.__new__(cls)
        object.__setattr__(recorded, "_read", read)
        for name in Choices.__match_args__:
            object.__setattr__(recorded, name, object.__getattribute__(choices, name))
        return recorded

    # To compare all values, as a cache does that is by choices, depends on none.
    __eq__, __hash__ = object.__eq__, object.__hash__

    def __getattribute__(self, name: str) -> Any:
        if name in Choices.__match_args__:
            object.__getattribute__(self, "_read").add(name)
        return object.__getattribute__(self, name)

    def but(self, **values: Any) -> Choices:
        """The same, but for these values; what is read of them is noted too."""
        changed = RecordedChoices.of(self, object.__getattribute__(self, "_read"))
        for name, value in values.items():
            object.__setattr__(changed, name, value)
        return changed


class Learnt(Struct, frozen=True):
    """What a test did as it is: whether it passed, and the choices that were read.

    `choices` are those that were in force at its beginning. `read` is None where that
    could not be seen, as on a server elsewhere.
    """

    passed: bool
    choices: dict[str, Value]
    read: frozenset[str] | None = None


class Lessons:
    """What was learnt of each test, in a folder that processes may share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, test: str, learnt: Learnt) -> None:
        file = self._file(test)
        # Renamed when it is whole: others read while this one writes.
        new = file.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(learnt))
        new.replace(file)

    def of(self, test: str) -> Learnt | None:
        """What is known of a test; None if it has not run yet."""
        file = self._file(test)
        if not file.exists():
            return None
        return msgspec.json.decode(file.read_bytes(), type=Learnt)

    def _file(self, test: str) -> Path:
        # Ids of tests can have any length and character, names of files cannot.
        return self._folder / f"{hashlib.sha256(test.encode()).hexdigest()}.json"
