"""What happens to a server around its requests: kills, restarts, scarce resources."""

from __future__ import annotations

import logging
import os
import signal
import socket
import subprocess
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from mock_server.app import create_app
from mock_server.wire.server import running
from tests.process import COMMAND, environment, serving
from tests.support import LIST, SECONDS, fetch, wait
from tests.wire.sockets import answer, connect, exchange

resource = pytest.importorskip("resource")
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")


@pytest.mark.ci
def test_a_killed_server_can_start_again_at_once() -> None:
    with serving("--port=0") as (url, process):
        port = str(urlsplit(url).port)
        with connect(url) as client:
            exchange(client)
            process.kill()
            process.communicate()
            with serving("--port", port) as (again, _):
                assert again == url
                assert fetch("GET", again + "/__admin/health").status_code == 200


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="no /proc here")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.ci
def test_a_stop_while_loading_is_a_stop(tmp_path: Path, how: signal.Signals) -> None:
    slow = tmp_path / "slow.yaml"
    entries = "[{name: x, repeat: 2000000}]"
    slow.write_text(f"datasets: [{{id: d, collections: {entries}}}]")
    process = subprocess.Popen(
        [*COMMAND, "--port=0", "--memory=4GiB", str(slow)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    # Twice what it starts with.
    wait(lambda: process.poll() or resident_bytes(process.pid) > 100_000_000)
    assert process.poll() is None
    process.send_signal(how)
    out, err = process.communicate(timeout=30)
    # On a slow machine it has told by then that it is loading.
    told = [line for line in err.splitlines() if not line.startswith("loading ")]
    assert (process.returncode, out, told) == (0, "", [])


def resident_bytes(pid: int) -> int:
    """The memory that a process has in use (Linux)."""
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    size: int = int(pages) * resource.getpagesize()
    return size


FEW = ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", *COMMAND]
"""A server that may have 64 descriptors."""


@pytest.mark.ci
def test_few_descriptors_are_no_crash() -> None:
    with serving("--port=0", command=FEW) as (url, _):
        clients = [connect(url) for _ in range(120)]
        for client in clients:
            client.close()
        # Who comes before the descriptors are free again is turned away.
        wait(lambda: is_served(url))


ANYTHING = [
    ("GET", "/__admin/", b""),
    ("GET", "/__admin/state", b""),
    ("GET", "/openapi.json", b""),
    ("GET", "/nowhere", b""),
    ("POST", "/api/core/dataset/list", b"{}"),
    ("POST", LIST, b"{"),
    ("POST", "/__admin/sandboxes", b"{}"),
    ("PUT", "/__admin/state", b'{"apps": []}'.ljust(20_000)),
]
"""Of which each needs a module, a file or a process that was not needed before."""


@pytest.mark.ci
@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_who_is_let_in_is_served_however_few_descriptors_there_are(http: str) -> None:
    with serving("--port=0", "--http", http, command=FEW) as (url, process):
        with ExitStack() as stack:
            clients = [stack.enter_context(connect(url)) for _ in range(150)]
            answers = [asked(*pair) for pair in zip(clients, cycle(ANYTHING))]
        wait(lambda: is_served(url))
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)
    served = [each for each in answers if each]
    assert len(served) > 20
    assert [each for each in served if b"internalError" in each] == []
    assert "Error" not in err


def asked(client: socket.socket, what: tuple[str, str, bytes]) -> bytes:
    """The answer to a request; nothing if the client is turned away."""
    method, path, body = what
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer k\r\n"
    kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    try:
        client.sendall(f"{head}{kind}".encode() + body)
    except ConnectionError:
        return b""
    return answer(client)


def is_served(url: str) -> bool:
    """Whether a server answers rather than breaks the connection off."""
    try:
        return fetch("GET", url + "/__admin/health").status_code == 200
    except httpx2.TransportError:
        return False


@FULL
@pytest.mark.ci
def test_a_full_stderr_does_not_stop_serving() -> None:
    with open("/dev/full", "w") as full:
        process = subprocess.Popen(
            [*COMMAND, "--port=0", "--log-format=text"],
            stdout=subprocess.PIPE,
            stderr=full,
            text=True,
            env=environment(),
        )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[1]
        for _ in range(3):
            assert fetch("GET", url + "/__admin/health").status_code == 200
    finally:
        process.kill()
        process.communicate()


@pytest.mark.ci
def test_a_client_that_resets_leaves_no_trace() -> None:
    with serving("--port=0") as (url, process):
        for _ in range(50):
            with connect(url) as client:
                client.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"
                )
                client.sendall(
                    b"PUT /api HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"
                )
        assert fetch("GET", url + "/__admin/health").status_code == 200
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=SECONDS)
    assert "Traceback" not in err
    assert err.count("\n") <= 4 + 50


@pytest.mark.ci
def test_a_request_is_answered_though_the_client_has_finished_sending() -> None:
    with serving("--port=0") as (url, _), connect(url) as client:
        client.sendall(b"GET /__admin/health HTTP/1.1\r\nHost: x\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while part := client.recv(65_536):
            answer += part
    assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.ci
def test_the_server_opens_no_connection_of_its_own() -> None:
    code = (
        "import socket, sys\n"
        "def no(*_): raise AssertionError('outbound')\n"
        "socket.socket.connect = socket.socket.connect_ex = no\n"
        "from mock_server.cli.main import main; main(['--port=0'])"
    )
    process = subprocess.Popen(
        [COMMAND[0], "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    url = process.stdout.readline().split()[1]
    assert fetch("GET", url + "/__admin/health").status_code == 200
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, "outbound" in err) == (0, False)


def test_a_client_of_https_gets_400_and_is_logged(
    logged: list[logging.LogRecord],
) -> None:
    with running(create_app()) as url, connect(url) as client:
        client.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        assert answer(client).startswith(b"HTTP/1.1 400 ")
    said = "a client uses https: this server speaks http only"
    assert said in [each.getMessage() for each in logged]
