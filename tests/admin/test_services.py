"""What an application hands to its admin API: its own limits."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from mock_server.api.fixture_loading import load_fixture
from mock_server.app import Application
from mock_server.domain.choices.table import Choices
from mock_server.domain.clock import Environment
from mock_server.domain.limits import Limits
from mock_server.domain.sandboxes.registry import Sandboxes
from tests.in_process import InProcess
from tests.support import LIBRARY, LIST

BOUNDS: list[tuple[dict[str, Any], str, str, Any, str]] = [
    ({"body_bytes": 9}, "PUT", "/clock", {"frozen": True}, "at most 9 bytes"),
    ({"fixture_bytes": 9}, "PUT", "/state", {"apps": []}, "at most 9 bytes"),
    ({"created_chats": 3}, "PUT", "/apps/app-1/chats/{}", {}, "at most 3 created"),
    (
        {"created_collections": 3},
        *("PUT", "/datasets/dataset-1/collections/{}", {"name": "x"}),
        "at most 3 created",
    ),
    ({"journal_streams": 0}, "GET", "/journal/stream", None, "at most 0 streams"),
    (
        {"loads": 0, "inline_load_bytes": 9},
        *("PUT", "/state", {"apps": []}),
        "at most 0 large documents",
    ),
]


@contextmanager
def client(limits: Limits) -> Iterator[httpx2.Client]:
    """A client of an application with these limits."""
    environment = Environment(
        time.time_ns,
        time.monotonic,
        lambda: secrets.token_hex(16),
        limits,
    )
    generation = load_fixture(LIBRARY)
    sandboxes = Sandboxes(generation, "documented", Choices(), environment)
    app = Application(sandboxes)
    with InProcess(app) as found:
        yield found


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({"operation": "pin"}, "$.operation"),
        ({"inOrder": [{}, {"operation": "pin"}]}, "$.inOrder[1].operation"),
    ],
)
def test_an_operation_that_there_is_not_is_refused(asked: Any, place: str) -> None:
    with client(Limits()) as found:
        answer = found.post("/__admin/journal/verify", json=asked)
    told = answer.json()["message"]
    assert answer.status_code == 400
    assert told.startswith("Expected one of updateHistory, listV2")
    assert told.endswith(f', got the string "pin" - at {place}')


@pytest.mark.parametrize(("bounds", "method", "path", "body", "message"), BOUNDS)
def test_the_limits_of_the_application_hold(
    bounds: dict[str, Any], method: str, path: str, body: Any, message: str
) -> None:
    with client(Limits(**bounds)) as found:
        for number in range(3 if "{}" in path else 0):
            url = f"/__admin{path.format(number)}"
            assert found.request(method, url, json=body).status_code == 201
        answer = found.request(method, f"/__admin{path.format('new')}", json=body)
        assert answer.is_error
        assert message in answer.json()["message"]


def test_a_page_of_the_journal_ends_at_its_size() -> None:
    with client(Limits(journal_page_bytes=1)) as found:
        for _ in range(2):
            found.post(LIST, json={}, headers={"Authorization": "Bearer k"})
        page = found.get("/__admin/journal").json()
        assert (len(page["entries"]), page["next"]) == (1, 2)
