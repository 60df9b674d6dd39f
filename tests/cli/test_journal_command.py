"""`mock-server journal`: its table, its colours, and following it."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

import msgspec
import pytest

from mock_server.admin.views import (
    AnswerView,
    EntryView,
    FiringView,
    RequestView,
    ViolationView,
)
from mock_server.api.envelope import error_envelope
from mock_server.cli.journal import Event, entry_text, events_of
from mock_server.control.embedding import MockServer
from mock_server.control.http_call import Unreachable
from mock_server.wire.server import bind
from tests.cli import commands
from tests.process import COMMAND, environment, serving
from tests.support import LIBRARY, LIST, PIN, SECONDS, fetch

KEY = {"Authorization": "Bearer some-key-of-a-client"}


@pytest.fixture
def server() -> Iterator[MockServer]:
    with MockServer(LIBRARY) as running:
        yield running


def entry(**fields: object) -> EntryView:
    """An entry as the admin API gives it, some fields replaced."""
    raw = json.dumps(None).encode()
    values: dict[str, object] = {
        "seq": 1,
        "time": "2026-01-31T12:00:00.123Z",
        "generation": 1,
        "operation": "listV2",
        "key": "some12345678",
        "member": None,
        "request": RequestView("POST", LIST, "", {}, raw, False),  # type: ignore[arg-type]
        "answer": AnswerView(200, {}, raw, False),  # type: ignore[arg-type]
        "fault": None,
        "duration_ms": 1.234,
        "violations": [],
        "hint": None,
    }
    return EntryView(**(values | fields))  # type: ignore[arg-type]


def test_a_row_tells_what_was_asked_by_whom_and_what_came_of_it() -> None:
    assert entry_text(entry(), has_colour=False).split() == [
        "12:00:00.123",
        "200",
        "listV2",
        "some12345678",
        "1.23",
        "ms",
    ]
    names = ["offset_missing", "numeric_strings", "numeric_strings"]
    violations = [ViolationView(name, "5", "$", "x", "refused") for name in names]
    row = entry_text(
        entry(
            operation=None,
            member="tmb-1",
            answer=AnswerView(0, {}, b"null", False),  # type: ignore[arg-type]
            fault=FiringView("f1", "reset", 0.1, 1.0),
            violations=violations,
            hint="Look there",
        ),
        has_colour=False,
    )
    first, second = row.split("\n")
    assert f"  -       POST {LIST}  tmb-1 " in first
    assert first.endswith(
        "  fault f1 reset  3 violations: offset_missing, numeric_strings at $"
    )
    assert second.strip() == "Look there"


def test_a_row_cannot_steer_a_terminal() -> None:
    request = RequestView("GET", "/\x1b[2J", "", {}, b"null", False)  # type: ignore[arg-type]
    row = entry_text(
        entry(operation=None, request=request, hint="::error::\u202e"), has_colour=False
    )
    assert all(line.isprintable() for line in row.split("\n"))
    assert not any(line.strip().startswith("::") for line in row.split("\n"))


def test_a_refusal_says_why_below_its_row() -> None:
    odd = "Expected a, \x1b got b"
    for message, shown in (
        (odd, "Expected a, \\x1b got b"),
        ("x" * 999, "x" * 300 + "…"),
    ):
        raw = error_envelope(403, "forbidden", message)
        answer = AnswerView(403, {}, raw, False)  # type: ignore[arg-type]
        row = entry_text(entry(answer=answer), has_colour=False)
        assert row.split("\n")[1].strip() == shown
    for raw in (b'"{cut', b"null", b'{"message": 1}'):
        answer = AnswerView(500, {}, raw, False)  # type: ignore[arg-type]
        assert "\n" not in entry_text(entry(answer=answer), has_colour=False)


def test_a_hint_that_repeats_a_long_refusal_stands_alone() -> None:
    message = "x" * 999
    raw = error_envelope(404, "routeNotFound", message)
    answer = AnswerView(404, {}, raw, False)  # type: ignore[arg-type]
    row = entry_text(entry(answer=answer, hint=message), has_colour=False)
    assert [line.strip() for line in row.split("\n")[1:]] == [message]


def on_terminal(url: str, **variables: str) -> str:
    """What `journal` prints on a terminal."""
    ours, its = pty.openpty()
    settings = environment(MOCK_SERVER_URL=url, TERM="xterm") | variables
    command = [*COMMAND, "journal"]
    done = subprocess.run(command, stdout=its, env=settings, timeout=SECONDS)
    os.close(its)
    assert done.returncode == 0
    with os.fdopen(ours, "rb") as terminal:
        return terminal.read1(65_536).decode()


@pytest.mark.ci
def test_colours_are_for_terminals_that_want_them(server: MockServer) -> None:
    settings = {"NO_COLOR": ""}
    fetch("GET", server.url + "/nowhere")
    assert "\x1b[33m404" in on_terminal(server.url, **settings)
    for plain in ({"NO_COLOR": "1"}, {"NO_COLOR": "", "TERM": "dumb"}):
        assert "\x1b" not in on_terminal(server.url, **plain)
    assert "\x1b" not in commands.run("journal", "--url", server.url).out


@contextmanager
def following(url: str, *args: str) -> Iterator[subprocess.Popen[str]]:
    """A `journal --follow` in a process of its own, without a terminal."""
    process = subprocess.Popen(
        [*COMMAND, "journal", "--follow", "--url", url, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def until_followed(server: MockServer, streams: int = 1) -> None:
    """Wait until so many streams of the default sandbox are open."""
    for _ in range(int(SECONDS * 100)):
        if len(server.sandbox.listeners) >= streams:
            return
        signal.sigtimedwait([], 0.01)
    raise AssertionError("nobody follows")


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def interrupted(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    return process.returncode, out, err


@pytest.mark.ci
def test_requests_are_printed_as_they_come_until_ctrl_c(server: MockServer) -> None:
    fetch("GET", server.url + "/before")
    with following(server.url) as process:
        assert line_of(process).startswith("TIME")
        until_followed(server)
        fetch("POST", server.url + LIST, json={}, headers=KEY)
        assert " 400     listV2 " in line_of(process)
        status, out, err = interrupted(process)
    assert (status, err) == (0, "")
    assert "/before" not in out


@pytest.mark.ci
def test_what_nothing_serves_is_followed_alone(server: MockServer) -> None:
    with following(server.url, "--json", "--unknown") as process:
        until_followed(server)
        for path in (LIST, "/api/x"):
            fetch("POST", server.url + path, json={}, headers=KEY)
        assert json.loads(line_of(process))["request"]["path"] == "/api/x"
        status, out, _ = interrupted(process)
    assert (status, out) == (0, "")


@pytest.mark.ci
def test_criteria_hold_for_what_is_followed(server: MockServer) -> None:
    criteria = ("--operation", "updateHistory", "--status", "404", "--violations")
    body = ("--body", '{"appId": "nope"}')
    with following(server.url, "--json", *criteria, *body) as process:
        until_followed(server)
        for fields in ({"chatId": "c", "top": True}, {"chatId": 5}, {"appId": "nope"}):
            fetch("PUT", server.url + PIN, json=fields, headers=KEY)
        fetch("POST", server.url + LIST, json={"datasetId": "nope"}, headers=KEY)
        wanted = {"appId": "nope", "chatId": "c", "top": True, "extra": 1}
        fetch("PUT", server.url + PIN, json=wanted, headers=KEY)
        first = json.loads(line_of(process))
        status, out, _ = interrupted(process)
    assert first["request"]["body"] == wanted
    assert (status, out) == (0, "")


@pytest.mark.ci
def test_a_stream_that_breaks_off_is_opened_again() -> None:
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with serving("--port", str(port)) as (_, first), following(url) as process:
        rows: list[str] = []
        Thread(target=collect, args=(process, rows), daemon=True).start()
        until_shown(rows, url, "/first")
        first.terminate()
        first.wait(SECONDS)
        with serving("--port", str(port)):
            until_shown(rows, url, "/second")
            status, _, err = interrupted(process)
    assert status == 0
    assert ", retrying in 0.1 s\n" in err


@pytest.mark.ci
def test_a_stream_goes_on_where_it_broke_off() -> None:
    """Against a server that ends each stream after an entry."""
    asked: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        answering = Thread(target=answer_entries, args=(listener, asked), daemon=True)
        answering.start()
        with following(url, "--json") as process:
            found = [json.loads(line_of(process))["seq"] for _ in range(3)]
            process.kill()
    assert found == [7, 8, 9]
    assert asked[:3] == ["", "?since=8", "?since=9"]


def answer_entries(listener: socket.socket, asked: list[str]) -> None:
    """Answer with streams of one entry each, numbered from 7."""
    with suppress(OSError):
        while True:
            client, _ = listener.accept()
            with client:
                line = client.recv(65_536).split(b" ")[1].decode()
                asked.append(line.removeprefix("/__admin/journal/stream"))
                data = msgspec.json.encode(entry(seq=6 + len(asked)))
                event = b"id: %d\nevent: entry\ndata: %b\n\n" % (6 + len(asked), data)
                head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                client.sendall(head + b": journal\n\n" + event)


def collect(process: subprocess.Popen[str], rows: list[str]) -> None:
    assert process.stdout is not None
    for row in iter(process.stdout.readline, ""):
        rows.append(row)


def until_shown(rows: list[str], url: str, path: str) -> None:
    """Send requests until one is shown: a stream begins some time after its process."""
    for _ in range(int(SECONDS * 20)):
        fetch("GET", url + path)
        if any(f" GET {path} " in row for row in rows):
            return
        signal.sigtimedwait([], 0.05)
    raise AssertionError(f"{path} is not shown")


@pytest.mark.ci
def test_a_reader_that_goes_ends_it(server: MockServer) -> None:
    with following(server.url) as process:
        assert line_of(process).startswith("TIME")
        until_followed(server)
        assert process.stdout is not None
        process.stdout.close()
        fetch("GET", server.url + "/nowhere")
        assert process.wait(SECONDS) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_events_are_read_as_browsers_read_them() -> None:
    stream = b": hi\n\nid: 7\nevent: entry\ndata: {\ndata: }\n\ndata:x\r\n\r\nid: 8\n"
    lines = stream.splitlines(keepends=True)
    assert list(events_of(lines, 10)) == [
        Event("entry", b"{\n}\n", 7),
        Event("", b"x\n", 0),
    ]
    with pytest.raises(Unreachable, match="more than 3 bytes"):
        list(events_of(lines, 3))
