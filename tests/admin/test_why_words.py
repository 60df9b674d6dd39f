"""What `GET why` says, in words: of the item, of each stage, of what would help."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import DATASET

WHOLE = ["no parentId (choice parent_omitted=any): the whole dataset"]
STAGES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, [*WHOLE, *["not asked for"] * 3, "offset 0 and pageSize 10: numbers 1 to 10"]),
    (
        {"searchText": "x", "selectFolder": True, "filterTags": ["y"], "offset": 1_000},
        [
            "no parentId (choice search_scope=dataset): the whole dataset",
            'searchText "x" (choice search_fields=name)',
            "selectFolder true",
            'filterTags ["y"]',
            "offset 1000 and pageSize 10: numbers 1,001 to 1,010",
        ],
    ),
    ({"parentId": "nope"}, ['parentId "nope": no collection has this _id']),
    (
        {"parentId": ""},
        ['parentId "" (choice parent_empty_string=root): what is at the top level'],
    ),
    ({"parentId": "folder"}, ['parentId "folder": what is in folder "folder"']),
]


@pytest.mark.parametrize(("fields", "stages"), STAGES)
def test_each_stage_says_what_it_lets_pass(
    make_api: MakeApi, fields: dict[str, Any], stages: list[str]
) -> None:
    api = make_api(profile="deployed", choices={"parent_omitted": "any"})
    query = {"dataset": DATASET, "request": json.dumps({"offset": 0} | fields)}
    told = api.client.get("/__admin/why", params=query).json()["stages"]
    before = [f'dataset "{DATASET}" has 7 collections', "the key may read the dataset"]
    found = [each["message"] for each in told]
    assert found[: 2 + len(stages)] == [*before, *stages]
