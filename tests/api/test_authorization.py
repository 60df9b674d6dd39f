"""Bearer keys: missing, odd, unknown, and what each level may do (spec 5)."""

from __future__ import annotations

import pytest

from mock_server.fixture.source.files import shipped
from tests.conftest import MakeApi
from tests.support import PIN, Api

BODY = b'{"appId":"app-1","chatId":"chat-1","top":true}'
JSON = (b"Content-Type", b"application/json")
SHARED_APP, PRIVATE_APP = "65e000000000000000000001", "65e000000000000000000002"
SHARED, OPEN = "65e0000000000000000000d1", "65e0000000000000000000d2"
KEYS = {
    "fastgpt-owner": 4294967295,
    "fastgpt-manager": 7,
    "fastgpt-writer": 6,
    "fastgpt-reader": 4,
}


def pin(api: Api, *values: bytes) -> tuple[int, bool | None]:
    headers = [JSON, *((b"Authorization", value) for value in values)]
    response = api.client.put(PIN, content=BODY, headers=headers)
    if response.status_code == 401:
        assert response.headers["www-authenticate"] == "Bearer"
        assert response.json()["statusText"] == "unauthorized"
    return response.status_code, api.top()


def test_an_unknown_key_is_401_where_keys_are_declared(make_api: MakeApi) -> None:
    api = make_api(shipped("permissions.yaml"))
    response = api.list_v2("fastgpt-nobody", datasetId=SHARED)
    assert response.status_code == 401
    assert "a key that the fixture declares" in response.json()["message"]


@pytest.mark.parametrize(("key", "value"), KEYS.items())
def test_permission_is_the_calling_keys(
    make_api: MakeApi, key: str, value: int
) -> None:
    api = make_api(shipped("permissions.yaml"))
    item = api.list_v2(key, datasetId=SHARED, pageSize=1).json()["data"]["list"][0]
    assert item["permission"] == {
        "value": value,
        "isOwner": value == 4294967295,
        "hasManagePer": value >= 7,
        "hasWritePer": value >= 6,
        "hasReadPer": True,
    }


def test_a_page_that_others_have_asked_for_is_the_calling_keys(
    make_api: MakeApi,
) -> None:
    api = make_api(shipped("permissions.yaml"))
    for _ in range(2):
        for key, value in KEYS.items():
            page = api.list_v2(key, datasetId=SHARED, pageSize=1).json()["data"]
            assert page["list"][0]["permission"]["value"] == value
        assert api.list_v2("fastgpt-outsider", datasetId=SHARED).status_code == 403


@pytest.mark.parametrize(
    ("key", "dataset", "status"),
    [
        ("fastgpt-outsider", SHARED, 403),
        ("fastgpt-outsider", OPEN, 200),
        ("fastgpt-reader", OPEN, 403),
        ("fastgpt-owner", OPEN, 200),
    ],
)
def test_listing_needs_read_on_the_dataset(
    make_api: MakeApi, key: str, dataset: str, status: int
) -> None:
    api = make_api(shipped("permissions.yaml"))
    assert api.list_v2(key, datasetId=dataset).status_code == status


@pytest.mark.parametrize(
    ("key", "app", "status"),
    [
        ("fastgpt-reader", SHARED_APP, 200),
        ("fastgpt-outsider", SHARED_APP, 403),
        ("fastgpt-owner", PRIVATE_APP, 200),
        ("fastgpt-manager", PRIVATE_APP, 403),
    ],
)
def test_pinning_needs_read_on_the_app(
    make_api: MakeApi, key: str, app: str, status: int
) -> None:
    api = make_api(shipped("permissions.yaml"))
    chat = "chat-1" if app == SHARED_APP else "secret"
    before = api.state()
    response = api.pin(key, appId=app, chatId=chat, top=True)
    assert response.status_code == status
    assert (api.state() == before) == (status != 200)


def test_existence_is_checked_before_permission(make_api: MakeApi) -> None:
    api = make_api(shipped("permissions.yaml"))
    response = api.list_v2("fastgpt-outsider", datasetId=SHARED, parentId="nope")
    assert response.status_code == 404
    response = api.pin("fastgpt-outsider", appId=SHARED_APP, chatId="nope")
    assert response.status_code == 404


def test_an_unauthorized_caller_learns_nothing_of_the_body(api: Api) -> None:
    for content in (b"", b"[", b"x" * 10_000):
        response = api.client.put(PIN, content=content)
        assert response.status_code == 401
