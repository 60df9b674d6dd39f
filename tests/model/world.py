"""The documents from which stories start: one with keys, one without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

OWNER, WRITER, READER, NOBODY = "owner-key", "writer-key", "reader-key", "nobody-key"
USER, PASSWORD = "root", "secret"


def _id(letter: str) -> str:
    return letter * 24


WITH_KEYS: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
)
WITHOUT_KEYS: dict[str, Any] = {
    "clock": "2025-03-01T12:00:00.250Z",
    "users": [{"username": USER, "password": PASSWORD}],
    "apps": [
        {"id": _id("a"), "name": "Echo", "chats": [{"chatId": "one", "top": True}]},
        {"id": "app", "chats": []},
    ],
    "datasets": [
        {
            "id": _id("d"),
            "name": "Many",
            "collections": [
                {
                    "_id": f"{number:024d}",
                    "name": f"Part {number % 7} of {'ÄBCDe'[number % 5]}",
                    "type": "folder" if number % 10 == 0 else "virtual",
                    "parentId": f"{0:024d}" if 0 < number < 4 else None,
                    "tags": ["red", "green", "blue"][: number % 4],
                    "updateTime": f"2025-01-{number % 9 + 1:02d}T00:00:00.000Z",
                    "trainingAmount": number % 3,
                }
                for number in range(36)
            ],
        },
        {"id": "empty", "intro": "Nothing"},
    ],
}
DOCUMENTS = [WITH_KEYS, WITHOUT_KEYS]
