"""What `GET why` says, in words: of the item, of each stage, of what would help."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY, Api

ALPHA = '"a" ("ALPHA") is'
NONE = 'dataset "dataset-1" has no collection of the _id'
SAID: list[tuple[str, dict[str, Any], str, list[str]]] = [
    ("a", {}, f"{ALPHA} on the page: number 3 of the 7 that match", []),
    (
        "a",
        {"pageSize": 1},
        f"{ALPHA} on another page: number 3 of the 7 that match",
        ["send offset 2"],
    ),
    (
        "a",
        {"pageSize": 1, "pageNum": 1, "offset": ...},
        f"{ALPHA} on another page: number 3 of the 7 that match",
        ["send pageNum 3"],
    ),
    (
        "a",
        {"selectFolder": True},
        f"{ALPHA} not listed: selectFolder true leaves out what is no folder",
        ["leave out selectFolder", "choose list_filters=ignore"],
    ),
    (
        "twin",
        {},
        f'{NONE} "twin"; dataset "dataset-2" and "dataset-3" have one',
        ['send datasetId "dataset-2"', 'send datasetId "dataset-3"'],
    ),
    (
        "else",
        {},
        f'{NONE} "else"; dataset "dataset-2" has one',
        ['send datasetId "dataset-2"'],
    ),
    ("Beta", {}, f'{NONE} "Beta" (did you mean "b", which has that name?)', []),
    ("nope", {}, f'{NONE} "nope", nor has any other', []),
]


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


def test_a_key_that_may_not_read_is_told_what_to_use(api: Api) -> None:
    query = {"dataset": DATASET, "key": "fastgpt-sbx-gone"}
    told = api.client.get("/__admin/why", params=query).json()
    assert told["stages"][1]["message"] == "the key may not read the dataset"
    (remedy,) = told["remedies"]
    assert remedy["message"] == "use a key of your own: any counts"


@pytest.mark.parametrize(("item", "fields", "message", "remedies"), SAID)
def test_the_reason_and_what_would_help_are_told(
    make_api: MakeApi,
    item: str,
    fields: dict[str, Any],
    message: str,
    remedies: list[str],
) -> None:
    fixture: dict[str, Any] = deepcopy(LIBRARY)
    twin = {"_id": "twin", "name": "Twin"}
    fixture["datasets"][1]["collections"].append(twin)
    fixture["datasets"].append({"id": "dataset-3", "collections": [twin]})
    choices = {"parent_omitted": "any"}
    api = make_api(fixture, profile="deployed", choices=choices)
    request = {k: v for k, v in ({"offset": 0} | fields).items() if v is not ...}
    query = {"dataset": DATASET, "item": item, "request": json.dumps(request)}
    told = api.client.get("/__admin/why", params=query).json()
    assert told["message"] == message
    assert [each["message"] for each in told["remedies"]] == remedies
    if "selectFolder" in fields:
        assert told["stages"][4]["message"] == "selectFolder true"
