"""Standard streams that are closed when a command starts."""

from __future__ import annotations

import subprocess

import pytest

from mock_server.wire.server import bind
from tests.cli.commands import run
from tests.process import COMMAND, environment
from tests.support import SECONDS, fetch

# Each alone, in the long run only: all at once is the hardest.
SINGLE = [pytest.param(each, marks=pytest.mark.ci) for each in ("<&-", ">&-", "2>&-")]


def closed(command: str, streams: str) -> list[str]:
    """A shell that runs a command without these streams."""
    return ["sh", "-c", f'exec "$@" {command} {streams}', "sh", *COMMAND]


@pytest.mark.ci
@pytest.mark.parametrize("streams", ["<&- >&- 2>&-", *SINGLE])
def test_a_server_serves_without_its_streams(streams: str) -> None:
    with bind("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
    process = subprocess.Popen(
        closed(f"serve --port {port}", streams),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        assert run("wait", "--url", f"http://127.0.0.1:{port}").status == 0
        health = fetch("GET", f"http://127.0.0.1:{port}/__admin/health")
        assert health.json()["status"] == "ready"
    finally:
        process.terminate()
        out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert out in ("", f"READY http://127.0.0.1:{port}\n")


@pytest.mark.ci
def test_a_state_from_a_closed_stdin_is_not_an_empty_state() -> None:
    command = closed("state - --url http://127.0.0.1:1", "<&-")
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "cannot read stdin: Bad file descriptor\n"


@pytest.mark.ci
@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_ends_as_ever_without_its_streams(streams: str) -> None:
    command = closed("check no.yaml", streams)
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
