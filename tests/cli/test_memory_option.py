"""`--memory`: the budget that a server starts with."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from mock_server import MockServer, create_app, load_fixture
from mock_server.cli.main import cli
from mock_server.fixture.problems import FixtureError
from tests.cli.commands import NOWHERE, run
from tests.process import COMMAND, environment, serving
from tests.support import SECONDS, fetch

MIB = 1024 * 1024
SHORT = {"datasets": [{"id": "d", "collections": [{"name": "x{n}", "repeat": 9_000}]}]}
LONG = {"datasets": [{"id": "d", "collections": [{"name": "x{n}", "repeat": 90_000}]}]}


def limit(url: str) -> int:
    answer = fetch("GET", f"{url}/__admin/health").json()
    return int(answer["memory"]["limit"])


def failed(*args: str) -> tuple[int, str]:
    done = subprocess.run(
        [*COMMAND, "--port=0", *args],
        capture_output=True,
        text=True,
        env=environment(),
        timeout=SECONDS,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("args", "variables", "size"),
    [
        (["--memory=512MiB"], {}, 512 * MIB),
        ([], {"MOCK_SERVER_MEMORY": "2GiB"}, 2048 * MIB),
        (["--memory", "5000000"], {"MOCK_SERVER_MEMORY": "x"}, 5_000_000),
        ([], {}, 1024 * MIB),
    ],
)
def test_the_budget_is_as_it_was_given(
    args: list[str], variables: dict[str, str], size: int
) -> None:
    serve = cli.get_command(click.Context(cli), "serve")
    assert serve is not None
    with CliRunner().isolation(env=variables):
        assert serve.make_context("serve", args).params["memory"] == size


@pytest.mark.ci
def test_a_server_has_the_budget_that_was_given() -> None:
    with serving("--port=0", "--memory=512MiB") as (url, _):
        assert limit(url) == 512 * MIB


def test_the_demo_over_the_budget_is_one_clear_line_too() -> None:
    done = run("--host", NOWHERE, "--memory", "2KiB")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "at most 2.0 KiB of memory, got one of about " in done.err
    assert "0.0 MiB" not in done.err


@pytest.mark.ci
def test_a_fixture_over_the_budget_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "big.yaml"
    path.write_text(json.dumps(LONG))
    status, err = failed("--memory=16MiB", str(path))
    assert status == 2
    assert len(err.splitlines()) == 1
    assert err.startswith(f"{path}: Expected a fixture of at most 16.0 MiB of memory, ")
    assert "--memory" in err


def test_programs_give_the_budget_in_bytes() -> None:
    with MockServer(memory=MIB) as server:
        assert limit(server.url) == MIB
    with pytest.raises(FixtureError, match="--memory"):
        create_app(SHORT, memory=MIB)
    with pytest.raises(ValueError, match="Expected a memory of "):
        create_app(load_fixture(SHORT), memory=MIB)
