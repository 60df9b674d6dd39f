"""Where memory ends amid a change by administrators, that is refused as a whole."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import pytest

from mock_server.api.fixture import load_fixture
from mock_server.domain.limits import Limits
from mock_server.fixture.dump import to_document
from tests.conftest import MakeApi
from tests.support import APP, CHAT, DATASET, LIBRARY, Api

LONG = "x" * 300
ITEM = {"name": LONG, "tags": [LONG], "data": [{"q": LONG}]}
CHATS = [{"chatId": "new", "title": LONG, "records": [{"obj": "AI", "text": LONG}]}]
Change = tuple[str, str, Any]
CHANGES: list[Change] = [
    ("PUT", "/apps/new", {"name": LONG, "chats": CHATS}),
    ("PUT", f"/apps/{APP}", {"name": LONG, "chats": CHATS}),
    ("DELETE", f"/apps/{APP}", None),
    ("PUT", f"/apps/{APP}/chats/new", {"title": LONG}),
    ("PUT", f"/apps/{APP}/chats/{CHAT}", {"title": LONG}),
    ("DELETE", f"/apps/{APP}/chats/{CHAT}", None),
    ("PUT", "/datasets/new", {"collections": [ITEM]}),
    ("PUT", f"/datasets/{DATASET}", {"collections": [ITEM]}),
    ("DELETE", f"/datasets/{DATASET}", None),
    ("PUT", f"/datasets/{DATASET}/collections/new", {"name": LONG}),
    ("PUT", f"/datasets/{DATASET}/collections/inner", {"name": LONG}),
    ("DELETE", f"/datasets/{DATASET}/collections/folder", None),
    ("PUT", "/state", {"datasets": [{"id": "d", "collections": [ITEM]}]}),
    ("PUT", "/snapshots/new", {}),
    ("POST", "/faults", {"kind": "error", "message": LONG}),
    ("POST", "/sandboxes", {"name": "new"}),
]
LISTS = ("/snapshots", "/faults", "/sandboxes")


def held(api: Api) -> list[Any]:
    """The state, which takes memory to be asked for, and all else that there is."""
    lists = [api.admin("GET", each).json() for each in LISTS]
    return [to_document(api.sandbox.store), *lists]


@pytest.mark.sampled
@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_a_change_for_which_memory_ends_changes_nothing(
    make_api: MakeApi, method: str, path: str, body: Any
) -> None:
    def changed(budget: int) -> tuple[bool, bool]:
        api = make_api(LIBRARY, limits=Limits(memory_bytes=budget))
        before = held(api)
        status = api.admin(method, path, body).status_code
        assert status in (200, 201, 400, 409)
        return status < 400, held(api) != before

    size = load_fixture(LIBRARY).size
    budgets = range(size + 1_024, size + 32_768, 128)
    enough = bisect_left(budgets, True, key=lambda each: changed(each)[0])
    assert changed(budgets[enough]) == (True, True)
    for budget in budgets[:enough]:
        assert changed(budget) == (False, False)
