"""Successes that have changed or found nothing say so in the journal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.related.world import APP, DATASET, ok, related_routes
from tests.conftest import MakeApi
from tests.support import LIST, PIN

NO_CHAT = "the app has no chat session of this chatId: nothing was"
NO_PARENT = "the dataset has no collection of this parentId"
CASES: list[tuple[str, str, dict[str, Any], str]] = [
    (
        "PUT",
        PIN,
        {"chatId": "x", "top": True},
        f"{NO_CHAT} changed (choice chat_unknown=ignore)",
    ),
    (
        "POST",
        LIST,
        {"datasetId": DATASET, "parentId": "x", "offset": 0},
        f"{NO_PARENT}: the list is empty (choice parent_unknown=empty)",
    ),
]


@pytest.mark.parametrize(("method", "path", "fields", "hint"), CASES)
def test_the_journal_says_what_there_was_not(
    make_api: MakeApi, method: str, path: str, fields: dict[str, Any], hint: str
) -> None:
    api = related_routes(make_api)
    ok(api, method, path, {"appId": APP} | fields)
    assert api.journal()[-1]["hint"] == hint
