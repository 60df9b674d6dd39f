"""The names that versions promise to keep (docs/reference/versions.md).

`python -m tests.docs.stable` records those of today, when a version is released. The
tests compare: a name that is gone has to be told in the changelog.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from mock_server import exceptions
from tests.docs.command_line import own_options, settings, shared_options
from tests.docs.pages import DOCS, ROOT, prose, tables
from tests.docs.tables import (
    COMMANDS,
    LIMITS,
    PUBLIC_NAMES,
    STRATEGIES,
    choices,
    limits_of,
    made,
)

RECORD = ROOT / "tests" / "docs" / "stable.txt"
REFERENCE = DOCS / "reference"
# Tables of what follows the service, and of how `verify` works.
FREE = {"related-routes", "related-route-notes", "older-paths", "rules"}


def names() -> list[str]:
    """What is stable now, a name each with the table that has it, in order."""
    found = _of_tables(), _of_settings(), _of_options(), _of_limits(), _of_choices()
    return sorted(
        {it for names in (*found, _of_python(), _of_plugin()) for it in names}
    )


def recorded() -> list[str]:
    """What was stable when it was recorded."""
    return RECORD.read_text(encoding="utf-8").splitlines()


def command_of(name: str) -> str:
    """The command, as a name, if `name` is one of its options."""
    return f"commands: {name.partition(': ')[0].removeprefix('options ')}"


def _of_tables() -> Iterator[str]:
    shown = {name for page in REFERENCE.glob("*.md") for name, _ in tables(page)}
    shown = {name for name in shown if name.split()[0] not in ("limits", "options")}
    for name in shown - FREE:
        table = made(name)
        # The service's own word for an error stands second: that follows the service.
        keys = 1 if name == "errors" else table.keys
        for row in table.rows:
            cells = [re.findall("`(.+?)`", str(cell)) for cell in row[:keys]]
            if "/__admin/console/" not in str(row[0]):  # pages may change
                # The first of two cells names all that share the row.
                for codes in product(*cells) if keys > 1 else cells:
                    yield f"{name}: {' '.join(map(_bare, codes))}"


def _of_options() -> Iterator[str]:
    tables = {name: own_options(COMMANDS, name) for name in COMMANDS}
    for name, options in (tables | {"remote": shared_options(COMMANDS)}).items():
        for each in options:
            yield f"options {name}: {'/'.join((*each.opts, *each.secondary_opts))}"


def _of_limits() -> Iterator[str]:
    for kind in LIMITS:
        yield from (f"limits: {name}" for name, _ in limits_of(kind))


def _of_settings() -> Iterator[str]:
    yield from (f"settings: {name}" for name in settings(COMMANDS))


def _bare(code: str) -> str:
    """A name without what may follow it: `--host TEXT`, `.load(fixture, faults=())`."""
    if code.startswith("-"):
        return code.partition(" ")[0]
    if code.startswith("mock-server "):
        return " ".join(re.findall(r"(?<= )[a-z]+", code))
    return code.partition("(")[0]


def _of_choices() -> Iterator[str]:
    for name, choice in choices().items():
        words = (value for value in choice.values if isinstance(value, str))
        yield from (f"choices: {name}={value}" for value in words)


def _of_python() -> Iterator[str]:
    for module, found in (
        ("mock_server", PUBLIC_NAMES),
        ("mock_server.exceptions", exceptions.__all__),
        ("mock_server.strategies", STRATEGIES),
    ):
        yield from (f"python: {module}.{name}" for name in found)


def _of_plugin() -> Iterator[str]:
    page = prose(REFERENCE / "python.md").partition("## Options of the pytest")[2]
    rows = page.partition("\n## ")[0]
    for name, place in re.findall(r"^\| `([\w-]+).*?` \| ([a-z ]+) \|", rows, re.M):
        yield f"plugin, {place}: {name}"


def main() -> None:
    """Record what is stable now."""
    RECORD.write_text("\n".join(names()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
