"""Collections: made, changed, deleted and listed, and what listV2 shows of that."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mock_server.api.operations.related.collection import CollectionDetail
from tests.api.related.world import (
    DATASET,
    ITEM,
    OWNER,
    ok,
    related_routes,
)
from tests.conftest import MakeApi
from tests.support import Api

PATH = "/api/core/dataset/collection"
NOW = "2026-01-01T00:00:00.000Z"


def create(api: Api, name: str = "New", key: str = OWNER, **fields: Any) -> str:
    """The id of a new collection."""
    body = {"datasetId": DATASET, "name": name, "type": "virtual"} | fields
    return str(ok(api, "POST", f"{PATH}/create", body, key))


def test_a_detail_of_a_file_names_it() -> None:
    fields = {each.encode_name for each in msgspec.structs.fields(CollectionDetail)}
    assert {"file", "fileId", "permission", "teamId"} <= fields
    assert "dataAmount" not in fields


def test_training_moves_from_the_text_to_rows(make_api: MakeApi) -> None:
    rows = [{"q": f"Question {number}"} for number in range(30)]
    waiting: dict[str, Any] = {"datasetId": DATASET, "collectionId": ITEM, "since": NOW}
    waiting |= {"parsed": False, "data": rows}
    document = {
        "clock": NOW,
        "datasets": [{"id": DATASET, "collections": [{"_id": ITEM, "name": "A"}]}],
        "training": [waiting],
    }
    api = make_api(document, profile="deployed")
    seen = []
    for _ in range(4):
        shown = ok(api, "GET", f"{PATH}/trainingDetail", {"collectionId": ITEM})
        queued = shown["queuedCounts"]
        seen.append((queued["parse"], queued["chunk"], shown["trainedCount"]))
        api.admin("POST", "/clock/advance", {"seconds": 2})
    assert seen[0] == (1, 0, 0)
    assert seen[-1] == (0, 0, 30)
    assert sum(queued > 0 for _, queued, _ in seen) == 1


@pytest.mark.parametrize(("kind", "mode"), [("qa", "qa"), ("template", "chunk")])
def test_rows_train_as_questions_or_as_chunks(
    make_api: MakeApi, kind: str, mode: str
) -> None:
    collection = {"_id": ITEM, "name": "A", "trainingType": kind, "trainingAmount": 1}
    waiting = {"datasetId": DATASET, "collectionId": ITEM, "since": NOW}
    document = {
        "clock": NOW,
        "datasets": [{"id": DATASET, "collections": [collection]}],
        "training": [waiting | {"data": [{"q": "One"}]}],
    }
    api = make_api(document, profile="deployed")
    detail = ok(api, "GET", f"{PATH}/trainingDetail", {"collectionId": ITEM})
    assert [it for it, count in detail["queuedCounts"].items() if count] == [mode]
    listed = api.list_v2(key=OWNER, datasetId=DATASET).json()["data"]["list"]
    assert listed[0]["slowestTrainingMode"] == mode


def test_a_list_that_scrolls_is_capped_and_paged_by_offset(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    for number in range(35):
        create(api, f"Item {number}")
    every = {"datasetId": DATASET, "pageSize": "100"}
    assert len(ok(api, "POST", f"{PATH}/scrollList", every)["list"]) == 30
    last = ok(api, "POST", f"{PATH}/scrollList", every | {"offset": 30})
    assert (len(last["list"]), last["total"]) == (6, 36)
    assert (
        len(ok(api, "POST", f"{PATH}/scrollList", {"datasetId": DATASET})["list"]) == 10
    )
