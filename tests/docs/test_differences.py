"""The differences from FastGPT that `operations.md` lists are those of the server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.related.rows import FULL, SHARE, SHARED
from tests.api.related.world import APP, DATASET, ITEM, OWNER
from tests.conftest import MakeApi
from tests.docs.pages import DOCS, text_of
from tests.support import LIST, PIN

OPERATIONS = DOCS / "reference" / "operations.md"
SKILL = {"skillId": "a" * 24}
LINK = {"outLinkAuthData": {"shareId": SHARE, "outLinkUid": "ann"}}
DATASETS = "/api/core/dataset/list"
RECORDS = "/api/core/chat/record/getRecords_v2"
Fields = dict[str, Any]


@pytest.mark.parametrize(
    ("subject", "method", "path", "fields", "status"),
    [
        ("form of ids", "POST", LIST, {"datasetId": "readable"}, 200),
        ("`[]` as a `parentId`", "POST", DATASETS, {"parentId": []}, 400),
        ("`1e20` as an `offset`", "POST", LIST, {"offset": 1e20}, 400),
        ("`1e400`", "POST", LIST, {"unheardOf": float("inf")}, 400),
        ("`skillId` instead of", "POST", RECORDS, SKILL | {"chatId": "one"}, 400),
        ("`skillId`, `sourceType`", "PUT", PIN, SKILL | {"appId": APP}, 200),
        ("`skillId`, `sourceType`", "PUT", PIN, {"appId": APP, "sourceType": 5}, 200),
        ("`outLinkAuthData` of", "PUT", PIN, LINK | {"appId": APP}, 200),
        ("`outLinkAuthData` of", "PUT", PIN, LINK | {"chatId": SHARED}, 403),
    ],
)
def test_a_difference_is_listed_and_true(
    make_api: MakeApi,
    subject: str,
    method: str,
    path: str,
    fields: Fields,
    status: int,
) -> None:
    listed = text_of(OPERATIONS).partition("## Differences from FastGPT")[2]
    assert f"\n| {subject}" in listed
    readable = {"id": "readable", "collections": []}
    world = FULL | {"datasets": [*FULL["datasets"], readable]}
    api = make_api(world, profile="deployed")
    common = {"chatId": "one", "top": True} if path == PIN else {"datasetId": DATASET}
    content = json.dumps(common | fields).replace("Infinity", "1e400")
    headers = {"Content-Type": "application/json"}
    headers |= {} if status == 403 else {"Authorization": f"Bearer {OWNER}"}
    answer = api.client.request(method, path, content=content, headers=headers)
    assert answer.status_code == status, answer.text


def test_an_unparsed_text_is_listed_as_rows(make_api: MakeApi) -> None:
    now = "2026-01-01T00:00:00.000Z"
    waiting = {"datasetId": DATASET, "collectionId": ITEM, "since": now}
    collection = {"_id": ITEM, "name": "A", "trainingAmount": 1}
    document = {
        "clock": now,
        "datasets": [{"id": DATASET, "collections": [collection]}],
        "training": [waiting | {"parsed": False, "data": [{"q": "One"}]}],
    }
    api = make_api(document, profile="deployed")
    (item,) = api.list_v2(datasetId=DATASET).json()["data"]["list"]
    assert item["slowestTrainingMode"] == "chunk"
    assert "\n| `slowestTrainingMode`" in text_of(OPERATIONS)
