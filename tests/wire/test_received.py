"""Requests that are incomplete, or wait behind another one, take bounded memory."""

from __future__ import annotations

import gc
import select
import socket
from contextlib import ExitStack

import pytest
from starlette.types import Receive, Scope, Send

from mock_server.app import create_app
from mock_server.control.embedding import MockServer
from mock_server.domain.limits import Limits
from mock_server.wire.protocol import RequestDeadlineMixin
from mock_server.wire.server import running
from mock_server.wire.uvicorn_internals import HttpParser
from tests.conftest import H11
from tests.support import SECONDS, wait
from tests.wire.sockets import REQUEST, answer, connect, exchange

HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-A: %b\r\n" % (b"a" * 8_000) * 4
LIMITS = Limits(received_bytes=3 * len(HEAD))
HEALTH = b"GET /__admin/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
FLOOD = 160_000
"""Requests of 32 MB: more than the buffers of two sockets take."""
PARSERS = pytest.mark.parametrize("http", ["zttp", *H11])


def begun_and_ended(url: str) -> bytes:
    """The response to a request whose head comes in two parts."""
    with connect(url) as client:
        client.sendall(HEAD)
        client.sendall(b"\r\n")
        return answer(client)


@pytest.mark.ci
@PARSERS
def test_heads_beyond_the_limit_get_503_until_others_end(http: HttpParser) -> None:
    with running(create_app(), http=http, limits=LIMITS) as url:
        with ExitStack() as stack:
            clients = [stack.enter_context(connect(url)) for _ in range(4)]
            for client in clients:
                client.sendall(HEAD)
            refused = select.select(clients, [], [], SECONDS)[0]
            assert answer(refused[0]).startswith(b"HTTP/1.1 503 ")
            with connect(url) as whole:
                assert b" 200 OK" in exchange(whole)
        wait(lambda: b" 503 " not in begun_and_ended(url))
        assert b" 404 " in begun_and_ended(url)


def protocols() -> set[RequestDeadlineMixin]:
    """Those that anything in this process still refers to."""
    gc.collect()
    return {it for it in gc.get_objects() if isinstance(it, RequestDeadlineMixin)}


@pytest.mark.ci
@PARSERS
def test_nothing_refers_to_a_connection_that_was_reset(http: HttpParser) -> None:
    with running(create_app(), http=http) as url:
        before = protocols()
        with connect(url) as client:
            assert exchange(client)
            assert protocols() > before
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1" + bytes(7))
        wait(lambda: protocols() == before)


@pytest.mark.ci
@PARSERS
def test_a_client_that_leaves_after_a_stray_line_is_noticed(http: HttpParser) -> None:
    heard: list[str] = []

    async def app(_scope: Scope, receive: Receive, _send: Send) -> None:
        while heard[-1:] != ["http.disconnect"]:
            heard.append((await receive())["type"])

    with running(app, http=http) as url:
        with connect(url) as client:
            client.sendall(REQUEST)
            wait(lambda: heard)
            client.sendall(b"\r\n")
        wait(lambda: heard[-1] == "http.disconnect")


@pytest.mark.ci
@PARSERS
def test_requests_behind_one_that_hangs_are_not_read(http: HttpParser) -> None:
    with MockServer(http=http) as server:
        server.control.fault("hang")
        with connect(server.url) as client:
            client.sendall(REQUEST)
            client.settimeout(0.5)
            with pytest.raises(TimeoutError):
                client.sendall(REQUEST * FLOOD)


@pytest.mark.ci
@PARSERS
def test_requests_that_waited_for_a_response_count_no_longer(http: HttpParser) -> None:
    limits = Limits(received_bytes=5 * len(HEALTH))
    with MockServer(http=http, limits=limits) as server, connect(server.url) as client:
        server.control.fault("delay", ms=50, times=9)
        for _ in range(9):
            client.sendall(REQUEST)
            with connect(server.url) as other:  # meanwhile the first request arrives
                other.sendall(HEALTH)
                assert answer(other)
            client.sendall(HEALTH)
            answers = b""
            while answers.count(b"HTTP/1.1 200 ") < 2:
                answers += (part := client.recv(65_536))
                assert part, answers
