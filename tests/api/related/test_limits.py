"""What is over a limit is refused in these words, and nothing is stored."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import Limits
from mock_server.fixture.dump import to_document
from tests.api.related.world import APP, DATASET, FOLDER, ITEM, related_routes, send
from tests.conftest import MakeApi

COLLECTION = "/api/core/dataset/collection"
DATA = "/api/core/dataset/data"
NEW = {"datasetId": DATASET, "name": "New"}
TALK = {"appId": APP, "messages": [{"role": "user", "content": "Hello"}]}
TYPED = {"type": "dataset", "name": "New", "intro": "", "avatar": ""}
Case = tuple[dict[str, int], str, dict[str, Any], str]
CASES: list[Case] = [
    (
        {"created_collections": 0},
        f"{COLLECTION}/create",
        NEW | {"type": "virtual"},
        "Expected at most 0 created collections, got one more - at body",
    ),
    (
        {"changed_collections": 0},
        f"{COLLECTION}/update",
        {"id": FOLDER, "forbid": True},
        "Expected at most 0 collections in a folder that is changed, got 1 - at $.id",
    ),
    (
        {"collection_rows": 0},
        f"{DATA}/insertData",
        {"collectionId": ITEM, "q": "One"},
        "Expected at most 0 data rows in a collection, got 1 more - at body",
    ),
    (
        {"waiting_rows": 1},
        f"{COLLECTION}/create/text",
        NEW | {"text": "x" * 65, "chunkSize": 64},
        "Expected a text of at most 1 chunks, got more - at body",
    ),
    (
        {"waiting_rows": 1},
        f"{DATA}/pushData",
        {"collectionId": ITEM, "data": [{"q": "One"}, {"q": "Two"}]},
        "Expected at most 1 data rows that wait for training, got 2 more - at body"
        " (advance the clock, or use choice training=instant)",
    ),
    (
        {"created_datasets": 0},
        "/api/core/dataset/create",
        TYPED,
        "Expected at most 0 created datasets, got one more - at body",
    ),
    (
        {"created_chats": 0},
        "/api/v1/chat/completions",
        TALK | {"chatId": "new"},
        "Expected at most 0 created chats, got one more - at $.chatId",
    ),
    (
        {"chat_records": 1},
        "/api/v1/chat/completions",
        TALK | {"chatId": "one"},
        "Expected at most 1 records of a chat, got two more - at $.chatId",
    ),
]


@pytest.mark.parametrize(("limits", "path", "body", "message"), CASES)
def test_a_limit_is_told_with_what_would_be_over_it(
    make_api: MakeApi,
    limits: dict[str, int],
    path: str,
    body: dict[str, Any],
    message: str,
) -> None:
    api = related_routes(make_api, limits=Limits(**limits))
    before = to_document(api.sandbox.store)
    answer = send(api, "POST", path, body).json()
    assert (answer["statusText"], answer["message"]) == ("limitReached", message)
    assert to_document(api.sandbox.store) == before
