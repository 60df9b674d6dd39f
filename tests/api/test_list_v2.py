"""Listing the collections of a dataset (spec 4.2)."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.fixture.source.files import shipped_path
from tests.conftest import MakeApi
from tests.support import Api


def test_an_item_has_the_13_documented_fields(api: Api) -> None:
    response = api.list_v2(parentId=None, pageSize=1, offset=1)
    assert response.json() == {
        "code": 200,
        "statusText": "",
        "message": "",
        "data": {
            "list": [
                {
                    "_id": "a",
                    "parentId": None,
                    "tmbId": "65422be6aa44b7da77729ec9",
                    "type": "virtual",
                    "name": "ALPHA",
                    "updateTime": "2024-01-03T00:00:00.000Z",
                    "dataAmount": 0,
                    "trainingAmount": 0,
                    "externalFileId": "",
                    "tags": [],
                    "forbid": True,
                    "trainingType": "chunk",
                    "permission": {
                        "value": 4294967295,
                        "isOwner": True,
                        "hasManagePer": True,
                        "hasWritePer": True,
                        "hasReadPer": True,
                    },
                }
            ],
            "total": 4,
        },
    }


def test_newest_come_first_and_ties_go_by_id(api: Api) -> None:
    assert api.ids() == ["deep", "folder", "a", "c", "b", "bottom", "inner"]


@pytest.mark.parametrize("size", [7, 30])
def test_pages_joined_are_every_folder_once(make_api: MakeApi, size: int) -> None:
    api = make_api(shipped_path("paging.yaml"))
    dataset = next(iter(api.sandbox.store.fixture.datasets.values()))
    folders: list[Any] = [None]
    found: list[str] = []
    while folders:
        folder = folders.pop()
        for item in _all_pages(api, dataset.id, folder, size):
            found.append(item["_id"])
            if item["type"] == "folder":
                folders.append(item["_id"])
    expected = sorted(each.id for each in dataset.tree.collections)
    assert sorted(found) == expected


def _all_pages(api: Api, dataset: str, parent: str | None, size: int) -> list[Any]:
    items: list[Any] = []
    while True:
        data = api.list_v2(
            "fastgpt-paging",
            datasetId=dataset,
            parentId=parent,
            offset=len(items),
            pageSize=size,
        ).json()["data"]
        items += data["list"]
        if len(items) >= data["total"]:
            return items
