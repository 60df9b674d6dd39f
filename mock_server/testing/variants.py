"""Selects the runs of a test with varied choices; records which choices are read."""

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

DEFAULT_RUN = "baseline"
ALL, ALL_FORCED = "all", "all!"


@dataclass(frozen=True, slots=True)
class Variant:
    """A choice with another value than in the default run; its text is NAME=VALUE."""

    name: str
    value: Value

    def __str__(self) -> str:
        return f"{self.name}={self.value}"

    @classmethod
    def of(cls, text: str) -> "Variant":
        """Parse NAME=VALUE. Raises UnknownChoice."""
        name, _, value = text.partition("=")
        choice = choosing.choice(name)
        return cls(choice.name, choice.parse(value))

    def differs_from(self, choices: Choices) -> bool:
        return bool(getattr(choices, self.name) != self.value)


@dataclass(frozen=True, slots=True)
class Selection:
    """The values to try; if `is_forced`, also those that cannot affect a test."""

    values: Mapping[str, tuple[Value, ...]]
    is_forced: bool = False

    @classmethod
    def of(cls, text: str) -> "Selection":
        """Parse `all`, `all!`, or a list such as `list_order,tags_empty=absent`.

        Raises ValueError for any other text.
        """
        words = [word.strip() for word in text.split(",")]
        values: dict[str, tuple[Value, ...]] = {}
        for word in words:
            for name, new_values in _values_of(word).items():
                known = values.get(name, ())
                values[name] = known + tuple(it for it in new_values if it not in known)
        return cls(values, ALL_FORCED in words)

    def is_all(self) -> bool:
        """Return whether all values are selected."""
        all_values = _values_of(ALL).items()
        return all({*each} <= {*self.values.get(name, ())} for name, each in all_values)

    def variants(
        self, defaults: Choices | None, fixed: Iterable[str] = ()
    ) -> Iterator[Variant]:
        """Yield the selected values that differ from those of the default run.

        Choices in `fixed` are not varied. Without `defaults`, yield all other values.
        """
        for name, values in self.values.items():
            for variant in (Variant(name, value) for value in values):
                is_different = defaults is None or variant.differs_from(defaults)
                if name not in fixed and is_different:
                    yield variant


def _values_of(word: str) -> Mapping[str, tuple[Value, ...]]:
    """Return the values that one word selects, by choice. Raises ValueError."""
    if word in (ALL, ALL_FORCED):
        return {
            name: _values_to_try(each) for name, each in choice_table.table().items()
        }
    if not word:
        raise ValueError("Expected all, or names of choices, got an empty word")
    name, is_value, _ = word.partition("=")
    if hint := "" if is_value else did_you_mean(name, (ALL, ALL_FORCED)):
        raise ValueError(f"Expected all, or names of choices, got {name!r}{hint}")
    choice = choosing.choice(name)
    if is_value:
        return {choice.name: (Variant.of(word).value,)}
    return {choice.name: _values_to_try(choice)}


def _values_to_try(choice: choice_table.Choice) -> tuple[Value, ...]:
    # Values within a range behave like the first and the last value.
    values = choice.values
    return (values[0], values[-1]) if choice.is_range else values


def node_id_without_run(node_id: str, parameters: str, run: str) -> str:
    """Return a node id of pytest without the parameter `run`.

    `parameters` is the text in the brackets of `node_id`.
    """
    unparametrized_id = node_id.removesuffix(f"[{parameters}]")
    match = re.search(rf"(?:^|-){re.escape(run)}(?=-|$)", parameters)
    if match is None:
        return node_id
    before, after = parameters[: match.start()], parameters[match.end() :]
    rest = before + after if match.start() else after.removeprefix("-")
    return f"{unparametrized_id}[{rest}]" if rest else unparametrized_id


class RecordingChoices(Choices):
    """Choices that record the name of each choice that is read, in a set.

    A sandbox uses them as its choices, and so do its resets, snapshots and journal
    entries. The server reads them in another thread, but adding to a set is atomic.
    """

    __slots__ = ("_read",)

    _read: set[str]

    def __new__(cls, **values: Any) -> Choices:  # type: ignore[misc]
        """Return plain Choices, because copying all fields reads all of them."""
        return Choices(**values)

    @classmethod
    def of(cls, choices: Choices, read_names: set[str]) -> Choices:
        """Return these choices, which add the name of each choice to `read_names`."""
        recorded = object.__new__(cls)
        object.__setattr__(recorded, "_read", read_names)
        for name in Choices.__match_args__:
            object.__setattr__(recorded, name, object.__getattribute__(choices, name))
        return recorded

    # A comparison, as in caches, must not count as reading.
    __eq__, __hash__ = object.__eq__, object.__hash__

    def __getattribute__(self, name: str) -> Any:
        if name in Choices.__match_args__:
            object.__getattribute__(self, "_read").add(name)
        return object.__getattribute__(self, name)

    def replaced(self, **values: Any) -> Choices:
        """Return changed choices, which record reads in the same set."""
        read_names = object.__getattribute__(self, "_read")
        changed_choices = RecordingChoices.of(self, read_names)
        for name, value in values.items():
            object.__setattr__(changed_choices, name, value)
        return changed_choices


class ChoiceUsage(Struct, frozen=True):
    """The result of a test's default run, and the choices that the server read.

    `choices` are the values at its start. `read_names` is None if reads could not be
    recorded, as on a remote server.
    """

    has_passed: bool
    choices: dict[str, Value]
    read_names: frozenset[str] | None = None


class UsageStore:
    """The usage of choices by each test, in a folder that processes may share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, test: str, usage: ChoiceUsage) -> None:
        file = self._file(test)
        # Renamed when it is complete, because other processes may read it.
        new_file = file.with_suffix(".new")
        new_file.write_bytes(msgspec.json.encode(usage))
        new_file.replace(file)

    def of(self, test: str) -> ChoiceUsage | None:
        """Return the usage by a test, or None if the test has not run yet."""
        file = self._file(test)
        if not file.exists():
            return None
        return msgspec.json.decode(file.read_bytes(), type=ChoiceUsage)

    def _file(self, test: str) -> Path:
        # Hashed, because a test id may not be a valid file name.
        return self._folder / f"{hashlib.sha256(test.encode()).hexdigest()}.json"
