"""What the headers of a request say."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mock_server.api.context import NOTES, ScopeNotes
from mock_server.api.headers import HeaderParser, announces_body, parse_headers
from mock_server.app import create_app
from mock_server.domain.limits import Limits
from tests.support import LIBRARY, LIST

JSON = (b"content-type", b"application/json")
BEARER = (b"authorization", b"Bearer some-key")


@pytest.mark.parametrize(
    ("headers", "key", "is_json", "length"),
    [
        ([BEARER, JSON, (b"content-length", b"12")], "some-key", True, 12),
        ([BEARER, BEARER, JSON], None, True, 0),
        ([BEARER, (b"content-type", b"text/plain")], "some-key", False, 0),
        ([BEARER, JSON, (b"content-encoding", b"gzip")], "some-key", False, 0),
        ([JSON, (b"content-length", b"0" * 30 + b"7")], None, True, 7),
        ([JSON, (b"content-length", b"9" * 30)], None, True, int("9" * 18)),
    ],
)
def test_a_head_tells_what_is_needed(
    headers: list[tuple[bytes, bytes]], key: str | None, is_json: bool, length: int
) -> None:
    head = parse_headers(headers)
    assert (head.key, head.is_json, head.length) == (key, is_json, length)


def test_a_head_tells_whether_there_is_an_id() -> None:
    assert parse_headers([BEARER, (b"x-request-id", b"a")]).has_request_id is True
    assert parse_headers([BEARER]).has_request_id is False


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ((b"content-length", b"00"), False),
        ((b"content-length", b"10"), True),
        ((b"transfer-encoding", b"chunked"), True),
        ((b"accept", b"*/*"), False),
    ],
)
def test_a_body_is_announced(header: tuple[bytes, bytes], expected: bool) -> None:
    assert announces_body([BEARER, header]) is expected


def test_a_block_holds_every_header_and_no_credentials() -> None:
    cookie = (b"cookie", b"session=1")
    block = parse_headers([BEARER, cookie, JSON, (b"x-a", b"1")]).journal_text
    assert block.split(b"\n")[2:] == [b"content-type:application/json", b"x-a:1"]
    assert b"some-key" not in block
    assert b"session" not in block


LOGIN_HEADERS = "rootkey x-auth-token api-key x-access-token x-api-key x-otp"
LOGIN_HEADERS += " ocp-apim-subscription-key x-functions-key x-private-key x-passphrase"
LOGIN_HEADERS += (
    " x-pass x-user-pass x-master-key encryptkey callback-aeskey passHash passkey"
)


@pytest.mark.parametrize("name", LOGIN_HEADERS.encode().split())
def test_a_block_hides_what_any_header_logs_somebody_in_with(name: bytes) -> None:
    block = parse_headers([(name, b"s3cret"), (b"x-a", b"s3cret")]).journal_text
    assert block == name + b":[redacted]\nx-a:s3cret"


def test_a_block_shows_headers_with_similar_names() -> None:
    names = b"x-footprint bypass-cache idempotency-key sec-websocket-key x-compass"
    headers = [(name, b"shown") for name in names.split()]
    assert parse_headers(headers).journal_text.count(b":shown") == len(headers)


async def status_of(headers: Any, **noted: object) -> int:
    """The status of a list request with these headers, in process.

    `noted` is in its scope already.
    """
    body = b'{"offset": 0, "datasetId": "dataset-1"}'
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "http_version": "1.1", "method": "POST", "path": LIST}
    length = type(headers[0])((b"content-length", b"%d" % len(body)))
    rest = {"query_string": b"", "headers": [*headers, length]}
    await create_app(LIBRARY)(scope | rest | noted, receive, send)
    return int(sent[0]["status"])


def test_headers_that_a_middleware_has_changed_are_read_again() -> None:
    before = {NOTES: ScopeNotes(parse_headers([BEARER, JSON]))}
    assert asyncio.run(status_of([BEARER, JSON], **before)) == 200
    assert asyncio.run(status_of([JSON], **before)) == 401


def test_headers_may_come_as_pairs_or_as_lists() -> None:
    assert asyncio.run(status_of([BEARER, JSON])) == 200
    assert asyncio.run(status_of([list(BEARER), list(JSON)])) == 200


def scope(*headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"headers": [BEARER, *headers]}


def test_a_head_that_comes_again_is_read_once() -> None:
    heads = HeaderParser(Limits())
    assert heads.parse(scope(JSON)) is heads.parse(scope(JSON))
    assert heads.parse(scope()) is not heads.parse(scope(JSON))


def test_no_more_heads_are_kept_than_the_limits_say_and_no_long_ones() -> None:
    heads = HeaderParser(Limits(cached_heads=2, cached_head_bytes=100))
    first = heads.parse(scope())
    heads.parse(scope(JSON))
    assert heads.parse(scope()) is first
    heads.parse(scope((b"x-a", b"1")))
    assert heads.parse(scope()) is not first
    long = scope((b"x-a", b"1" * 100))
    assert heads.parse(long) is not heads.parse(long)
    assert heads.parse(long).key == "some-key"
