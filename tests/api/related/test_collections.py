"""Collections: made, changed, deleted and listed, and what listV2 shows of that."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from mock_server.api.operations.related.collection import CollectionDetail
from mock_server.domain.limits import Limits
from mock_server.fixture.dump import to_document
from tests.api.related.world import (
    DATASET,
    ELSEWHERE,
    FOLDER,
    INSIDE,
    ITEM,
    OWNER,
    WRITER,
    log_in,
    ok,
    related_routes,
    send,
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


def test_a_new_collection_heads_list_v2_and_is_counted(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    made = create(api, key=WRITER, tags=["red"], trainingType="qa", chunkSize=900)
    page = api.list_v2(key=OWNER, datasetId=DATASET).json()["data"]
    assert page["total"] == 2
    first = page["list"][0]
    assert (first["_id"], first["name"], first["tags"]) == (made, "New", ["red"])
    assert first["createTime"] == first["updateTime"] == NOW
    assert (first["tmbId"], first["type"]) == ("tmb-writer", "virtual")
    assert first["dataAmount"] == first["trainingAmount"] == 0


def test_a_collection_is_made_in_a_folder_or_in_anything_else(
    make_api: MakeApi,
) -> None:
    api = related_routes(make_api)
    inner = create(api, "Inner", parentId=FOLDER, type="folder")
    assert ids(api, parentId=FOLDER) == [inner, ITEM]
    below = create(api, parentId=ITEM)
    assert ids(api, parentId=ITEM) == [below]
    assert ids(api, parentId=None) == [FOLDER]
    assert create(api, parentId="") in ids(api, parentId=None)


def test_a_detail_shows_the_item_of_list_v2_and_more(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    item = listed(api, parentId=FOLDER)[0]
    detail = ok(api, "GET", f"{PATH}/detail", {"id": ITEM})
    assert item.pop("dataAmount") == 0
    assert detail | item == detail
    assert detail["datasetId"] == detail["dataset"]["_id"] == DATASET
    assert (detail["sourceName"], detail["errorCount"]) == ("Item", 0)
    assert not {"file", "dataAmount"} & set(detail)
    msgspec.convert(detail, CollectionDetail)


def test_a_detail_of_a_file_names_it() -> None:
    fields = {each.encode_name for each in msgspec.structs.fields(CollectionDetail)}
    assert {"file", "fileId", "permission", "teamId"} <= fields
    assert "dataAmount" not in fields


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_name_brings_a_collection_to_the_top(make_api: MakeApi, method: str) -> None:
    api = related_routes(make_api)
    assert ok(api, method, f"{PATH}/update", {"id": FOLDER, "name": "Renamed"}) is None
    first = listed(api)[0]
    assert (first["_id"], first["name"]) == (FOLDER, "Renamed")
    assert first["updateTime"] == NOW


def test_nothing_but_a_name_changes_the_time(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    before = listed(api, parentId=FOLDER)[0]
    created = "2020-01-01T00:00:00.000Z"
    given = {"name": "", "tags": ["red"], "forbid": True, "createTime": created}
    ok(api, "POST", f"{PATH}/update", {"id": ITEM} | given)
    changed = {"tags": ["red"], "forbid": True, "createTime": created}
    assert listed(api, parentId=FOLDER) == [before | changed]
    ok(api, "POST", f"{PATH}/update", {"id": ITEM, "tags": []})
    assert listed(api, parentId=FOLDER)[0]["tags"] == []


def test_a_new_name_leaves_the_time_of_creation(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    made = create(api)
    api.admin("POST", "/clock/advance", {"seconds": 60})
    ok(api, "POST", f"{PATH}/update", {"id": made, "name": "Renamed"})
    first = listed(api)[0]
    assert (first["_id"], first["createTime"]) == (made, NOW)
    assert first["updateTime"] == "2026-01-01T00:01:00.000Z"


@pytest.mark.parametrize("name", ["manual", "mark", "手动录入"])
def test_what_is_entered_by_hand_stays_on_top(make_api: MakeApi, name: str) -> None:
    api = related_routes(make_api)
    ok(api, "POST", f"{PATH}/update", {"id": FOLDER, "name": name})
    create(api)
    first = listed(api)[0]
    assert (first["_id"], first["updateTime"][:4]) == (FOLDER, "2999")


def test_forbid_holds_for_all_that_is_in_a_folder(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    inner = create(api, "Inner", parentId=FOLDER, type="folder")
    create(api, "Deep", parentId=inner)
    for forbid in (True, False):
        ok(api, "POST", f"{PATH}/update", {"id": FOLDER, "forbid": forbid})
        shown = [
            item["forbid"]
            for parent in (None, FOLDER, inner)
            for item in listed(api, parentId=parent)
        ]
        assert shown == [forbid] * 4


def test_a_folder_with_too_much_in_it_is_not_changed(make_api: MakeApi) -> None:
    api = related_routes(make_api, limits=Limits(changed_collections=1))
    ok(api, "POST", f"{PATH}/update", {"id": FOLDER, "forbid": True})
    create(api, parentId=FOLDER)
    body = {"id": FOLDER, "forbid": False}
    assert send(api, "POST", f"{PATH}/update", body).status_code == 409
    assert listed(api)[0]["forbid"] is True


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


def test_a_collection_moves_with_what_is_in_it(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    target = create(api, "Target", type="folder")
    ok(api, "POST", f"{PATH}/update", {"id": FOLDER, "parentId": target})
    assert ids(api, parentId=None) == [target]
    assert ids(api, parentId=target) == [FOLDER]
    assert ids(api, parentId=FOLDER) == [ITEM]
    body = {"id": target, "parentId": ITEM}
    answer = send(api, "POST", f"{PATH}/update", body)
    assert answer.json()["code"] == 507000
    ok(api, "POST", f"{PATH}/update", {"id": FOLDER, "parentId": None})
    assert FOLDER in ids(api, parentId=None)


def test_folders_above_a_collection_are_bounded(make_api: MakeApi) -> None:
    api = related_routes(make_api, limits=Limits(folder_depth=2))
    inner = create(api, "Inner", parentId=FOLDER, type="folder")
    create(api, "Deep", parentId=inner)
    other = create(api, "Other", type="folder")
    for path, body in (
        ("create", {"datasetId": DATASET, "name": "N", "type": "virtual"}),
        ("update", {"id": other}),
    ):
        deepest = ids(api, parentId=inner)[0]
        answer = send(api, "POST", f"{PATH}/{path}", body | {"parentId": deepest})
        assert answer.json()["code"] == 507007, answer.text
        told = "at most 2 folders above a collection, got more - at $.parentId"
        assert told in answer.json()["message"]
    answer = send(api, "POST", f"{PATH}/update", {"id": FOLDER, "parentId": other})
    assert answer.json()["code"] == 507007


@pytest.mark.parametrize("method", ["POST", "DELETE"])
@pytest.mark.parametrize("in_query", [True, False])
def test_a_folder_is_deleted_with_all_that_is_in_it(
    make_api: MakeApi, method: str, in_query: bool
) -> None:
    api = related_routes(make_api)
    kept = create(api)
    query = {"id": FOLDER} if in_query else {}
    # The query wins.
    body = {"collectionIds": [kept if in_query else FOLDER]}
    headers = {"Authorization": f"Bearer {OWNER}"}
    answer = api.client.request(
        method, f"{PATH}/delete", params=query, json=body, headers=headers
    )
    assert answer.json()["data"] is None, answer.text
    assert ids(api) == [kept]
    for gone in (FOLDER, ITEM):
        found = send(api, "GET", f"{PATH}/detail", {"id": gone})
        assert found.json()["code"] == 501003


def test_several_are_deleted_even_of_several_datasets(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    ok(
        api,
        "POST",
        f"{PATH}/delete",
        {"collectionIds": [ITEM, FOLDER, ITEM, ELSEWHERE]},
    )
    assert listed(api) == listed(api, datasetId=INSIDE) == []


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


def test_the_older_list_is_paged_by_number(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    made = [create(api, f"Item {number}") for number in range(3)]
    page = {"datasetId": DATASET, "parentId": None, "pageNum": 2, "pageSize": 2}
    found = ok(api, "POST", f"{PATH}/list", page)
    assert (found["pageNum"], found["pageSize"], found["total"]) == (2, 2, 4)
    assert found["data"] == listed(api, parentId=None)[2:]
    every = ok(api, "POST", f"{PATH}/list", page | {"simple": True})
    assert (every["pageNum"], len(every["data"])) == (2, 4)
    assert {each["_id"] for each in every["data"]} == {*made, FOLDER}


def test_the_older_list_has_the_filters_of_list_v2(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    red = create(api, "Red", tags=["red"])
    create(api, "Blue", tags=["blue"])
    for fields, wanted in (
        ({"filterTags": ["red", "green"]}, [red]),
        ({"selectFolder": True}, [FOLDER]),
        ({"parentId": FOLDER, "searchText": "re"}, [red]),
        ({"parentId": FOLDER}, [ITEM]),
    ):
        found = ok(api, "POST", f"{PATH}/list", {"datasetId": DATASET} | fields)
        assert [each["_id"] for each in found["data"]] == wanted


def test_a_list_that_scrolls_wants_text_folder_and_all_tags(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    both = create(api, "Both", tags=["red", "blue"])
    red = create(api, "Red", tags=["red"], parentId=FOLDER)
    for fields, wanted in (
        ({"filterTags": ["red"]}, [both]),
        ({"filterTags": ["red", "blue"]}, [both]),
        ({"filterTags": ["red", "blue"], "parentId": FOLDER}, []),
        ({"parentId": FOLDER, "searchText": "both"}, []),
        ({"parentId": FOLDER, "searchText": "re"}, [red]),
    ):
        found = ok(api, "POST", f"{PATH}/scrollList", {"datasetId": DATASET} | fields)
        assert [each["_id"] for each in found["list"]] == wanted
        assert found["total"] == len(wanted)


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


@pytest.mark.parametrize("path", ["list", "scrollList"])
def test_faults_of_pages_have_their_meaning(make_api: MakeApi, path: str) -> None:
    api = related_routes(make_api)
    made = create(api)
    for fault, wanted in (
        ({"kind": "page_drift", "insert": 1}, (["appeared-1", made, FOLDER], 3)),
        ({"kind": "page_drift", "remove": 1}, ([FOLDER], 1)),
        ({"kind": "duplicate_item"}, ([made, made, FOLDER], 2)),
        ({"kind": "wrong_total", "by": 5}, ([made, FOLDER], 7)),
        ({"kind": "alter", "remove": ["_id"]}, ([None, None], 2)),
    ):
        api.admin("POST", "/faults", fault)
        assert items(api, path) == wanted


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


def test_created_collections_are_bounded(make_api: MakeApi) -> None:
    api = related_routes(make_api, limits=Limits(created_collections=1))
    made = create(api)
    body = {"datasetId": DATASET, "name": "New", "type": "virtual"}
    assert send(api, "POST", f"{PATH}/create", body).status_code == 409
    create(api, datasetId=INSIDE)
    ok(api, "DELETE", f"{PATH}/delete", {"id": made})
    create(api)


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        (f"{PATH}/update", {"id": ITEM, "name": "Renamed"}),
        ("/api/core/dataset/data/insertData", {"collectionId": ITEM, "q": "New"}),
    ],
)
def test_a_change_leaves_the_time_of_creation(
    make_api: MakeApi, path: str, fields: dict[str, Any]
) -> None:
    api = related_routes(make_api)
    before = ok(api, "GET", f"{PATH}/detail", {"id": ITEM})
    assert send(api, "POST", path, fields).status_code == 200
    after = ok(api, "GET", f"{PATH}/detail", {"id": ITEM})
    assert after["updateTime"] == NOW > before["updateTime"]
    assert after["createTime"] == before["createTime"] == before["updateTime"]
