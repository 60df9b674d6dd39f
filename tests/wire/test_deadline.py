"""Requests that do not arrive in time are ended, at any pace."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx2
import pytest

from mock_server.app import create_app
from mock_server.domain.limits import LIMITS
from mock_server.wire.protocol import HttpParser
from tests.support import LIBRARY, LIST, PIN, Switch, is_pinned

HEAD = b"PUT %b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n" % PIN.encode()
TYPE = b"Content-Type: application/json\r\nContent-Length: 900\r\n\r\n"
GOOD = b"GET /__admin/health HTTP/1.1\r\nHost: x\r\n\r\n"
LISTED = (
    b"POST %b HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer k\r\n"
    b"Content-Type: application/json\r\nContent-Length: 36\r\n\r\n"
    b'{"offset":0,"datasetId":"dataset-1"}' % LIST.encode()
)
# What is answered before, what is sent then, and what again and again.
SLOW: dict[str, tuple[bytes, bytes, bytes]] = {
    "nothing": (b"", b"", b""),
    "half a header": (b"", HEAD, b""),
    "a header byte by byte": (b"", HEAD + b"X-Slow: ", b"x"),
    "half a body": (b"", HEAD + TYPE + b"{", b""),
    "a body byte by byte": (b"", HEAD + TYPE + b"{", b" "),
    "half a second header": (GOOD, HEAD, b""),
    "half a second body": (GOOD, HEAD + TYPE + b"{", b""),
    "half a header in the segment before": (GOOD + HEAD, b"", b""),
    "half a body in the segment before": (GOOD + HEAD + TYPE + b"{", b"", b""),
    "half a third header in the first segment": (LISTED + GOOD + HEAD, b"", b""),
}


def ended(url: str, before: bytes, first: bytes, again: bytes) -> tuple[bytes, float]:
    """What the server says at last, and after how many seconds."""
    parts = urlsplit(url)
    start, answer = time.monotonic(), b""
    with socket.create_connection(
        (str(parts.hostname), int(parts.port or 0))
    ) as client:
        if before:
            client.sendall(before)
            good = b""
            count = before.count(b"POST ") + before.count(b"GET ")
            while good.count(b"HTTP/1.1 200 ") < count or not good.endswith(b"}"):
                good += client.recv(65_536)
        client.sendall(first)
        client.settimeout(0.5)
        while True:
            try:
                part = client.recv(65_536)
            except TimeoutError:
                client.sendall(again)
                continue
            except ConnectionResetError:
                part = b""
            if not part:
                return answer, time.monotonic() - start
            answer += part


def test_slow_requests_get_408_and_others_are_served(
    live: Callable[[HttpParser], tuple[Switch, str]],
) -> None:
    parsers: list[HttpParser] = ["zttp", "h11"]
    apps = [create_app(LIBRARY) for _ in parsers]
    urls = []
    for parser, app in zip(parsers, apps, strict=True):
        switch, url = live(parser)
        switch.app = app
        urls.append(url)
    with ThreadPoolExecutor(len(SLOW) * len(urls)) as pool:
        cases = [(url, *slow) for url in urls for slow in SLOW.values()]
        waiting = [pool.submit(ended, *case) for case in cases]
        for url in urls:
            assert httpx2.get(url + "/__admin/health").status_code == 200
        results = [each.result() for each in waiting]
    for answer, seconds in results:
        assert answer.startswith(b"HTTP/1.1 408 "), answer
        assert b'"statusText":"requestTimeout"' in answer
        assert b"connection: close" in answer
        assert seconds >= LIMITS.receipt_seconds - 0.1
    for app in apps:
        assert is_pinned(app) is False


@pytest.mark.full
def test_a_connection_may_be_idle_after_pipelined_requests(
    live: Callable[[HttpParser], tuple[Switch, str]],
) -> None:
    seconds = LIMITS.receipt_seconds + 1
    with ThreadPoolExecutor(2) as pool:
        waiting = []
        for parser in ("zttp", "h11"):
            switch, url = live(parser)
            switch.app = create_app(LIBRARY)
            waiting.append(pool.submit(idle, url, seconds))
        assert [each.result() for each in waiting] == [b"", b""]


def idle(url: str, seconds: float) -> bytes:
    """What the server says of itself, long after three requests at once."""
    parts = urlsplit(url)
    where = (str(parts.hostname), int(parts.port or 0))
    with socket.create_connection(where, timeout=seconds) as client:
        client.sendall(GOOD + LISTED + GOOD)
        answers = b""
        while answers.count(b"HTTP/1.1 200 ") < 3 or not answers.endswith(b"}"):
            answers += client.recv(65_536)
        try:
            said = client.recv(65_536)
        except TimeoutError:
            said = b""
        client.sendall(GOOD)
        assert client.recv(65_536).startswith(b"HTTP/1.1 200 ")
        return said
