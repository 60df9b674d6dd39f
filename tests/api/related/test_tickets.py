"""Files that are uploaded to the address of a ticket, and addresses of downloads."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import pytest

from mock_server.domain.limits import Limits
from mock_server.fixture.dump import to_document
from tests.api.related.world import (
    CREATE,
    DATA,
    DATASET,
    call,
    made,
    related_routes,
    send,
    upload,
)
from tests.conftest import MakeApi
from tests.rationed import answers_with_less
from tests.support import Api

TICKET = "/api/core/dataset/file/presignDatasetFilePostUrl"
COLLECTION = "/api/core/dataset/collection"
READ, DETAIL, DELETE = (f"{COLLECTION}/{each}" for each in ("read", "detail", "delete"))


def ticket(api: Api, filename: str = "a.txt", **fields: Any) -> dict[str, Any]:
    found: dict[str, Any] = call(
        api, "POST", TICKET, datasetId=DATASET, filename=filename, **fields
    )
    return found


def put(api: Api, url: str, content: bytes = b"One.\r\n\r\nTwo.") -> Any:
    """Send bytes to an address, without a key; gives the response."""
    return api.client.put(urlsplit(url).path, content=content)


def get(api: Api, url: str) -> Any:
    return api.client.get(urlsplit(url).path)


def collection_of(api: Api, key: str) -> str:
    """Make a collection of a file that has been uploaded; gives its id."""
    new = call(api, "POST", f"{CREATE}/fileId", datasetId=DATASET, fileId=key)
    return str(new["collectionId"])


def source(api: Api, collection_id: str) -> str:
    return str(call(api, "POST", READ, collectionId=collection_id)["value"])


def test_an_expired_ticket_makes_room_for_a_file(make_api: MakeApi) -> None:
    api = related_routes(make_api, limits=Limits(uploads=1))
    api.admin("PUT", "/clock", {"frozen": True})
    ticket(api)
    api.admin("POST", "/clock/advance", {"seconds": 700})
    assert upload(api).status_code == 200


def test_bytes_that_are_no_text_come_back_as_they_were(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    given, content = ticket(api, "a.pdf"), b"%PDF\xff\0" * 100
    assert put(api, given["url"], content).status_code == 200
    assert get(api, given["previewUrl"]).content == content
    assert get(api, source(api, collection_of(api, given["key"]))).content == content


@pytest.mark.parametrize("face", ["asgi"])
def test_files_are_charged_and_what_finds_no_room_changes_nothing(
    make_api: MakeApi,
) -> None:
    def make() -> Api:
        api = related_routes(make_api)
        ticket(api)
        return api

    def use(api: Api) -> Any:
        (kept,) = api.sandbox.store.tickets.values()
        token = api.sandbox.tokens.seal(f"upload {kept.ends_at} {kept.key}")
        return put(api, f"/api/system/file/u/{token}", b"x" * 5_000)

    found = answers_with_less(make, use)
    *refused, (full, answer) = found
    assert refused
    for api, each in refused:
        (kept,) = api.sandbox.store.tickets.values()
        assert (each.status_code, kept.size) == (409, None)
    assert answer.status_code == 200
    before = full.sandbox.store.size
    full.admin("POST", "/reset")
    assert before - full.sandbox.store.size > 5_000


@pytest.mark.parametrize("face", ["asgi"])
@pytest.mark.parametrize("training", ["instant", "stepped"])
def test_a_file_stays_where_it_is_if_memory_ends_when_it_is_used(
    make_api: MakeApi, training: str
) -> None:
    def make() -> Api:
        api = related_routes(make_api, training=training)
        put(api, ticket(api)["url"], b"x" * 2_000)
        return api

    def use(api: Api) -> Any:
        (key,) = api.sandbox.store.tickets
        body = {"datasetId": DATASET, "fileId": key}
        return send(api, "POST", f"{CREATE}/fileId", body)

    before = to_document(make().sandbox.store)
    *refused, (full, answer) = answers_with_less(make, use)
    for api, each in refused:
        assert each.status_code == 409
        assert (len(api.sandbox.store.tickets), len(api.sandbox.store.files)) == (1, 0)
        assert to_document(api.sandbox.store) == before
    assert answer.status_code == 200
    assert (len(full.sandbox.store.tickets), len(full.sandbox.store.files)) == (0, 1)


@pytest.mark.parametrize("face", ["asgi"])
@pytest.mark.parametrize("training", ["instant", "stepped"])
def test_a_file_is_as_it_was_if_memory_ends_when_it_is_trained_again(
    make_api: MakeApi, training: str
) -> None:
    def make() -> Api:
        api = related_routes(make_api, training=training)
        made(upload(api, content=b"x" * 2_000))
        return api

    def retrain(api: Api) -> Any:
        (file,) = api.sandbox.store.files.values()
        body = {"collectionId": file.collection_id}
        return send(api, "POST", f"{CREATE}/reTrainingCollection", body)

    before = to_document(make().sandbox.store)
    *refused, (_, answer) = answers_with_less(make, retrain)
    for api, each in refused:
        assert each.status_code == 409
        assert to_document(api.sandbox.store) == before
        (file,) = api.sandbox.store.files.values()
        assert get(api, source(api, file.collection_id)).content == b"x" * 2_000
    assert answer.status_code == 200


def copy_of(api: Api, collection_id: str) -> str:
    """Make another collection of the file of a collection; gives its id."""
    return collection_of(api, call(api, "GET", DETAIL, id=collection_id)["fileId"])


def test_a_file_outlives_a_copy_that_was_trained_again(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="instant")
    text = b"Word one is here. \r\nWord two.\r\n" * 120
    first = upload(api, content=text).json()["data"]["collectionId"]
    again = {"collectionId": copy_of(api, first), "trainingType": "chunk"}
    made = call(api, "POST", f"{CREATE}/reTrainingCollection", **again)
    assert get(api, source(api, first)).content == text
    call(api, "DELETE", DELETE, id=made["collectionId"])
    assert get(api, source(api, first)).content == text


def test_a_copy_has_the_rows_that_are_still_in_training(make_api: MakeApi) -> None:
    api = related_routes(make_api, training="stepped")
    first = upload(api, content=b"One.").json()["data"]["collectionId"]
    copy = copy_of(api, first)
    api.admin("POST", "/clock/advance", {"seconds": 3_600})
    pages = [
        call(api, "POST", f"{DATA}/v2/list", collectionId=each, offset=0, pageSize=9)
        for each in (first, copy)
    ]
    assert [page["total"] for page in pages] == [1, 1]
