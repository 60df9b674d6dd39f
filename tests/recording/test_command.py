"""`mock-server record` as a process: what it prints, writes and refuses."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mock_server.app import create_app
from mock_server.server import running
from tests.certificates import needs_openssl, new_certificate, serving_context
from tests.cli.commands import run
from tests.process import environment, serving
from tests.strangers import answer, says, strangers
from tests.support import DATASET, LIBRARY, LIST, SECONDS, fetch, wait

KEY = "fastgpt-0123456789abcdefghijABCD"
PAGE = {"offset": 0, "datasetId": DATASET, "parentId": None}


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    with running(create_app(LIBRARY)) as url:
        yield url


def ask(url: str) -> bytes:
    headers = {"Authorization": f"Bearer {KEY}"}
    got = fetch("POST", f"{url}{LIST}?key={KEY}", json=PAGE, headers=headers)
    assert got.status_code == 200
    return got.content


@pytest.mark.parametrize(
    "name", ["seen.json", pytest.param("seen.yaml", marks=pytest.mark.ci)]
)
def test_what_is_seen_is_saved_at_the_end(
    target: str, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    given = ["--target", target, "--save", str(path), "--log-format=json", "--port=0"]
    with serving("record", *given) as (url, process):
        seen = ask(url)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out, os.listdir(tmp_path)) == (0, "", [name])
    assert f"saved 1 dataset, 4 collections, 0 chats to {path}\n" in err
    assert f"incomplete: dataset {DATASET}: not looked into: folder" in err
    assert KEY not in err + path.read_text()
    with running(create_app(path)) as url:
        assert ask(url) == seen


@pytest.mark.ci
def test_it_is_saved_when_asked_to(target: str, tmp_path: Path) -> None:
    path = tmp_path / "seen.json"
    given = ["--target", target, "--save", str(path), "--port=0"]
    with serving("record", *given) as (url, process):
        ask(url)
        process.send_signal(signal.SIGHUP)
        wait(path.exists)
        assert len(json.loads(path.read_text())["datasets"]) == 1
        assert ask(url)


@pytest.mark.ci
def test_the_banner_tells_what_passes_where(target: str) -> None:
    with serving("record", "--target", target, "--port=0") as (url, process):
        process.send_signal(signal.SIGHUP)
        ask(url)
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)
    assert err.splitlines() == [
        f"passing on to {target}: give clients {url} as their address",
        "nothing is saved: --save FILE would make a fixture of what is seen",
        f"console: {url}/__admin/ (the admin API: open to whoever reaches this port)",
        "SIGHUP: no --save FILE was named, so there is nothing to save",
    ]


@pytest.mark.ci
def test_what_an_earlier_run_has_saved_stays_if_nothing_is_seen(
    target: str, tmp_path: Path
) -> None:
    path = tmp_path / "seen.yaml"
    path.write_text("mine")
    given = ["--target", target, "--save", str(path), "--port=0"]
    with serving("record", *given) as (_, process):
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)
    assert f"at the end, and at SIGHUP, in place of what is there{os.linesep}" in err
    assert f"nothing was seen to save: {path} stays as it was" in err
    assert path.read_text() == "mine"


@pytest.mark.ci
def test_a_full_disk_is_told_at_the_end(target: str) -> None:
    given = ["--target", target, "--save", "/dev/full", "--port=0"]
    with serving("record", *given) as (_, process):
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 1
    assert err.splitlines()[-1] == "cannot write /dev/full: No space left on device"


@pytest.mark.ci
def test_a_target_that_is_not_there_yet_is_a_warning() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        where = "127.0.0.1:%d" % server.getsockname()[1]
    with serving("record", f"--target=http://{where}", "--port=0") as (_, process):
        assert process.stderr is not None
        lines = [process.stderr.readline() for _ in range(4)]
    assert lines[3].startswith(f"warning: cannot reach {where}: ")
    assert lines[3].endswith("; requests get 502 until then\n")


BAD = [
    ((), 1, "Missing option '--target'."),
    (("--target=",), 1, "Expected http://HOST:PORT, got "),
    (("--target=localhost:1",), 1, "(did you mean http://localhost:1?) - at --target"),
    (("--target=ftp://x",), 1, "Expected http://HOST:PORT, got "),
    (("--target=http://u:p@x",), 1, "Expected http://HOST:PORT, got "),
    (("--target=http://x?a=b",), 1, "Expected http://HOST:PORT, got "),
    (("--target=http://x:99999",), 1, "(a port is a number from 1 to 65535)"),
    (
        ("--target=http://x", "--save=/nowhere/x"),
        1,
        "cannot write /nowhere/x: ",
    ),
    (("--target=http://x", "--save=/"), 1, "cannot write /: it is a directory"),
    (("--target=http://x", "--port=-1"), 1, "Expected a port from 0 to 65535"),
    (("--target=http://x", "--host=256.1.1.1"), 3, "cannot listen on 256.1.1.1:"),
    (("--target=http://x", "--admin-token=a b"), 1, "Expected "),
]


@pytest.mark.parametrize(("given", "status", "said"), BAD)
def test_a_mistake_is_told_in_one_line(
    given: tuple[str, ...], status: int, said: str
) -> None:
    ended = run("record", *given)
    assert (ended.status, ended.out, ended.err.count("\n")) == (status, "", 1)
    assert said in ended.err


def test_a_file_that_is_there_stays_when_the_start_fails(tmp_path: Path) -> None:
    path = tmp_path / "seen.yaml"
    path.write_text("mine")
    ended = run("record", "--target=http://x", f"--save={path}", "--host=256.1.1.1")
    assert (ended.status, path.read_text()) == (3, "mine")
    assert os.listdir(tmp_path) == ["seen.yaml"]


def test_a_port_in_use_and_its_own_are_refused(target: str) -> None:
    port = target.rpartition(":")[2]
    ended = run("record", "--target=http://x", f"--port={port}")
    assert (ended.status, "something listens there already" in ended.err) == (3, True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    ended = run("record", f"--target=http://localhost:{free}", f"--port={free}")
    assert (ended.status, "Expected another server, got " in ended.err) == (1, True)


@pytest.mark.ci
def test_without_the_library_it_says_how_to_get_it() -> None:
    code = (
        "import sys; sys.modules['httpx2'] = None;"
        "from mock_server.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "record", "--target=http://x"],
        capture_output=True,
        text=True,
        env=environment(),
    )
    needed = "pip install 'fastgpt-mock-server[record]'"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"record needs the library httpx2: {needed}\n"


@pytest.mark.ci
@needs_openssl
@pytest.mark.parametrize("is_trusted", [True, False])
def test_the_certificate_of_a_target_is_verified(
    tmp_path: Path, is_trusted: bool
) -> None:
    certificate = new_certificate(tmp_path)
    served = {"ok": says(answer(body=b'{"code":200}'))}
    trusted = {"SSL_CERT_FILE": str(certificate)} if is_trusted else {}
    with strangers(served, serving_context(certificate)) as strange:
        target = strange.url("ok").replace("http://", "https://")
        with serving("record", "--target", target, "--port=0", **trusted) as (url, _):
            got = fetch("GET", url)
    assert got.status_code == (200 if is_trusted else 502)
    assert ("certificate verify failed" in got.text) != is_trusted
