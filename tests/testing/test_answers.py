"""What `reply` sends, and what the report of a failed test says of answers."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from mock_server import AdminClient, MockServer, MockServerFixture
from mock_server.control.http_call import Address, Budget, RawResponse, Request
from mock_server.control.report import report_sections
from tests.support import fetch
from tests.testing.conftest import Run

VIEW: dict[str, Any] = {
    "id": "f1",
    "kind": "reply",
    "remaining": None,
    "fired": 0,
    "matches": 0,
    "endsIn": None,
    "preset": None,
    "warnings": [],
}


@pytest.mark.parametrize(
    ("args", "fields", "sent"),
    [
        (["Hello"], {}, {"text": "Hello"}),
        ([], {"parts": ["a", {"pauseMs": 5}]}, {"parts": ["a", {"pauseMs": 5}]}),
        (
            ["a"],
            {"times": 2, "skip": 1, "ttl": timedelta(minutes=1)},
            {"text": "a", "times": 2, "skip": 1, "ttl": 60},
        ),
        (
            ["a"],
            {"match": {"question": "b"}, "stream": {"firstTokenMs": 5}},
            {"text": "a", "match": {"question": "b"}, "stream": {"firstTokenMs": 5}},
        ),
    ],
)
def test_a_reply_is_sent_with_what_was_given(
    args: list[str], fields: dict[str, Any], sent: dict[str, Any]
) -> None:
    bodies = []

    def send(_: Address, request: Request, __: Budget) -> RawResponse:
        bodies.append(json.loads(request.content or b""))
        return RawResponse(201, json.dumps(VIEW).encode())

    server = MockServerFixture(AdminClient("http://there:8000", send=send))
    assert server.reply(*args, **fields).kind == "reply"
    (found,) = bodies
    assert found == {"kind": "reply", "skip": 0, **sent}


def test_a_report_says_how_to_answer_unknown_routes_once_each() -> None:
    with MockServer() as server:
        for method, path in (("POST", "/api/x?a=1"), ("POST", "/api/x"), ("GET", "/")):
            fetch(method, server.url + path)
        server.control.respond("GET /api/y", json=1)
        sections = dict(report_sections(server.control, "mock_server_app"))
    title = "mock_server_app routes that nothing serves: to answer them"
    line = 'mock_server_app.control.respond("POST /api/x", json={...})'
    assert sections[title] == line
    assert (
        '"operation":"GET /api/y"'
        in sections["mock_server_app answers that can still fire"]
    )


UNFIRED = """
def test_it(mock_server):
    mock_server.respond("listV2", status=500)
    mock_server.fault("error", operation="listV2")
"""


def test_a_test_is_not_warned_of_an_answer_that_never_fired(
    run: Run, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(test_unfired=UNFIRED)
    result = run("mistakes", "-Wdefault", alone=True)
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(["*UnfiredFaultWarning: the fault f2 *"])
