"""Lines that are written without anybody waiting for a reader."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from typing import TextIO

import pytest

from mock_server.cli.output import LineWriter
from mock_server.domain.limits import Published
from tests.process import COMMAND, environment
from tests.support import fetch

PIPE_BYTES = 64 * 1024
"""What a pipe takes that nobody reads."""


@contextmanager
def pipe() -> Iterator[tuple[TextIO, TextIO]]:
    """The reading and the writing end of a pipe."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as reader, os.fdopen(writing, "w") as writer:
        yield reader, writer


def test_lines_come_in_order_and_whole() -> None:
    lines = [f"line {n} {'x' * 5_000}" for n in range(200)]
    with pipe() as (reader, stream):
        writer = LineWriter(stream)
        stream.close()
        for line in lines:
            writer.write(line)
        assert [reader.readline() for _ in lines] == [f"{line}\n" for line in lines]
        writer.close()
        assert reader.read() == ""


def test_what_a_full_pipe_drops_is_told_when_it_flows_again() -> None:
    more = PIPE_BYTES // 100 + 1
    sent = 2 * Published.waiting_lines + more
    with pipe() as (reader, stream):
        writer = LineWriter(stream)
        stream.close()
        for n in range(sent):
            writer.write(f"{n:0100}")
        kept = dropped = 0
        while kept + dropped < sent:
            line = reader.readline()
            found = re.fullmatch(r"dropped (\d+) lines\n", line)
            dropped += int(found[1]) if found else 0
            kept += found is None
        assert dropped > 0
        assert kept >= Published.waiting_lines


def test_a_reader_that_is_gone_is_no_error() -> None:
    with pipe() as (reader, stream):
        writer = LineWriter(stream)
        reader.close()
        writer.write("nobody reads this")
        writer.close()


def test_a_missing_stream_takes_every_line() -> None:
    writer = LineWriter(None)
    writer.write("x")
    writer.close()


@contextmanager
def unread(*args: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server of which nobody reads stderr; gives its address."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [*COMMAND, "--port", "0", *args]
    process = subprocess.Popen(command, env=environment(), **pipes)  # type: ignore[call-overload]
    try:
        yield process.stdout.readline().strip().partition("http://")[2], process
    finally:
        process.kill()
        process.communicate()


def log_lines(address: str, count: int) -> None:
    """Requests that are logged, each in more than a hundred bytes."""
    with closing(HTTPConnection(address, timeout=30)) as connection:
        for _ in range(count):
            connection.request("GET", f"/{'x' * 400}")
            connection.getresponse().read()


def malformed(address: str, count: int) -> None:
    """Requests that are none, of which the parser's logger tells."""
    host, _, port = address.partition(":")
    for _ in range(count):
        with socket.create_connection((host, int(port)), timeout=30) as connection:
            connection.sendall(b"GARBAGE\r\n\r\n")
            assert connection.recv(100)


@pytest.mark.parametrize(
    ("args", "send", "count"),
    [(["--log-format", "text"], log_lines, 400), ([], malformed, 2_500)],
    ids=["request_lines", "loggers"],
)
@pytest.mark.ci
def test_a_server_goes_on_when_nobody_reads_its_stderr(
    args: list[str], send: object, count: int
) -> None:
    with unread(*args) as (address, process):
        assert callable(send)
        send(address, count)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


@pytest.mark.ci
@pytest.mark.parametrize(
    ("variables", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False)]
)
def test_request_lines_on_a_terminal_have_colours_unless_they_are_unwanted(
    variables: dict[str, str], is_coloured: bool
) -> None:
    terminal, other_end = os.openpty()
    environment_of = environment(**{"TERM": "xterm", "NO_COLOR": "", **variables})
    server = subprocess.Popen(
        [*COMMAND, "--port=0"],
        stdout=subprocess.PIPE,
        stderr=other_end,
        text=True,
        env=environment_of,
    )
    os.close(other_end)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().split()[1]
        fetch("GET", f"{url}/nowhere")
        shown = ""
        while "/nowhere" not in shown:
            shown += os.read(terminal, 65_536).decode()
    finally:
        server.kill()
        server.communicate()
        os.close(terminal)
    assert ("\x1b[33m404\x1b[0m" in shown) == is_coloured
    assert ("\x1b" in shown) == is_coloured
