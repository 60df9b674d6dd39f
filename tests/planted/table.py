"""The table of planted bugs, by subject."""

from __future__ import annotations

from collections.abc import Mapping

from tests.docs.cells import code
from tests.docs.pages import Table
from tests.planted import around, kept, served
from tests.planted.bug import Bug

BUGS: Mapping[str, tuple[Bug, ...]] = {
    "paging": served.PAGING,
    "search": served.SEARCH,
    "permissions": served.PERMISSIONS,
    "choices": served.CHOICES,
    "related_routes": served.RELATED_ROUTES,
    "reset": kept.RESET,
    "isolation": kept.ISOLATION,
    "journal": kept.JOURNAL,
    "redaction": kept.REDACTION,
    "faults": around.FAULTS,
    "guard": around.GUARD,
    "drain": around.DRAIN,
}
ALL = tuple(bug for bugs in BUGS.values() for bug in bugs)


def planted_table() -> Table:
    """What is planted where, and which test catches it."""
    rows = [
        (subject, bug.name, code(bug.file), code(bug.test.removeprefix("tests/")))
        for subject, bugs in BUGS.items()
        for bug in bugs
    ]
    return Table(
        ("of", "planted bug", "in `mock_server/`", "caught in `tests/` by"), rows
    )
