"""Raw bytes on both parsers: an exact status each, and the next request is fine."""

from __future__ import annotations

import socket
from collections.abc import Callable
from logging import ERROR, LogRecord
from urllib.parse import urlsplit

import pytest

from mock_server.app import Application, create_app
from mock_server.fixture.dump import to_document
from mock_server.wire.uvicorn_internals import HttpParser
from tests.support import LIBRARY, LIST, SECONDS, Switch, is_pinned
from tests.wire.battery import (
    ACCEPTED,
    BAD_BODIES,
    LIST_BODY,
    REFUSED,
    raw,
    said,
    status,
)

LONG = pytest.mark.ci
Live = Callable[[HttpParser], tuple[Switch, str]]


@pytest.fixture(params=["zttp", "h11"])
def server(request: pytest.FixtureRequest, live: Live) -> tuple[Application, str]:
    switch, url = live(request.param)
    app = create_app(LIBRARY)
    switch.app = app
    return app, url


@pytest.mark.parametrize("case", ACCEPTED)
def test_good_requests_have_their_effect(
    server: tuple[Application, str], case: str
) -> None:
    app, url = server
    assert status(said(url, ACCEPTED[case])) == 200
    assert is_pinned(app) is True


# Those of bad bodies are tried by the API's own tests, over the same parsers.
@pytest.mark.parametrize(
    "case", [*REFUSED, *(pytest.param(each, marks=LONG) for each in BAD_BODIES)]
)
def test_bad_requests_have_none(
    server: tuple[Application, str], case: str, logged: list[LogRecord]
) -> None:
    app, url = server
    expected, request = (REFUSED | BAD_BODIES)[case]
    before = to_document(app.sandbox.store)
    assert status(said(url, request)) == expected
    assert to_document(app.sandbox.store) == before
    assert not [record for record in logged if record.levelno >= ERROR]
    assert status(said(url, raw(f"POST {LIST} HTTP/1.1", body=LIST_BODY))) == 200


def test_the_log_shows_nothing_of_a_path_that_is_not_ascii(
    server: tuple[Application, str], logged: list[LogRecord]
) -> None:
    assert status(said(server[1], b"GET /owner-key\xc3\xa9 HTTP/1.1\r\n\r\n")) == 400
    assert not [each for each in logged if "owner-key" in each.getMessage()]


def test_a_client_that_sends_all_before_it_reads_sees_the_413(
    server: tuple[Application, str],
) -> None:
    parts = urlsplit(server[1])
    where = (str(parts.hostname), int(parts.port or 0))
    with socket.create_connection(where, timeout=SECONDS) as client:
        client.sendall(raw(body=b" " * 20_000_000))
        assert client.recv(65_536).startswith(b"HTTP/1.1 413 ")


def test_the_table_is_long() -> None:
    assert len(ACCEPTED) + len(REFUSED) + len(BAD_BODIES) >= 200


@pytest.mark.parametrize("case", ["pin", "chunked", "no_key", "array", "garbage"])
def test_the_pace_of_bytes_changes_nothing(
    server: tuple[Application, str], case: str
) -> None:
    _, url = server
    expected, request = REFUSED.get(case) or (200, ACCEPTED[case])
    assert status(said(url, request, step=1)) == expected
