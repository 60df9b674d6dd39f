"""The state of a sandbox after calls of many related routes: all of it comes back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.related.world import (
    APP,
    CREATE,
    DATA,
    DATASET,
    FOLDER,
    ITEM,
    SHELF,
    WRITER,
    call,
    insert,
    made,
    ok,
    related_routes,
    upload,
)
from tests.conftest import MakeApi
from tests.support import Api

COLLECTION = "/api/core/dataset/collection"
PLACED = {"datasetId": DATASET, "parentId": FOLDER}


def session(api: Api, name: str) -> list[str]:
    """Calls that make, change and delete something of every kind; gives new ids."""
    new = {"type": "dataset", "name": name, "intro": "", "avatar": ""}
    call(api, "POST", "/api/core/dataset/folder/create", name=name, intro="")
    dataset = call(api, "POST", "/api/core/dataset/create", **new, parentId=SHELF)
    text = call(api, "POST", f"{CREATE}/text", **PLACED, name=name, text="a\n\nb")
    call(api, "POST", f"{CREATE}/link", **PLACED, link="https://example.com/")
    gone = made(upload(api, "a%00\u2028.txt", b"Some text"))
    made(upload(api, "b.pdf", b"\0"))
    file_id = call(api, "GET", f"{COLLECTION}/detail", id=gone)["sourceId"]
    copy = call(api, "POST", f"{CREATE}/fileId", **PLACED, fileId=file_id)
    rows = [{"q": f"{name} {number}", "chunkIndex": number % 3} for number in range(30)]
    call(api, "POST", f"{DATA}/pushData", collectionId=ITEM, data=rows)
    row = insert(api, name, a="\0", indexes=[{"text": "more"}])
    call(api, "PUT", f"{DATA}/update", dataId=row, q=f"{name} again", indexes=[])
    call(api, "DELETE", f"{DATA}/delete", id=insert(api, f"{name} gone"))
    call(api, "PUT", f"{COLLECTION}/update", id=FOLDER, forbid=True, tags=["x"])
    call(api, "DELETE", f"{COLLECTION}/delete", id=gone)
    messages = [{"role": "user", "content": name}]
    for chat in (name, "one"):
        fields = {"appId": APP, "chatId": chat, "messages": messages}
        call(api, "POST", "/api/v1/chat/completions", **fields)
    return [dataset, text["collectionId"], copy["collectionId"], row]


def put_again(api: Api) -> dict[str, Any]:
    """Put what GET state gives; gives the state after that."""
    state = api.admin("GET", "/state").json()
    answer = api.admin("PUT", "/state", state)
    assert answer.status_code == 200, answer.text
    after: dict[str, Any] = api.admin("GET", "/state").json()
    assert after == state
    return after


@pytest.mark.ci
@pytest.mark.sampled
@pytest.mark.parametrize("training", ["instant", "stepped"])
def test_put_of_what_get_gave_changes_nothing(make_api: MakeApi, training: str) -> None:
    api = related_routes(make_api, training=training)
    first = session(api, "first")
    put_again(api)
    # Ids begin anew; what is there keeps its own, in training too.
    second = session(api, "second")
    assert not set(first) & set(second)
    put_again(api)
    api.admin("POST", "/clock/advance", {"seconds": 100})
    put_again(api)


def test_what_was_moved_and_deleted_is_put_back(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    inner = call(api, "POST", CREATE, **PLACED, name="Inner", type="folder")
    deep = {"datasetId": DATASET, "name": "Deep", "type": "virtual", "tags": ["red"]}
    call(api, "POST", CREATE, **deep, parentId=inner)
    call(api, "POST", f"{COLLECTION}/update", id=ITEM, parentId=inner)
    put_again(api)
    new = {"type": "dataset", "name": "New", "intro": "About", "avatar": "/a.svg"}
    ok(api, "POST", "/api/core/dataset/create", new | {"parentId": SHELF})
    ok(api, "POST", "/api/core/dataset/create", new, WRITER)
    call(api, "DELETE", "/api/core/dataset/delete", id=DATASET)
    put_again(api)


def test_a_state_goes_on_training_where_it_was(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="stepped")
    session(api, "first")
    state = api.admin("GET", "/state").json()
    api.admin("POST", "/clock/advance", {"seconds": 3})
    expected = api.admin("GET", "/state").json()
    assert expected["training"] != state["training"]
    api.admin("PUT", "/state", state)
    api.admin("POST", "/clock/advance", {"seconds": 3})
    went_on = api.admin("GET", "/state").json()
    assert went_on["datasets"] == expected["datasets"]
    assert went_on["training"] == expected["training"]


@pytest.mark.parametrize("alone", [False, True], ids=["dataset", "collection"])
def test_training_goes_on_where_what_is_put_counts_it(
    make_api: MakeApi, *, alone: bool
) -> None:
    api = related_routes(make_api, training="stepped")
    session(api, "first")
    before = api.admin("GET", "/state").json()
    assert {each["datasetId"] for each in before["training"]} == {DATASET}
    dataset = api.admin("GET", f"/datasets/{DATASET}").json()
    *_, item = (each for each in dataset["collections"] if each["trainingAmount"])
    path = f"/datasets/{DATASET}" + alone * f"/collections/{item['_id']}"
    put = item if alone else dataset
    api.admin("PUT", path, put)
    assert api.admin("GET", "/state").json() == before
    item["trainingAmount"] = 0
    api.admin("PUT", path, put)
    training = api.admin("GET", "/state").json()["training"]
    ended = [each for each in before["training"] if each not in training]
    assert {each["collectionId"] for each in ended} == {item["_id"]}


def test_a_dataset_with_the_ids_of_waiting_rows_is_refused(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="stepped")
    rows = [{"q": "one"}, {"q": "two"}]
    call(api, "POST", f"{DATA}/pushData", collectionId=ITEM, data=rows)
    before = api.admin("GET", "/state").json()
    twin = {"_id": before["training"][0]["data"][1]["_id"], "q": "twin"}
    same = api.admin("GET", f"/datasets/{DATASET}").json()
    next(it for it in same["collections"] if it["_id"] == ITEM)["data"] = [twin]
    other = {"collections": [{"name": "x", "data": [twin]}]}
    for path, dataset in ((DATASET, same), ("new", other)):
        put = api.admin("PUT", f"/datasets/{path}", dataset)
        said = f'"{twin["_id"]}" is the _id of a data row of dataset "{DATASET}"'
        assert (put.status_code, said in put.json()["message"]) == (400, True), put.text
    assert api.admin("GET", "/state").json() == before


def test_a_dataset_that_is_put_keeps_the_files_of_its_collections(
    make_api: MakeApi,
) -> None:
    api = related_routes(make_api)
    item = made(upload(api, "a.txt", b"As\n\n\nsent "))
    dataset = api.admin("GET", f"/datasets/{DATASET}").json()
    api.admin("PUT", f"/datasets/{DATASET}", dataset)
    address = call(api, "POST", f"{COLLECTION}/read", collectionId=item)["value"]
    assert api.client.get(address).content == b"As\n\n\nsent "


@pytest.mark.parametrize("training", ["instant", "stepped"])
@pytest.mark.fresh
def test_a_file_id_is_not_given_again_while_a_collection_has_it(
    make_api: MakeApi, training: str
) -> None:
    api = related_routes(make_api, training=training)
    first = made(upload(api))
    file_id = call(api, "GET", f"{COLLECTION}/detail", id=first)["sourceId"]
    call(api, "POST", f"{CREATE}/fileId", **PLACED, fileId=file_id)
    call(api, "DELETE", f"{COLLECTION}/delete", id=first)
    put_again(api)
    ids = {
        call(api, "GET", f"{COLLECTION}/detail", id=made(upload(api)))["sourceId"]
        for _ in range(4)
    }
    assert len(ids - {file_id}) == 4


@pytest.mark.ci
@pytest.mark.parametrize("training", ["instant", "stepped"])
@pytest.mark.fresh
def test_snapshots_resets_and_sandboxes_hold_it(
    make_api: MakeApi, training: str
) -> None:
    api = related_routes(make_api, training=training)
    ids = session(api, "first")
    before = api.admin("GET", "/state").json()
    api.admin("PUT", "/snapshots/here")
    again = session(api, "second")
    api.admin("POST", "/snapshots/here/restore")
    assert api.admin("GET", "/state").json() == before
    assert session(api, "second") == again
    asked = {"name": "other", "state": before, "profile": "deployed"}
    assert api.admin("POST", "/sandboxes", asked).status_code == 201
    assert api.admin("GET", "/sandboxes/other/state").json() == before
    api.admin("POST", "/reset")
    assert session(api, "first") == ids
