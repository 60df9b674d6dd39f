"""The fixture of these tests, a client of it, and the form of the table of errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.conftest import MakeApi
from tests.support import Api

OWNER, WRITER, READER, OUTSIDER = "owner-key", "writer-key", "reader-key", "outsider"
APP, DATASET, FOLDER, ITEM = "a" * 24, "d" * 24, "f" * 24, "c" * 24
UNKNOWN = "0" * 24

WORLD: dict[str, Any] = {
    "clock": "2026-01-01T00:00:00Z",
    "keys": [
        {"key": OWNER, "member": "tmb-owner"},
        {"key": WRITER, "member": "tmb-writer", "permission": "write"},
        {"key": READER, "member": "tmb-reader", "permission": "read"},
        {"key": OUTSIDER, "permission": "none"},
    ],
    "apps": [{"id": APP, "name": "App", "chats": [{"chatId": "one", "title": "One"}]}],
    "datasets": [
        {
            "id": DATASET,
            "name": "Dataset",
            "collections": [
                {"_id": FOLDER, "name": "Folder", "type": "folder"},
                {"_id": ITEM, "name": "Item", "parentId": FOLDER},
            ],
        }
    ],
}


@dataclass(frozen=True)
class ErrorCase:
    """A request that is refused, and with what, under profile `deployed`.

    `fields` go into the query of GET and DELETE, else into a JSON body.
    """

    operation: str
    method: str
    path: str
    fields: dict[str, Any]
    status: int
    code: int
    status_text: str
    key: str = OWNER
    choices: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.operation}-{self.code}-{self.status_text}-{self.key}"


def send(api: Api, method: str, path: str, fields: Any = None, key: str = OWNER) -> Any:
    """Send fields where the method has them; gives the response."""
    headers = {"Authorization": f"Bearer {key}"}
    if method in ("GET", "DELETE"):
        return api.client.request(method, path, params=fields, headers=headers)
    return api.client.request(method, path, json=fields or {}, headers=headers)


def neighbours(make_api: MakeApi, **choices: Any) -> Api:
    """The world, served as profile `deployed`."""
    return make_api(WORLD, profile="deployed", choices=choices)
