"""The figures of the last measurement, by section, in `results.json`."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.figures import HEAD, Figure

RESULTS = Path(__file__).parent / "results.json"
TABLE = RESULTS.with_name("RESULTS.md")
ABOUT = (
    "# Results of the benchmarks\n\n"
    "`python -m tests.bench --page` writes this page from `results.json`.\n"
    "[Quality](../../.github/QUALITY.md#speed) says how they are measured.\n"
)


@dataclass(frozen=True, slots=True)
class Section:
    """The figures of one part of the bench: where and when they were measured."""

    date: str
    machine: str
    figures: Sequence[Figure]

    @classmethod
    def measured(cls, figures: Sequence[Figure]) -> Section:
        """Return figures as they were measured on this machine today."""
        python = f"{platform.python_implementation()} {platform.python_version()}"
        machine = f"{os.cpu_count()} cores, {python}"
        return cls(datetime.now(UTC).date().isoformat(), machine, figures)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Section:
        """Return the section that `as_json` has written."""
        return cls(data["date"], data["machine"], [*map(Figure.of, data["figures"])])

    def as_json(self) -> dict[str, Any]:
        """Return the section as JSON."""
        figures = [each.as_json() for each in self.figures]
        return {"date": self.date, "machine": self.machine, "figures": figures}


Sections = Mapping[str, Section]


def read(file: Path = RESULTS) -> Sections:
    """Return the sections that a file holds."""
    data = json.loads(file.read_text("utf-8")) if file.exists() else {}
    return {name: Section.of(each) for name, each in data.items()}


def keep(sections: Sections, file: Path = RESULTS) -> None:
    """Write sections to a file, in place of those of the same names."""
    data = {name: each.as_json() for name, each in {**read(file), **sections}.items()}
    text = json.dumps(data, indent=1, ensure_ascii=False)
    file.write_text(f"{text}\n", encoding="utf-8")


def figures(sections: Sections) -> Iterator[Figure]:
    """Yield the figures of all sections."""
    for section in sections.values():
        yield from section.figures


def text(sections: Sections) -> str:
    """Return a page of all figures."""
    return ABOUT + "".join(
        f"\n## {name}\n\n{each.date}, {each.machine}.\n\n{HEAD}\n"
        + "".join(f"{figure.row()}\n" for figure in each.figures)
        for name, each in sections.items()
    )
