"""Settings of a whole run: options, variables of `serve`, ini values."""

from __future__ import annotations

import socket

import pytest

from mock_server import MockServer
from tests.testing.conftest import Run

FIXTURE = "apps: [{id: mine, chats: [{chatId: c1}]}]"
WRONG = {
    "PROFILE": ("deploied", "got 'deploied' (did you mean 'deployed'?) - at "),
    "CHOICE": ("list_ordr=name", "got 'list_ordr' (did you mean 'list_order'?) - at "),
    "FAULT": ("eror", "got 'eror' (did you mean 'error'?) - at "),
    "MEMORY": ("much", "Expected a size like 512MiB or 2GiB, got 'much' - at "),
    "FIXTURE": ("demmo", "got 'demmo' (did you mean 'demo'?) - at "),
    "HTTP": ("h12", "got 'h12' (did you mean 'h11'?) - at "),
}


@pytest.mark.parametrize("source", ["option", "variable", "ini"])
def test_a_profile_is_in_force_and_the_marker_wins(
    run: Run, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    args, place = [], "--mock-server-profile"
    if source == "option":
        args = [f"{place}=deployed", "-omock_server_profile=documented"]
    elif source == "ini":
        args, place = ["-omock_server_profile=deployed"], "mock_server_profile"
    else:
        place = "MOCK_SERVER_PROFILE"
        monkeypatch.setenv(place, "deployed")
    result = run("preset", *args, "-ktest_profile or test_marker", alone=True)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines([f"mock-server: profile deployed ({place})"])


@pytest.mark.ci
def test_variables_are_in_force_and_the_header_says_so(
    run: Run, monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester
) -> None:
    (pytester.path / "mine.yaml").write_text(FIXTURE)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    given = {"CHOICE": "list_order=name", "FAULT": "error:status=503", "HTTP": "h11"}
    given |= {"FIXTURE": "mine.yaml", "ADMIN_TOKEN": "secret", "PORT": port}
    given |= {"MEMORY": "64MiB", "CORS_ORIGIN": "http://a", "WATCH": "true"}
    for name, value in given.items():
        monkeypatch.setenv(f"MOCK_SERVER_{name}", value)
    result = run("preset", "-ktest_variables or test_marker", alone=True)
    result.assert_outcomes(passed=2, warnings=0)
    (header,) = [each for each in result.outlines if each.startswith("mock-server:")]
    assert all(f"(MOCK_SERVER_{name})" in header for name in given.keys() - {"WATCH"})
    assert "MOCK_SERVER_WATCH has no effect" in header
    assert "secret" not in header


@pytest.mark.parametrize("name", WRONG)
def test_a_bad_variable_is_one_line_with_a_hint(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    value, said = WRONG[name]
    monkeypatch.setenv(f"MOCK_SERVER_{name}", value)
    result = run("preset", alone=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [each for each in result.errlines if "Expected" in each]
    assert f"{said}MOCK_SERVER_{name}" in line


@pytest.mark.ci
def test_a_remote_run_has_the_variables_of_its_sandboxes(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOCK_SERVER_CHOICE", "list_order=name")
    monkeypatch.setenv("MOCK_SERVER_FAULT", "error:status=503")
    with MockServer() as server:
        args = [f"--mock-server-url={server.url}", "--mock-server-profile=deployed"]
        result = run("preset", *args, "-ktest_profile or test_marker", alone=True)
    result.assert_outcomes(passed=2)


def test_runs_under_choices_begin_with_the_profile_that_is_in_force(run: Run) -> None:
    choices = "--mock-server-choices=page_size_over_limit"
    profile = "--mock-server-profile=deployed"
    result = run("preset", choices, profile, "-v", "-ktest_profile", alone=True)
    result.stdout.fnmatch_lines(["*page_size_over_limit=reject*"])
    assert "page_size_over_limit=clamp]" not in result.stdout.str()
