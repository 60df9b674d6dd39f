"""What comes at once of a body that is refused unread is kept; no more is awaited."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.control.embedding import MockServer
from mock_server.domain.limits import DEFAULT_LIMITS
from tests.support import LIST, fetch
from tests.wire.sockets import answer, connect

KEY = "Authorization: Bearer some-key-of-mine\r\n"
JSON = "Content-Type: application/json\r\n"
KEPT = DEFAULT_LIMITS.journal_body_bytes


def entry(status: int, line: str, headers: str, length: int, body: bytes) -> Any:
    """The entry of a request that is refused, of which so much body comes at once."""
    head = f"{line} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {length}"
    with MockServer() as server, connect(server.url) as client:
        client.sendall(f"{head}\r\n\r\n".encode() + body)
        assert answer(client).startswith(b"HTTP/1.1 %d " % status)
        journal = fetch("GET", f"{server.url}/__admin/journal").json()
        (found,) = journal["entries"]
        return found


@pytest.mark.parametrize(
    ("status", "line", "headers"),
    [
        (404, "POST /api/none", KEY + JSON),
        (405, f"PATCH {LIST}", KEY + JSON),
        (401, f"POST {LIST}", JSON),
        (415, f"POST {LIST}", KEY + "Content-Type: text/plain\r\n"),
    ],
)
def test_the_journal_keeps_a_body_that_was_refused_unread(
    status: int, line: str, headers: str
) -> None:
    body = b'{"my": "fastgpt-sbx-1"}'
    found = entry(status, line, headers, len(body), body)
    request = found["request"]
    assert (request["body"], request["truncated"]) == ({"my": "[redacted]"}, False)
    assert len(found["violations"]) == 1


@pytest.mark.parametrize(
    ("headers", "arrived", "kept"),
    [
        ("", b"", None),
        ("", b'{"name": ', '{"name": '),
        ("", b"my some-key-of", "my [redacted]"),
        ("", b"x" * 10_000, "x" * KEPT),
        ("Expect: 100-continue\r\n", b"", None),
    ],
)
def test_the_journal_has_what_had_arrived_and_waits_for_no_more(
    headers: str, arrived: bytes, kept: str | None
) -> None:
    found = entry(404, "POST /api/none", KEY + headers, 20_000, arrived)["request"]
    assert (found["body"], found["truncated"]) == (kept, kept is not None)


def test_a_body_that_follows_its_headers_is_kept_however_early_the_refusal() -> None:
    head = f"POST {LIST} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n"
    with MockServer() as server:
        for _ in range(30):
            with connect(server.url) as client:
                client.sendall(head.encode())
                client.sendall(b"{}")
                assert answer(client).startswith(b"HTTP/1.1 401 ")
        assert [call["request"]["body"] for call in server.control.journal] == [{}] * 30
