"""What comes at once of a body that is refused unread is kept; no more is awaited."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.types import Message, Scope

from mock_server.app import create_app
from mock_server.control.embedding import MockServer
from mock_server.domain.limits import DEFAULT_LIMITS
from tests.support import LIST, fetch, wait
from tests.wire.sockets import answer, connect

KEY = "Authorization: Bearer some-key-of-mine\r\n"
JSON = "Content-Type: application/json\r\n"
KEPT = DEFAULT_LIMITS.journal_body_bytes


def entry(status: int, line: str, headers: str, length: int, body: bytes) -> Any:
    """The entry of a request that is refused, of which so much body comes at once."""
    return entry_of(status, line, f"{headers}Content-Length: {length}", body)


def entry_of(status: int, line: str, headers: str, body: bytes) -> Any:
    """The entry of a request with these headers."""
    head = f"{line} HTTP/1.1\r\nHost: localhost\r\n{headers}"
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


def test_a_short_body_that_follows_its_headers_is_kept() -> None:
    async def receive() -> Message:
        for _ in range(20):
            await asyncio.sleep(0)  # turns of the loop, in which it has not come
        return {"type": "http.request", "body": b"{}"}

    async def send(message: Message) -> None:
        del message

    app = create_app()
    head = [(b"host", b"localhost"), (b"content-length", b"2")]
    scope: Scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "path": LIST,
        "headers": head,
        "query_string": b"",
    }
    asyncio.run(app(scope, receive, send))
    (entry,) = app.sandbox.journal.since(0)
    assert (entry.status, entry.request.body) == (401, b"{}")


UPLOAD = "POST /api/core/dataset/collection/create/localFile"
FORM = "Content-Type: multipart/form-data; boundary=b\r\n"
QUERY = "POST /api/core/dataset/collection/create/text?name=a"
CHUNKED = "Transfer-Encoding: chunked\r\n"
LARGE = DEFAULT_LIMITS.body_bytes + 1


@pytest.mark.parametrize(
    ("status", "line", "headers", "sent", "kept", "truncated"),
    [
        (413, f"POST {LIST}", f"{JSON}Content-Length: {LARGE}", "{ ", "{ ", True),
        (
            413,
            f"POST {LIST}",
            f"{JSON}{CHUNKED}",
            f"{LARGE:x}\r\n" + "my some-key-of-mine".ljust(LARGE),
            "my [redacted] ".ljust(KEPT),
            True,
        ),
        (400, UPLOAD, f"{FORM}Content-Length: 4", "junk", "junk", False),
        (400, QUERY, f"{JSON}Content-Length: 2", "{{", "{{", False),
    ],
    ids=["announced", "chunked", "form", "query"],
)
def test_the_journal_keeps_a_body_that_was_refused_while_it_was_read(
    status: int, line: str, headers: str, sent: str, kept: str, truncated: bool
) -> None:
    found = entry_of(status, line, KEY + headers.rstrip(), sent.encode())["request"]
    assert (found["body"], found["truncated"]) == (kept, truncated)


def test_the_journal_keeps_what_came_before_a_client_left() -> None:
    head = f"POST {LIST} HTTP/1.1\r\nHost: x\r\n{KEY}{JSON}Content-Length: 99\r\n\r\n"
    with MockServer() as server:
        with connect(server.url) as client:
            client.sendall(f"{head}{{".encode())
        wait(lambda: server.control.journal)
        (found,) = server.control.journal
    assert found["answer"]["status"] == 0
    assert (found["request"]["body"], found["request"]["truncated"]) == ("{", True)
