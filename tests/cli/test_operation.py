"""The ids of requests that `--log-format` brings, as processes have them."""

from __future__ import annotations

import json

import pytest

from tests.process import serving
from tests.support import fetch


@pytest.mark.ci
@pytest.mark.parametrize(
    ("options", "variables"),
    [(["--log-format=json"], {}), ([], {"MOCK_SERVER_LOG_FORMAT": "text"})],
)
def test_ids_are_there_if_asked_for(
    options: list[str], variables: dict[str, str]
) -> None:
    with serving("--port=0", *options, **variables) as (url, process):
        answer = fetch("GET", f"{url}/favicon.ico")
        found = fetch("GET", f"{url}/__admin/journal?requestId=default-1-1").json()
        process.terminate()
        lines = process.communicate()[1].splitlines()
    assert [each["request"]["path"] for each in found["entries"]] == ["/favicon.ico"]
    assert answer.headers["x-request-id"] == "default-1-1"
    (line,) = (each for each in lines if "/favicon.ico" in each)
    shown = json.loads(line)["requestId"] if options else line
    assert "default-1-1" in shown


@pytest.mark.ci
def test_a_server_that_was_not_asked_has_none() -> None:
    with serving("--port=0") as (url, _):
        answer = fetch("GET", f"{url}/a", headers={"X-Request-Id": "mine"})
        assert "x-request-id" not in answer.headers
