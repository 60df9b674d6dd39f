"""`serve --metrics`, and the ids that `--log-format` brings, as processes have them."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.cli.commands import run
from tests.process import environment, serving
from tests.support import fetch

VARIABLES = {"MOCK_SERVER_METRICS": "true", "MOCK_SERVER_LOG_FORMAT": "text"}


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        (["--metrics", "--log-format=json"], {}),
        pytest.param([], VARIABLES, marks=pytest.mark.ci),
    ],
)
def test_metrics_and_ids_are_there_if_asked_for(
    options: list[str], variables: dict[str, str]
) -> None:
    with serving("--port=0", *options, **variables) as (url, process):
        answer = fetch("GET", f"{url}/favicon.ico")
        found = fetch("GET", f"{url}/__admin/journal?requestId=default-1-1").json()
        metrics = fetch("GET", f"{url}/__admin/metrics").text
        process.terminate()
        lines = process.communicate()[1].splitlines()
    assert 'mock_server_requests_total{operation="none",status="404"} 1.0' in metrics
    assert [each["request"]["path"] for each in found["entries"]] == ["/favicon.ico"]
    assert answer.headers["x-request-id"] == "default-1-1"
    (line,) = (each for each in lines if "/favicon.ico" in each)
    shown = json.loads(line)["requestId"] if options else line
    assert "default-1-1" in shown


@pytest.mark.ci
def test_a_server_that_was_not_asked_has_neither() -> None:
    with serving("--port=0") as (url, _):
        answer = fetch("GET", f"{url}/a", headers={"X-Request-Id": "mine"})
        assert "x-request-id" not in answer.headers
        assert fetch("GET", f"{url}/__admin/metrics").status_code == 404


@pytest.mark.ci
def test_without_the_library_metrics_are_refused_in_one_line() -> None:
    code = (
        "import sys; sys.modules['prometheus_client'] = None;"
        "from mock_server.__main__ import main; main()"
    )
    command = [sys.executable, "-c", code, "serve", "--metrics"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "metrics need the library prometheus_client: "
        "pip install 'fastgpt-mock-server[metrics]'\n"
    )


def test_their_variable_is_true_or_false() -> None:
    ended = run("serve", MOCK_SERVER_METRICS="maybe")
    assert ended.status == 1
    expected = "Expected true or false, got 'maybe'"
    assert f"{expected} - at MOCK_SERVER_METRICS" in ended.err
