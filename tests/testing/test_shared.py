"""The pytest plugin with --mock-server-url, where no mock server is or one is."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from mock_server import AdminClient, MockServer
from mock_server.control.http_call import Unreachable
from mock_server.testing.servers import Baselines, remote_sandbox, remote_server
from mock_server.testing.setup import Setup
from tests.process import environment
from tests.strangers import ENDLESS, REDIRECTS, STRANGERS, Strange, strangers
from tests.support import SECONDS
from tests.testing.conftest import PROJECTS

TOKEN = "s3cret-admin-token"


@pytest.fixture(scope="module")
def strange() -> Iterator[Strange]:
    with strangers() as running:
        yield running


def run(
    folder: Path, url: str, *options: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    shutil.copytree(PROJECTS / "untouched", folder, dirs_exist_ok=True)
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    plugins = ("-p", "mock_server.pytest_plugin", "-p", "no:cacheprovider")
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            *plugins,
            *options,
            f"--mock-server-url={url}",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(**alone, **variables),
    )


def test_two_runs_with_one_process_id_do_not_meet(
    request: pytest.FixtureRequest,
) -> None:
    """As in two containers, where it is often the same."""
    with MockServer() as server, ExitStack() as stack:
        for baselines in (Baselines(), Baselines()):
            stack.callback(baselines.close)
            one = (request.node, server.url, Setup({}), stack, "a test", baselines)
            remote_server(*one)
        names = [each.name for each in server.app.sandboxes.all()]
        assert len(names) == 1 + 2 * len(("baseline", "sandbox"))


@pytest.mark.parametrize("name", [*STRANGERS, *REDIRECTS])
@pytest.mark.sampled
def test_no_test_begins_on_a_stranger(strange: Strange, name: str) -> None:
    seconds = 0.05 if name in ENDLESS else SECONDS
    client = AdminClient(strange.url(name), token=TOKEN, timeout=seconds)
    server = remote_sandbox(client, Setup(), "a test")
    with pytest.raises(Unreachable) as failed, server:
        pytest.fail("a test has begun")
    assert str(failed.value).isprintable()
    assert strange.elsewhere == []


@pytest.mark.parametrize(
    ("name", "seconds", "said"),
    [
        (
            "page",
            "30",
            "mock-server: Expected a response of a mock server, got 200 text/html",
        ),
        ("dripping_body", "0.2", "no full response in 0.2 s"),
        ("redirect_302", "30", "got a redirect (302) to 'http://localhost:"),
    ],
)
@pytest.mark.ci
def test_a_run_says_in_one_line_what_is_there(
    strange: Strange, tmp_path: Path, name: str, seconds: str, said: str
) -> None:
    done = run(tmp_path, strange.url(name), MOCK_SERVER_TIMEOUT=seconds)
    assert done.returncode == 1
    assert said in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "client.py" not in done.stdout + done.stderr


@pytest.mark.ci
def test_a_run_uses_the_token_of_the_environment(tmp_path: Path) -> None:
    with MockServer(admin_token=TOKEN) as server:
        without = run(tmp_path, server.url)
        done = run(tmp_path, server.url, MOCK_SERVER_ADMIN_TOKEN=TOKEN)
    assert "mock-server: Expected the admin token, as header `Authori" in without.stdout
    assert done.returncode == 0, done.stdout


SETTINGS = """
import pytest

@pytest.fixture(scope="session")
def mock_server_settings():
    return {"profile": "deployed", "port": 0, "memory": 2**26, "admin_token": None}
"""


@pytest.mark.parametrize("warnings", ["default", "error"])
@pytest.mark.ci
def test_settings_without_an_effect_are_told_once(
    tmp_path: Path, warnings: str
) -> None:
    (tmp_path / "conftest.py").write_text(SETTINGS)
    (tmp_path / "test_more.py").write_text("def test_more(mock_server): pass")
    with MockServer() as server:
        # Without the summary, which repeats whole errors where CI is set.
        done = run(tmp_path, server.url, "-rN", "-W", warnings)
    told = "port, memory: no effect on a server that runs already (--mock-server-url)"
    assert done.stdout.count(told) == 1
    assert "- at the fixture mock_server_settings" in done.stdout
    assert (done.returncode == 0) is (warnings == "default")
