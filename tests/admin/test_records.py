"""Chats and collections, created, changed and removed one by one."""

from __future__ import annotations

import pytest

from mock_server.domain.limits import DEFAULT_LIMITS
from tests.conftest import MakeApi
from tests.support import APP, CHAT, DATASET, Api

CHATS = f"/apps/{APP}/chats"
ITEMS = f"/datasets/{DATASET}/collections"


def test_apps_and_datasets_are_counted_as_they_are_now(api: Api) -> None:
    api.admin("DELETE", f"{CHATS}/{CHAT}")
    api.admin("PUT", f"{ITEMS}/new", {"name": "New"})
    apps = api.admin("GET", "/apps").json()["apps"]
    assert [(app["id"], app["chats"]) for app in apps] == [(APP, 1), ("app-2", 1)]
    datasets = api.admin("GET", "/datasets").json()["datasets"]
    assert datasets[0] == {"id": DATASET, "name": "", "collections": 8}


def test_a_put_chat_is_there_and_can_be_pinned(api: Api) -> None:
    body = {"title": "Refund", "updateTime": "2025-01-01T00:00:00Z"}
    made = api.admin("PUT", f"{CHATS}/new", body)
    assert made.status_code == 201
    assert made.json() == {
        "chatId": "new",
        "title": "Refund",
        "customTitle": "",
        "top": False,
        "updateTime": "2025-01-01T00:00:00.000Z",
    }
    assert api.pin(chatId="new").status_code == 200
    assert api.admin("GET", f"{CHATS}/new").json()["top"] is True


def test_a_put_replaces_the_whole_chat(api: Api) -> None:
    api.pin()
    again = api.admin("PUT", f"{CHATS}/{CHAT}", {"chatId": CHAT, "title": "Other"})
    assert again.status_code == 200
    assert again.json()["top"] is False


def test_a_deleted_chat_is_unknown_until_a_reset(api: Api) -> None:
    assert api.admin("DELETE", f"{CHATS}/{CHAT}").json()["chatId"] == CHAT
    assert api.pin().json()["statusText"] == "chatNotFound"
    assert api.admin("GET", f"{CHATS}/{CHAT}").status_code == 404
    assert api.admin("DELETE", f"{CHATS}/{CHAT}").status_code == 404
    api.admin("POST", "/reset")
    assert api.pin().status_code == 200


def test_chats_are_listed_in_parts(api: Api) -> None:
    api.admin("PUT", f"{CHATS}/new")
    page = api.client.get(f"/__admin{CHATS}?offset=1&limit=2").json()
    assert [chat["chatId"] for chat in page["chats"]] == ["chat-2", "new"]
    assert page["total"] == 3


@pytest.mark.parametrize("query", ["name=FUND", "name=own", "name=e&offset=1&limit=1"])
def test_chats_can_be_asked_for_by_their_titles(make_api: MakeApi, query: str) -> None:
    chats = [
        {"chatId": "a", "title": "Hello"},
        {"chatId": "b", "title": "Refund", "customTitle": "My own"},
    ]
    api = make_api({"apps": [{"id": APP, "chats": chats}]})
    page = api.client.get(f"/__admin{CHATS}?{query}").json()
    assert [chat["chatId"] for chat in page["chats"]] == ["b"]
    assert page["total"] == (2 if "limit" in query else 1)


def test_created_chats_are_bounded(make_api: MakeApi) -> None:
    api = make_api({"apps": [{"id": APP}]}, choices={"chat_unknown": "create"})
    api.sandbox.store.created_chats = DEFAULT_LIMITS.created_chats
    answer = api.admin("PUT", f"{CHATS}/one-more")
    assert (answer.status_code, answer.json()["statusText"]) == (409, "limitReached")


def test_ids_with_any_character_work_in_paths(api: Api) -> None:
    path = f"{CHATS}/a%2Fb%20%25%C3%A9%3F"
    assert api.admin("PUT", path).json()["chatId"] == "a/b %é?"
    assert api.pin(chatId="a/b %é?").status_code == 200


def test_a_put_collection_is_listed(api: Api) -> None:
    body = {"name": "New", "parentId": "folder", "tags": ["red"], "forbid": True}
    made = api.admin("PUT", f"{ITEMS}/new", body)
    assert made.status_code == 201
    assert made.json() == api.admin("GET", f"{ITEMS}/new").json()
    page = api.list_v2(parentId="folder", searchText="new").json()["data"]
    assert (page["total"], page["list"][0]["forbid"]) == (1, True)


def test_a_put_replaces_the_whole_collection(api: Api) -> None:
    before = api.ids(searchText="ALPHA", parentId=None)
    again = api.admin("PUT", f"{ITEMS}/a", {"_id": "a", "name": "ALPHA two"})
    assert again.status_code == 200
    assert (again.json()["forbid"], again.json()["fileId"]) == (False, None)
    assert api.ids(searchText="ALPHA two", parentId=None) == before == ["a"]


def test_added_collections_come_last_in_document_order(make_api: MakeApi) -> None:
    api = make_api(choices={"list_order": "fixture"})
    api.admin("PUT", f"{ITEMS}/new", {"name": "New"})
    api.admin("PUT", f"{ITEMS}/b", {"name": "Beta again"})
    assert api.ids(parentId=None) == ["folder", "b", "a", "c", "new"]
    api.admin("PUT", f"{ITEMS}/b", {"name": "Beta", "parentId": "folder"})
    assert api.ids(parentId="folder") == ["inner", "deep", "b"]


def test_a_deleted_folder_takes_all_that_is_in_it(api: Api) -> None:
    answer = api.admin("DELETE", f"{ITEMS}/folder")
    assert answer.json() == {"deleted": 4}
    assert api.list_v2().json()["data"]["total"] == 3
    assert api.list_v2(parentId="deep").json()["statusText"] == "parentNotFound"
    assert api.admin("GET", f"{ITEMS}/bottom").status_code == 404


def test_collections_are_listed_in_parts_in_document_order(api: Api) -> None:
    page = api.client.get(f"/__admin{ITEMS}?offset=2&limit=2").json()
    assert [item["_id"] for item in page["collections"]] == ["deep", "bottom"]
    assert page["total"] == 7


def test_a_collection_put_back_as_it_was_shown_is_the_same(api: Api) -> None:
    before = api.list_v2().json()
    for item in api.admin("GET", ITEMS).json()["collections"]:
        assert api.admin("PUT", f"{ITEMS}/{item['_id']}", item).json() == item
    assert api.list_v2().json() == before


def test_folders_cannot_be_put_deeper_than_the_limit(make_api: MakeApi) -> None:
    chain = [
        {"_id": str(n), "name": "x", "parentId": str(n - 1) if n else None}
        for n in range(DEFAULT_LIMITS.folder_depth + 1)
    ]
    others = [{"_id": "a", "name": "a"}, {"_id": "b", "name": "b", "parentId": "a"}]
    api = make_api({"datasets": [{"id": DATASET, "collections": chain + others}]})
    last = str(DEFAULT_LIMITS.folder_depth)
    under = {"name": "x", "parentId": last}
    assert api.admin("PUT", f"{ITEMS}/new", under).status_code == 400
    above_last = {"name": "a", "parentId": str(DEFAULT_LIMITS.folder_depth - 1)}
    assert api.admin("PUT", f"{ITEMS}/a", above_last).status_code == 400
    assert api.admin("PUT", f"{ITEMS}/new", above_last).status_code == 201


def test_a_name_in_place_of_a_parent_id_is_told(api: Api) -> None:
    api.admin("PUT", f"{ITEMS}/kit", {"name": "Press kit"})
    answer = api.client.get(f"/__admin{ITEMS}?parentId=Press%20kit")
    assert answer.status_code == 404
    assert '(did you mean "kit", which has that name?)' in answer.json()["message"]


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("type=folder", ["folder", "deep"]),
        ("type=folder&parentId=", ["folder"]),
        ("type=folder&parentId=folder", ["deep"]),
        ("type=folder&parentId=deep", []),
        ("type=folder&name=DEEP", ["deep"]),
        ("name=alpha", ["inner", "bottom", "a"]),
        ("name=alpha&parentId=folder", ["inner"]),
        ("name=alpha&offset=1&limit=1", ["bottom"]),
    ],
)
def test_folders_and_names_can_be_asked_for(
    api: Api, query: str, ids: list[str]
) -> None:
    answer = api.client.get(f"/__admin{ITEMS}?{query}").json()
    assert [each["_id"] for each in answer["collections"]] == ids
    assert answer["total"] == (3 if "limit" in query else len(ids))


@pytest.mark.parametrize(
    ("query", "offset", "ids"),
    [
        ("around=b&parentId=&limit=2", 0, ["folder", "b"]),
        ("around=c&parentId=&limit=2", 2, ["a", "c"]),
        ("around=bottom&name=alpha&limit=1", 1, ["bottom"]),
    ],
)
def test_the_page_that_has_a_collection_can_be_asked_for(
    api: Api, query: str, offset: int, ids: list[str]
) -> None:
    answer = api.client.get(f"/__admin{ITEMS}?{query}").json()
    assert (answer["offset"], [each["_id"] for each in answer["collections"]]) == (
        offset,
        ids,
    )
    elsewhere = api.client.get(f"/__admin{ITEMS}?around=inner&parentId=")
    assert elsewhere.json()["statusText"] == "collectionNotFound"


def test_a_folder_that_is_new_is_among_the_folders(api: Api) -> None:
    api.admin("PUT", f"{ITEMS}/new", {"name": "New", "type": "folder"})
    answer = api.client.get(f"/__admin{ITEMS}?type=folder&parentId=").json()
    assert [each["_id"] for each in answer["collections"]] == ["folder", "new"]
