"""A server in a program: its start, its end, and its loop."""

import asyncio
import re
import signal
import socket
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial

import httpx2
import pytest
from account import (
    LIST,
    SENT_LIST,
    bearer,
    one_turn,
    open_connection,
    read_to_end,
    request_bytes,
    wait_until,
)
from commands import run_command, started_command

from mock_server import Control, MockServer, create_app
from mock_server.embedded_server import run_server
from mock_server.http.server import Server, listening_socket

FIXTURE = {"datasets": [{"id": "d"}]}


def listed(url):
    return httpx2.post(url + LIST, json=SENT_LIST, headers=bearer("k"), verify=False).status_code


def test_a_block_gets_the_control_of_a_ready_server():
    with MockServer(FIXTURE, profile="fastgpt-4.16", choices={"list_order": "name"}) as server:
        assert isinstance(server, Control)
        assert (server.choices["list_order"], server.choices["training"]) == ("name", "stepped")
        assert listed(server.url) == 200
    with pytest.raises(httpx2.ConnectError):
        listed(server.url)


def test_a_server_starts_once_and_again_after_it_was_closed():
    server = MockServer(FIXTURE, admin_token="s3", host="::1")
    server.start()
    with pytest.raises(RuntimeError, match=f"got one that runs - at {re.escape(server.url)}"):
        server.start()
    assert listed(server.url) == 200 and server.journal
    server.close()
    server.close()
    with server:
        assert listed(server.url) == 200


FROZEN = """
import mock_server
from freezegun import freeze_time
with freeze_time("2020-01-01"), mock_server.MockServer() as server:
    server.call("GET", "/state")
"""


def test_a_server_may_be_imported_and_started_while_time_is_frozen():
    run_command(sys.executable, "-c", FROZEN)


SLEEPLESS = """
import asyncio
import time
from unittest import mock
import httpx2
import mock_server

async def never(*_):
    raise AssertionError("the test slept")

for patch in (mock.AsyncMock(), never):
    with mock.patch("asyncio.sleep", patch), mock.patch("time.sleep", never):
        with mock_server.MockServer() as server:
            server.fault("dribble", ms=1)
            assert httpx2.get(f"{server.url}/none").status_code == 404
            with httpx2.stream("GET", f"{server.url}/__admin/journal/stream?since=1") as stream:
                assert "id: 1" in [*zip(range(3), stream.iter_lines())][2]
            try:
                server.wait_for("listV2", timeout=0.05)
            except AssertionError as error:
                assert "Within 0.05 s" in str(error)
"""


def test_a_test_may_replace_the_functions_that_sleep():
    run_command(sys.executable, "-c", SLEEPLESS)


@pytest.mark.parametrize("member", ["url", "key", "journal", "choices"])
def test_a_member_before_the_start_says_that_the_server_is_not_started(member):
    with pytest.raises(ConnectionError, match=r"MockServer\.start$"):
        getattr(MockServer(FIXTURE), member)


FORKING = """
import os
import socket
from mock_server import MockServer
server = MockServer({}).start()
end, parent = os.pipe()
begun, child = os.pipe()
if not os.fork():
    os.close(parent)
    os.write(child, b"x")
    os.read(end, 1)  # until the parent has ended
    os._exit(0)
os.read(begun, 1)
server.close()
socket.create_server(("127.0.0.1", int(server.url.rpartition(":")[2])))
"""


def test_a_forked_child_does_not_keep_the_port():
    run_command(sys.executable, "-W", "ignore", "-c", FORKING)


def test_a_taken_port_is_an_error():
    with listening_socket("127.0.0.1", 0) as taken, pytest.raises(OSError, match="in use"):
        MockServer(port=taken.getsockname()[1]).start()


def test_a_server_that_never_gets_ready_says_why():
    listener = listening_socket("127.0.0.1", 0)
    ready = Future()
    listener.close()
    run_server(Server(create_app({})), listener, ready)
    assert isinstance(ready.exception(timeout=0), OSError | ValueError)


def test_a_function_runs_in_the_serving_loop():
    server = MockServer(FIXTURE)
    with pytest.raises(RuntimeError, match="no running event loop"):
        server.run(asyncio.get_running_loop)
    with server:
        assert server.run(asyncio.get_running_loop).is_running()
        with pytest.raises(ZeroDivisionError):
            server.run(lambda: 1 / 0)


def test_small_responses_are_sent_at_once():
    with listening_socket("127.0.0.1", 0) as listener:
        assert listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


SLOW = [{"kind": "hang"}, {"kind": "delay", "ms": 60_000}]
SLOW += [{"kind": "dribble", "ms": 1000, "chunks": 100}]
SLOW += [{"kind": "answer", "operation": "listV2", "text": "Late", "delayMs": 60_000}]


@contextmanager
def waiting(control):
    """While requests wait for each of these."""
    with ThreadPoolExecutor() as threads:
        for rule in SLOW:
            fault = control.fault(**rule)
            threads.submit(listed, control.url)
            wait_until(partial(getattr, fault, "fired"))
        yield


def test_a_signal_ends_what_waits_without_a_traceback():
    with started_command(sys.executable, "-m", "mock_server", "--port", "0") as process:
        control = Control.at(process.stdout.readline().split()[1])
        control.load(FIXTURE)
        with waiting(control):
            process.send_signal(signal.SIGTERM)
            _, log = process.communicate(timeout=5)
    assert process.returncode == 0
    assert "Cancel" not in log and "Traceback" not in log


def test_to_close_a_server_ends_what_waits(caplog):
    with MockServer(FIXTURE) as server, waiting(server):
        server.close()
    assert caplog.records == []


HEAD = "{} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n["


@pytest.mark.parametrize("target", [f"POST {LIST}", "PUT /__admin/state"])
def test_a_client_that_leaves_within_a_body_leaves_no_trace(caplog, target):
    with MockServer(FIXTURE) as server:
        open_connection(server.url, HEAD.format(target).encode()).close()
        assert listed(server.url) == 200
        assert [it["response"]["status"] for it in server.journal] == [200]
    assert caplog.records == []


def test_a_request_that_has_not_come_whole_holds_up_no_stop(caplog):
    request = HEAD.format(f"POST {LIST}").encode()
    with MockServer(FIXTURE) as server, open_connection(server.url, request) as client:
        assert server.journal == []  # which comes after it
        server.close()
        assert client.recv(99) == b""
    assert caplog.records == []


def test_connections_that_come_as_the_server_stops_are_ended():
    request = request_bytes("POST", LIST, SENT_LIST)
    with MockServer(FIXTURE) as server, ThreadPoolExecutor(1) as threads:
        with one_turn(server):
            closed = threads.submit(server.close)
            clients = [open_connection(server.url, request) for _ in range(9)]
        closed.result(5)
    # One that stayed open would time out here.
    assert {read_to_end(client)[1] for client in clients} <= {"RST", "FIN"}
