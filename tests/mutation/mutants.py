"""Every mutant of the lower floors, and samples of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from difflib import unified_diff

import libcst
from libcst.metadata import MetadataWrapper, PositionProvider
from msgspec import Struct
from mutmut.mutation.file_mutation import Mutation, create_mutations, deep_replace

from tests.support import ROOT

FLOORS = ("domain", "fixture", "api")
PACKAGE = ROOT / "mock_server"


class Mutant(Struct, frozen=True):
    """The number-th mutant of a module, which is named by its path in the package.

    `function` is the line of the `def` of the function, or method, that it is in.
    """

    file: str
    number: int
    function: int


class Source:
    """A module and its mutants, which are made once they are asked for."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.text = (PACKAGE / file).read_text(encoding="utf-8")
        self._module, mutations, *_ = create_mutations(file, self.text)
        # mutmut itself makes only those that are in a function.
        self._mutations = [
            each
            for each in mutations
            if isinstance(each.contained_by_top_level_function, libcst.FunctionDef)
        ]

    def mutants(self) -> Iterator[Mutant]:
        """All of them, in the order in which mutmut finds them."""
        wrapper = MetadataWrapper(self._module, unsafe_skip_copy=True)
        lines = wrapper.resolve(PositionProvider)
        for number, mutation in enumerate(self._mutations):
            function = mutation.contained_by_top_level_function
            assert function is not None
            yield Mutant(self.file, number, lines[function.name].start.line)

    def mutated(self, number: int) -> str:
        """The text of the module as a mutant has it."""
        return _mutated(self._module, self._mutations[number])

    def difference(self, number: int) -> str:
        """What differs in a mutant, as a unified diff without context."""
        old, new = self.text.splitlines(), self.mutated(number).splitlines()
        lines = list(unified_diff(old, new, self.file, self.file, lineterm="", n=0))
        return "\n".join(lines[2:])


def _mutated(module: libcst.Module, mutation: Mutation) -> str:
    changed = deep_replace(module, mutation.original_node, mutation.mutated_node)
    assert isinstance(changed, libcst.Module)
    return str(changed.code)


def files(floors: Sequence[str] = FLOORS) -> list[str]:
    """The modules of floors, by their paths in the package."""
    found = (path for floor in floors for path in (PACKAGE / floor).rglob("*.py"))
    return sorted(str(path.relative_to(PACKAGE)) for path in found)


def all_mutants(names: Sequence[str]) -> list[Mutant]:
    """The mutants of all of these modules, module after module."""
    return [mutant for name in names for mutant in Source(name).mutants()]


def sample(mutants: Sequence[Mutant], size: int, seed: int) -> list[Mutant]:
    """So many of them, spread over all modules; each is as likely as any other.

    A systematic sample: mixed within each module, then every so-many-th is taken.
    """
    if size >= len(mutants):
        return list(mutants)
    chance = random.Random(seed)
    mixed = sorted(mutants, key=lambda each: (each.file, chance.random()))
    step = len(mixed) / size
    start = chance.random() * step
    return [mixed[int(start + step * number)] for number in range(size)]
