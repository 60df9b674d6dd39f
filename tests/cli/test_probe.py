"""The health check of the image, run as a container engine runs it."""

from __future__ import annotations

import socket
import subprocess
import sys
from threading import Thread

import pytest

from mock_server import probe
from mock_server.server import bind
from tests.process import environment, serving
from tests.support import SECONDS


def status(**variables: object) -> int:
    """The exit status of the script, in a Python without packages."""
    settings = {f"MOCK_SERVER_{name}": str(value) for name, value in variables.items()}
    command = [sys.executable, "-IS", probe.__file__]
    done = subprocess.run(
        command, env=environment(**settings), capture_output=True, timeout=SECONDS
    )
    return done.returncode


def answering(listener: socket.socket, answer: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(1024)
        connection.sendall(answer)


@pytest.mark.ci
@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1", "::1"])
def test_a_server_that_is_ready_passes(host: str) -> None:
    with serving("--port=0", MOCK_SERVER_HOST=host) as (url, _):
        assert status(HOST=host, PORT=url.rpartition(":")[2]) == 0


@pytest.mark.parametrize("answer", [b"HTTP/1.1 503 Service Unavailable\r\n\r\n", b""])
def test_whoever_says_anything_else_does_not(answer: bytes) -> None:
    with bind("127.0.0.1", 0) as listener:
        listener.listen()
        Thread(target=answering, args=(listener, answer)).start()
        assert status(PORT=listener.getsockname()[1]) == 1


def test_a_port_that_nobody_listens_on_does_not() -> None:
    assert status(PORT=1) == 1


def test_it_loads_nothing_that_takes_time() -> None:
    slow = "{'re', 'site', 'socket', 'mock_server', 'typing'} & set(sys.modules)"
    code = (
        f"import sys; exec(open(sys.argv[1]).read(), {{'__name__': ''}}); print({slow})"
    )
    command = [sys.executable, "-IS", "-c", code, probe.__file__]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "set()\n"
