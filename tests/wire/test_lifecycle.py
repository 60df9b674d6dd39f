"""What happens to a server around its requests: kills, restarts, scarce resources."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.process import COMMAND, environment, serving
from tests.support import SECONDS, fetch, wait
from tests.wire.sockets import connect, exchange

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


@pytest.mark.ci
def test_few_descriptors_are_no_crash() -> None:
    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    process = subprocess.Popen(
        [*COMMAND, "--port=0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(),
        preexec_fn=few,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().split()[1]
        clients = [connect(url) for _ in range(120)]
        for client in clients:
            client.close()
        # Who comes before the descriptors are free again is turned away.
        wait(lambda: is_served(url))
    finally:
        process.kill()
        process.communicate()


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
