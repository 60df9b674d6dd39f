"""Datasets and folders of datasets: made, listed, moved, deleted."""

from __future__ import annotations

from typing import Any

from mock_server.fixture.dump import to_document
from tests.api.related.world import (
    DATASET,
    FOLDER,
    INSIDE,
    OWNER,
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


def test_a_dataset_without_a_declared_member_has_the_default_one(
    make_api: MakeApi,
) -> None:
    api = make_api({"datasets": []}, profile="deployed")
    made = ok(api, "POST", f"{PATH}/create", NEW)
    detail = ok(api, "GET", f"{PATH}/detail", {"id": made})
    assert detail["tmbId"] == "65422be6aa44b7da77729ec9"


def test_a_login_moves_a_dataset_to_the_top_level_and_back(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    assert move(api, INSIDE, None).status_code == 200
    assert listed(api, parentId=None) == [INSIDE, SHELF, DATASET]
    assert move(api, INSIDE, SHELF).status_code == 200
    assert listed(api, parentId=SHELF) == [INSIDE]


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
