"""A plugin of pytest: of what is collected, only the tests that `selected.json` lists.

That is a list of ids, in the folder where pytest runs; they are run in its order.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the others."""
    wanted = json.loads(Path("selected.json").read_text())
    known = {item.nodeid: item for item in items}
    items[:] = [known[name] for name in wanted if name in known]


def is_for_mutants(item: pytest.Item) -> bool:
    """Whether mutants are run against a test: where a test has faces, on one only.

    Over sockets it is the same test once more, and takes longer.
    """
    is_socket = "zttp" in item.nodeid or "h11" in item.nodeid
    return not is_socket or ("zttp" in item.nodeid and "tests/wire" in item.nodeid)
