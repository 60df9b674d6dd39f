"""The schema of fixtures over the admin API."""

from __future__ import annotations

from mock_server.control.embedding import MockServer
from mock_server.fixture.document import published_schema
from tests.support import fetch


def test_editors_can_read_the_schema_of_fixtures() -> None:
    with MockServer() as server:
        answer = fetch("GET", server.url + "/__admin/schema")
    assert answer.headers["content-type"] == "application/json"
    assert answer.content == published_schema()


def test_the_schema_is_guarded_as_every_route_is() -> None:
    with MockServer(admin_token="s3cret") as server:
        assert fetch("GET", server.url + "/__admin/schema").status_code == 401
