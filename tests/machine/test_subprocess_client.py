"""A client in a process of its own: called, waited for, ended."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator

import pytest

from mock_server.strategies import ClientError, SubprocessClient
from mock_server.strategies.subprocess_client import ProcessEnded

CHILD = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    given = asked["arguments"]
    if asked["call"] == "wait":
        print(json.dumps({"sleep": given["seconds"]}), flush=True)
        given = json.loads(sys.stdin.readline())
    if asked["call"] == "log":
        print("something", given["text"], file=sys.stderr, flush=True)
    if asked["call"] == "end":
        sys.exit(3)
    name = "error" if asked["call"] == "fail" else "value"
    print(json.dumps({name: given}), flush=True)
"""


@pytest.fixture
def client() -> Iterator[SubprocessClient]:
    client = SubprocessClient(sys.executable, "-c", CHILD)
    yield client
    client.close()


def test_a_call_gives_what_the_process_gives(client: SubprocessClient) -> None:
    assert client.call("echo", text="größe") == {"text": "größe"}
    with pytest.raises(ClientError, match="no way"):
        client.call("fail", why="no way")
    assert client.call("echo") == {}


def test_a_process_waits_as_its_machine_does(client: SubprocessClient) -> None:
    slept: list[float] = []
    client.sleep = slept.append
    assert client.call("wait", seconds=3600) == {"slept": 3600}
    assert slept == [3600]


def test_what_a_process_writes_besides_is_logged(
    client: SubprocessClient, caplog: pytest.LogCaptureFixture
) -> None:
    client.call("log", text="secret")
    logged = [(each.levelno, each.getMessage()) for each in caplog.records]
    assert logged == [(logging.WARNING, "something secret")]


def test_a_process_that_ends_is_told_and_started_again(
    client: SubprocessClient,
) -> None:
    with pytest.raises(ProcessEnded, match=r"an answer to 'end', got the end .*\(3\)"):
        client.call("end")
    assert client.call("echo", n=1) == {"n": 1}
