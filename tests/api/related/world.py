"""The fixture of these tests, and a client of it."""

from __future__ import annotations

import json
from typing import Any

from mock_server.domain.limits import Limits
from mock_server.domain.login import digest_of
from tests.conftest import MakeApi
from tests.support import Api

OWNER, WRITER, READER, OUTSIDER = "owner-key", "writer-key", "reader-key", "outsider"
APP, DATASET, FOLDER, ITEM = "a" * 24, "d" * 24, "f" * 24, "c" * 24
SHELF, INSIDE, ELSEWHERE = "5" * 24, "1" * 24, "e" * 24
UNKNOWN = "0" * 24

WORLD: dict[str, Any] = {
    "clock": "2026-01-01T00:00:00Z",
    "keys": [
        {"key": OWNER, "member": "tmb-owner"},
        {"key": WRITER, "member": "tmb-writer", "permission": "write"},
        {"key": READER, "member": "tmb-reader", "permission": "read"},
        {"key": OUTSIDER, "permission": "none"},
    ],
    "users": [{"username": "root", "password": "secret", "member": "tmb-owner"}],
    "apps": [{"id": APP, "name": "App", "chats": [{"chatId": "one", "title": "One"}]}],
    "datasets": [
        {
            "id": DATASET,
            "name": "Dataset",
            "collections": [
                {"_id": FOLDER, "name": "Folder", "type": "folder"},
                {"_id": ITEM, "name": "Item", "parentId": FOLDER},
            ],
        },
        {"id": SHELF, "name": "Shelf", "type": "folder"},
        {
            "id": INSIDE,
            "name": "Inside",
            "intro": "Of the shelf",
            "parentId": SHELF,
            "updateTime": "2025-01-01T00:00:00Z",
            "collections": [{"_id": ELSEWHERE, "name": "Elsewhere"}],
        },
    ],
}
PASSWORD = "correct horse"
USERS = [
    {"username": "root", "password": PASSWORD, "member": "tmb-owner"},
    {"username": "guest", "password": "battery", "member": "tmb-reader"},
]
ACCOUNT = "/api/support/user/account"
LOGIN = f"{ACCOUNT}/loginByPassword"


def send(api: Api, method: str, path: str, fields: Any = None, key: str = OWNER) -> Any:
    """Send fields where the method has them; gives the response."""
    headers = {"Authorization": f"Bearer {key}"}
    if method in ("GET", "DELETE"):
        return api.client.request(method, path, params=fields, headers=headers)
    return api.client.request(method, path, json=fields or {}, headers=headers)


def ok(api: Api, method: str, path: str, fields: Any = None, key: str = OWNER) -> Any:
    """The data of a request that succeeds."""
    answer = send(api, method, path, fields, key)
    assert answer.status_code == 200, answer.text
    return answer.json().get("data")


def call(api: Api, method: str, path: str, **fields: Any) -> Any:
    """The data of a request that succeeds, with the key of the owner."""
    return ok(api, method, path, fields)


def log_in(api: Api, username: str = "root") -> dict[str, str]:
    """The headers of a user who has logged in."""
    return {"token": api.sandbox.tokens.login_token(username)}


def code_for(api: Api, username: str = "root", **headers: str) -> str:
    """A code to log in with."""
    path, params = f"{ACCOUNT}/preLogin", {"username": username}
    answer = api.client.get(path, params=params, headers=headers)
    return str(answer.json()["data"]["code"])


def sandbox(api: Api) -> tuple[str, dict[str, str]]:
    """The name of a new sandbox, and a header with its key."""
    made = api.admin("POST", "/sandboxes", {}).json()
    return made["name"], {"Authorization": f"Bearer {made['key']}"}


def token_in(api: Api, key: dict[str, str]) -> str:
    """The token of a user who logs in where a key leads to."""
    body = {"username": "root", "password": digest_of(PASSWORD)}
    code = code_for(api, **key)
    answer = api.client.post(LOGIN, json=body | {"code": code}, headers=key)
    api.client.cookies.clear()
    return str(answer.json()["data"]["token"])


def related_routes(make_api: MakeApi, limits: Limits = Limits(), **choices: Any) -> Api:
    """The world, served as profile `deployed`."""
    return make_api(WORLD, profile="deployed", choices=choices, limits=limits)


DATA = "/api/core/dataset/data"


def insert(api: Api, q: str, **fields: Any) -> str:
    """Add a row; gives its id."""
    body = {"collectionId": ITEM, "q": q, **fields}
    answer = send(api, "POST", f"{DATA}/insertData", body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["data"])


CREATE = "/api/core/dataset/collection/create"
LOCAL_FILE = f"{CREATE}/localFile"
MIB = 1024 * 1024


def made(answer: Any) -> str:
    """The id of the collection that has been made."""
    assert answer.status_code == 200, answer.text
    data = answer.json()["data"]
    assert data["results"] == {"insertLen": 0}
    return str(data["collectionId"])


def upload(
    api: Api,
    name: str = "a.txt",
    content: bytes = b"Some text",
    fields: Any = None,
    key: str = OWNER,
) -> Any:
    """Upload a file as a client library does; gives the response."""
    given = {"datasetId": DATASET} if fields is None else fields
    return api.client.post(
        LOCAL_FILE,
        files={"file": (name, content)},
        data={"data": json.dumps(given)},
        headers={"Authorization": f"Bearer {key}"},
    )
