"""Where memory ends amid a change by administrators, that is refused as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.fixture.dump import to_document
from tests.conftest import MakeApi
from tests.rationed import answers_with_less
from tests.support import APP, CHAT, DATASET, Api

LONG = "x" * 300
ITEM = {"name": LONG, "tags": [LONG[:256]], "data": [{"q": LONG}]}
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


@pytest.mark.parametrize("face", ["asgi"])
@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_a_change_for_which_memory_ends_changes_nothing(
    make_api: MakeApi, method: str, path: str, body: Any
) -> None:
    before = held(make_api())
    found = answers_with_less(make_api, lambda api: api.admin(method, path, body))
    *refused, (full, answer) = found
    for api, each in refused:
        assert (each.status_code, held(api)) == (409, before)
    assert answer.status_code < 400
    assert held(full) != before
