"""Folders so large that they are not deleted one collection after the other."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import Api

SIZE = 300
DELETE = "/api/core/dataset/collection/delete"
UPDATE = "/api/core/dataset/collection/update"
INSIDE = {"repeat": SIZE, "name": "Inside {n:03}", "type": "link"}
MARKED = {"_id": "marked", "name": "Marked", "data": [{"_id": "row", "q": "old"}]}
COLLECTIONS = [
    {"_id": "large", "name": "Large", "children": [INSIDE, MARKED]},
    {"_id": "kept", "name": "Kept", "children": [{"_id": "leaf", "name": "Leaf"}]},
]
WORLD = {"datasets": [{"id": "d", "collections": COLLECTIONS}]}


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    choices = {"related_routes": "on", "parent_omitted": "any"}
    return make_api(WORLD, choices=choices)


def listed(api: Api, **fields: Any) -> tuple[list[str], int]:
    """The ids of a page, and how many there are."""
    data = api.list_v2(datasetId="d", pageSize=30, **fields).json()["data"]
    return [item["_id"] for item in data["list"]], data["total"]


def delete(api: Api, own_id: str = "large") -> None:
    """Delete a collection as clients do."""
    assert api.send("DELETE", f"{DELETE}?id={own_id}", {}).status_code == 200


def test_what_is_left_is_listed_counted_and_found(api: Api) -> None:
    assert listed(api, searchText="e")[1] == SIZE + 4
    delete(api)
    ids, total = listed(api)
    assert (sorted(ids), total) == (["kept", "leaf"], 2)
    assert listed(api, searchText="E") == (ids, 2)
    assert listed(api, searchText="inside") == ([], 0)
    assert listed(api, offset=1) == (ids[1:], 2)
    assert api.list_v2(datasetId="d", parentId="large").status_code == 404
    (state,) = api.admin("GET", "/state").json()["datasets"]
    assert [each["_id"] for each in state["collections"]] == ["kept", "leaf"]


def test_snapshots_and_resets_bring_back_what_there_was(api: Api) -> None:
    api.admin("PUT", "/snapshots/whole")
    delete(api)
    api.admin("PUT", "/snapshots/part")
    delete(api, "kept")
    for name, total in (("part", 2), ("whole", SIZE + 4), ("part", 2)):
        api.admin("POST", f"/snapshots/{name}/restore")
        assert listed(api)[1] == total
    api.admin("POST", "/reset")
    assert listed(api)[1] == SIZE + 4


def test_other_sandboxes_keep_the_folder(api: Api) -> None:
    key = api.admin("POST", "/sandboxes").json()["key"]
    delete(api)
    answer = api.list_v2(key=key, datasetId="d", parentId="large")
    assert answer.json()["data"]["total"] == SIZE + 1
