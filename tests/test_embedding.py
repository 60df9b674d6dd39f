"""A server in a program: its start, its end, and its loop."""

import asyncio
import signal
import socket
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic

import httpx2
import pytest

from mock_server import Control, MockServer, create_app
from mock_server.embedding import serve
from mock_server.server import Server, listening_socket

LIST = "/api/core/dataset/collection/listV2"
BODY = {"offset": 0, "datasetId": "d"}
FIXTURE = {"datasets": [{"id": "d"}]}


def listed(url):
    headers = {"Authorization": "Bearer k"}
    return httpx2.post(url + LIST, json=BODY, headers=headers, verify=False).status_code


def test_a_block_gets_the_control_of_a_ready_server():
    with MockServer(FIXTURE, profile="deployed", choices={"list_order": "name"}) as server:
        assert isinstance(server, Control)
        assert (server.choices["list_order"], server.choices["training"]) == ("name", "stepped")
        assert listed(server.url) == 200
    with pytest.raises(httpx2.ConnectError):
        listed(server.url)


def test_start_and_close_may_come_twice():
    server = MockServer(FIXTURE, admin_token="s3", host="::1")
    assert server.start().url == server.start().url
    assert listed(server.url) == 200 and server.journal
    server.close()
    server.close()
    with server:
        assert listed(server.url) == 200


def test_a_taken_port_is_an_error():
    with listening_socket("127.0.0.1", 0) as taken, pytest.raises(OSError, match="in use"):
        MockServer(port=taken.getsockname()[1]).start()


def test_a_server_that_never_gets_ready_says_why():
    listener, ready = listening_socket("127.0.0.1", 0), Future()
    listener.close()
    serve(Server(create_app({})), listener, ready)
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


@pytest.mark.parametrize("kind, limits, status", [("delay", {"ms": 700}, 200), ("hang", {}, 500)])
def test_the_end_waits_for_requests_but_not_for_long(kind, limits, status):
    command = [sys.executable, "-m", "mock_server", "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
    with subprocess.Popen(command, **pipes) as process, ThreadPoolExecutor() as threads:
        control = Control.at(process.stdout.readline().split()[1])
        control.load(FIXTURE)
        fault = control.fault(kind, **limits)
        request = threads.submit(listed, control.url)
        while not fault.fired:
            pass
        process.send_signal(signal.SIGTERM)
        start = monotonic()
        assert process.wait(5) == 0 and monotonic() - start < 2.5
        assert request.result() == status
