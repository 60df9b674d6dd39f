"""What `mock_server` gives to tests holds for every related route, by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.control.control_object import MockServerFixture
from mock_server.testing.servers import LocalServers
from mock_server.testing.setup import Setup
from tests.openapi.examples import examples_of, valid_request
from tests.related_routes import RELATED_ROUTES
from tests.support import fetch

CHOICES = {"related_routes": "on", "credentials": "login_too"}
CALLABLE = [
    each for each in RELATED_ROUTES if examples_of(each) and each.access != "login"
]


@pytest.fixture(scope="module")
def servers() -> Iterator[LocalServers]:
    found = LocalServers()
    yield found
    found.close()


@pytest.fixture
def mine(servers: LocalServers) -> MockServerFixture:
    return servers.run(Setup(choices=CHOICES))


def call(server: MockServerFixture, operation: Operation) -> httpx2.Response:
    """Send the example of an operation as the documents show it."""
    example = valid_request(operation)
    headers = example.all_headers({"default": server.key})
    del headers["host"]
    return fetch(
        example.method,
        server.url + example.path,
        headers=headers,
        content=example.content,
    )


@pytest.mark.ci
@pytest.mark.parametrize("operation", CALLABLE, ids=lambda each: each.name)
@pytest.mark.sampled
def test_a_related_route_is_failed_counted_and_verified_by_its_name(
    mine: MockServerFixture, operation: Operation
) -> None:
    mine.choices["version"] = operation.versions[-1]
    mine.fault("error", status=502, operation=operation.name)
    answers = [call(mine, operation), call(mine, operation)]
    assert [each.status_code for each in answers] == [502, 200], answers[1].text
    entries = mine.calls(operation.name)
    assert [each["answer"]["status"] for each in entries] == [502, 200]
    mine.assert_called(operation.name, times=2)
    assert mine.wait_for(operation.name)["seq"] == entries[0]["seq"]
    assert mine.calls("updateHistory") == []


def test_fields_in_a_query_are_verified_as_a_body(mine: MockServerFixture) -> None:
    call(mine, OPERATIONS["delHistory"])
    fields = valid_request(OPERATIONS["delHistory"]).query
    mine.assert_called("delHistory", times=1, body=fields)
    with pytest.raises(AssertionError, match="0 calls of delHistory"):
        mine.assert_called("delHistory", body={"chatId": "another"})


def test_a_fault_matches_fields_in_a_query(mine: MockServerFixture) -> None:
    operation = OPERATIONS["delHistory"]
    match: dict[str, Any] = {"body": {"chatId": "another"}}
    mine.fault("error", operation=operation.name, match=match)
    match["body"] = valid_request(operation).query
    mine.fault("error", status=500, operation=operation.name, match=match)
    assert call(mine, operation).status_code == 500
