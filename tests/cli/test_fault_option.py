"""Faults that are given to `serve`, by --fault or its variable."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mock_server import Fault
from mock_server.cli.options import FaultText
from mock_server.cli.serve import serve
from tests.cli.commands import NOWHERE, run
from tests.process import serving
from tests.support import fetch


def given(*texts: str) -> Sequence[Fault]:
    args = [part for text in texts for part in ("--fault", text)]
    found: Sequence[Fault] = serve.make_context("serve", args).params["fault"]
    return found


def test_a_kind_alone_and_one_with_fields_are_taken() -> None:
    reset, error = given("reset", "error:status=500, times=3")
    assert (reset.kind, error.kind) == ("reset", "error")
    assert error == Fault.of("error", status=500, times=3)


def test_values_are_json_or_text() -> None:
    (error,) = given(
        'error:message="a, b; c: d",match={"key":"k","body":{"a":[1,2]}},phase=after'
    )
    match = {"key": "k", "body": {"a": [1, 2]}}
    assert error == Fault.of("error", message="a, b; c: d", match=match, phase="after")
    (error,) = given("error:message=at 12:30 it's = over,status=500")
    assert error == Fault.of("error", message="at 12:30 it's = over", status=500)


def test_a_preset_is_all_its_faults() -> None:
    assert {each.seed for each in given("flaky:seed=7")} == {7}
    assert len(given("flaky", "slow")) == 4


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("reset", ["reset"]),
        ("reset; error:status=500,times=2", ["reset", "error:status=500,times=2"]),
        ('error:message="a;b\\";c";slow', ['error:message="a;b\\";c"', "slow"]),
        ('error:message="a;slow', ['error:message="a', "slow"]),
        ("reset;;slow", ["reset", "", "slow"]),
        (";reset;", ["", "reset", ""]),
    ],
)
def test_semicolons_part_the_faults_of_the_variable(
    text: str, parts: list[str]
) -> None:
    assert FaultText().split_envvar_value(text) == parts


@pytest.mark.parametrize(
    ("text", "expected", "place"),
    [
        ("eror:status=5", "got 'eror' (did you mean 'error'?)", ""),
        ("flakey", "got 'flakey' (did you mean 'flaky'?)", ""),
        ("error:staus=5", "unknown field 'staus' (did you mean", " error:staus"),
        ("error:status=99", "an integer from 200 to 599, got 99", " error:status"),
        ("error:operation=listV3", "(did you mean 'listV2'?)", " error:operation"),
        ("error:500", "Expected error:status=500, got 'error:500'", ""),
        ("reset:2", "Expected reset:times=2, got 'reset:2'", ""),
        (
            "error:count=2",
            "unknown field 'count' (did you mean 'times'?)",
            " error:count",
        ),
        ("error:times=1,kind=reset", "Expected error alone", " error"),
        ("flaky:seed=x", "Expected an integer", " flaky:seed"),
        ("error status=502", "behind a colon (error:status=502)", ""),
        ("error=502", "behind a colon (error:status=502)", ""),
        ("flaky:status=500", "Expected only seed for the preset flaky", " flaky"),
        ("error:times=1,times=2", "Expected times once", " error"),
        ("delay", "Expected ms, or min and max", " delay:ms"),
    ],
)
def test_a_mistake_stops_the_start(text: str, expected: str, place: str) -> None:
    done = run("--host", NOWHERE, "--fault", text)
    assert (done.status, done.out) == (1, "")
    assert expected in done.err
    assert done.err.endswith(f" - at --fault{place}\n")
    done = run("--host", NOWHERE, MOCK_SERVER_FAULT=f"reset;{text}")
    assert done.err.endswith(f" - at MOCK_SERVER_FAULT{place}\n")


def test_several_faults_in_one_are_told_how_to_be_parted() -> None:
    done = run("--host", NOWHERE, "--fault", "slow,error")
    assert done.err.startswith("Expected one --fault for each, got 'slow,error'")
    done = run("--host", NOWHERE, MOCK_SERVER_FAULT="slow,error")
    assert done.err == (
        "Expected `;` between faults, got 'slow,error' - at MOCK_SERVER_FAULT\n"
    )


def test_more_faults_than_there_may_be_are_refused() -> None:
    done = run("--host", NOWHERE, MOCK_SERVER_FAULT=";".join(["reset"] * 101))
    assert "Expected at most 100 faults, got 101 - at MOCK_SERVER_FAULT" in done.err


@pytest.mark.ci
def test_they_are_in_force_from_the_start_and_after_a_reset() -> None:
    with serving("--port=0", MOCK_SERVER_FAULT="error:status=502;slow") as (url, _):
        for _ in range(2):
            found = fetch("GET", url + "/__admin/faults").json()["faults"]
            assert [each["id"] for each in found] == ["f1", "f2"]
            assert [each["kind"] for each in found] == ["error", "delay"]
            fetch("DELETE", url + "/__admin/faults")
            fetch("POST", url + "/__admin/reset", json={})


@pytest.mark.ci
def test_a_declared_response_may_be_meant(tmp_path: Path) -> None:
    fixture = tmp_path / "x.yaml"
    fixture.write_text('responses: [{method: GET, path: "/x/{id}"}]')
    fault = "--fault=error:operation=GET /x/"
    with serving(str(fixture), f"{fault}{{id}}", "--port=0") as (url, _):
        assert fetch("GET", f"{url}/x/1").status_code == 503
        assert fetch("GET", f"{url}/x/1").status_code == 200
    done = run("serve", str(fixture), f"{fault}{{ID}}", "--port=0")
    assert done.status == 1
    assert "did you mean 'GET /x/{id}'?" in done.err
