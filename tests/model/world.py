"""The documents from which stories start: one with keys, one without."""

from __future__ import annotations

from typing import Any

OWNER, WRITER, READER, NOBODY = "owner-key", "writer-key", "reader-key", "nobody-key"
USER, PASSWORD = "root", "secret"


def _id(letter: str) -> str:
    return letter * 24


WITH_KEYS: dict[str, Any] = {
    "clock": "2026-01-01T00:00:00.000Z",
    "keys": [
        {"key": OWNER, "member": "tmb-owner"},
        {"key": WRITER, "member": "tmb-writer", "permission": "write"},
        {"key": READER, "permission": "read"},
        {"key": NOBODY, "permission": "none"},
    ],
    "users": [{"username": USER, "password": PASSWORD, "member": "tmb-owner"}],
    "replies": ["First reply", "Second reply"],
    "apps": [
        {
            "id": _id("a"),
            "name": "App",
            "chats": [
                {
                    "chatId": "one",
                    "title": "One",
                    "records": [
                        {"dataId": "record-1", "obj": "System", "text": "Be kind"},
                        {"dataId": "record-2", "obj": "Human", "text": "Hello"},
                        {"dataId": "record-3", "obj": "AI", "text": "Hello you"},
                    ],
                },
                {
                    "chatId": "two",
                    "top": True,
                    "updateTime": "2025-06-01T00:00:00.000Z",
                },
            ],
        },
        {
            "id": _id("b"),
            "permissions": {READER: "manage", WRITER: "none", NOBODY: "read"},
            "chats": [{"chatId": "one", "customTitle": "Mine"}],
        },
    ],
    "datasets": [
        {
            "id": _id("d"),
            "name": "Fruit",
            "intro": "What grows",
            "collections": [
                {"_id": _id("1"), "name": "Folder", "type": "folder"},
                {
                    "_id": _id("2"),
                    "name": "Inner",
                    "type": "folder",
                    "parentId": _id("1"),
                },
                {
                    "_id": _id("3"),
                    "name": "Apple",
                    "parentId": _id("2"),
                    "tags": ["red", "round"],
                    "dataAmount": 2,
                    "data": [
                        {"_id": _id("7"), "q": "Apples are red", "chunkIndex": 0},
                        {"_id": _id("8"), "q": "Pears", "a": "green", "chunkIndex": 1},
                    ],
                },
                {
                    "_id": _id("4"),
                    "name": "Pear",
                    "tags": ["green"],
                    "externalFileId": "file-1",
                    "updateTime": "2025-01-01T00:00:00.000Z",
                },
                {"_id": _id("0") + "a", "name": "apple pie", "tags": ["Pear", "red"]},
                {
                    "_id": _id("0") + "b",
                    "name": "Zest",
                    "type": "link",
                    "rawLink": "https://example.com",
                    "createTime": "2023-01-01T00:00:00.000Z",
                    "forbid": True,
                    "hasError": True,
                    "trainingType": "qa",
                    "data": [{"_id": "row-1", "q": "re re re", "a": "Apple"}],
                },
            ],
        },
        {"id": _id("e"), "name": "Shelf", "type": "folder"},
        {"id": _id("9"), "name": "Inside", "type": "folder", "parentId": _id("e")},
        {"id": _id("6"), "name": "Deep", "type": "folder", "parentId": _id("9")},
        {"id": _id("c"), "name": "Deepest", "type": "folder", "parentId": _id("6")},
        {
            "id": _id("f"),
            "name": "Nuts",
            "parentId": _id("e"),
            "permissions": {READER: "owner", WRITER: "manage", NOBODY: "write"},
            "collections": [{"_id": _id("5"), "name": "Äpfel and Nuts"}],
        },
    ],
}

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
