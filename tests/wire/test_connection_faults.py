"""Faults that only a real connection shows, byte for byte, with both parsers."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest

from mock_server.api.faults.garbage import GARBAGE
from mock_server.domain.limits import Limits, Published
from tests.support import DATASET, LIST, Api, wait
from tests.wire.spoiled import add, connected, exchanged, received, request

pytestmark = pytest.mark.parametrize("face", ["zttp", "h11"])
ROUNDS = 50
TICK = 0.01
"""How early a timer may be, in seconds."""
OK = b'{"code":200,"statusText":"","message":"","data":null}'


@pytest.mark.parametrize(
    ("kind", "bytes_", "end"),
    [("reset", b"", "RST"), ("empty", b"", "FIN"), ("garbage", GARBAGE, "FIN")],
)
def test_no_answer_is_exactly_none(
    api: Api, kind: str, bytes_: bytes, end: str
) -> None:
    add(api, kind, times=ROUNDS)
    assert {exchanged(api) for _ in range(ROUNDS)} == {(bytes_, end)}
    assert api.top() is False
    assert api.pin().status_code == 200


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        ({}, len(OK) // 2),
        ({"bytes": 0}, 0),
        ({"bytes": 5}, 5),
        ({"bytes": 9_999}, len(OK) - 1),
    ],
)
def test_a_truncated_answer_ends_short_of_its_length(
    api: Api, fields: dict[str, int], kept: int
) -> None:
    add(api, "truncate", times=ROUNDS, **fields)
    for _ in range(ROUNDS):
        content, end = exchanged(api)
        head, _, body = content.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200 ")
        assert b"content-length: %d\r\n" % len(OK) in head + b"\r\n"
        assert (body, end) == (OK[:kept], "FIN")
    assert api.top() is False


def test_a_truncated_page_is_the_beginning_of_the_right_one(api: Api) -> None:
    whole = api.list_v2().content
    add(api, "truncate", bytes=100)
    content, _ = exchanged(api, request(LIST, "POST", offset=0, datasetId=DATASET))
    assert content.endswith(b"\r\n\r\n" + whole[:100])


def test_malformed_json_keeps_the_connection(api: Api) -> None:
    add(api, "malformed_json", times=ROUNDS)
    with connected(api) as connection:
        for _ in range(ROUNDS):
            connection.sendall(request())
            content = connection.recv(65_536)
            assert content.endswith(b"\r\n\r\n" + OK[:-1] + b"]")


@pytest.mark.ci
def test_a_dribbled_answer_comes_in_pieces(api: Api) -> None:
    add(api, "dribble", chunks=5, ms=100)
    start, times, content = time.monotonic(), [], b""
    with connected(api) as connection:
        connection.sendall(request())
        while not content.endswith(OK):
            content += connection.recv(65_536)
            times.append(time.monotonic() - start)
    assert len(times) > 1
    assert times[-1] >= 4 * 0.1 - TICK


@pytest.mark.parametrize("kind", ["reset", "empty", "garbage", "truncate"])
def test_after_an_applied_operation_only_the_answer_is_lost(
    api: Api, kind: str
) -> None:
    add(api, kind, phase="after")
    exchanged(api)
    assert api.top() is True


@pytest.mark.parametrize(
    ("kind", "end"), [("reset", "RST"), ("empty", "FIN"), ("garbage", "FIN")]
)
def test_answers_before_it_on_the_same_connection_arrive(
    api: Api, kind: str, end: str
) -> None:
    add(api, kind, match={"body": {"top": False}})
    for _ in range(10):
        content, ended = exchanged(api, request() * 2 + request(top=False))
        assert content.count(OK) == 2
        assert ended == end
        add(api, kind, match={"body": {"top": False}})


@pytest.mark.parametrize("kind", ["reset", "empty", "garbage", "truncate", "hang"])
def test_other_connections_are_unharmed(api: Api, kind: str) -> None:
    add(api, kind, times=20, match={"key": "victim"})
    with connected(api) as other:
        for _ in range(20):
            with connected(api) as victim:
                victim.sendall(request(key="victim"))
                other.sendall(request())
                assert other.recv(65_536).endswith(OK)
    # What was sent last may not have been read: it would meet the next test's server.
    wait(lambda: len(api.journal()) == 40)


def test_a_hang_says_nothing_and_does_nothing(api: Api) -> None:
    add(api, "hang")
    with connected(api) as connection:
        connection.sendall(request())
        wait(lambda: api.sandbox.state.waits)
        connection.settimeout(0.2)
        with pytest.raises(TimeoutError):
            connection.recv(1)
    (entry,) = wait(api.journal)
    assert (entry["answer"]["status"], entry["answer"]["headers"]) == (0, {})
    assert entry["fault"]["kind"] == "hang"
    assert api.top() is False


@pytest.mark.parametrize("kind", ["hang", "delay", "dribble"])
def test_a_reset_ends_what_is_held_up_without_an_answer(api: Api, kind: str) -> None:
    fields = {"delay": {"ms": 60_000}, "dribble": {"chunks": 2, "ms": 30_000}}
    add(api, kind, **fields.get(kind, {}))
    with connected(api) as connection:
        connection.sendall(request())
        if kind == "dribble":
            assert connection.recv(65_536).startswith(b"HTTP/1.1 200 ")
        else:
            wait(lambda: api.sandbox.state.waits)
        api.admin("POST", "/reset")
        assert received(connection)[1] == "FIN"
    assert api.top() is False
    assert api.journal() == []


def test_a_client_that_leaves_ends_its_wait(api: Api) -> None:
    add(api, "delay", ms=60_000)
    with connected(api) as connection:
        connection.sendall(request())
        wait(lambda: api.sandbox.state.waits)
    wait(lambda: not api.sandbox.state.waits)
    assert wait(api.journal)[0]["answer"]["status"] == 0
    assert api.top() is False


def test_one_entry_for_each_spoiled_request(api: Api) -> None:
    for kind in ("reset", "empty", "garbage", "truncate", "malformed_json"):
        add(api, kind)
        with connected(api) as connection:
            connection.sendall(request())
            connection.recv(1) if kind == "malformed_json" else received(connection)
    entries = api.journal()
    assert [entry["fault"]["kind"] for entry in entries] == (
        ["reset", "empty", "garbage", "truncate", "malformed_json"]
    )
    assert [entry["answer"]["status"] for entry in entries] == [0, 0, 0, 200, 200]


NO_ANSWER = {"reset": (b"", "RST"), "empty": (b"", "FIN")}


class TooSlow(Exception):
    """The machine was too busy: a connection was not new, or no request a resend."""


@contextmanager
def newly_connected(api: Api) -> Iterator[socket.socket]:
    start = time.monotonic()
    with connected(api) as connection:
        yield connection
    if time.monotonic() - start > Published.new_seconds:
        raise TooSlow


def repeated_while_slow(test: Callable[..., None]) -> Callable[..., None]:
    """The test, from a reset again as long as the machine was too slow for it."""

    @wraps(test)
    def repeated(api: Api, **arguments: Any) -> None:
        def was_quick() -> bool:
            api.admin("POST", "/reset")
            try:
                test(api, **arguments)
            except TooSlow:
                return False
            return True

        wait(was_quick)

    return repeated


def failures(api: Api, *contents: bytes) -> list[bool]:
    """Send one on a connection that was used before, the others each on a new one.

    Says of each whether it was left without an answer.
    """
    first, *others = contents
    start = time.monotonic()
    with connected(api) as used:
        used.sendall(request(top=False))
        assert used.recv(65_536)
        used.sendall(first)
        failed = [first_bytes(used) == b""]
    for content in others:
        with newly_connected(api) as new:
            new.sendall(content)
            failed.append(first_bytes(new) == b"")
    if time.monotonic() - start > Limits().resend_seconds:
        raise TooSlow
    return failed


def first_bytes(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65_536)
    except ConnectionResetError:
        return b""


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["reset", "empty"])
@pytest.mark.parametrize(
    ("fields", "failed"),
    [
        ({}, [True, False, False]),
        ({"connections": "first"}, [True, False, False]),
        ({"connections": "all"}, [True, True, False]),
        ({"connections": "all", "phase": "after"}, [True, True, False]),
    ],
)
@repeated_while_slow
def test_what_a_browser_sends_again_fails_too_if_that_is_wanted(
    api: Api, kind: str, fields: dict[str, Any], failed: list[bool]
) -> None:
    wanted = {"match": {"body": {"top": True}}} | fields
    add(api, kind, **wanted)
    assert failures(api, *[request()] * 3) == failed
    (fault,) = api.admin("GET", "/faults").json()["faults"]
    assert (fault["fired"], fault["matches"], fault["remaining"]) == (1, 1, 0)
    told = [entry["fault"] and entry["fault"]["id"] for entry in api.journal()[1:]]
    assert told == ["f1" if each else None for each in failed]


@repeated_while_slow
def test_another_request_on_a_new_connection_is_no_resend(api: Api) -> None:
    add(api, "reset", match={"body": {"top": True}}, connections="all")
    other = request(key="another"), request(chatId="chat-2"), request()
    assert failures(api, request(), *other) == [True, False, False, True]


@repeated_while_slow
def test_on_a_connection_made_for_the_request_a_failure_is_seen_at_once(
    api: Api,
) -> None:
    add(api, "reset", connections="all")
    with newly_connected(api) as new:
        new.sendall(request())
        assert received(new)[1] == "RST"
    assert first_of_new(api)


def first_of_new(api: Api) -> bool:
    """Whether a request on a connection of its own is answered."""
    with connected(api) as new:
        new.sendall(request())
        return first_bytes(new) != b""


@repeated_while_slow
def test_each_firing_of_several_meets_its_own_resend(api: Api) -> None:
    add(api, "reset", match={"body": {"top": True}}, times=2, connections="all")
    assert failures(api, *[request()] * 2) == [True, True]
    assert failures(api, *[request()] * 3) == [True, True, False]
