"""Files that are uploaded to the address of a ticket, and addresses of downloads."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import pytest

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
READ = "/api/core/dataset/collection/read"


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


def test_a_file_is_uploaded_used_and_downloaded_without_a_key(
    make_api: MakeApi,
) -> None:
    api = related_routes(make_api, training="instant")
    given = ticket(api, "说明 1.txt")
    assert given["url"].startswith("http://")
    assert put(api, given["url"]).json()["data"] == {"success": True}
    item = collection_of(api, given["key"])
    rows = call(api, "POST", f"{DATA}/v2/list", collectionId=item)["list"]
    assert [row["q"] for row in rows] == ["One.\r\n\r\nTwo."]
    for url in (source(api, item), given["previewUrl"]):
        answer = get(api, url)
        assert answer.content == b"One.\r\n\r\nTwo."
        assert answer.headers["content-type"] == "text/plain; charset=utf-8"
        assert answer.headers["content-security-policy"] == "sandbox"


def test_bytes_that_are_no_text_come_back_as_they_were(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    given, content = ticket(api, "a.pdf"), b"%PDF\xff\0" * 100
    assert put(api, given["url"], content).status_code == 200
    assert get(api, given["previewUrl"]).content == content
    assert get(api, source(api, collection_of(api, given["key"]))).content == content


def test_an_uploaded_text_is_downloaded_as_it_was(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    content = b"a,b\r\n" * 500
    assert get(api, source(api, made(upload(api, "a.csv", content)))).content == content


def test_an_address_leads_to_its_sandbox_and_to_no_other(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    paths = {}
    for name in ("one", "two"):
        assert api.admin("POST", "/sandboxes", {"name": name}).status_code == 201
        body = {"datasetId": DATASET, "filename": "a.txt"}
        answer = send(api, "POST", f"/__sandboxes/{name}{TICKET}", body)
        paths[name] = urlsplit(answer.json()["data"]["url"]).path
    path = paths["one"]
    assert put(api, f"/__sandboxes/two{path}").status_code == 403
    assert put(api, f"/__sandboxes/two{paths['two']}").status_code == 200
    api.admin("PUT", "/choices", {"choices": {"related_routes": "off"}})
    for key in ("owner-key", "none"):
        headers = {"Authorization": f"Bearer {key}"}
        answer = api.client.put(path, content=b"x", headers=headers)
        mark = answer.headers["x-mock-sandbox"]
        assert (answer.status_code, mark) == (200, "one")


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


@pytest.mark.parametrize("method", ["POST", "HEAD", "GET", "DELETE"])
def test_an_address_takes_no_other_method_under_any_choice(
    make_api: MakeApi, method: str
) -> None:
    api = related_routes(make_api)
    given = ticket(api)
    put(api, given["url"], b"One")
    answer = api.client.request(method, urlsplit(given["url"]).path)
    assert (answer.status_code, answer.headers["allow"]) == (405, "PUT")
    assert get(api, given["previewUrl"]).content == b"One"


def test_the_journal_keeps_no_token(make_api: MakeApi) -> None:
    api = related_routes(make_api)
    given = ticket(api)
    put(api, given["url"])
    get(api, given["previewUrl"])
    told = json.dumps(api.admin("GET", "/journal").json())
    assert "fastgpt-sbx-" not in told
    assert [each["operation"] for each in api.journal()] == [
        "presignDatasetFilePostUrl",
        "file.u",
        "file.download",
    ]


@pytest.mark.parametrize(
    "end", ["", "x", "fastgpt-sbx-", "%00", "x" * 5_000, "é", "fastgpt-sbx-" + "0" * 99]
)
def test_other_addresses_lead_nowhere(make_api: MakeApi, end: str) -> None:
    api = make_api(choices={"related_routes": "on"})
    for method, way in (("GET", "download"), ("PUT", "u")):
        answer = api.client.request(method, f"/api/system/file/{way}/{end}")
        assert answer.status_code in (400, 403), answer.text
