"""A plugin of pytest: of what is collected, only the tests that `selected.json` lists.

That is a list of ids, in the folder where pytest runs; they are run in its order.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

_FACES = ("asgi", "zttp", "h11")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the others."""
    wanted = json.loads(Path("selected.json").read_text())
    known = {item.nodeid: item for item in items}
    items[:] = [known[name] for name in wanted if name in known]


def for_mutants(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The tests against which mutants are run: of one that has faces, one only.

    Over sockets it is the same test once more, and takes longer.
    """
    ranks: dict[str, int] = {}
    for item in items:
        test = item.nodeid.partition("[")[0]
        ranks[test] = min(_rank(item), ranks.get(test, len(_FACES)))
    return [it for it in items if _rank(it) == ranks[it.nodeid.partition("[")[0]]]


def _rank(item: pytest.Item) -> int:
    """How late the face of a test comes; that of one without is the first."""
    faces = ("zttp", *_FACES) if "tests/wire" in item.nodeid else _FACES
    callspec = getattr(item, "callspec", None)
    values = list(callspec.params.values()) if callspec else []
    return next((n for n, face in enumerate(faces) if face in values), 0)
