"""What `GET why` says, in words: of the item, of each stage, of what would help."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY

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
