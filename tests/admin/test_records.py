"""Chats and collections, created, changed and removed one by one."""

from __future__ import annotations

from mock_server.domain.limits import DEFAULT_LIMITS
from tests.conftest import MakeApi
from tests.support import APP, DATASET

CHATS = f"/apps/{APP}/chats"
ITEMS = f"/datasets/{DATASET}/collections"


def test_created_chats_are_bounded(make_api: MakeApi) -> None:
    api = make_api({"apps": [{"id": APP}]}, choices={"chat_unknown": "create"})
    api.sandbox.store.created_chats = DEFAULT_LIMITS.created_chats
    answer = api.admin("PUT", f"{CHATS}/one-more")
    assert (answer.status_code, answer.json()["statusText"]) == (409, "limitReached")


def test_folders_cannot_be_put_deeper_than_the_limit(make_api: MakeApi) -> None:
    chain = [
        {"_id": str(n), "name": "x", "parentId": str(n - 1) if n else None}
        for n in range(DEFAULT_LIMITS.folder_depth + 1)
    ]
    others = [{"_id": "a", "name": "a"}, {"_id": "b", "name": "b", "parentId": "a"}]
    api = make_api({"datasets": [{"id": DATASET, "collections": chain + others}]})
    last = str(DEFAULT_LIMITS.folder_depth)
    under = {"name": "x", "parentId": last}
    assert api.admin("PUT", f"{ITEMS}/new", under).status_code == 400
    above_last = {"name": "a", "parentId": str(DEFAULT_LIMITS.folder_depth - 1)}
    assert api.admin("PUT", f"{ITEMS}/a", above_last).status_code == 400
    assert api.admin("PUT", f"{ITEMS}/new", above_last).status_code == 201
