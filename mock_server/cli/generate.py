"""`mock-server generate`: a fixture of made-up data, as large as is asked for."""

from collections.abc import Callable, Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import click
from msgspec.structs import fields

from mock_server.cli.output import USAGE, Stop, tell
from mock_server.cli.progress import Counting
from mock_server.cli.settings import BadValue, Command, option
from mock_server.cli.whole_file import whole_file
from mock_server.domain.limits import Limits
from mock_server.domain.printable import one_line
from mock_server.fixture.dump import written
from mock_server.fixture.files import too_large
from mock_server.generating.plan import LOCALES, Plan

_DEFAULT = {each.name: each.default for each in fields(Plan)}


def _number(
    name: str, low: int, high: int, meaning: str
) -> Callable[[Command], Command]:
    """An option of the plan that is a number."""
    return option(
        f"--{name}",
        type=click.IntRange(low, high),
        default=_DEFAULT[name],
        show_default=True,
        help=meaning,
    )


@click.command()
@_number("seed", 0, Limits.integer, "Another seed makes other data.")
@_number("datasets", 0, Limits.generated_datasets, "Datasets.")
@_number(
    "collections",
    0,
    Limits.fixture_collections,
    "Collections of each dataset, folders among them.",
)
@_number("depth", 1, Limits.folder_depth, "Levels of collections; 1 has no folders.")
@_number("chats", 0, Limits.generated_chats, "Chats of the one app.")
@_number(
    "rows", 0, Limits.collection_rows, "Data rows of each collection that is no folder."
)
@option(
    "--locale",
    type=click.Choice(LOCALES),
    default=_DEFAULT["locale"],
    show_default=True,
    help="Language of names and texts.",
)
@option(
    "--format",
    "notation",
    type=click.Choice(["yaml", "json"]),
    help="Notation; JSON loads faster, and may be larger. By default that of the "
    "file's name, else yaml.",
)
@option("--output", metavar="FILE", help="Write it to a FILE instead of stdout.")
def generate(notation: str | None, output: str | None, **plan: Any) -> None:
    """Make up a fixture of any size.

    The same options make the same bytes. It needs the extra `generate`.
    """
    is_json = (notation or Path(output or "").suffix[1:].lower()) == "json"
    made = Plan(**plan)
    _check(made)
    size = 0
    counting, numbers = Counting("collections", made.all_collections), count(1)
    with whole_file(output) as file:
        for piece in _pieces(made, lambda: counting.count(next(numbers)), is_json):
            size += file.write(piece)
        counting.clear()
    if message := too_large(size, is_json, Limits()):
        tell(one_line(f"warning: what is written is too large to be served: {message}"))


def _pieces(
    plan: Plan, on_collection: Callable[[], object], is_json: bool
) -> Iterator[bytes]:
    """The fixture. Raises Stop without the library that it needs."""
    try:
        # Other commands, and the help of this one, do without it.
        module = import_module("mock_server.generating.document")
    except ImportError as error:
        needed = "pip install 'fastgpt-mock-server[generate]'"
        raise Stop(
            f"generate needs the library {error.name}: {needed}", USAGE
        ) from None
    return written(module.document(plan, on_collection), as_json=is_json)


def _check(plan: Plan) -> None:
    """Refuse what no server would load. Raises BadValue."""
    limits = Limits()
    sums = (
        ("collections", plan.all_collections, limits.fixture_collections),
        ("rows", plan.most_rows, limits.fixture_rows),
    )
    for name, total, most in sums:
        if total > most:
            expected = f"Expected at most {most:,} {name} in all datasets together"
            raise BadValue(f"{expected}, got {total:,} - at --{name}")
