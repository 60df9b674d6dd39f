"""Collections: made, changed, deleted and listed, and what listV2 shows of that."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mock_server.api.operations.related.collection import CollectionDetail
from mock_server.fixture.dump import to_document
from tests.api.related.world import (
    DATASET,
    FOLDER,
    ITEM,
    OWNER,
    log_in,
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


def listed(api: Api, key: str = OWNER, **fields: Any) -> list[dict[str, Any]]:
    """The items that listV2 shows."""
    answer = api.list_v2(key=key, **{"datasetId": DATASET} | fields)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["data"]["list"])


def ids(api: Api, **fields: Any) -> list[str]:
    """The ids that listV2 shows."""
    return [each["_id"] for each in listed(api, **fields)]


def test_a_detail_of_a_file_names_it() -> None:
    fields = {each.encode_name for each in msgspec.structs.fields(CollectionDetail)}
    assert {"file", "fileId", "permission", "teamId"} <= fields
    assert "dataAmount" not in fields


def test_an_external_file_names_a_collection(make_api: MakeApi) -> None:
    document = {
        "datasets": [
            {
                "id": DATASET,
                "collections": [{"_id": ITEM, "name": "A", "externalFileId": "x"}],
            }
        ]
    }
    api = make_api(document, profile="deployed")
    body = {"datasetId": DATASET, "externalFileId": "x", "name": "B"}
    ok(api, "POST", f"{PATH}/update", body)
    assert listed(api)[0]["name"] == "B"


def test_data_rows_and_training_go_with_a_collection(make_api: MakeApi) -> None:
    rows = [{"_id": "9" * 24, "q": "Question"}]
    waiting: dict[str, Any] = {"datasetId": DATASET, "collectionId": ITEM, "since": NOW}
    waiting |= {"parsed": False, "data": rows}
    collection = {"_id": ITEM, "name": "A", "data": [{"_id": "8" * 24, "q": "Old"}]}
    document = {
        "clock": NOW,
        "datasets": [{"id": DATASET, "collections": [collection]}],
        "training": [waiting],
    }
    api = make_api(document, profile="deployed")
    detail = ok(api, "GET", f"{PATH}/trainingDetail", {"collectionId": ITEM})
    assert (detail["queuedCounts"]["parse"], detail["trainedCount"]) == (1, 1)
    ok(api, "DELETE", f"{PATH}/delete", {"id": ITEM})
    assert api.sandbox.store.find_row("8" * 24) is None
    assert to_document(api.sandbox.store)["training"] == []


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
    assert listed(api)[0]["slowestTrainingMode"] == mode


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


def test_paths_lead_to_a_collection(make_api: MakeApi) -> None:
    api = related_routes(make_api)

    def paths(**query: str) -> Any:
        answer = api.client.get(f"{PATH}/paths", params=query, headers=log_in(api))
        return [each["parentName"] for each in answer.json()["data"]]

    assert paths(sourceId=ITEM) == ["Folder", "Item"]
    assert paths() == []


def items(api: Api, path: str) -> tuple[list[str], int]:
    """The ids of a list at the top level, and its total."""
    found = ok(api, "POST", f"{PATH}/{path}", {"datasetId": DATASET, "parentId": None})
    shown = found["list" if "list" in found else "data"]
    return [each.get("_id") for each in shown], found["total"]


def test_a_lost_write_makes_nothing(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    before = to_document(api.sandbox.store)
    api.admin("POST", "/faults", {"kind": "lost_write"})
    create(api)
    assert to_document(api.sandbox.store) == before


def test_a_reset_brings_back_what_there_was_and_the_same_ids(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    loaded = to_document(api.sandbox.store)
    made = create(api)
    ok(api, "DELETE", f"{PATH}/delete", {"id": FOLDER})
    api.admin("POST", "/reset")
    assert to_document(api.sandbox.store) == loaded
    assert create(api) == made


def test_another_sandbox_sees_nothing(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    other = api.admin("POST", "/sandboxes", {"profile": "deployed"}).json()["key"]
    create(api)
    ok(api, "DELETE", f"{PATH}/delete", {"id": FOLDER})
    assert ids(api, key=other) == [FOLDER]


def test_a_changed_state_can_be_put_back(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    inner = create(api, "Inner", parentId=FOLDER, type="folder")
    create(api, "Deep", parentId=inner, tags=["red"])
    ok(api, "POST", f"{PATH}/update", {"id": ITEM, "parentId": inner})
    state = api.admin("GET", "/state").json()
    assert api.admin("PUT", "/state", state).status_code == 200
    assert api.admin("GET", "/state").json() == state
