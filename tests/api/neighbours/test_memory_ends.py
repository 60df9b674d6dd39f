"""Where memory ends amid a change, that is refused as a whole."""

from __future__ import annotations

from bisect import bisect_left
from copy import deepcopy
from typing import Any

import pytest

from mock_server.api.fixture import load_fixture
from mock_server.domain.limits import Limits
from mock_server.fixture.dump import to_document
from tests.api.neighbours.world import (
    APP,
    DATASET,
    FOLDER,
    INSIDE,
    ITEM,
    SHELF,
    WORLD,
    send,
    upload,
)
from tests.conftest import MakeApi
from tests.neighbours import NEIGHBOURS
from tests.support import PIN

ROWED: dict[str, Any] = deepcopy(WORLD)
ROWED["datasets"][0]["collections"][1] |= {
    "fileId": "file",
    "data": [{"_id": "row", "q": "One"}, {"_id": "other", "q": "Another"}],
}
ROWED["apps"][0]["chats"][0]["records"] = [{"obj": "Human", "text": "Hello"}]
TALK = {"appId": APP, "messages": [{"role": "user", "content": "Hello"}]}
DATA = "/api/core/dataset/data"
COLLECTION = "/api/core/dataset/collection"
HISTORY = "/api/core/chat/history"
NEW = {"datasetId": DATASET, "name": "New"}
LONG = "x" * 300
Change = tuple[str, str, dict[str, Any]]
CHANGES: list[Change] = [
    ("PUT", PIN, {"appId": APP, "chatId": "one", "top": True}),
    ("PUT", PIN, {"appId": APP, "chatId": "one", "title": LONG}),
    ("DELETE", f"{HISTORY}/delHistory", {"appId": APP, "chatId": "one"}),
    ("DELETE", f"{HISTORY}/clearHistories", {"appId": APP}),
    ("POST", f"{HISTORY}/batchDelete", {"appId": APP, "chatIds": ["one"]}),
    ("POST", "/api/v1/chat/completions", TALK | {"chatId": "one"}),
    ("POST", "/api/v1/chat/completions", TALK | {"chatId": "new"}),
    (
        "POST",
        "/api/core/dataset/create",
        {"type": "dataset", "name": "New", "intro": LONG, "avatar": ""},
    ),
    (
        "POST",
        "/api/core/dataset/folder/create",
        {"name": "New", "intro": LONG, "parentId": SHELF},
    ),
    ("PUT", "/api/core/dataset/update", {"id": INSIDE, "name": LONG}),
    ("DELETE", "/api/core/dataset/delete", {"id": SHELF}),
    ("POST", f"{COLLECTION}/create", NEW | {"type": "virtual"}),
    ("POST", f"{COLLECTION}/create/text", NEW | {"text": f"{LONG}\n\n{LONG}"}),
    (
        "POST",
        f"{COLLECTION}/create/link",
        {"datasetId": DATASET, "link": f"http://x/{LONG}"},
    ),
    ("POST", f"{COLLECTION}/create/localFile", {}),
    (
        "POST",
        f"{COLLECTION}/create/fileId",
        {"datasetId": DATASET, "fileId": "file"},
    ),
    ("POST", f"{COLLECTION}/update", {"id": ITEM, "name": LONG, "parentId": None}),
    ("POST", f"{COLLECTION}/update", {"id": FOLDER, "forbid": True}),
    ("POST", f"{COLLECTION}/delete", {"collectionIds": [FOLDER]}),
    (
        "POST",
        f"{DATA}/pushData",
        {"collectionId": ITEM, "data": [{"q": "Two"}, {"q": LONG}]},
    ),
    ("POST", f"{DATA}/insertData", {"collectionId": ITEM, "q": "Two"}),
    ("PUT", f"{DATA}/update", {"dataId": "row", "q": LONG}),
    ("DELETE", f"{DATA}/delete", {"id": "row"}),
]
NOTHING_CHANGES = {"markRead"}


def test_every_change_is_tried() -> None:
    writing = {each.path for each in NEIGHBOURS if "write" in each.traits}
    paths = {each.path for each in NEIGHBOURS if each.name in NOTHING_CHANGES}
    assert writing - paths == {path for _, path, _ in CHANGES} - {PIN}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "training", ["instant", pytest.param("stepped", marks=pytest.mark.ci)]
)
@pytest.mark.parametrize(("method", "path", "fields"), CHANGES)
def test_a_change_for_which_memory_ends_changes_nothing(
    make_api: MakeApi, method: str, path: str, fields: dict[str, Any], training: str
) -> None:
    def changed(budget: int) -> tuple[int, bool]:
        choices, limits = {"training": training}, Limits(memory_bytes=budget)
        api = make_api(ROWED, profile="deployed", choices=choices, limits=limits)
        before = to_document(api.sandbox.store)
        sent = send(api, method, path, fields) if fields else upload(api)
        return sent.status_code, to_document(api.sandbox.store) != before

    size = load_fixture(ROWED).size
    budgets = range(size + 1_024, size + 16_384, 64)
    enough = bisect_left(budgets, True, key=lambda each: changed(each) == (200, True))
    assert changed(budgets[enough]) == (200, True)
    for budget in budgets[:enough]:
        assert changed(budget) == (409, False)
