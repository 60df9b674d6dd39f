"""Tests run again under other choices: which there are, and how they are called."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from mock_server.domain import choices as choice_table

BASELINE = "baseline"
ALL, REALLY_ALL = "all", "all!"
# Of a choice with many values only the first and the last one say anything new.
_ONLY_ENDS = ("page_size_default",)


@dataclass(frozen=True, slots=True)
class Variant:
    """One choice with another value than a test's baseline; its text is NAME=VALUE."""

    name: str
    value: choice_table.Value

    def __str__(self) -> str:
        return f"{self.name}={self.value}"

    @classmethod
    def of(cls, text: str) -> "Variant":
        """The variant of a text. Raises UnknownChoice."""
        name, _, value = text.partition("=")
        return cls(name, choice_table.choice(name).parse(value))

    def differs_from(self, choices: choice_table.Choices) -> bool:
        """Whether these choices have another value."""
        return bool(getattr(choices, self.name) != self.value)


@dataclass(frozen=True, slots=True)
class Selection:
    """The values to try, by choice; whether those too that cannot matter to a test."""

    values: Mapping[str, tuple[choice_table.Value, ...]]
    is_forced: bool = False

    @classmethod
    def of(cls, text: str) -> "Selection":
        """What `all`, `all!`, or a list such as `list_order,tags_empty=absent` selects.

        Raises ValueError for what is none.
        """
        words = [word.strip() for word in text.split(",")]
        values: dict[str, tuple[choice_table.Value, ...]] = {}
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
        self, baseline: choice_table.Choices | None, fixed: Iterable[str] = ()
    ) -> Iterator[Variant]:
        """Every other value than the baseline's, of every choice that is not `fixed`.

        If the baseline is not known, every value.
        """
        for name, values in self.values.items():
            for variant in (Variant(name, value) for value in values):
                is_other = baseline is None or variant.differs_from(baseline)
                if name not in fixed and is_other:
                    yield variant


def _selected(word: str) -> Mapping[str, tuple[choice_table.Value, ...]]:
    """The values that one word selects, by choice. Raises ValueError."""
    if word in (ALL, REALLY_ALL):
        return {
            name: _worth_trying(each) for name, each in choice_table.table().items()
        }
    if not word:
        raise ValueError("Expected all, or names of choices, got an empty word")
    name, is_value, _ = word.partition("=")
    if is_value:
        return {name: (Variant.of(word).value,)}
    return {name: _worth_trying(choice_table.choice(name))}


def _worth_trying(choice: choice_table.Choice) -> tuple[choice_table.Value, ...]:
    values = choice.values
    return (values[0], values[-1]) if choice.name in _ONLY_ENDS else values


def most_runs(found: Iterable[str]) -> int:
    """How many runs the runs of one test, by their names, can come to at most.

    Where a test's baseline is not known yet there is a run for each value of a choice,
    of which one is that of the baseline.
    """
    tried: dict[str, int] = {}
    runs = 0
    for text in found:
        name = text.partition("=")[0]
        tried[name] = tried.get(name, 0) + 1
    for name, count in tried.items():
        is_each = name != BASELINE and count == len(choice_table.choice(name).values)
        runs += count - is_each
    return runs


def test_of(node_id: str, parameters: str, run: str) -> str:
    """The id of a test, from that of one of its runs: without the run's parameter."""
    head = node_id.removesuffix(f"[{parameters}]")
    found = re.search(rf"(?:^|-){re.escape(run)}(?=-|$)", parameters)
    if found is None:
        return node_id
    before, after = parameters[: found.start()], parameters[found.end() :]
    rest = before + after if found.start() else after.removeprefix("-")
    return f"{head}[{rest}]" if rest else head


def runs_by_test(
    node_ids: Iterable[str], runs: Collection[str]
) -> Mapping[str, list[str]]:
    """Which of these runs there are of each test that has any, from node ids."""
    found: dict[str, list[str]] = {}
    for node_id in node_ids:
        parameters = node_id.partition("[")[2].removesuffix("]")
        for part in parameters.split("-"):
            if part in runs:
                test = test_of(node_id, parameters, part)
                found.setdefault(test, []).append(part)
                break
    return found
