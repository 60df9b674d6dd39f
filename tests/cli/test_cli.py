"""The command line, run as people run it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import httpx2
import pytest

from mock_server import __version__
from mock_server.cli.main import cli
from mock_server.domain.choices.table import table
from mock_server.fixture.source.files import shipped_path
from mock_server.wire.server import bind
from tests.cli.commands import MISTAKES, NOWHERE, run
from tests.process import COMMAND, environment, serving
from tests.support import LIST, SECONDS, fetch

DAY = timedelta(days=1)
PERMISSIONS = str(shipped_path("permissions.yaml"))


def process(*args: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own."""
    return subprocess.run(
        [*COMMAND, *args],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(**variables),
    )


def stop(process: subprocess.Popen[str], how: signal.Signals) -> tuple[int, str, str]:
    process.send_signal(how)
    out, err = process.communicate(timeout=SECONDS)
    return process.returncode, out, err


@pytest.mark.parametrize(
    "how", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.ci)]
)
def test_stdout_is_one_line_and_an_asked_stop_is_0(how: signal.Signals) -> None:
    with serving("--port", "0") as (url, process):
        assert fetch("GET", url + "/__admin/health").status_code == 200
        status, out, err = stop(process, how)
    assert (status, out) == (0, "")
    assert "Traceback" not in err


@pytest.mark.ci
def test_the_banner_tells_counts_keys_console_and_a_call() -> None:
    with serving("serve", PERMISSIONS, "--port=0") as (url, process):
        _, _, err = stop(process, signal.SIGTERM)
    assert "2 datasets, 63 collections, 3 chats from permissions.yaml" in err
    assert "profile documented" in err
    assert "fastgpt-owner, fastgpt-manager" in err
    assert f"console: {url}/__admin/ (the admin API: open" in err
    assert f"curl -X POST {url}{LIST} -H 'Authorization: Bearer fastgpt-owner'" in err
    assert err.count("\n") == 4


@pytest.mark.ci
def test_a_token_is_told_of_but_not_told() -> None:
    with serving("--port=0", MOCK_SERVER_ADMIN_TOKEN="s3cret") as (_, process):
        _, out, err = stop(process, signal.SIGTERM)
    assert "needs the token" in err
    assert "s3cret" not in out + err


@pytest.mark.ci
def test_every_setting_has_a_variable(tmp_path: Path) -> None:
    extra = tmp_path / "extra.yaml"
    extra.write_text("datasets: [{id: x}]")
    with serving(
        MOCK_SERVER_HOST="127.0.0.1",
        MOCK_SERVER_PORT="0",
        MOCK_SERVER_FIXTURE=os.pathsep.join([PERMISSIONS, str(extra)]),
        MOCK_SERVER_PROFILE="deployed",
        MOCK_SERVER_CHOICE="legacy_paths=off, list_order=name",
        MOCK_SERVER_HTTP="h11",
        MOCK_SERVER_CORS_ORIGIN="http://a.example, http://b.example",
        MOCK_SERVER_ALLOWED_HOST="mock.example",
        MOCK_SERVER_LOG_FORMAT="json",
    ) as (url, process):
        headers = {"Host": "mock.example"}
        health = fetch("GET", url + "/__admin/health", headers=headers).json()
        page = fetch("GET", url, headers={"Origin": "http://b.example"})
        legacy = fetch("PUT", url + "/api/core/chat/updateHistory", json={})
        _, _, err = stop(process, signal.SIGTERM)
    assert (health["profile"], health["fixture"]["datasets"]) == ("deployed", 3)
    assert page.headers["access-control-allow-origin"] == "http://b.example"
    assert legacy.status_code == 404
    logged = [line for line in map(json.loads, err.splitlines()) if "path" in line]
    assert [(line["path"], line["status"]) for line in logged] == [
        ("/__admin/health", 200),
        ("/", 404),
        ("/api/core/chat/updateHistory", 404),
    ]


@pytest.mark.ci
def test_a_request_line_says_what_was_asked_of_whom_and_how_it_ended() -> None:
    with serving("--port=0", "--log-format=json") as (url, process):
        made = fetch("POST", url + "/__admin/sandboxes", json={"name": "mine"}).json()
        headers = {"Authorization": f"Bearer {made['key']}"}
        fetch("POST", url + LIST, headers=headers, json={})
        _, _, err = stop(process, signal.SIGTERM)
    *own, line = map(json.loads, err.splitlines())
    assert all({"time"} < each.keys() for each in own)
    assert own[0]["message"].startswith("serving 2 datasets")
    assert datetime.now(UTC) - datetime.fromisoformat(line.pop("time")) < DAY
    assert line.pop("durationMs") > 0
    assert line == {
        "sandbox": "mine",
        "operation": "listV2",
        "method": "POST",
        "path": LIST,
        "status": 400,
        "fault": None,
        "reason": "Expected an integer from 0 to 9007199254740991, got nothing - at "
        "$.offset (page N begins at offset (N - 1) * pageSize) (served with the choice "
        "offset_missing=accept); Expected a string of 1 to 256 characters, got nothing "
        "- at $.datasetId",
        "requestId": "mine-1-1",
    }
    assert made["key"] not in err


@pytest.mark.ci
def test_a_request_that_a_fault_left_without_an_answer_has_a_line_too() -> None:
    with serving("--port=0", "--log-format=json") as (url, process):
        fetch("POST", url + "/__admin/faults", json={"kind": "reset"})
        with pytest.raises(httpx2.TransportError):
            fetch("POST", url + LIST, headers={"Authorization": "Bearer k"}, json={})
        _, _, err = stop(process, signal.SIGTERM)
    line = json.loads(err.splitlines()[-1])
    assert (line["operation"], line["status"]) == ("listV2", 0)
    assert line["fault"] == "f1 reset"


@pytest.mark.ci
def test_request_lines_as_text() -> None:
    with serving("--port=0", "--log-format=text") as (url, process):
        fetch("GET", url + "/a%0Ab")
        _, _, err = stop(process, signal.SIGTERM)
    line = err.splitlines()[-1]
    assert " GET /a%0Ab 404 " in line
    reason = 'Expected a route that this mock serves, got GET "/a%0Ab"'
    assert re.search(f" ms id default-1-1 - {reason} - at path ", line)
    assert "\x1b" not in line


def test_a_mistake_is_told_in_the_words_that_a_person_has_read() -> None:
    assert MISTAKES.changed() == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--nope", "No such option"),
        ("--nope chek", "No such option"),
        ("--nope journal", "No such option"),
        ("check", "Expected FIXTURE..., got nothing (see mock-server check"),
        ("--prot 80", "--port"),
        ("--prot 80", "(see mock-server serve --help)"),
        ("fault ad", "(see mock-server fault --help)"),
        ("fault add error x", "(see mock-server fault add --help)"),
    ],
)
def test_a_mistake_that_click_words_is_one_clear_message(
    line: str, message: str
) -> None:
    done = run(*line.split(), MOCK_SERVER_HOST=NOWHERE)
    assert (done.status, done.out) == (1, "")
    assert message in done.err


@pytest.mark.ci
def test_a_mistake_ends_the_process_so() -> None:
    done = process("--host", NOWHERE)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(f"cannot listen on {NOWHERE}:8000: ")
    assert "Traceback" not in done.stderr


@pytest.mark.ci
def test_a_broken_fixture_serves_nothing(tmp_path: Path) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("apps:\n- id: a\n  chat: []\n")
    done, checked = process("serve", str(broken)), run("check", str(broken))
    assert (done.returncode, done.stdout) == (2, "")
    assert (checked.status, checked.err) == (2, "")
    assert (
        done.stderr
        == checked.out
        == (
            f"{broken}:3:3: unknown field 'chat' (did you mean 'chats'?)\n"
            "  3 |   chat: []\n"
            "    |   ^\n"
        )
    )


@pytest.mark.ci
def test_a_port_in_use_is_status_3() -> None:
    with bind("127.0.0.1", 0) as listener:
        port = str(listener.getsockname()[1])
        done = process("--port", port)
    assert (done.returncode, done.stdout) == (3, "")
    assert f"cannot listen on 127.0.0.1:{port}: " in done.stderr
    assert "--port 0 takes a free port" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.ci
@pytest.mark.parametrize("host", ["0.0.0.0", "127.0.0.1", "::", "::1"])
def test_healthcheck_finds_the_server_of_the_environment(host: str) -> None:
    with serving("--port=0", MOCK_SERVER_HOST=host) as (url, _):
        port = url.rsplit(":", 1)[1]
        done = run("healthcheck", MOCK_SERVER_HOST=host, MOCK_SERVER_PORT=port)
    assert (done.status, done.out) == (0, "ready\n")


@pytest.mark.ci
def test_healthcheck_finds_the_server_of_its_options() -> None:
    with serving("--port=0") as (url, _):
        port = url.rsplit(":", 1)[1]
        for options in ("--port=P", "--timeout 60 --host 0.0.0.0 --port P"):
            done = run("healthcheck", *options.replace("P", port).split())
            assert (done.status, done.out) == (0, "ready\n")


@pytest.mark.ci
def test_a_healthcheck_loads_no_server() -> None:
    code = (
        "import contextlib, sys; from mock_server.cli.main import main\n"
        "with contextlib.suppress(SystemExit): main(['healthcheck', '--port=1'])\n"
        "print(sorted({'msgspec', 'starlette', 'uvicorn', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "cannot reach" in done.stderr
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("name", cli.list_commands(click.Context(cli)))
def test_every_command_has_help_under_its_name(name: str) -> None:
    help_text = run(name, "--help").out
    assert help_text.startswith(f"Usage: mock-server {name} ")


@pytest.mark.ci
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("printed", ["choices", "--help", "--version"])
def test_a_full_stdout_is_one_message(printed: str) -> None:
    with open("/dev/full", "w") as full:
        command = [*COMMAND, printed]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("cannot write: ")
    assert "Traceback" not in done.stderr


@pytest.mark.ci
def test_a_shipped_fixture_is_served_by_its_name() -> None:
    with serving("--port=0", "paging") as (url, _):
        health = fetch("GET", url + "/__admin/health").json()
        assert health["fixture"]["files"] == ["paging.yaml"]


def test_choices_shows_the_table() -> None:
    text, rows = run("choices").out, json.loads(run("choices", "--json").out)
    assert [row["name"] for row in rows] == list(table())
    for choice in table().values():
        assert choice.name in text
        assert choice.sentence in text


@pytest.mark.ci
@pytest.mark.parametrize(
    ("args", "path"), [((), "/openapi.json"), (("--admin",), "/__admin/openapi.json")]
)
def test_openapi_prints_what_a_server_serves(args: tuple[str], path: str) -> None:
    with serving(PERMISSIONS, "--port=0") as (url, _):
        served = fetch("GET", url + path).json()
    assert json.loads(run("openapi", *args).out) == served


@pytest.mark.parametrize("group", ["fault", "clock"])
def test_a_group_alone_shows_its_help(group: str) -> None:
    done, asked = run(group), run(group, "--help")
    assert (done.status, done.out, done.err) == (1, "", asked.out)


@pytest.mark.ci
def test_help_is_as_wide_as_the_terminal() -> None:
    lines, narrow = (
        process("--help", **variables).stdout.splitlines()
        for variables in ({}, {"COLUMNS": "60"})
    )
    assert max(map(len, narrow)) <= 60 < max(map(len, lines)) <= 80


def test_version_and_help() -> None:
    assert process("--version").stdout == f"mock-server, version {__version__}\n"
    text = run("--help").out
    assert len(text.splitlines()) <= 45
    first, _, more = text.partition("More commands:")
    named = re.findall(r"^  ([a-z]+) |^  (--\w+|FIXTURE)", first, re.MULTILINE)
    words = (
        "serve init check fault journal reset --port FIXTURE --profile --watch --demo"
    )
    assert [command or option for command, option in named] == words.split()
    serve = cli.get_command(click.Context(cli), "serve")
    assert serve is not None
    for each in serve.params:
        assert isinstance(each, click.Argument) or each.opts[0] in text
    assert "healthcheck" in more
    assert "..." not in more
    assert "MOCK_SERVER_ALLOWED_HOST" in run("serve", "--help").out.replace("\n", "")
