"""The fixture of the soak, and what lists of it are to show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

APP, DATASET, VERSIONS = "a" * 24, "d" * 24, "e" * 24
CHATS = tuple(f"chat-{number}" for number in range(4))
ARTICLES = 300
MOST_ON_A_PAGE = 30
KEY = "any-key"


def document(version: int) -> dict[str, Any]:
    """The fixture; nothing but the name of one collection tells its version."""
    article = {
        "_id": "article-{n:03}",
        "name": "Article {n:03}",
        "tags": ["printed"],
        "repeat": ARTICLES,
        "updateTime": {"start": "2024-01-01T00:00:00Z", "step": "1h"},
    }
    return {
        "apps": [{"id": APP, "chats": [{"chatId": chat} for chat in CHATS]}],
        "datasets": [
            {"id": DATASET, "name": "Articles", "collections": [article]},
            {
                "id": VERSIONS,
                "name": "Versions",
                "collections": [{"_id": "version", "name": f"Version {version}"}],
            },
        ],
    }


def large(collections: int) -> dict[str, Any]:
    """A state that is loaded in a process of its own."""
    entries = [{"name": f"Large {n}"} for n in range(collections)]
    return {"datasets": [{"id": DATASET, "collections": entries}]}


def write(path: Path, version: int) -> None:
    """Put a version in the place of the file, whole."""
    made = path.with_suffix(".new")
    made.write_text(json.dumps(document(version)))
    made.replace(path)


def matching(text: str) -> list[str]:
    """The ids of articles with that in their name, the latest first."""
    numbers = range(ARTICLES, 0, -1)
    found = (n for n in numbers if text.lower() in f"article {n:03}")
    return [f"article-{n:03}" for n in found]
