"""What does not exist comes before what is not permitted, across two resources too."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY, Api

READER = "fastgpt-reader"
FIXTURE = LIBRARY | {"keys": [{"key": READER, "permission": "read"}]}
CHOICES = {"neighbours": "on", "error_form": "service"}
COLLECTION, OF_DATASET = "/api/core/dataset/collection", "/api/core/dataset"
NEW = {"datasetId": DATASET, "name": "New"}
NO_DATASET, NO_COLLECTION, FORBIDDEN = 501002, 501003, 501004


@pytest.fixture
def reader(make_api: MakeApi) -> Api:
    return make_api(FIXTURE, choices=CHOICES)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", f"{COLLECTION}/create", NEW | {"type": "folder"}),
        ("POST", f"{COLLECTION}/create/text", NEW | {"text": "x"}),
        (
            "POST",
            f"{COLLECTION}/create/link",
            {"datasetId": DATASET, "link": "https://example.com"},
        ),
        ("POST", f"{COLLECTION}/update", {"id": "a"}),
        ("PUT", f"{OF_DATASET}/update", {"id": DATASET}),
    ],
)
def test_an_unknown_parent_comes_before_a_missing_permission(
    reader: Api, method: str, path: str, body: dict[str, Any]
) -> None:
    def code(**more: Any) -> int:
        answer: int = reader.send(method, path, body | more, READER).json()["code"]
        return answer

    assert code(parentId="nope") == NO_DATASET
    assert code() == FORBIDDEN
    assert code(parentId=None) == FORBIDDEN


def test_an_unknown_collection_to_delete_comes_first_wherever_it_stands(
    reader: Api,
) -> None:
    def code(*ids: str) -> int:
        body = {"collectionIds": ids}
        path = f"{COLLECTION}/delete"
        answer: int = reader.send("POST", path, body, READER).json()["code"]
        return answer

    assert code("a", "nope") == NO_COLLECTION
    assert code("nope", "a") == NO_COLLECTION
    assert code("a", "b") == FORBIDDEN


def test_what_is_in_another_dataset_exists_but_permission_comes_first(
    reader: Api,
) -> None:
    body = NEW | {"type": "folder", "parentId": "else"}
    answer = reader.send("POST", f"{COLLECTION}/create", body, READER)
    assert answer.json()["code"] == FORBIDDEN
