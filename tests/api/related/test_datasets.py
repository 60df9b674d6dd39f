"""Datasets and folders of datasets: made, listed, moved, deleted."""

from __future__ import annotations

from typing import Any

from mock_server.domain.limits import Limits
from mock_server.fixture.dump import to_document
from tests.api.related.world import (
    DATASET,
    FOLDER,
    INSIDE,
    OWNER,
    READER,
    SHELF,
    WRITER,
    log_in,
    ok,
    related_routes,
    send,
)
from tests.conftest import MakeApi
from tests.support import Api

PATH = "/api/core/dataset"
NOW = "2026-01-01T00:00:00.000Z"
NEW = {"type": "dataset", "name": "New", "intro": "About", "avatar": "/a.svg"}


def listed(api: Api, key: str = OWNER, **fields: Any) -> list[str]:
    """The ids of a list of datasets."""
    return [each["_id"] for each in ok(api, "POST", f"{PATH}/list", fields, key)]


def folder(api: Api, name: str, parent: str | None = None) -> str:
    """The id of a new folder."""
    body = {"name": name, "intro": "", "parentId": parent}
    assert ok(api, "POST", f"{PATH}/folder/create", body) == {}
    found = ok(api, "POST", f"{PATH}/list", {"searchKey": name})
    return str(found[0]["_id"])


def move(api: Api, dataset: str, parent: str | None) -> Any:
    """Move a dataset as a user who has logged in; gives the answer."""
    body = {"id": dataset, "parentId": parent}
    return api.client.put(f"{PATH}/update", json=body, headers=log_in(api))


def test_a_new_dataset_is_listed_first_and_can_be_read(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    made = ok(
        api, "POST", f"{PATH}/create", NEW | {"parentId": SHELF, "vectorModel": "any"}
    )
    assert listed(api) == [made, INSIDE, SHELF, DATASET]
    detail = ok(api, "GET", f"{PATH}/detail", {"id": made})
    assert detail | NEW == detail
    assert detail["parentId"] == SHELF
    assert (detail["updateTime"], detail["tmbId"]) == (NOW, "tmb-owner")
    assert detail["permission"]["isOwner"] is True
    assert detail["status"] == "active"


def test_a_dataset_without_a_declared_member_has_the_default_one(
    make_api: MakeApi,
) -> None:
    api = make_api({"datasets": []}, profile="deployed")
    made = ok(api, "POST", f"{PATH}/create", NEW)
    detail = ok(api, "GET", f"{PATH}/detail", {"id": made})
    assert detail["tmbId"] == "65422be6aa44b7da77729ec9"


def test_whoever_creates_a_dataset_owns_it(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    made = ok(api, "POST", f"{PATH}/create", NEW, WRITER)
    assert ok(api, "GET", f"{PATH}/detail", {"id": made}, WRITER)["permission"][
        "isOwner"
    ]
    assert ok(api, "DELETE", f"{PATH}/delete", {"id": made}, WRITER) is None
    assert made not in listed(api)


def test_a_list_is_of_all_levels_of_one_or_of_a_folder(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    assert listed(api) == [INSIDE, SHELF, DATASET]
    assert listed(api, parentId=None) == listed(api, parentId="") == [SHELF, DATASET]
    assert listed(api, parentId=SHELF) == [INSIDE]
    assert listed(api, type="folder") == [SHELF]


def test_a_search_looks_at_name_and_intro_and_nothing_else(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    assert listed(api, searchKey="SHELF") == [INSIDE, SHELF]
    assert listed(api, searchKey="inside", parentId=None, type="folder") == [INSIDE]
    assert listed(api, searchKey=".") == []


def test_old_clients_get_the_list_with_fields_in_the_query(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    assert [
        each["_id"] for each in ok(api, "GET", f"{PATH}/list", {"parentId": SHELF})
    ] == [INSIDE]


def test_the_query_of_a_post_says_nothing(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    assert len(ok(api, "POST", f"{PATH}/list?parentId={SHELF}")) == 3


def test_what_a_key_may_not_read_is_not_listed(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    assert listed(api, key="outsider") == []
    item = ok(api, "POST", f"{PATH}/list", {"parentId": SHELF}, READER)[0]
    assert item["permission"]["value"] == 4
    assert "parentId" not in item


def test_an_update_changes_what_it_names_and_no_time(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    before = ok(api, "GET", f"{PATH}/detail", {"id": INSIDE})
    ok(
        api,
        "PUT",
        f"{PATH}/update",
        {"id": INSIDE, "name": "Other", "intro": ""},
        WRITER,
    )
    changed = {"name": "Other", "intro": ""}
    assert ok(api, "GET", f"{PATH}/detail", {"id": INSIDE}) == before | changed
    ok(api, "PUT", f"{PATH}/update", {"id": INSIDE, "name": "", "avatar": "/b"})
    changed["avatar"] = "/b"
    assert ok(api, "GET", f"{PATH}/detail", {"id": INSIDE}) == before | changed


def test_an_update_keeps_the_collections(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    before = api.ids(key=OWNER, datasetId=DATASET)
    ok(api, "PUT", f"{PATH}/update", {"id": DATASET, "name": "Other"})
    assert api.ids(key=OWNER, datasetId=DATASET) == before


def test_a_login_moves_a_dataset_to_the_top_level_and_back(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    assert move(api, INSIDE, None).status_code == 200
    assert listed(api, parentId=None) == [INSIDE, SHELF, DATASET]
    assert move(api, INSIDE, SHELF).status_code == 200
    assert listed(api, parentId=SHELF) == [INSIDE]


def test_a_key_moves_a_dataset_between_folders(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    other = folder(api, "Other", SHELF)
    ok(api, "PUT", f"{PATH}/update", {"id": INSIDE, "parentId": other})
    assert listed(api, parentId=other) == [INSIDE]


def test_to_move_a_dataset_between_own_folders_it_takes_write_permission(
    make_api: MakeApi,
) -> None:
    api = related_routes(make_api)
    new = NEW | {"type": "folder"}
    one, other = (ok(api, "POST", f"{PATH}/create", new, WRITER) for _ in range(2))
    made = ok(api, "POST", f"{PATH}/create", NEW | {"parentId": one})
    ok(api, "PUT", f"{PATH}/update", {"id": made, "parentId": other}, WRITER)
    assert listed(api, parentId=other) == [made]


def test_who_does_not_manage_a_folder_takes_nothing_out_of_it(
    make_api: MakeApi,
) -> None:
    api = related_routes(make_api)
    made = ok(api, "POST", f"{PATH}/create", NEW | {"parentId": SHELF}, WRITER)
    own = ok(api, "POST", f"{PATH}/create", NEW | {"type": "folder"}, WRITER)
    body = {"id": made, "parentId": own}
    answer = send(api, "PUT", f"{PATH}/update", body, WRITER)
    assert answer.json()["code"] == 501004
    assert listed(api, parentId=own) == []


def test_no_folder_goes_into_itself(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    below = folder(api, "Below", SHELF)
    for target in (SHELF, below):
        answer = move(api, SHELF, target)
        assert answer.json()["code"] == 507000, answer.text
    assert listed(api, parentId=None) == [SHELF, DATASET]


def test_folders_are_at_most_four_levels_deep(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    path = [SHELF]
    for level in (2, 3, 4):
        path.append(folder(api, f"Level {level}", path[-1]))
    body = {"name": "Level 5", "intro": "", "parentId": path[-1]}
    answer = send(api, "POST", f"{PATH}/folder/create", body)
    assert answer.json()["code"] == 507006
    beside = folder(api, "Beside")
    assert move(api, beside, path[-1]).json()["code"] == 507006
    assert move(api, path[1], beside).status_code == 200
    assert move(api, beside, path[0]).json()["code"] == 507006


def test_a_folder_is_deleted_with_all_that_is_in_it(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    inner = folder(api, "Inner", SHELF)
    made = ok(api, "POST", f"{PATH}/create", NEW | {"parentId": inner})
    ok(api, "DELETE", f"{PATH}/delete", {"id": SHELF})
    assert listed(api) == [DATASET]
    for each in (SHELF, INSIDE, inner, made):
        answer = send(api, "GET", f"{PATH}/detail", {"id": each})
        assert answer.json()["code"] == 501002
    assert api.list_v2(key=OWNER, datasetId=INSIDE).json()["code"] == 501002


def test_paths_lead_from_the_outermost_folder(make_api: MakeApi) -> None:
    api = related_routes(make_api)

    def paths(**query: str) -> Any:
        answer = api.client.get(f"{PATH}/paths", params=query, headers=log_in(api))
        return answer.json()["data"]

    shelf = {"parentId": SHELF, "parentName": "Shelf"}
    inside = {"parentId": INSIDE, "parentName": "Inside"}
    assert paths(sourceId=INSIDE, type="current") == [shelf, inside]
    assert paths(sourceId=INSIDE, type="parent") == [shelf]
    assert paths(type="parent") == []


def test_a_reset_brings_back_what_there_was_and_the_same_ids(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    loaded = to_document(api.sandbox.store)
    made = ok(api, "POST", f"{PATH}/create", NEW)
    ok(api, "DELETE", f"{PATH}/delete", {"id": DATASET})
    api.admin("POST", "/reset")
    assert to_document(api.sandbox.store) == loaded
    assert FOLDER in api.ids(key=OWNER, datasetId=DATASET)
    assert ok(api, "POST", f"{PATH}/create", NEW) == made


def test_a_state_with_changed_datasets_can_be_put_back(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    ok(
        api,
        "POST",
        f"{PATH}/create",
        NEW | {"parentId": folder(api, "Other", SHELF)},
        OWNER,
    )
    ok(api, "POST", f"{PATH}/create", NEW, WRITER)
    ok(api, "DELETE", f"{PATH}/delete", {"id": DATASET})
    state = api.admin("GET", "/state").json()
    assert api.admin("PUT", "/state", state).status_code == 200
    assert api.admin("GET", "/state").json() == state


def test_another_sandbox_sees_nothing(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    other = api.admin("POST", "/sandboxes", {"profile": "deployed"}).json()["key"]
    ok(api, "POST", f"{PATH}/create", NEW)
    ok(api, "DELETE", f"{PATH}/delete", {"id": SHELF})
    assert listed(api, key=other) == [INSIDE, SHELF, DATASET]


def test_created_datasets_are_bounded(make_api: MakeApi) -> None:
    api = related_routes(make_api, limits=Limits(created_datasets=2))
    ok(api, "POST", f"{PATH}/create", NEW)
    folder(api, "Second")
    answer = send(api, "POST", f"{PATH}/create", NEW)
    assert answer.json()["statusText"] == "limitReached"
    ok(api, "DELETE", f"{PATH}/delete", {"id": SHELF})
    assert send(api, "POST", f"{PATH}/create", NEW).status_code == 409


def test_faults_change_an_array_too(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    for fault, wanted in (
        ({"kind": "page_drift", "insert": 2}, ["appeared-1", "appeared-2", INSIDE]),
        ({"kind": "page_drift", "remove": 1}, [SHELF, DATASET]),
        ({"kind": "duplicate_item"}, [INSIDE, INSIDE, SHELF]),
    ):
        api.admin("POST", "/faults", fault | {"operation": "dataset.list"})
        assert listed(api)[:3] == wanted
    api.admin("POST", "/faults", {"kind": "alter", "set": {"name": None}})
    names = {each["name"] for each in ok(api, "POST", f"{PATH}/list")}
    assert names == {None}


def test_an_array_has_no_total_to_be_wrong(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    made = api.admin("POST", "/faults", {"kind": "wrong_total"}).json()
    listed(api)
    assert api.admin("GET", f"/faults/{made['id']}").json()["fired"] == 0
