"""Every command against servers that are no mock server, and hostile ones."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mock_server.cli.main import main
from tests.process import COMMAND, environment
from tests.strangers import (
    ENDLESS,
    REDIRECTS,
    STRANGERS,
    Strange,
    answer,
    says,
    strangers,
)
from tests.support import SECONDS

TOKEN = "s3cret-admin-token"
FILE = "STATE"
COMMANDS = {
    "reset": ("reset",),
    "state": ("state",),
    "state-yaml": ("state", "--yaml"),
    "put-state": ("state", FILE),
    "journal": ("journal",),
    "verify": ("journal", "--exactly", "0"),
    "add": ("fault", "add", "error"),
    "list": ("fault", "list"),
    "clear": ("fault", "clear"),
    "remove": ("fault", "remove", "f1"),
    "follow": ("journal", "--follow"),
    "clock": ("clock", "show"),
    "snapshot": ("snapshot", "list"),
    "choices": ("choices", "show"),
    "sandbox": ("sandbox", "list"),
    "wait": ("wait",),
    "healthcheck": ("healthcheck",),
}
HANGING = 30.0
"""Half of what the slowest of them take to end by themselves."""
NAMES = [*STRANGERS, *REDIRECTS]


REPEATING = {
    "repeating_line": says(f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()),
    "repeating_encoding": says(answer("200 OK", b"x", f"Content-Encoding: {TOKEN}")),
    "repeating_page": says(answer("200 OK", TOKEN.encode())),
    "repeating_long_page": says(answer("502 Bad", f"{'x' * 50} {TOKEN}".encode() * 9)),
    "repeating_refusal": says(
        answer(
            "400 X", b'{"code":400,"statusText":"x","message":"%b"}' % TOKEN.encode()
        )
    ),
}
"""Those that repeat what they were sent."""


@pytest.fixture(scope="module")
def strange() -> Iterator[Strange]:
    with strangers(REPEATING) as running:
        yield running


@pytest.fixture
def document(tmp_path: Path) -> str:
    path = tmp_path / "state.yaml"
    path.write_text("apps: []")
    return str(path)


def arguments(strange: Strange, name: str, command: str, document: str) -> list[str]:
    """A command line; only what never ends is given a short time."""
    seconds = "0.04" if name in ENDLESS else "0" if command == "wait" else "20"
    args = [document if arg == FILE else arg for arg in COMMANDS[command]]
    if command == "healthcheck":
        place = ["--host", "127.0.0.1", "--port", str(strange.ports[name])]
    else:
        place = ["--url", strange.url(name), "--admin-token", TOKEN]
    return [*args, "--timeout", seconds, *place]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.sampled
def test_no_command_takes_a_stranger_for_a_mock_server(
    strange: Strange,
    document: str,
    capsys: pytest.CaptureFixture[str],
    command: str,
    name: str,
) -> None:
    start = time.monotonic()
    with pytest.raises(SystemExit) as ended:
        main(arguments(strange, name, command, document))
    assert time.monotonic() - start < HANGING
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (4 if command == "wait" else 3, "")
    assert len(err.splitlines()) == 1
    assert err.removesuffix("\n").isprintable()
    assert not err.startswith("::")
    assert strange.elsewhere == []


@pytest.mark.parametrize("name", REPEATING)
@pytest.mark.parametrize("command", ["reset", "follow"])
def test_no_message_shows_the_admin_token(
    strange: Strange, capsys: pytest.CaptureFixture[str], command: str, name: str
) -> None:
    with pytest.raises(SystemExit):
        main(arguments(strange, name, command, ""))
    err = capsys.readouterr().err
    assert "[redacted]" in err
    assert TOKEN[:8] not in err


@pytest.mark.ci
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("verify", "dripping_head"),
        ("wait", "redirect_302"),
        ("healthcheck", "not_utf8"),
    ],
)
def test_a_process_ends_as_clearly(
    strange: Strange, document: str, command: str, name: str
) -> None:
    done = subprocess.run(
        [*COMMAND, *arguments(strange, name, command, document)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(http_proxy=strange.url("object"), all_proxy="http://[::1]:1"),
    )
    assert (done.returncode, done.stdout) == (4 if command == "wait" else 3, "")
    assert len(done.stderr.splitlines()) == 1
    assert strange.elsewhere == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("page", "got 200 text/html '<!doctype html>\\n<title>Welcome</title>"),
        ("redirect_307", "got a redirect (307) to 'http://localhost:"),
        ("no_content", "got 204 without a body"),
        ("page_500", "got 500 text/html '<!doctype"),
        ("page_503", "got 503 text/html '<!doctype"),
        ("gzip", "a response encoded as 'gzip'"),
        ("mistyped", "(Expected `str`, got `int` - at `$.sandbox`)"),
        ("not_utf8", "(not UTF-8)"),
        ("closed_at_once", "closed without a response"),
        ("closed_in_body", "the response ended early"),
        ("http_0_9", "the response is not HTTP: '<!doctype html>"),
        ("dripping_body", "no full response in 0.04 s"),
        ("storm_of_100", "more than 65536 bytes of headers"),
        ("endless_line", "more than 65536 bytes of headers"),
        ("terminal", "got 418 application/json '\\x1b[2J::error::x \\u202e'"),
    ],
)
def test_the_message_says_what_came(
    strange: Strange, capsys: pytest.CaptureFixture[str], name: str, said: str
) -> None:
    with pytest.raises(SystemExit):
        main(arguments(strange, name, "reset", ""))
    assert said in capsys.readouterr().err
