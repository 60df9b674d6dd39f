"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mock_server import MockServer
from mock_server import __all__ as public_names
from tests.testing.conftest import Run


def test_every_test_begins_with_a_fresh_server(run: Run) -> None:
    run("fresh", apart=True).assert_outcomes(passed=3)


def test_the_shipped_demo_is_served_unless_told_otherwise(run: Run) -> None:
    run("demo", alone=True).assert_outcomes(passed=1)


def test_a_path_is_relative_to_the_test_file(run: Run) -> None:
    run("relative", "inner", alone=True).assert_outcomes(passed=1)


def test_markers_merge_and_the_closest_wins(run: Run) -> None:
    run("markers", "--strict-markers").assert_outcomes(passed=2)


@pytest.mark.ci
def test_settings_are_arguments_of_the_server(run: Run) -> None:
    run("settings").assert_outcomes(passed=1)


@pytest.mark.ci
def test_the_app_and_the_server_show_the_same(run: Run) -> None:
    run("app", apart=True).assert_outcomes(passed=3)


def test_a_failure_shows_journal_and_faults(run: Run) -> None:
    result = run("failing", "test_failing.py")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: Expected at least 1, got 0 calls of updateHistory with*",
            "*nearest: #1",
            "*$.body.top: expected False, got True",
            "*mock_server journal*",
            "#1 PUT /api/core/chat/history/updateHistory -> 200 * ms",
            '    sent {"appId":"app-1","chatId":"chat-1","top":true,"extra":1}',
            "*unknown_fields (spec 4.1): *$.extra - ignored",
            "*mock_server faults that can still fire*",
            '{"id":"f1",*',
        ]
    )


def test_assertions_say_what_is_not_so(run: Run) -> None:
    run("assertions").assert_outcomes(passed=4)


def test_strictness_fails_a_test_that_is_off_contract(run: Run) -> None:
    result = run("strict")
    result.assert_outcomes(passed=1, failed=1, xfailed=1)
    result.stdout.fnmatch_lines(["*requests against the spec:*", "*unknown_fields*"])


def test_a_strict_run_may_allow_some_violations(run: Run) -> None:
    result = run("allowing")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*invalid_field (spec 4.1): *$.top - refused"])


@pytest.mark.parametrize("allowed", ["true", "unknown_fields", "legacy_path"])
def test_what_the_description_does_not_show_counts_in_a_strict_run_only(
    run: Run, allowed: str
) -> None:
    only = "-ktest_outside_the_description"
    run("allowing", only, "-omock_server_strict=false").assert_outcomes(passed=1)
    result = run("allowing", only, f"-omock_server_strict={allowed}")
    is_allowed = allowed == "legacy_path"
    result.assert_outcomes(passed=is_allowed, failed=not is_allowed)
    if not is_allowed:
        result.stdout.fnmatch_lines(["*: legacy_path: the spec does not*"])


@pytest.mark.ci
@pytest.mark.parametrize(
    ("value", "passed"), [("true", 1), ("false", 2), ('["unknown_fields"]', 2)]
)
def test_strictness_is_read_from_native_toml_too(
    run: Run, pytester: pytest.Pytester, value: str, passed: int
) -> None:
    text = f"[tool.pytest]\nmock_server_strict = {value}\n"
    (pytester.path / "pyproject.toml").write_text(text)
    result = run("strict", "-cpyproject.toml", "-ktest_o")
    assert result.parseoutcomes().get("passed") == passed


@pytest.mark.parametrize("value", ["unknown_field", "true,related_route", ""])
def test_a_strictness_that_cannot_be_is_one_line(run: Run, value: str) -> None:
    result = run("strict", f"-omock_server_strict={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    (line,) = [each for each in result.errlines if "mock_server_strict" in each]
    assert "Expected" in line


@pytest.mark.ci
def test_strictness_holds_in_process_and_the_marker_says_more(run: Run) -> None:
    result = run("strictly")
    result.assert_outcomes(passed=3, failed=2)
    result.stdout.fnmatch_lines(
        ["*mock_server_app journal*", "*FAILED*test_in_process*", "*test_not_allowed*"]
    )


@pytest.mark.parametrize("is_remote", [False, True])
@pytest.mark.ci
def test_a_test_may_have_several_servers(run: Run, is_remote: bool) -> None:
    with MockServer() as server:
        url = ["--mock-server-url", server.url] if is_remote else []
        run("several", *url).assert_outcomes(passed=4)


def test_a_fault_that_never_fires_is_told(run: Run) -> None:
    result = run("failing", "-ktest_never or test_fired", "-Wdefault")
    result.assert_outcomes(passed=2, warnings=1)
    told = "*the fault f1 (error of listV2) matched no request and never fired"
    result.stdout.fnmatch_lines([told])


@pytest.mark.ci
def test_all_choices_tell_what_a_client_depends_on(run: Run) -> None:
    result = run("choosy", "--mock-server-choices=all!", "-v")
    result.stdout.fnmatch_lines(
        [
            "*test_pin[[]baseline[]] PASSED*",
            "*test_pin[[]page_size_default=1[]] PASSED*",
            "*test_pin[[]page_size_default=30[]] PASSED*",
            "*mock-server choices*",
            "parent_omitted=root breaks 2: test_choosy.py::test_anywhere[[]20[]], *",
        ]
    )
    text = result.stdout.str()
    assert "test_root[parent_omitted=root]" not in text
    assert "page_size_default=2]" not in text
    result.assert_outcomes(failed=2, passed=text.count(" PASSED "))


def test_nothing_to_depend_on_is_said_too(run: Run) -> None:
    result = run("indifferent", "--mock-server-choices=all")
    result.stdout.fnmatch_lines(["no test depends on what the documentation leaves*"])
    assert result.ret == 0


@pytest.mark.ci
@pytest.mark.parametrize("token", [None, "s3cret"])
def test_a_running_server_gives_each_test_a_sandbox(
    run: Run, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    if token is not None:
        monkeypatch.setenv("MOCK_SERVER_ADMIN_TOKEN", token)
    with MockServer({"apps": []}, admin_token=token) as server:
        result = run("sandboxes", "--mock-server-url", server.url)
        result.assert_outcomes(passed=4)
        result.stdout.fnmatch_lines([f"mock-server: {server.url}, a sandbox per test"])
        assert len(server.sandbox.journal) == 0


@pytest.mark.ci
@pytest.mark.parametrize(
    ("workers", "count"),
    [
        (2, 10),
        (4, 40),
        pytest.param(4, 400, marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("shared", [True, False])
def test_parallel_tests_do_not_meet(
    run: Run, monkeypatch: pytest.MonkeyPatch, shared: bool, workers: int, count: int
) -> None:
    monkeypatch.setenv("TESTS", str(count))
    with MockServer() as server:
        url = ["--mock-server-url", server.url] if shared else []
        result = run("parallel", "-n", str(workers), *url, apart=True)
        result.assert_outcomes(passed=count)
        assert [each.name for each in server.app.sandboxes.all()] == ["default"]


@pytest.mark.ci
def test_no_thread_is_left_behind(run: Run) -> None:
    result = run("threads", "-s", "-p", "threads_left", apart=True)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["threads left: 0"])


def test_async_tests_can_use_it(run: Run) -> None:
    result = run("asynchronous", "-W", "error")
    result.assert_outcomes(passed=2)


@pytest.mark.ci
@pytest.mark.parametrize("extra", [(), ("-n", "2")])
def test_other_plugins_are_no_trouble(run: Run, extra: tuple[str, ...]) -> None:
    pytest.importorskip("pytest_asyncio")
    pytest.importorskip("pytest_randomly")
    run("beside", *extra, apart=True, beside=True).assert_outcomes(passed=20)


@pytest.mark.ci
def test_the_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys, mock_server.pytest_plugin\n"
        "heavy = {'starlette', 'uvicorn', 'msgspec', 'yaml', 'click', 'hypothesis'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_there_are_few_public_names() -> None:
    assert len(public_names) <= 9
    assert {"MockServer", "Fault", "load_fixture", "create_app"} <= set(public_names)


def test_an_unknown_ini_value_is_told(run: Run) -> None:
    result = run("demo", "-omock_server_profil=deployed", "-Wdefault", alone=True)
    told = "ini value mock_server_profil (did you mean 'mock_server_profile'?)"
    result.stdout.fnmatch_lines([f"*unknown {told}*"])


def test_unknown_variables_are_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_CHOICE", "list_order=name")
    result = run("demo", "-Wdefault", alone=True)
    result.assert_outcomes(passed=1, warnings=1)
    told = "unknown setting MOCKSERVER_CHOICE (did you mean MOCK_SERVER_CHOICE?)"
    result.stdout.fnmatch_lines([f"*{told}*"])
    monkeypatch.setenv("MOCK_SERVER_STRICT_SETTINGS", "true")
    strict = run("demo", alone=True)
    assert strict.ret == pytest.ExitCode.USAGE_ERROR
    assert any(told in line for line in strict.errlines)
