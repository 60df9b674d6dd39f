"""A stop loses no request: what was connected is answered, then told to go."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from urllib.request import urlopen

import pytest

from mock_server import Fault
from mock_server.app import create_app
from mock_server.wire.server import (
    Server,
    bind,
    drop_new_connections,
    running,
    url_of,
)
from mock_server.wire.uvicorn_internals import HttpParser, best_parser
from tests.process import serving
from tests.support import LIBRARY, SECONDS, fetch, first, wait
from tests.wire.sockets import REQUEST, answer, connect, exchange

SHUTS_DOWN = pytest.mark.skipif(
    best_parser() != "zttp",
    reason="this uvicorn, stopped while it starts, does not shut down",
)


def loop(url: str, connected: threading.Barrier) -> str:
    """Send one request after the other until an answer announces the close."""
    with connect(url) as client:
        exchange(client)
        connected.wait()
        while True:
            try:
                answer = exchange(client)
            except OSError as error:
                return f"failed: {error}"
            if not answer.startswith(b"HTTP/1.1 200 "):
                return f"failed: {answer[:80]!r}"
            if b"connection: close" in answer:
                return "told to go"


def stop(process: subprocess.Popen[str], *signals: signal.Signals) -> tuple[int, str]:
    for each in signals:
        process.send_signal(each)
    _, err = process.communicate(timeout=SECONDS)
    return process.returncode, err


def drained(http: str, clients: int) -> list[str]:
    with serving("--port=0", f"--http={http}") as (url, process):
        connected = threading.Barrier(clients + 1)
        with ThreadPoolExecutor(clients) as pool:
            running = [pool.submit(loop, url, connected) for _ in range(clients)]
            connected.wait()
            status, err = stop(process, signal.SIGTERM)
            assert (status, "Traceback" in err) == (0, False), err
            return [each.result() for each in running]


@pytest.mark.parametrize("http", ["zttp", pytest.param("h11", marks=pytest.mark.ci)])
def test_busy_connections_lose_no_request(http: str) -> None:
    assert set(drained(http, 16)) == {"told to go"}


def storm(url: str, seed: int) -> list[str]:
    """Send each request by a connection of its own until none is accepted.

    Clients that paused between two requests connect at any point of a stop.
    """
    lost: list[str] = []
    pauses = Random(seed)
    while True:
        time.sleep(pauses.random() / 200)
        try:
            client = connect(url)
        except ConnectionRefusedError:
            return lost
        with client:
            try:
                assert exchange(client).startswith(b"HTTP/1.1 200 ")
            except OSError as error:
                lost.append(str(error))


@pytest.mark.ci
@pytest.mark.parametrize("run", range(6))
def test_a_storm_of_new_connections_loses_none(run: int) -> None:
    with serving("--port=0") as (url, process), ThreadPoolExecutor(24) as pool:
        storms = [pool.submit(storm, url, seed) for seed in range(24)]
        for _ in range(20 + run):
            fetch("GET", f"{url}/__admin/health")
        status, _ = stop(process, signal.SIGTERM)
        assert (status, [each.result() for each in storms]) == (0, [[]] * 24)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux filters packets")
def test_dropping_new_connections_keeps_those_that_wait() -> None:
    listener = bind("127.0.0.1", 0)
    with listener, connect(url_of(listener)) as client:
        drop_new_connections(listener)
        with pytest.raises(TimeoutError):
            socket.create_connection(listener.getsockname(), timeout=0.1)
        accepted, _ = listener.accept()
        with accepted:
            client.sendall(b"kept")
            assert accepted.recv(4) == b"kept"


@SHUTS_DOWN
@pytest.mark.parametrize("http", ["zttp", "h11"])
@pytest.mark.parametrize("embedded", [True, False])
def test_what_waits_to_be_accepted_is_answered(
    http: HttpParser, embedded: bool
) -> None:
    listener, clients = bind("127.0.0.1", 0), list[socket.socket]()

    def ready() -> None:
        for _ in range(20):
            clients.append(connect(url_of(listener)))
            clients[-1].sendall(REQUEST)
        server.should_exit = True

    server = Server(create_app(LIBRARY), http, ready, is_embedded=embedded)
    server.run([listener])
    for client in clients:
        with client:
            assert b"connection: close" in answer(client)


@SHUTS_DOWN
@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_what_comes_amid_a_stop_is_answered(http: HttpParser) -> None:
    listener, clients = bind("127.0.0.1", 0), list[socket.socket]()

    def ready() -> None:
        clients.append(connect(url_of(listener)))
        server.should_exit = True

    def stop_begins() -> None:
        clients[0].sendall(REQUEST)  # by an idle connection

    app = create_app(LIBRARY)
    server = Server(app, http, ready, stop_begins, is_embedded=False)
    server.run([listener])
    with clients[0] as client:
        assert b"connection: close" in answer(client)


@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_a_request_under_way_is_answered(http: HttpParser) -> None:
    app = create_app(LIBRARY)
    app.sandbox.faults.add(Fault.of("delay", ms=300))
    with ThreadPoolExecutor(1) as pool:
        with running(app, http=http) as url:
            client = connect(url)
            held = pool.submit(exchange, client)
            wait(lambda: app.sandbox.state.waits)
        with client:
            assert b"connection: close" in held.result()


@pytest.mark.ci
@pytest.mark.parametrize("http", ["zttp", "h11"])
@pytest.mark.parametrize("round_number", first(5, range(20)))
def test_64_busy_connections_lose_no_request(http: str, round_number: int) -> None:
    assert set(drained(http, 64)) == {"told to go"}, round_number


def ended(http: str) -> tuple[int, str, bytes]:
    """How a server ends with an idle connection and one with half a body."""
    with (
        serving("--port=0", f"--http={http}") as (url, process),
        connect(url) as idle,
        connect(url) as half,
    ):
        exchange(idle)
        exchange(half, REQUEST[:-5])
        return *stop(process, signal.SIGINT), idle.recv(1)


@pytest.mark.ci
def test_idle_connections_and_half_bodies_end() -> None:
    """Both servers take the five seconds of a drain, at the same time."""
    with ThreadPoolExecutor(2) as pool:
        for status, err, rest in pool.map(ended, {best_parser(), "h11"}):
            assert (status, "Traceback" in err, rest) == (0, False, b""), err


@pytest.mark.ci
def test_a_large_document_is_sent_to_its_end(tmp_path: Path) -> None:
    rows = [{"repeat": 30_000, "name": "Article {n}"}]
    fixture = {"datasets": [{"id": "d", "name": "D", "collections": rows}]}
    (tmp_path / "large.json").write_text(json.dumps(fixture))
    with (
        serving("--port=0", str(tmp_path / "large.json")) as (url, process),
        urlopen(f"{url}/__admin/state") as response,
    ):
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        is_waited_for = any("waiting for 1 request" in it for it in process.stderr)
        state = json.load(response)
    assert is_waited_for
    assert len(state["datasets"][0]["collections"]) == 30_000


@pytest.mark.ci
def test_a_second_signal_ends_at_once() -> None:
    with serving("--port=0") as (url, process), connect(url) as half:
        exchange(half, REQUEST[:-5])
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        assert stop(process, signal.SIGTERM)[0] == 0


@pytest.mark.ci
def test_a_second_signal_ends_a_held_request_without_a_traceback() -> None:
    with (
        serving("--port=0", "--fault=hang") as (url, process),
        connect(url) as held,
    ):
        held.sendall(REQUEST)
        assert process.stderr is not None
        wait(lambda: fetch("GET", f"{url}/__admin/faults").json()["faults"][0]["fired"])
        process.send_signal(signal.SIGINT)
        while "waiting for 1 request to end" not in process.stderr.readline():
            assert process.poll() is None
        status, err = stop(process, signal.SIGINT)
    assert (status, err) == (0, "")
